"""A fit that is watched: every moment of its proof, and what its loss counts in addition to the rows."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.base import clone

from riskcard.encoding.pseudo_rows import PseudoRows
from riskcard.estimators.classifier import RiskScoreClassifier
from riskcard.estimators.learning import Request
from riskcard.model.card import RiskCard
from riskcard.status import Progress


class WatchedFit(NamedTuple):
    """A card, and the pseudo-observations that its loss and its bound count.

    With them the loss of any other card on the same rows can be held against the bound.
    """

    card: RiskCard
    pseudo: PseudoRows


def fit_watched(
    estimator: RiskScoreClassifier,
    X: Any,
    y: Any,
    watch: Callable[[Progress], None],
    sample_weight: Any = None,
) -> WatchedFit:
    """Fit a clone of a classifier; the card is the one that its ``fit`` gives.

    Parameters
    ----------
    estimator
        The classifier.
    X, y, sample_weight
        As for its ``fit``.
    watch
        Called with every moment of the work.
    """
    model: RiskScoreClassifier = clone(estimator)
    learned, _ = model._fit(X, y, sample_weight, Request(watch=watch))
    return WatchedFit(model.card_, learned.layout.pseudo)
