"""What is drawn: a card, or a classifier that has one."""

from __future__ import annotations

from typing import Any

from riskcard.errors import ParameterError
from riskcard.model.card import RiskCard


def card_of(model: Any) -> RiskCard:
    """The card itself, or that of a fitted classifier."""
    card = getattr(model, "card_", model)
    if not isinstance(card, RiskCard):
        raise ParameterError(
            f"A card is needed, not {type(model).__name__}. Give a RiskCard or a fitted classifier."
        )
    return card
