"""The estimator of counts and numbers: a card of rates, or of expected values, with a proof."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from riskcard.arrays import Floats
from riskcard.checks import LOG_ODDS_LIMIT
from riskcard.data.columns import FeatureValues
from riskcard.data.target import name_of_target, read_weights
from riskcard.errors import DataError, ParameterError
from riskcard.estimators.other_outcomes.fitted_rates import RateOutcome
from riskcard.estimators.other_outcomes.rate_estimator import RateEstimator
from riskcard.model.outcome_kinds import Counts, Numbers
from riskcard.outcomes.targets import (
    above_middle,
    read_counts,
    read_exposure,
    read_squarable,
)
from riskcard.outcomes.words import number_words
from riskcard.problem.numbers import NumberRows
from riskcard.problem.rates import RateRows


@dataclass(eq=False, repr=False)
class RiskScoreRegressor(RegressorMixin, RateEstimator):
    """A card of integer points for the rate of events or for a number, with a proof of how good it is.

    The points add up to a total, and the total gives the rate per unit of exposure, or the expected number.
    The loss is half the Poisson deviance, or half the sum of squared errors; with ``certify=True`` a lower
    bound on that of *every* allowed card is proven.

    Parameters
    ----------
    max_terms
        The largest number of terms (cuts) on the card.
    loss
        What is minimised: the Poisson deviance of counts, or the squared error of numbers.
    max_log_ratio
        The most by which a term may change the logarithm of the rate: 2.3 lets a term multiply the
        rate by 10. "auto" means the logarithm of 1,000; None means no limit but 30.
    max_change
        The most by which a term may change the expected number, with loss='squared_error'.
        "auto" means the range of the training targets; None means no limit but 30 standard
        deviations.
    max_features, max_cuts_per_feature, max_points, rules, regularization, identifiers
        As for ``RiskScoreClassifier``. Pseudo-observations are shares of the exposure, or of the weight, of
        each row; what a table is worth for "auto" is counted by events, or by rows.
    certify, time_limit, gap, random_state, n_jobs, verbose
        As for ``RiskScoreClassifier``.

    Attributes
    ----------
    card_ : RiskCard
        The card; ``card_.kind`` says what the rate is per unit of. ``print`` it.
    loss_, lower_bound_, gap_ : float
        Half the deviance, or half the sum of squared errors, of the card, pseudo-observations included, the
        bound on that of every card of its kind (0 when nothing was proven), and
        ``(loss_ - lower_bound_) / loss_``.
    status_ : str
        "optimal": no other card of its kind has a deviance lower by more than a millionth, or squared
        errors lower by more than a ten-thousandth. Otherwise as for ``RiskScoreClassifier``.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> y = rng.poisson(np.exp(X[:, 0] > 0))
    >>> RiskScoreRegressor(max_terms=1).fit(X, y).predict([[-1.0, 0, 0], [1.0, 0, 0]]).round(1).tolist()
    [1.0, 2.4]
    """

    group = "rates"

    _: KW_ONLY
    loss: str = "poisson"
    max_change: float | str | None = "auto"

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None
    ) -> RiskScoreRegressor:
        """Find the card.

        Parameters
        ----------
        X
            Rows by features: an array, or a pandas, polars or pyarrow table.
        y
            The number of events of each row, or its number.
        sample_weight
            One weight per row.
        exposure
            Time, distance, people: what the events of each row were counted in; None for 1.
        """
        if y is None:
            raise DataError("A card requires y to be passed, but the target y is None.")
        self._require_company(exposure)
        if self.loss == "squared_error":
            return self._fit_numbers(X, y, sample_weight)
        counts = read_counts(y, len(y))
        exposed = read_exposure(exposure, counts.size)
        training, kept = self._read_rows(X, counts > 0, sample_weight, name_of_target(y))
        counts, exposed, weights = counts[kept], exposed[kept], training.table.weights
        n_events, whole = float(weights @ counts), float(weights @ exposed)
        # in a unit in which the average rate is 1
        rates = RateRows(weights * exposed * (n_events / whole), weights * counts)
        name = None if exposure is None else name_of_target(exposure) or "exposure"
        kind = Counts(name, n_events, whole)
        columns = {
            "count": FeatureValues(counts, None),
            "exposure": FeatureValues(exposed, None),
        }
        log_unit = math.log(n_events) - math.log(whole)
        self._learn(training, rates, RateOutcome(lambda _: kind, log_unit, columns, self.gap))
        return self

    def _require_company(self, exposure: Any) -> None:
        """Refuse what belongs to the other loss."""
        is_number = self.loss == "squared_error"
        foreign = {"max_log_ratio": "poisson"} if is_number else {"max_change": "squared_error"}
        for name, loss in foreign.items():
            if getattr(self, name) != "auto":
                raise ParameterError(
                    f"{name} is {getattr(self, name)!r}, and loss is {self.loss!r}. It belongs to the loss "
                    f"{loss!r}: leave it out, or choose that."
                )
        if is_number and exposure is not None:
            raise ParameterError(
                "exposure is for counts, but loss is 'squared_error'. Leave it out."
            )

    def _fit_numbers(self, X: Any, y: Any, sample_weight: Any) -> RiskScoreRegressor:
        """Find the card of numbers."""
        numbers = read_squarable(y, len(y))
        given = read_weights(sample_weight, numbers.size)
        mean, deviation = _mean_and_deviation(numbers, given)
        is_high = above_middle(numbers, given)
        words = number_words(name_of_target(y), numbers)
        training, kept = self._read_rows(X, is_high, sample_weight, name_of_target(y), words)
        most = float(np.ptp(numbers[kept])) if self.max_change == "auto" else self.max_change
        limit = LOG_ODDS_LIMIT if most is None else min(float(most) / deviation, LOG_ODDS_LIMIT)
        self._task = replace(self._task, limits={**self._task.limits, "max_log_odds": limit})
        rows = NumberRows(training.table.weights, (numbers[kept] - mean) / deviation, deviation)
        kind, columns = Numbers(mean, deviation), {"number": FeatureValues(numbers[kept], None)}
        outcome = RateOutcome(lambda _: kind, mean, columns, self.gap, unit=deviation)
        self._learn(training, rows, outcome)
        return self

    def predict(self, X: Any) -> Floats:
        """The rate of each row per unit of exposure, or its expected number."""
        return self(X) if self._gives_numbers else self._relative(X)

    @property
    def _gives_numbers(self) -> bool:
        return isinstance(self.card_.kind, Numbers)

    def score(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None) -> float:
        """The share that the card explains of the Poisson deviance, or of the variance.

        These are ``d2_tweedie_score`` with power 1, and ``r2_score``.

        Parameters
        ----------
        X, y, sample_weight, exposure
            As for ``fit``.
        """
        if self._gives_numbers:
            self._require_company(exposure)
            return float(super().score(X, y, sample_weight))
        rates = self.predict(X)
        counts, exposed = read_counts(y, rates.size), read_exposure(exposure, rates.size)
        weights = read_weights(sample_weight, rates.size)
        rows = RateRows(weights * exposed, weights * counts)
        average = math.log(float(rows.events.sum()) / float(rows.exposure.sum()))
        left, whole = rows.loss(np.log(rates)), rows.loss(np.full(rates.size, average))
        if whole <= rows.rounding:  # as r2_score does where there is nothing to explain
            return float(left <= rows.rounding)
        return 1 - left / whole


def _mean_and_deviation(numbers: Floats, weights: Floats) -> tuple[float, float]:
    """Of the rows with a weight above 0; numbers that are all the same are refused."""
    mean = float(np.average(numbers, weights=weights))
    deviation = math.sqrt(float(np.average((numbers - mean) ** 2, weights=weights)))
    if deviation <= 1e-12 * max(abs(mean), 1e-300):
        raise DataError(
            f"The target y is {mean:g} in every row, so there is nothing to learn from. Give other rows."
        )
    return mean, deviation
