"""The scikit-learn classifier: translate the input, solve, keep the card and what is proven."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from riskcard.errors import ParameterError
from riskcard.estimators.base import CardClassifier, Solver, is_whole
from riskcard.problem.feature_rules import CardRules
from riskcard.problem.problem import Problem, make_problem
from riskcard.problem.ranked import RankedData
from riskcard.problem.result import SolveResult
from riskcard.problem.ruling import LeastBins
from riskcard.problem.table import Table
from riskcard.progress import ProgressDisplay
from riskcard.search.pipeline import Options, solve

__all__ = ["RiskScoreClassifier"]


class RiskScoreClassifier(CardClassifier):
    """A card of integer points for the risk of an event, with a proof of how good it is.

    Each term of the card gives points for a feature at or below a cut; the points add up to a
    total, and the total to a risk. The card has the smallest log-loss that the search finds;
    with ``certify=True`` a lower bound on the loss of *every* allowed card is proven.

    Parameters
    ----------
    max_terms
        At most this many terms (cuts) on the card.
    max_features
        At most this many features; None for no limit.
    max_cuts_per_feature
        At most this many cuts on one feature; None for no limit.
    max_points
        A term is worth at most this many points.
    scale
        From total to log-odds. "calibrated": a real multiplier and offset are fitted.
        "multiplier": a real multiplier is fitted, the base is an integer. A number: the
        multiplier is given, the base is an integer; 1 makes a point one unit of log-odds.
    certify
        Prove a bound after the search.
    time_limit
        Seconds for search and proof together; None for no limit. What is found and proven by then
        is kept, and ``status_`` says "time_limit".
    gap
        The proof stops when the relative gap between loss and bound is at most this.
    n_jobs
        Threads; None is 1 and -1 all processors. The card does not depend on it.
    random_state
        Seed of the search.
    verbose
        Show progress while the proof runs.
    grid
        Candidate cuts a feature, at quantiles of the rows; None for every gap between two
        neighbouring values. A bound holds for the cards of the grid only.
    rules
        A ``CardRules``: directions, bounds, required and forbidden features, allowed cuts, groups,
        costs and a budget; or the path of a TOML or CSV file with them.
    min_bin_rows, min_bin_events
        Every bin or group of levels has at least so many rows, and rows with the event: a whole
        number is a count, a number below 1 a share of all.
    class_weight
        "balanced", or a mapping from label to factor, on top of ``sample_weight``.

    Attributes
    ----------
    card_ : RiskCard
        The card in the units of the data; ``print`` it.
    loss_ : float
        Sum of the log-losses of the printed card on the training rows, times their weights.
    lower_bound_ : float
        No allowed card has a smaller loss; 0 when nothing was proven.
    gap_ : float
        ``(loss_ - lower_bound_) / loss_``.
    status_ : str
        "optimal", "gap_reached", "time_limit", "node_limit", "interrupted", "rounding" or
        "heuristic".
    result_ : SolveResult
        What the solver answered, in its own units.
    classes_ : ndarray of shape (2,)
        The two labels; the event is ``classes_[1]``.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Rows of weight 0 are left out, as if they were not there; this is what scikit-learn's checks
    ask for. Negative weights are an error, and so is a table with no weight at all.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from riskcard import RiskScoreClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> classifier = RiskScoreClassifier(max_terms=2).fit(X, y)
    >>> len(classifier.card_.terms)
    2
    >>> bool(classifier.score(X, y) > 0.9)
    True
    """

    takes_any_table = True

    def __init__(
        self,
        max_terms: int = 5,
        max_features: int | None = None,
        max_cuts_per_feature: int | None = None,
        max_points: int = 5,
        scale: float | str = "calibrated",
        certify: bool = False,
        time_limit: float | None = 60.0,
        gap: float = 0.0,
        n_jobs: int | None = 1,
        random_state: Any = 0,
        verbose: bool = False,
        grid: int | None = None,
        rules: CardRules | str | Path | None = None,
        min_bin_rows: float = 0,
        min_bin_events: float = 0,
        class_weight: Any = None,
    ) -> None:
        self.max_terms = max_terms
        self.max_features = max_features
        self.max_cuts_per_feature = max_cuts_per_feature
        self.max_points = max_points
        self.scale = scale
        self.certify = certify
        self.time_limit = time_limit
        self.gap = gap
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.grid = grid
        self.rules = rules
        self.min_bin_rows = min_bin_rows
        self.min_bin_events = min_bin_events
        self.class_weight = class_weight

    @classmethod
    def paper(cls, k: int, **overrides: Any) -> RiskScoreClassifier:
        """The problem of Molero-Río and D'Ambrosio: k features, one cut each, scale 1, proven.

        Two weights from -5 to 5 on either side of a cut are one jump from -10 to 10.

        Examples
        --------
        >>> RiskScoreClassifier.paper(3, time_limit=10).max_points
        10
        """
        settings = {
            "max_terms": k,
            "max_features": k,
            "max_cuts_per_feature": 1,
            "max_points": 10,
            "scale": 1,
            "certify": True,
        }
        return cls(**(settings | overrides))

    def _card_rules(self) -> CardRules:
        if self.rules is None:
            return CardRules()
        if isinstance(self.rules, (str, Path)):
            return CardRules.load(self.rules)
        if not isinstance(self.rules, CardRules):
            raise ParameterError(
                f"rules is {self.rules!r}. Use CardRules, or the path of a TOML or CSV file."
            )
        return self.rules

    def _least_bins(self, table: Table) -> LeastBins:
        return LeastBins.parse(self.min_bin_rows, self.min_bin_events, table.labels)

    def _make_problem(self, data: RankedData) -> Problem:
        return make_problem(
            data,
            max_terms=self.max_terms,
            max_features=self.max_features,
            max_cuts_per_feature=self.max_cuts_per_feature,
            max_points=self.max_points,
            scale=self.scale,
        )

    def _make_solver(self) -> Solver:
        options = Options(
            certify=bool(self.certify),
            time_limit=self._checked_time_limit(),
            gap=self._checked_gap(),
            n_jobs=self._n_threads(),
            random_state=self._seed(),
        )

        def solver(problem: Problem) -> SolveResult:
            display = ProgressDisplay() if self.verbose else nullcontext()
            with display as progress:
                return solve(problem, replace(options, progress=progress))

        return solver

    def _n_threads(self) -> int:
        from joblib import effective_n_jobs  # type: ignore[import-untyped]

        if self.n_jobs is None:
            return 1
        if not is_whole(self.n_jobs) or self.n_jobs == 0:
            raise ParameterError(
                f"n_jobs is {self.n_jobs!r}. Use a number of threads, or -1 for all processors."
            )
        return int(effective_n_jobs(self.n_jobs)) if self.n_jobs < 0 else int(self.n_jobs)
