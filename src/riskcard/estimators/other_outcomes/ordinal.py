"""The estimator of ordered levels: a card of the probability of each level or a higher one, with a proof."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from riskcard.arrays import Floats
from riskcard.data.columns import FeatureValues
from riskcard.data.target import name_of_target, read_weights
from riskcard.errors import DataError
from riskcard.estimators.other_outcomes.fitted_rates import RateOutcome
from riskcard.estimators.other_outcomes.rate_estimator import RateEstimator
from riskcard.evaluation.other_outcomes.survival import concordance
from riskcard.model.outcome_kinds import OrderedLevels, relative
from riskcard.outcomes.hazards import FollowUp
from riskcard.outcomes.levels import (
    LevelRows,
    level_in_words,
    read_levels,
    require_all_levels,
    upper_half,
)
from riskcard.outcomes.words import level_words
from riskcard.problem.rates import RateRows


@dataclass(eq=False, repr=False)
class RiskScoreOrdinal(ClassifierMixin, RateEstimator):
    """A card of integer points for an outcome of ordered levels, with a proof of how good it is.

    The points add up to a total, and the total gives the probability of each level or a higher one: a
    higher total means higher levels. The model is McCullagh's proportional hazards, with a complementary
    log-log link.

    The loss is half a Poisson deviance, which agrees with the likelihood of that model to the first order
    (``riskcard.outcomes.levels`` says precisely which); with ``certify=True`` a lower bound on that of
    *every* allowed card is proven. Probabilities come from hazards of levels that are fitted to the totals by
    maximum likelihood.

    Parameters
    ----------
    max_terms
        The largest number of terms (cuts) on the card.
    levels
        The levels from the lowest to the highest. None means the order of an ordered category, or that of
        numbers.
    max_log_ratio
        The most by which a term may change the logarithm of the hazard: 2.3 lets a term multiply
        the hazard by 10. "auto" means the logarithm of 1,000; None means no limit but 30.
    max_features, max_cuts_per_feature, max_points, rules, regularization, identifiers
        As for ``RiskScoreClassifier``. Pseudo-observations are shares of the exposure of each row; what
        a table is worth for "auto" is counted by rows above the lowest level.
    certify, time_limit, gap, random_state, n_jobs, verbose
        As for ``RiskScoreClassifier``.

    Attributes
    ----------
    card_ : RiskCard
        The card; ``card_.kind`` has its levels and their hazards. ``print`` it.
    classes_ : ndarray
        The levels from the lowest to the highest.
    loss_, lower_bound_, gap_ : float
        Half the deviance of the card, pseudo-observations included, the bound on that of every card of
        its kind (0 when nothing was proven), and ``(loss_ - lower_bound_) / loss_``.
    status_ : str
        "optimal": no other card of its kind has a deviance lower by more than a millionth. Otherwise as
        for ``RiskScoreClassifier``.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> y = np.digitize(X[:, 0] + rng.logistic(size=300), [-1, 1])
    >>> model = RiskScoreOrdinal(max_terms=2).fit(X, y)
    >>> model.predict_proba(X).shape, bool(model.score(X, y) > 0.6)
    ((300, 3), True)
    """

    group = "ordered"

    _: KW_ONLY
    levels: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RiskScoreOrdinal:
        """Find the card.

        Parameters
        ----------
        X
            Rows by features: an array, or a pandas, polars or pyarrow table.
        y
            The level of each row.
        sample_weight
            One weight per row.
        """
        if y is None:
            raise DataError("A card requires y to be passed, but the target y is None.")
        found = read_levels(y, len(y), self.levels)
        given = read_weights(sample_weight, found.codes.size) > 0
        require_all_levels(LevelRows(found.names, found.codes[given]))
        name = name_of_target(y)
        words = level_words(name, found.names, found.codes)
        training, kept = self._read_rows(X, upper_half(found), sample_weight, name, words)
        rows, weights = LevelRows(found.names, found.codes[kept]), training.table.weights
        rates = RateRows(weights * rows.exposure(weights), weights * (rows.codes > 0))
        columns = {"level": FeatureValues(rows.codes.astype(np.float64), None)}

        def kind_of(linear: Floats) -> OrderedLevels:
            hazards = rows.hazards(weights, relative(linear))
            return OrderedLevels(tuple(map(level_in_words, rows.names)), tuple(hazards.tolist()))

        self._learn(training, rates, RateOutcome(kind_of, 0.0, columns, self.gap))
        self.classes_ = np.array(rows.names)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each level: rows by levels."""
        kind = self.card_.kind
        assert isinstance(kind, OrderedLevels)
        return kind.probabilities(self(X))

    def predict(self, X: Any) -> Any:
        """The most probable level of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The concordance index: of pairs of rows of different levels, the share in the right order.

        Pairs with the same total count half.

        Parameters
        ----------
        X, y
            As for ``fit``.
        sample_weight
            One weight per row; a pair counts as the product of both.
        """
        linear = self(X)
        codes = read_levels(y, linear.size, self.classes_.tolist()).codes
        time: Floats = (self.classes_.size - 1 - codes).astype(np.float64)
        return concordance(FollowUp(time, codes > 0), linear, sample_weight)
