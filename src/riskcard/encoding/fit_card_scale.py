"""The scale of given points that fits rows best: from total to log-odds by logistic regression."""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.checks import LOG_ODDS_LIMIT
from riskcard.kernels.scale import CALIBRATED, SMALLEST_SCALE, fit_scale
from riskcard.model.card import RiskCard

#: Newton steps stop when one promises less than this share of the weight of all rows.
_ACCURACY = 1e-12


class CardScale(NamedTuple):
    """``log-odds = slope * total + offset``."""

    slope: float
    offset: float

    @property
    def rises(self) -> bool:
        """Whether a higher total means a higher risk; if not, no scale fits."""
        return self.slope > 2 * SMALLEST_SCALE


def fit_card_scale(
    totals: Integers,
    is_event: Booleans,
    weights: Floats,
    start: CardScale,
    *,
    most: float = LOG_ODDS_LIMIT,
    is_slope_given: bool = False,
    pseudo_share: float = 0.0,
) -> CardScale:
    """Fit slope and offset to rows by maximum likelihood.

    Parameters
    ----------
    totals, is_event, weights
        Of each row.
    start
        Where the fit starts.
    most
        The largest slope.
    is_slope_given
        Fit the offset alone.
    pseudo_share
        Weight of pseudo-observations with the event rate of the rows, spread over them, as a share
        of the weight of the rows.
    """
    lowest, n_totals = int(totals.min()), int(np.ptp(totals)) + 1
    weights = weights / weights.max()  # in any unit
    counted = np.bincount(2 * (totals - lowest) + is_event, weights, minlength=2 * n_totals)
    whole = counted.reshape(-1, 2).sum(axis=1)
    rate = float(counted[1::2].sum() / whole.sum())
    tally: Floats = counted + pseudo_share * np.outer(whole, [1 - rate, rate]).ravel()
    if is_slope_given:
        scores = start.slope * np.arange(lowest, lowest + n_totals, dtype=np.float64)
        return CardScale(start.slope, _best_offset(scores, tally))
    scale, accuracy = np.array(start), _ACCURACY * float(tally.sum())
    # with a largest jump of 1 the bound is that of the slope itself
    fit_scale(tally, np.int64(lowest), np.int64(1), CALIBRATED, most, scale, accuracy)
    return CardScale(*scale.tolist())


def with_fitted_scale(
    card: RiskCard,
    totals: Integers,
    is_event: Booleans,
    weights: Floats,
    limit: float = LOG_ODDS_LIMIT,
) -> RiskCard:
    """The card with the slope and offset that fit rows best, and as steep as ``limit`` allows at most.

    A card whose totals are all the same gives every row the share of events. What was proven and how the card
    was learned holds for the scale it had, so both are left out.

    Parameters
    ----------
    card
        Any card; the direction of its total stays.
    totals, is_event, weights
        Of each row.
    limit
        The most by which a term may change the log-odds.
    """
    card = replace(card, certificate=None, recipe=None)
    if not card.terms or np.ptp(totals) == 0:
        rate = float(weights[is_event].sum() / weights.sum())
        return replace(card, multiplier=1.0, offset=math.log(rate / (1 - rate)) - float(totals[0]))
    sign = -1 if card.higher_is_safer else 1
    steepest = limit / max(abs(term.above - term.below) for term in card.terms)
    start = CardScale(min(1.0 / max(abs(card.multiplier), 1e-6), steepest), card.offset)
    scale = fit_card_scale(sign * totals, is_event, weights, start, most=steepest)
    return replace(card, multiplier=sign / scale.slope, offset=scale.offset)


def _best_offset(scores: Floats, tally: Floats) -> float:
    """The offset at which as many events are expected as there are."""

    def excess(offset: float) -> float:
        risks = np.exp(-np.logaddexp(0.0, -scores - offset))
        return float(tally[::2] @ risks - tally[1::2] @ (1 - risks))

    furthest = float(np.abs(scores).max()) + 800.0  # beyond, every risk is 0 or 1
    return float(brentq(excess, -furthest, furthest, xtol=1e-14, maxiter=1000))
