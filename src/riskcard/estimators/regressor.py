"""The estimator of counts: a card of rates per unit of exposure, with a proof of how good it is."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from riskcard.arrays import Floats
from riskcard.data.columns import FeatureValues
from riskcard.data.target import name_of_target, read_weights
from riskcard.errors import DataError
from riskcard.estimators.fitted_rates import RateOutcome
from riskcard.estimators.rate_estimator import RateEstimator
from riskcard.model.outcome_kinds import Counts
from riskcard.outcomes.targets import read_counts, read_exposure
from riskcard.problem.rates import RateRows


@dataclass(eq=False, repr=False)
class RiskScoreRegressor(RegressorMixin, RateEstimator):
    """A card of integer points for the rate of events, with a proof of how good it is.

    The points add up to a total, and the total gives the rate per unit of exposure. The loss is half the
    Poisson deviance; with ``certify=True`` a lower bound on that of *every* allowed card is proven.

    Parameters
    ----------
    max_terms
        The largest number of terms (cuts) on the card.
    loss
        What is minimised: the Poisson deviance of counts.
    max_log_ratio
        The most by which a term may change the logarithm of the rate: 2.3 lets a term multiply the
        rate by 10. "auto" means the logarithm of 1,000; None means no limit but 30.
    max_features, max_cuts_per_feature, max_points, rules, regularization, identifiers
        As for ``RiskScoreClassifier``. Pseudo-observations are shares of the exposure of each row; what
        a table is worth for "auto" is counted by events.
    certify, time_limit, gap, random_state, n_jobs, verbose
        As for ``RiskScoreClassifier``.

    Attributes
    ----------
    card_ : RiskCard
        The card; ``card_.kind`` says what the rate is per unit of. ``print`` it.
    loss_, lower_bound_, gap_ : float
        Half the deviance of the card, pseudo-observations included, the bound on that of every card of
        its kind (0 when nothing was proven), and ``(loss_ - lower_bound_) / loss_``.
    status_ : str
        "optimal": no other card of its kind has a deviance lower by more than a ten-thousandth.
        Otherwise as for ``RiskScoreClassifier``.
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

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None
    ) -> RiskScoreRegressor:
        """Find the card.

        Parameters
        ----------
        X
            Rows by features: an array, or a pandas, polars or pyarrow table.
        y
            The number of events of each row.
        sample_weight
            One weight per row.
        exposure
            Time, distance, people: what the events of each row were counted in; None for 1.
        """
        if y is None:
            raise DataError("A card requires y to be passed, but the target y is None.")
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

    def predict(self, X: Any) -> Floats:
        """The rate of each row per unit of exposure."""
        return self._relative(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None) -> float:
        """The share of the Poisson deviance that the card explains, as ``d2_tweedie_score`` with power 1.

        Parameters
        ----------
        X, y, sample_weight, exposure
            As for ``fit``.
        """
        rates = self.predict(X)
        counts, exposed = read_counts(y, rates.size), read_exposure(exposure, rates.size)
        weights = read_weights(sample_weight, rates.size)
        rows = RateRows(weights * exposed, weights * counts)
        average = math.log(float(rows.events.sum()) / float(rows.exposure.sum()))
        return 1 - rows.loss(np.log(rates)) / rows.loss(np.full(rates.size, average))
