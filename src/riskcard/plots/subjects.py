"""What is drawn: a card or a classifier that has one, or the risks of one or several models."""

from collections.abc import Mapping
from typing import Any

from riskcard.errors import ParameterError
from riskcard.evaluation.outcomes import Outcomes, read_outcomes
from riskcard.model.card import RiskCard


def card_of(model: Any) -> RiskCard:
    """The card itself, or that of a fitted classifier."""
    card = getattr(model, "card_", model)
    if not isinstance(card, RiskCard):
        raise ParameterError(
            f"A card is needed, not {type(model).__name__}. Give a RiskCard or a fitted classifier."
        )
    return card


def read_several(risks: Any, y: Any, sample_weight: Any, event: Any) -> dict[str, Outcomes]:
    """Read the risks of each model by its name, which is empty where there is one model."""
    named = risks if isinstance(risks, Mapping) else {"": risks}
    if not named:
        raise ParameterError("There are no risks to draw. Give those of at least one model.")
    return {str(name): read_outcomes(one, y, sample_weight, event) for name, one in named.items()}
