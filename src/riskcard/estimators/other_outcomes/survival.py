"""The estimator of times to an event: a card of risks by horizons, with a proof of how good it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from riskcard.arrays import Floats
from riskcard.checks import is_number
from riskcard.data.columns import FeatureValues
from riskcard.errors import DataError, ParameterError
from riskcard.estimators.other_outcomes.fitted_rates import RateOutcome
from riskcard.estimators.other_outcomes.rate_estimator import RateEstimator
from riskcard.evaluation.other_outcomes.survival import concordance
from riskcard.model.outcome_kinds import TimeToEvent
from riskcard.outcomes.hazards import FollowUp, StepFunction
from riskcard.outcomes.incidence import subdistribution_rows
from riskcard.outcomes.targets import SurvivalTarget, read_survival
from riskcard.problem.rates import RateRows


@dataclass(eq=False, repr=False)
class RiskScoreSurvival(RateEstimator):
    """A card of integer points for the time to an event, with a proof of how good it is.

    The points add up to a total, and the total gives a relative hazard (proportional hazards) and the
    risk by each horizon. Rows may be censored, and may enter late. Interfaces are those of
    scikit-survival, which is not needed.

    Where something else may come first so that the event cannot (``y`` with codes and ``competing``), the
    card gives cumulative incidences: hazards are those of the subdistribution, with Fine and Gray's
    weights.

    The loss is half the deviance: ``e exp(z) - d z`` summed over rows, above the least that any
    rates of single rows could give, with ``d`` the event, ``z`` the logarithm of the relative hazard and
    ``e`` Nelson and Aalen's cumulative hazard over the time at risk. With ``certify=True`` a lower bound
    on the loss of *every* allowed card is proven. Risks come from Breslow's baseline given the totals.

    Parameters
    ----------
    max_terms
        The largest number of terms (cuts) on the card.
    horizons
        The times by which the card shows the risk, in the unit of the times: one number or several,
        at most the longest time that a row was followed. None means the time by which half of the
        events have come.
    event_of_interest
        The code of the event in y, where other codes are there as well: 0 and False are rows
        without any event, all other codes are competing events. None means y has events and no
        codes.
    max_log_ratio
        The most by which a term may change the logarithm of the hazard: 2.3 lets a term multiply
        the hazard by 10. "auto" means the logarithm of 1,000; None means no limit but 30.
    max_features, max_cuts_per_feature, max_points, rules, regularization, identifiers
        As for ``RiskScoreClassifier``. Pseudo-observations are shares of the exposure of each row; what
        a table is worth for "auto" is counted by events.
    certify, time_limit, gap, random_state, n_jobs, verbose
        As for ``RiskScoreClassifier``.

    Attributes
    ----------
    card_ : RiskCard
        The card; ``card_.kind`` has its horizons and the baseline. ``print`` it.
    loss_, lower_bound_, gap_ : float
        Half the deviance of the card, pseudo-observations included, the bound on that of every card of
        its kind (0 when nothing was proven), and ``(loss_ - lower_bound_) / loss_``.
    status_ : str
        "optimal": no other card of its kind has a deviance lower by more than a millionth.
        Otherwise as for ``RiskScoreClassifier``.
    unique_times_ : ndarray
        The times with events: those of ``predict_survival_function(X, return_array=True)``.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> time = rng.exponential(np.exp(-X[:, 0]))
    >>> y = np.column_stack([time < 2, np.minimum(time, 2)])
    >>> model = RiskScoreSurvival(max_terms=2, horizons=1).fit(X, y)
    >>> bool(model.score(X, y) > 0.65)
    True
    """

    group = "hazards"
    #: What competing events are called on the card.
    competing_words = "a competing event"

    _: KW_ONLY
    horizons: Any = None
    event_of_interest: Any = None

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, entry: Any = None
    ) -> RiskScoreSurvival:
        """Find the card.

        Parameters
        ----------
        X
            Rows by features: an array, or a pandas, polars or pyarrow table.
        y
            A structured array with an event (boolean) and a time, as scikit-survival has it, or a
            table of two columns: event (True or False, 1 or 0), time. With ``event_of_interest`` the event
            is a code: 0 where the row was last seen without any event.
        sample_weight
            One weight per row.
        entry
            The time from which on each row was at risk; None for the start.
        """
        target = read_survival(y, _count_rows(X, y), entry, self.event_of_interest)
        training, kept = self._read_rows(X, target.rows.is_event, sample_weight, target.event_name)
        rows, weights = target.rows.take(kept), training.table.weights
        at_risk = rows if rows.is_competing is None else subdistribution_rows(rows, weights)
        hazard = at_risk.hazard(weights)
        rates = RateRows(weights * at_risk.exposure(hazard), weights * rows.is_event)
        columns = {"time": FeatureValues(rows.time, None)}
        if rows.is_competing is not None:
            columns["competing"] = FeatureValues(rows.is_competing.astype(np.float64), None)
        if rows.entry is not None:
            columns["entry"] = FeatureValues(rows.entry, None)
        horizons = _read_horizons(self.horizons, rows)

        def kind_of(linear: Floats) -> TimeToEvent:
            baseline = at_risk.hazard(weights, np.exp(linear))
            kind = _timing(target, rows, baseline, horizons)
            return (
                kind if rows.is_competing is None else replace(kind, competing=self.competing_words)
            )

        self._learn(training, rates, RateOutcome(kind_of, 0.0, columns, self.gap))
        self.unique_times_ = np.array(self._timing.times)
        return self

    def __sklearn_clone__(self) -> RiskScoreSurvival:
        """A clone has the words of the competing events, which are no parameter, as well."""
        found: RiskScoreSurvival = super().__sklearn_clone__()
        found.competing_words = self.competing_words
        return found

    @property
    def _timing(self) -> TimeToEvent:
        kind = self.card_.kind
        assert isinstance(kind, TimeToEvent)
        return kind

    def predict(self, X: Any) -> Floats:
        """The logarithm of the relative hazard of each row: higher means an earlier event."""
        return self(X)

    def predict_cumulative_hazard_function(self, X: Any, return_array: bool = False) -> Any:
        """The cumulative hazard of each row as a function of time.

        Parameters
        ----------
        X
            Rows by features.
        return_array
            True: an array of rows by ``unique_times_``. False: an array of functions, each of which is
            called with a time or several.
        """
        hazards = np.outer(self._relative(X), self._timing.hazards)
        return hazards if return_array else self._functions(hazards, 0.0)

    def predict_survival_function(self, X: Any, return_array: bool = False) -> Any:
        """The probability of each row to be without the event, as a function of time.

        Parameters
        ----------
        X, return_array
            As for ``predict_cumulative_hazard_function``.
        """
        survival = np.exp(-self.predict_cumulative_hazard_function(X, return_array=True))
        return survival if return_array else self._functions(survival, 1.0)

    def predict_risk(self, X: Any) -> Floats:
        """The risk of each row by each horizon of the card: rows by horizons."""
        relative = self._relative(X)
        timing = self._timing
        return np.column_stack([timing.risk_by(one, relative) for one in timing.horizons])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Harrell's concordance index.

        With competing events, a row with one of them counts as free of the event ever after (Wolbers).

        Parameters
        ----------
        X
            Rows by features.
        y
            As for ``fit``.
        sample_weight
            One weight per row; a pair counts as the product of both.
        """
        linear = self.predict(X)
        rows = read_survival(y, linear.size, None, self.event_of_interest).rows
        if rows.is_competing is not None:
            rows = rows.never_after_competing()
        return concordance(rows, linear, sample_weight)

    def _functions(self, values: Floats, first: float) -> Any:
        found = np.empty(len(values), dtype=object)
        for place, own in enumerate(values):
            found[place] = StepFunction(self.unique_times_, own, first, self._timing.last)
        return found


def _timing(
    target: SurvivalTarget, rows: FollowUp, baseline: Any, horizons: tuple[float, ...]
) -> TimeToEvent:
    return TimeToEvent(
        time=target.time_name,
        horizons=horizons,
        times=tuple(baseline.times.tolist()),
        hazards=tuple(baseline.values.tolist()),
        last=float(rows.time.max()),
    )


def _read_horizons(given: Any, rows: FollowUp) -> tuple[float, ...]:
    """The horizons of the card, ascending and within the times that rows were followed."""
    last = float(rows.time.max())
    if last == 0:
        raise DataError("Every time is 0. Give the time that each row was followed.")
    if given is None:
        times = rows.time[rows.is_event]
        middle = float(np.quantile(times, 0.5, method="higher"))
        return (middle or float(times[times > 0].min(initial=last)),)
    found = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    for one in found or [given]:
        if not is_number(one) or not 0 < one <= last:
            raise ParameterError(
                f"horizons has {one!r}. Use positive numbers up to {last:g}, the longest time that a "
                "row was followed."
            )
    return tuple(sorted({float(one) for one in found}))


def _count_rows(X: Any, y: Any) -> int:
    """The number of rows of y; that of X is compared with it when the table is read."""
    if y is None:
        raise DataError("A card requires y to be passed, but the target y is None.")
    columns = getattr(y, "columns", None)
    if columns is not None and not hasattr(y, "__len__"):
        return int(y.shape[0])
    return len(y)
