"""The scikit-learn classifier: translate the input, solve, keep the card and what is proven."""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from riskcard.data.table import Table
from riskcard.encoding.decode_solution import Layout, PrintedCuts
from riskcard.encoding.encode_card import terms_of_card
from riskcard.errors import ParameterError
from riskcard.estimators.base import CardClassifier, Solver, is_number, is_whole
from riskcard.estimators.card_pool import CardPool
from riskcard.estimators.regularize import Restraint
from riskcard.model.card import RiskCard
from riskcard.problem.problem import Problem, make_problem
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.result import SolveResult
from riskcard.progress import ProgressDisplay
from riskcard.rules.card_rules import CardRules
from riskcard.rules.least_bins import LeastBins
from riskcard.search.options import Options
from riskcard.search.round_cuts import round_cuts
from riskcard.search.solve import solve
from riskcard.search.warmup import tell_of_compilation
from riskcard.status import OPTIMALITY_TOLERANCE, Status, relative_gap

Start = tuple[tuple[int, int, int], ...]


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
    max_log_odds
        Where the multiplier is fitted: a term moves the log-odds by at most this, so that it
        multiplies the odds by at most ``exp(max_log_odds)``. "auto" is the logarithm of 1,000, None
        is 30. Proofs are the better the smaller it is, and risks of new rows mostly too.
    certify
        Prove a bound after the search. Where time runs out and the multiplier is fitted, the
        certificate of ``card_`` mostly has a second bound, on cards with moderate terms.
    time_limit
        Seconds for search and proof together; None for no limit. What is found and proven by then
        is kept, and ``status_`` says "time_limit". The first proof on a machine waits for its
        compilation besides.
    gap
        The proof stops when the relative gap between loss and bound is at most this.
    n_jobs
        Threads; None is 1 and -1 all processors. The card does not depend on it.
    random_state
        Seed of the search.
    verbose
        Show progress while the proof runs.
    grid
        Candidate cuts a feature, at quantiles of the rows; "auto" for one cut in 80 rows, from 9 to
        99; None for every gap between two neighbouring values. A bound holds for the cards of the
        grid only.
    rules
        A ``CardRules``: directions, bounds, required and forbidden features, allowed cuts, groups,
        costs and a budget; or the path of a TOML or CSV file with them.
    min_bin_rows, min_bin_events
        Every bin or group of levels has at least so many rows, and rows with the event: a whole
        number is a count, a number below 1 a share of all. "auto" is 5 % of the rows, 100 at most.
    class_weight
        "balanced", or a mapping from label to factor, on top of ``sample_weight``.
    min_gain
        A term must lower the loss by at least this much, or it stays out.
    prior_rows
        Learn from so many rows more that have the table's event rate and are spread over its rows,
        which keeps risks away from 0 and 1: a number below 1 is a share of the rows. "auto" is the
        more the less a first card explains (``4 * max_terms * (1 - e) / e``, with ``e`` the share
        of the variance of the labels), at most half of the rows; none in a table of more than
        10,000 rows. Loss, bound and gains count prior rows; the rows on the card are those of the
        table.
    shortlist
        Choose from so many conditions only, those that a lasso takes up first as its penalty falls,
        besides those of features that must be used and of ``start``: fewer fit the rows less well,
        and others often better. "auto" is two more than ``max_terms``, and the more the more rows
        there are and the more a first card explains, soon all; all in a table of more than 10,000
        rows. None for all. A bound holds for the cards of the shortlist only.
    round_cuts
        Move cuts to rounder numbers as long as the loss stays within this part of what it was (0.01
        is one per cent); None for the roundest number within each gap in the data, which costs
        nothing.
    start
        A ``RiskCard`` to start from.
    max_changes
        Change at most this many terms of ``start``; the others keep their cuts and points.
    pool_tolerance
        Keep cards whose loss is within this part of the best in ``pool_``; with ``certify`` all
        choices of features and cuts that have one are looked for. None for no pool.
    pool_size
        Cards in the pool at most.

    Attributes
    ----------
    card_ : RiskCard
        The card in the units of the data; ``print`` it.
    loss_ : float
        Sum of the log-losses of the printed card on the training rows, times their weights; prior
        rows are included.
    lower_bound_ : float
        No allowed card has a smaller loss; 0 when nothing was proven.
    gap_ : float
        ``(loss_ - lower_bound_) / loss_``.
    status_ : str
        "optimal", "gap_reached", "time_limit", "node_limit", "interrupted", "rounding",
        "chosen" or "heuristic".
    pool_ : CardPool
        Cards about as good, if ``pool_tolerance`` is given; ``choose`` makes one of them the model.
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
        grid: int | str | None = None,
        rules: CardRules | str | Path | None = None,
        min_bin_rows: float | str = 0,
        min_bin_events: float = 0,
        class_weight: Any = None,
        min_gain: float = 0.0,
        prior_rows: float | str = 0,
        shortlist: int | str | None = None,
        round_cuts: float | None = None,
        start: RiskCard | None = None,
        max_changes: int | None = None,
        pool_tolerance: float | None = None,
        pool_size: int = 100,
        max_log_odds: float | str | None = "auto",
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
        self.min_gain = min_gain
        self.prior_rows = prior_rows
        self.shortlist = shortlist
        self.round_cuts = round_cuts
        self.start = start
        self.max_changes = max_changes
        self.pool_tolerance = pool_tolerance
        self.pool_size = pool_size
        self.max_log_odds = max_log_odds

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

    @classmethod
    def sturdy(cls, max_terms: int = 5, **overrides: Any) -> RiskScoreClassifier:
        """Settings for cards that are to be used on new rows, above all if there are few to learn from.

        Few cuts to choose from (9 a feature up to 800 rows, 99 from 8,000 on), prior rows, the more
        the less can be explained, and a shortlist, the shorter the less can be explained. The card
        fits its own rows less well, and others usually better.

        Examples
        --------
        >>> RiskScoreClassifier.sturdy(8, scale=1).grid
        'auto'
        """
        settings: dict[str, Any] = {
            "max_terms": max_terms,
            "grid": "auto",
            "prior_rows": "auto",
            "shortlist": "auto",
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

    def _prepare(self, layout: Layout) -> Layout:
        options = Options(
            time_limit=self._checked_time_limit(),
            n_jobs=self._n_threads(),
            random_state=self._seed(),
        )
        restraint = Restraint(self.prior_rows, self.shortlist, self.max_terms, self.start, options)
        return restraint.apply(layout, self._pose)

    def _make_problem(self, data: RankedData) -> Problem:
        return make_problem(
            data,
            max_terms=self.max_terms,
            max_features=self.max_features,
            max_cuts_per_feature=self.max_cuts_per_feature,
            max_points=self.max_points,
            scale=self.scale,
            max_log_odds=self.max_log_odds,
        )

    def _make_solver(self) -> Solver:
        options = self._options()
        if self.verbose:
            tell_of_compilation()

        def solver(problem: Problem, start: Start = ()) -> SolveResult:
            display = ProgressDisplay() if self.verbose else nullcontext()
            with display as progress:
                return solve(problem, replace(options, progress=progress, start=start))

        return solver

    def _options(self) -> Options:
        """How to work, from parameters that make sense."""
        pool_tolerance = self._checked_share("pool_tolerance")
        if not is_whole(self.pool_size) or self.pool_size < 1:
            raise ParameterError(
                f"pool_size is {self.pool_size!r}. Use a whole number of at least 1."
            )
        if not is_number(self.min_gain) or not 0 <= self.min_gain < math.inf:
            raise ParameterError(f"min_gain is {self.min_gain!r}. Use a number of at least 0.")
        self._checked_share("round_cuts")
        self._check_start()
        return Options(
            certify=bool(self.certify),
            time_limit=self._checked_time_limit(),
            gap=self._checked_gap(),
            n_jobs=self._n_threads(),
            random_state=self._seed(),
            max_changes=self.max_changes,
            min_gain=float(self.min_gain),
            pool_tolerance=pool_tolerance,
            pool_size=int(self.pool_size),
        )

    def _checked_share(self, name: str) -> float | None:
        value = getattr(self, name)
        if value is not None and not (is_number(value) and 0 <= value < math.inf):
            raise ParameterError(f"{name} is {value!r}. Use a share such as 0.01, or None.")
        return None if value is None else float(value)

    def _check_start(self) -> None:
        if self.start is not None and not isinstance(self.start, RiskCard):
            raise ParameterError(f"start is {self.start!r}. Use a RiskCard.")
        if self.max_changes is None:
            return
        if not is_whole(self.max_changes) or self.max_changes < 0:
            raise ParameterError(
                f"max_changes is {self.max_changes!r}. Use a whole number of at least 0, or None."
            )
        if self.start is None:
            raise ParameterError("max_changes needs a card to start from. Give start=card.")
        for name, value in (("min_gain", self.min_gain), ("pool_tolerance", self.pool_tolerance)):
            if value:
                raise ParameterError(f"max_changes and {name} cannot be used together.")

    def _solve(self, solver: Solver, problem: Problem, layout: Layout) -> SolveResult:
        start: Start = ()
        if self.start is not None:
            start = tuple(terms_of_card(self.start, layout))
        result = solver(problem, start)  # type: ignore[call-arg]
        if self.round_cuts is None:
            return result
        return round_cuts(result, problem, PrintedCuts(layout), float(self.round_cuts))

    def _rules_in_words(self, layout: Layout) -> list[str]:
        words = super()._rules_in_words(layout)
        if layout.closed:
            n_open = sum(int(np.count_nonzero(~closed)) for closed in layout.closed)
            words.append(f"conditions from a shortlist of {n_open}")
        if self.min_gain > 0:
            words.append(f"a term lowers the loss by at least {self.min_gain:g}")
        if self.max_changes is not None:
            words.append(f"at most {self.max_changes} terms of an earlier card are changed")
        return words

    def _keep(self, result: SolveResult, problem: Problem, layout: Layout) -> None:
        super()._keep(result, problem, layout)
        if result.pool is not None:
            self._keep_pool(result, problem, layout)

    def _keep_pool(self, result: SolveResult, problem: Problem, layout: Layout) -> None:
        """Every card of the pool in the user's units, with what is proven of it."""
        pool, own = result.pool, self._fitted()
        assert pool is not None
        others = []
        for solution, loss in zip(pool.cards, pool.losses, strict=True):
            one = replace(result, solution=solution, loss=loss, status=_status_of(result, loss))
            super()._keep(one, problem, layout)
            others.append(self._fitted())
        self._others = others
        for name, value in own.items():
            setattr(self, name, value)
        cards = tuple(other["card_"] for other in others)
        losses = tuple(other["loss_"] for other in others)
        self.pool_ = CardPool(cards, losses, pool.most_loss, pool.is_complete, pool.n_found)

    def _name_outcome(self, outcome: str | None) -> None:
        """Title all cards, where the target lost its name on the way here."""
        self.card_ = replace(self.card_, outcome=outcome)
        if hasattr(self, "pool_"):
            cards = tuple(replace(card, outcome=outcome) for card in self.pool_)
            self.pool_ = replace(self.pool_, cards=cards)
            self._others = [
                {**other, "card_": card} for other, card in zip(self._others, cards, strict=True)
            ]

    def _fitted(self) -> dict[str, Any]:
        names = ("result_", "card_", "loss_", "lower_bound_", "gap_", "status_")
        return {name: getattr(self, name) for name in names}

    def choose(self, index: int) -> RiskScoreClassifier:
        """Make a card of the pool the model; returns the classifier.

        Parameters
        ----------
        index
            The place of the card in ``pool_``.
        """
        if not hasattr(self, "pool_"):
            raise ParameterError("There is no pool. Give pool_tolerance and fit.")
        if not is_whole(index) or not 0 <= index < len(self.pool_):
            raise ParameterError(
                f"There is no card {index!r} in the pool. Choose from 0 to {len(self.pool_) - 1}."
            )
        for name, value in self._others[index].items():
            setattr(self, name, value)
        return self

    def _n_threads(self) -> int:
        from joblib import effective_n_jobs

        if self.n_jobs is None:
            return 1
        if not is_whole(self.n_jobs) or self.n_jobs == 0:
            raise ParameterError(
                f"n_jobs is {self.n_jobs!r}. Use a number of threads, or -1 for all processors."
            )
        return int(effective_n_jobs(self.n_jobs)) if self.n_jobs < 0 else int(self.n_jobs)


def _status_of(result: SolveResult, loss: float) -> Status:
    """The status of another card that the same proof is about."""
    if result.status is Status.OPTIMAL and relative_gap(loss, result.bound) > OPTIMALITY_TOLERANCE:
        return Status.CHOSEN
    return result.status
