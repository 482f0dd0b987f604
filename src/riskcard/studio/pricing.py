"""What a card costs: its loss on the rows of a proof, held against the bound, and figures on other rows.

The bound of a certificate holds for the loss that the fit minimised: that of the training rows and of
the pseudo-observations. So every card is judged by exactly this loss, with the scale that makes it
smallest, as the fit does. Let ``bound <= best``, where ``best`` is the lowest loss of all cards within the
limits of the fit. Then ``loss - best <= loss - bound``: a card is at most that much above the best one,
whether it is within the limits or not. Where it is not, its loss may even be below the bound.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.data.columns import FeatureValues
from riskcard.encoding.fit_card_scale import CardScale, fit_card_scale
from riskcard.encoding.pseudo_rows import PseudoRows
from riskcard.evaluation.measures import Tally, area_under_curve, fit_slope
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature

#: How many columns of lines are kept.
_MOST_KEPT = 40


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that cards are judged on.

    Attributes
    ----------
    features
        From the name of a column to its values.
    is_event, weights
        Of each row.
    """

    features: Mapping[str, FeatureValues]
    is_event: Booleans
    weights: Floats
    _lines: dict[Any, Integers] = field(default_factory=dict, compare=False, repr=False)

    def take(self, rows: NDArray[Any]) -> Rows:
        """Some of the rows."""
        taken = {
            name: FeatureValues(one.values[rows], one.levels) for name, one in self.features.items()
        }
        return Rows(taken, self.is_event[rows], self.weights[rows])

    def lines_of(self, feature: CardFeature) -> Integers:
        """The line of each row; what was looked up lately is kept, since an edit changes one feature."""
        groups = getattr(feature, "groups", ())
        codes = tuple(code for code, _ in feature.codes)
        key = (feature.name, feature.cuts, groups, codes, feature.missing is None, feature.usual)
        if key not in self._lines:
            while len(self._lines) >= _MOST_KEPT:
                del self._lines[next(iter(self._lines))]
            self._lines[key] = self._look_up(feature)
        return self._lines[key]

    def _look_up(self, feature: CardFeature) -> Integers:
        column = self.features[feature.name]
        if column.levels is None:
            return feature.look_up(column.values).lines
        # each level once, however many rows have it
        names = np.array([*column.levels.names, None], dtype=object)
        if not np.isnan(column.values).any():
            names = names[:-1]
        return feature.look_up(names).lines[column.codes()]


@dataclass(frozen=True, slots=True)
class Figures:
    """How well a card does on some rows.

    Attributes
    ----------
    rows, events
        Counts.
    auc
        Area under the ROC curve; None where one class is missing.
    slope
        Calibration slope: 1 is right, below 1 risks are too extreme; None where there is none.
    expected, observed
        Events by the risks of the card, and events, by weight.
    """

    rows: int
    events: int
    auc: float | None
    slope: float | None
    expected: float
    observed: float


@dataclass(frozen=True, slots=True)
class Price:
    """What a card loses, and what that is against the bound and against the best card found.

    Attributes
    ----------
    loss
        Of the card with its best scale, pseudo-observations included.
    bound
        No card within the limits of the fit has a loss below it.
    best
        The loss of the best card found.
    rows
        What rows and pseudo-observations weigh, for the loss per row.
    """

    loss: float
    bound: float
    best: float
    rows: float

    @property
    def above_bound(self) -> float:
        """At most this share of the bound is the card above the best one; negative below the bound."""
        return self.loss / self.bound - 1 if self.bound > 0 else math.inf

    @property
    def above_best(self) -> float:
        """The share by which the card is above the best one that was found; negative if it is below."""
        return self.loss / self.best - 1 if self.best > 0 else 0.0


class Referee:
    """Judges cards on the rows of one proof. Lines of features that were seen are kept.

    Parameters
    ----------
    rows
        The training rows.
    pseudo
        What the loss counts in addition.
    best
        The card with the proof.
    """

    def __init__(self, rows: Rows, pseudo: PseudoRows, best: RiskCard) -> None:
        assert best.certificate is not None
        self.rows, self.best = rows, best
        self._bound, self._limit = best.certificate.bound, best.certificate.max_log_odds
        own, other = pseudo.weigh(np.where(rows.is_event, 1, -1).astype(np.int8), rows.weights)
        self._places = np.arange(rows.is_event.size) if pseudo.rows is None else pseudo.rows
        if pseudo.number == 0:
            self._places, own, other = np.empty(0, dtype=np.int64), own[:0], other[:0]
        weights = rows.weights.copy()
        weights[self._places] += own
        self._weights = np.concatenate([weights, other])
        self._is_event = np.concatenate([rows.is_event, ~rows.is_event[self._places]])
        self._best_loss = best.certificate.loss

    def hear_bound(self, bound: float) -> None:
        """Take note of a bound that is proven while the proof goes on; bounds only rise."""
        self._bound = max(self._bound, min(bound, self._best_loss))

    def with_scale(self, card: RiskCard, totals: Integers) -> RiskCard:
        """The card with the scale that fits the rows best; as steep as the fit allows at most."""
        if not card.terms or np.ptp(totals) == 0:
            rate = float(self._weights[self._is_event].sum() / self._weights.sum())
            return replace(
                card, multiplier=1.0, offset=math.log(rate / (1 - rate)) - float(totals[0])
            )
        steepest = self._limit / max(abs(term.above - term.below) for term in card.terms)
        start = CardScale(min(1.0 / max(card.multiplier, 1e-6), steepest), card.offset)
        scale = fit_card_scale(
            self._with_pseudo(totals), self._is_event, self._weights, start, most=steepest
        )
        return replace(card, multiplier=1.0 / scale.slope, offset=scale.offset)

    def price(self, card: RiskCard, totals: Integers) -> Price:
        """The loss of a card, and what it is held against."""
        tally = _tally(self._with_pseudo(totals), self._is_event, self._weights)
        log_odds = card.log_odds_of_total(tally.values)
        losses = np.logaddexp(0.0, -log_odds), np.logaddexp(0.0, log_odds)
        loss = float(tally.events @ losses[0] + tally.others @ losses[1])
        return Price(loss, self._bound, self._best_loss, float(self._weights.sum()))

    def _with_pseudo(self, totals: Integers) -> Integers:
        return np.concatenate([totals, totals[self._places]])


def totals_of(card: RiskCard, rows: Rows) -> Integers:
    """The total of each row."""
    totals = np.full(rows.is_event.size, card.base, dtype=np.int64)
    for feature in card.features:
        totals += np.array(feature.line_points, dtype=np.int64)[rows.lines_of(feature)]
    return totals


def figures_of(card: RiskCard, totals: Integers, rows: Rows) -> Figures:
    """How well a card does on rows whose totals are known."""
    tally = _tally(totals, rows.is_event, rows.weights)
    has_both = bool(tally.events.sum() > 0 and tally.others.sum() > 0)
    risks = card.risk_of_total(tally.values)
    scored = Tally(card.log_odds_of_total(tally.values), tally.events, tally.others)
    slope = fit_slope(scored).value if has_both and tally.values.size > 1 else math.nan
    return Figures(
        rows=rows.is_event.size,
        events=int(np.count_nonzero(rows.is_event)),
        auc=area_under_curve(tally) if has_both else None,
        slope=slope if math.isfinite(slope) else None,
        expected=float(tally.totals @ risks),
        observed=float(tally.events.sum()),
    )


def _tally(totals: Integers, is_event: Booleans, weights: Floats) -> Tally:
    """Weights by total, without sorting the rows."""
    lowest, highest = int(totals.min()), int(totals.max())
    counted = np.bincount(2 * (totals - lowest) + is_event, weights, 2 * (highest - lowest + 1))
    others, events = counted.astype(np.float64).reshape(-1, 2).T
    filled = (others + events) > 0
    values = (np.flatnonzero(filled) + lowest).astype(np.float64)
    return Tally(values, events[filled], others[filled])


def groups_of(card: RiskCard, totals: Integers, cuts: list[float]) -> Integers:
    """The risk group of each row: the number of risks in ``cuts`` that it reaches."""
    lowest = int(totals.min())
    every = np.arange(lowest, int(totals.max()) + 1)
    return np.searchsorted(np.array(cuts), card.risk_of_total(every), side="right")[totals - lowest]


def get_ready() -> None:
    """Compile what fits a scale, so that the first change need not wait for it."""
    totals, is_event = np.array([0, 0, 1, 1]), np.array([False, True, False, True])
    fit_card_scale(totals, is_event, np.ones(4), CardScale(1.0, 0.0))
