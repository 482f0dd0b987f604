"""An existing card improved on new rows: few of its terms change, the others stay as they are."""

from typing import Any

from sklearn.base import clone

from riskcard.errors import ParameterError
from riskcard.estimators.classifier import RiskScoreClassifier
from riskcard.estimators.learning import Request
from riskcard.model.card import RiskCard
from riskcard.model.origin.recipe import digest_of
from riskcard.parameters import parameters_of


def improve(
    card: RiskCard,
    X: Any,
    y: Any,
    *,
    max_changes: int | None = 1,
    estimator: RiskScoreClassifier | None = None,
    sample_weight: Any = None,
) -> RiskCard:
    """Find the best card that differs from a given one in few terms.

    Parameters
    ----------
    card
        Any card, learned or written by hand.
    X, y
        Rows and their labels.
    max_changes
        The largest number of terms that may be changed, added or removed; the others keep their
        cuts and points. None means any number: the card is only where the search starts.
    estimator
        Everything else, such as ``max_terms`` and ``certify``; by default a classifier that allows
        as many terms as the card has.
    sample_weight
        One weight per row.

    Returns
    -------
    RiskCard
        With a certificate: among the cards that differ in at most that many terms, none has a loss
        below its bound. It is never worse on these rows than the given card with the best scale.

    Examples
    --------
    >>> from riskcard import FeaturePoints, RiskCard
    >>> X = [[value % 10] for value in range(60)]
    >>> y = [value % 10 > 4 or value % 7 == 0 for value in range(60)]
    >>> card = RiskCard([FeaturePoints("x0", [2], [0, 1])])
    >>> improve(card, X, y, max_changes=1).terms[0].cut
    4.0
    """
    if not isinstance(card, RiskCard):
        raise ParameterError(f"The card to improve is {card!r}. Use a RiskCard.")
    card.require_yes_or_no("Improved cards")
    changes = parameters_of("improve")["max_changes"].checked(max_changes)
    model: RiskScoreClassifier = clone(estimator or RiskScoreClassifier(max(1, len(card.terms))))
    if changes is not None and model._card_rules().min_gain:
        raise ParameterError(
            "max_changes and min_gain cannot be used together. Leave one of them out."
        )
    further = {"max_changes": changes, "start": digest_of(card)}
    model._fit(X, y, sample_weight, Request("improve", further, card, max_changes=changes))
    return model.card_
