"""The loss of a card, worked out by hand: each row by itself, pseudo-observations included."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.audit.findings import ROUNDING
from riskcard.audit.raw_rows import Rows, totals_by_hand
from riskcard.model.card import RiskCard


def hand_loss(card: RiskCard, rows: Rows) -> float:
    """The loss of a card on rows and pseudo-observations."""
    log_odds = log_odds_of(card, totals_by_hand(card, rows))
    return loss_at(log_odds, is_event(card, rows), rows)


def hand_rounding(card: RiskCard, rows: Rows) -> float:
    """What a loss of another kind than yes or no may be wrong by, being the difference of large numbers."""
    if rows.rates is None:
        return 0.0
    return rows.rates.rounding(log_odds_of(card, totals_by_hand(card, rows)))


def as_certified(card: RiskCard) -> RiskCard:
    """The card with the scale that its certificate is about.

    That differs from its own where the points were chosen with class weights.
    """
    weights = None if card.certificate is None else card.certificate.class_weights
    if weights is None:
        return card
    return replace(
        card,
        multiplier=weights.multiplier,
        offset=weights.offset,
        certificate=None,
        recipe=None,
    )


def is_event(card: RiskCard, rows: Rows) -> NDArray[np.bool_]:
    """Which rows have the event of the card."""
    # one by one: before 1.25, numpy compares an array of numbers with a text as a whole
    return np.array(rows.target.astype(object) == card.classes[1], dtype=bool)


def loss_at(log_odds: NDArray[np.float64], is_event: NDArray[np.bool_], rows: Rows) -> float:
    """The loss of the rows and of the pseudo-observations at them: the log-loss, or half the deviance of rates."""
    if rows.rates is not None:
        return rows.rates.loss(log_odds)
    if_event, if_not = _losses(log_odds), _losses(-log_odds)
    loss = math.fsum(rows.weights * np.where(is_event, if_event, if_not))
    pseudo = rows.pseudo
    if pseudo is None:
        return loss
    return loss + math.fsum(pseudo.if_event * if_event + pseudo.if_not * if_not)


def _losses(margin: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log(1 + exp(-margin))``, written so that nothing overflows."""
    losses: NDArray[np.float64] = np.logaddexp(0.0, -margin)
    return losses


def log_odds_of(card: RiskCard, totals: Any) -> Any:
    """The log-odds of totals, or the logarithms of their hazards or rates."""
    return totals / card.multiplier + card.offset


def risk_at(log_odds: float) -> float:
    """The risk at given log-odds."""
    if log_odds >= 0:
        return 1 / (1 + math.exp(-log_odds))
    return math.exp(log_odds) / (1 + math.exp(log_odds))


def is_close(left: float, right: float) -> bool:
    """Equal up to rounding."""
    return abs(left - right) <= ROUNDING * max(abs(left), abs(right))
