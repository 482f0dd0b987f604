"""An existing card improved on new rows: few of its terms change, the others stay as they are."""

from typing import Any

from sklearn.base import clone

from riskcard.errors import ParameterError
from riskcard.estimators.cross_validation.rows_of_kinds import estimator_for
from riskcard.estimators.learning import Request
from riskcard.estimators.other_outcomes.of_kind import estimator_of
from riskcard.estimators.tasks import card_rules_of
from riskcard.model.card import RiskCard
from riskcard.model.origin.recipe import digest_of
from riskcard.parameters import parameters_of


def improve(
    card: RiskCard,
    X: Any,
    y: Any,
    *,
    max_changes: int | None = 1,
    estimator: Any = None,
    sample_weight: Any = None,
    **further: Any,
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
        Everything else, such as ``max_terms`` and ``certify``; by default one for the card's kind of outcome that
        allows as many terms as the card has.
    sample_weight
        One weight per row.
    **further
        ``entry`` of times to an event, ``exposure`` of counts.

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
    changes = parameters_of("improve")["max_changes"].checked(max_changes)
    model = clone(estimator) if estimator is not None else estimator_for(card, y)
    if estimator is None:
        model.set_params(max_terms=max(1, len(card.terms)))
    if not isinstance(model, estimator_of(card)):
        raise ParameterError(
            f"The estimator is {type(model).__name__}, but cards such as this one are learned by "
            f"{estimator_of(card).__name__}. Give one of these."
        )
    if changes is not None and card_rules_of(model.rules).min_gain:
        raise ParameterError(
            "max_changes and min_gain cannot be used together. Leave one of them out."
        )
    asked = {"max_changes": changes, "start": digest_of(card)}
    request = Request("improve", asked, card, max_changes=changes)
    if card.kind is not None:
        improved: RiskCard = model.fit_as(request, X, y, sample_weight, **further).card_
        return improved
    if further:
        raise ParameterError(
            f"{min(further)} is given, but the outcome of this card is yes or no. Leave it out."
        )
    model._fit(X, y, sample_weight, request)
    found: RiskCard = model.card_
    return found
