"""The scikit-learn classifier: check the parameters, learn a card, keep it and what is proven."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from riskcard.encoding.decode_solution import Layout
from riskcard.errors import ParameterError
from riskcard.estimators.base import CardClassifier
from riskcard.estimators.fitted import Procedure, Training, finish
from riskcard.estimators.from_sources.source_fit import fit_source, source_of
from riskcard.estimators.from_sources.source_table import Seen
from riskcard.estimators.learning import Learned, Request, Task, learn, pose
from riskcard.estimators.recipe_values import parameters_from
from riskcard.estimators.tasks import (
    SharedParameters,
    card_rules_of,
    make_task,
    procedure_of,
    without_left_out,
)
from riskcard.model.card import RiskCard
from riskcard.model.origin.recipe import Recipe
from riskcard.parameters import check_parameters, parameters_of
from riskcard.problem.problem import Problem, Scale
from riskcard.rules.card_rules import CardRules
from riskcard.sources.source import Source


@dataclass(eq=False, repr=False)
class RiskScoreClassifier(SharedParameters, CardClassifier):
    """A card of integer points for the risk of an event, with a proof of how good it is.

    Each term of the card gives points for a feature at or below a cut; the points add up to a
    total, and the total gives a risk. The card has the smallest log-loss that the search finds;
    with ``certify=True`` a lower bound on the loss of *every* allowed card is proven. By default the
    problem is regularised, so that the card holds on new data: there are fewer conditions to choose
    from, and the loss counts pseudo-observations.

    Parameters
    ----------
    max_terms
        The largest number of terms (cuts) on the card.
    max_features
        The largest number of features on the card. None means no limit.
    max_cuts_per_feature
        The largest number of terms on one feature: cuts, and terms for levels, missing values or
        codes. None means no limit.
    max_points
        The largest number of points of a term.
    scale
        How a total becomes log-odds. 'calibrated': multiplier and offset are fitted.
        'multiplier': the multiplier is fitted and the base is a whole number. A positive
        number: that multiplier, with a whole base; 1 makes a point one unit of log-odds.
    max_log_odds
        The most by which a term may change the log-odds, where the multiplier is fitted: 2.3
        lets a term multiply the odds by 10. Smaller values give tighter bounds and usually
        better risks on new data. "auto" means the logarithm of 1,000; None means no limit but
        30, beyond which separable data have no optimum.
    rules
        A CardRules, or the path of a TOML or CSV file with rules. None means no rules.
    regularization
        What keeps a card from following chance: 'auto', or a Regularization to change a part of
        it. "auto" means Regularization(); None means no regularization: the lowest loss on the
        training rows (--lowest-loss).
    event
        The label of the event, whose risk the card gives. None means what the labels say: True,
        1 against 0 or -1, or one of the words that are known, such as 'yes' or 'died'.
    identifiers
        The names of columns that number or name the rows, which are left out. The numbers of an
        array without column names are not looked at. "auto" means texts that differ in most rows,
        and whole numbers that are called id, MRN or the like or that number the rows; a warning
        lists them; None means that there are none.
    class_weight
        Weights of the classes for the choice of points, in addition to sample_weight:
        'balanced' gives both classes the same weight, a mapping from label to factor the
        factors. The risks on the card are those of the rows without them. None means no class
        weights.
    certify
        Prove a bound on the loss of every allowed card.
    time_limit
        Seconds for search and proof together. What is found and proven by then is kept. The
        first proof on a machine waits for its compilation in addition. None means no limit.
    gap
        The proof stops once the relative gap between loss and bound is at most this.
    random_state
        Seed of the search: a whole number, None or a RandomState of numpy.
    n_jobs
        Number of threads; -1 uses all processors. The card does not depend on it. None means
        one.
    verbose
        Show progress while the proof runs.

    Attributes
    ----------
    card_ : RiskCard
        The card in the units of the data; ``print`` it.
    loss_ : float
        Sum of the log-losses of the printed card on the training rows, times their weights;
        pseudo-observations are included. With class weights, that of the class-weighted rows at
        their own scale.
    lower_bound_ : float
        No allowed card has a smaller loss, or, with ``CardRules(min_gain=...)``, a smaller loss plus
        ``min_gain`` per term; 0 when nothing was proven.
    gap_ : float
        ``(loss_ - lower_bound_) / loss_``; with ``min_gain`` the charge for the terms of the card is
        added to its loss.
    status_ : str
        "optimal", "gap_reached", "time_limit", "interrupted", "rounding", "chosen" or "heuristic".
    result_ : SolveResult
        The solver's answer, in its own units.
    data_summary_ : DataSummary
        What was read: rows, events, kinds of columns, likely leaks; ``print`` it.
    identifiers_ : list of str
        The columns that were left out.
    classes_ : ndarray of shape (2,)
        The two labels, sorted.
    event_ : object
        The label of the event, which is that of the card. ``predict_proba`` and ``decision_function``
        follow ``classes_``, as everywhere in scikit-learn; ``card_.risk(X)`` is the risk of the event.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Rows of weight 0 are left out; this is what scikit-learn's checks ask for. Negative weights are
    an error, and so is a table with no weight at all.

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

    _: KW_ONLY
    scale: float | str = "calibrated"
    max_log_odds: float | str | None = "auto"
    event: Any = None
    class_weight: Any = None

    @classmethod
    def paper(cls, k: int, **overrides: Any) -> RiskScoreClassifier:
        """The problem of Molero-Río and D'Ambrosio: k features, one cut each, scale 1, proven.

        Nothing is regularised. Two weights from -5 to 5 on either side of a cut are one jump from -10 to 10.

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
            "regularization": None,
            "certify": True,
        }
        return cls(**(settings | overrides))

    @classmethod
    def from_recipe(cls, recipe: Recipe) -> RiskScoreClassifier:
        """The unfitted classifier that a card was learned with.

        On the same rows ``fit`` gives the same card, unless a time limit ended the work. The cards of
        ``RiskScoreClassifierCV``, ``improve`` and ``find_pool`` are those of the classifier within.
        """
        if recipe.parameters.keys() != parameters_of("card", "work").keys():
            raise ParameterError(
                f"The card was made by {recipe.method}, which has other parameters. Give the recipe "
                "of a card that RiskScoreClassifier learned."
            )
        return cls(**parameters_from(recipe.parameters))

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, request: Request | None = None
    ) -> tuple[Learned, Training]:
        """Learn a card, keep it, and return the solver's answer and the rows."""
        source = source_of(X, y, sample_weight)
        if source is not None:
            return self._fit_source(source, request or Request())
        training, task = self._prepare(X, y, sample_weight, request or Request())
        if request is None:
            self._describe(X, training.table, self.max_terms)
        learned = learn(training, task)
        self._keep(finish(*learned, training), learned.result, y)
        return learned, training

    def _fit_source(self, source: Source, request: Request) -> tuple[Learned, Training]:
        """The same for rows that are counted where they are."""
        source.is_shown = self.verbose
        learned, training, summary, features = fit_source(source, self, self._task(request))
        columns = training.table.columns
        self.feature_names_in_ = np.array(columns, dtype=object)
        self.n_features_in_, self._columns_in = len(columns), columns
        self.identifiers_ = [one.name for one in training.table.left_out]
        self.data_summary_ = summary
        card = replace(finish(*learned, training), feature_names=tuple(features))
        self._keep(card, learned.result, np.array(training.table.classes))
        return learned, training

    def procedure_of_source(self, task: Task, memory: int, seen: Seen) -> Procedure:
        """What the recipe of a card from a source says."""
        known = self._procedure(task)
        names = [one.name for one in seen.left_out]
        parameters = {**known.parameters, "identifiers": names or None}
        return replace(known, parameters=parameters, further={"memory": memory})

    def _prepare(
        self, X: Any, y: Any, sample_weight: Any, request: Request
    ) -> tuple[Training, Task]:
        """Read the rows, and put together what is to be done with them."""
        task = self._task(request)
        start = task.request.start
        kept = task.rules.wanted | (
            {feature.name for feature in start.features} if start else set()
        )
        training = self._read(X, y, sample_weight, self._procedure(task), kept)
        return training, without_left_out(task, training)

    def pose(
        self, X: Any, y: Any, sample_weight: Any = None, card: RiskCard | None = None
    ) -> tuple[Training, Layout, Problem]:
        """The rows as ``fit`` reads them, and the problem that it would solve; nothing is solved.

        With a card that ``fit`` found, it is the problem that its certificate is about.
        """
        training, task = self._prepare(X, y, sample_weight, Request())
        return training, *pose(training, task, card)

    def _task(self, request: Request) -> Task:
        """What to do, from parameters that make sense."""
        checked = check_parameters(self, "card", "work")
        Scale.parse(checked["scale"], checked["max_log_odds"])  # refuses what does not go together
        return make_task(self, checked, request)

    def _procedure(self, task: Task) -> Procedure:
        """What the recipe says: all parameters, the rules of a file and the seed that was drawn."""
        return procedure_of(self, parameters_of("card", "work"), task)

    def _card_rules(self) -> CardRules:
        return card_rules_of(self.rules)
