"""What a card costs: its loss on the rows of a proof, held against the bound, and figures on other rows.

The bound of a certificate holds for the loss that the fit minimised: that of the training rows and of
the pseudo-observations. So every card is judged by exactly this loss, with the scale that makes it
smallest, as the fit does. Let ``bound <= best``, where ``best`` is the lowest loss of all cards within the
limits of the fit. Then ``loss - best <= loss - bound``: a card is at most that much above the best one,
whether it is within the limits or not. Where it is not, its loss may even be below the bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from riskcard.arrays import Floats, Integers
from riskcard.encoding.fit_card_scale import CardScale, fit_card_scale, with_fitted_scale
from riskcard.encoding.pseudo_rows import PseudoRows
from riskcard.evaluation.measures import Tally, area_under_curve, fit_slope
from riskcard.model.card import RiskCard
from riskcard.studio.table.rows import Labelled, Rows


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
    """Judges cards on the rows of one proof.

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
        self._places = np.arange(rows.number) if pseudo.rows is None else pseudo.rows
        if pseudo.number == 0:
            self._places, own, other = np.empty(0, dtype=np.int64), own[:0], other[:0]
        self._added = np.concatenate([own, other])
        is_event = rows.is_event[self._places]
        self._added_events = np.concatenate([is_event, ~is_event])
        self._weight = float(rows.weights.sum() + self._added.sum())
        self._best_loss = best.certificate.loss
        self._groups: tuple[list[float], Labelled] | None = None

    @property
    def bound(self) -> float:
        """What is proven: no card within the limits of the fit has a loss below it."""
        return self._bound

    def hear_bound(self, bound: float) -> None:
        """Take note of a bound that is proven while the proof goes on; bounds only rise."""
        self._bound = max(self._bound, min(bound, self._best_loss))

    def with_scale(self, card: RiskCard) -> RiskCard:
        """The card with the scale that fits the rows best; as steep as the fit allows at most."""
        tally = self._tally(card)
        totals = np.tile(tally.values.astype(np.int64), 2)
        is_event = np.arange(totals.size) >= tally.values.size
        weights = np.concatenate([tally.others, tally.events])
        return with_fitted_scale(card, totals, is_event, weights, self._limit)

    def price(self, card: RiskCard) -> Price:
        """The loss of a card, and what it is held against."""
        tally = self._tally(card)
        log_odds = card.log_odds_of_total(tally.values)
        losses = np.logaddexp(0.0, -log_odds), np.logaddexp(0.0, log_odds)
        loss = float(tally.events @ losses[0] + tally.others @ losses[1])
        return Price(loss, self._bound, self._best_loss, self._weight)

    def moved(self, card: RiskCard, cuts: list[float]) -> int:
        """How many rows are in another risk group than with the best card."""
        cells = self.rows.cells_of(card, self._groups_of_best(cuts))
        is_moved = groups_of(card, cells.totals(card), cuts) != cells.label
        return int(cells.counts[is_moved].sum())

    def _groups_of_best(self, cuts: list[float]) -> Labelled:
        if self._groups is None or self._groups[0] != cuts:
            cells = self.rows.cells_of(self.best)
            groups = groups_of(self.best, cells.totals(self.best), cuts)
            label = Labelled(("group of the best card", *cuts), groups[cells.of_rows])
            self._groups = cuts, label
        return self._groups[1]

    def _tally(self, card: RiskCard) -> Tally:
        """Rows and pseudo-observations by total."""
        cells = self.rows.cells_of(card)
        places = np.tile(cells.of_rows[self._places], 2)
        added = np.bincount(
            2 * places + self._added_events, self._added, minlength=cells.weights.size
        )
        return _tally(cells.totals(card), cells.weights + added.reshape(-1, 2))


def totals_of(card: RiskCard, rows: Rows) -> Integers:
    """The total of each row."""
    cells = rows.cells_of(card)
    return cells.totals(card)[cells.of_rows]


def figures_of(card: RiskCard, rows: Rows) -> Figures:
    """How well a card does on some rows."""
    cells = rows.cells_of(card)
    tally = _tally(cells.totals(card), cells.weights)
    has_both = bool(tally.events.sum() > 0 and tally.others.sum() > 0)
    risks = card.risk_of_total(tally.values)
    scored = Tally(card.log_odds_of_total(tally.values), tally.events, tally.others)
    slope = fit_slope(scored).value if has_both and tally.values.size > 1 else math.nan
    return Figures(
        rows=rows.number,
        events=int(cells.counts[:, 1].sum()),
        auc=area_under_curve(tally) if has_both else None,
        slope=slope if math.isfinite(slope) else None,
        expected=float(tally.totals @ risks),
        observed=float(tally.events.sum()),
    )


def _tally(totals: Integers, weights: Floats) -> Tally:
    """Weights by total, of the totals of cells with the weights of either class."""
    values, place = np.unique(totals, return_inverse=True)
    others, events = (np.bincount(place, own, values.size).astype(np.float64) for own in weights.T)
    filled = (others + events) > 0
    return Tally(values[filled].astype(np.float64), events[filled], others[filled])


def groups_of(card: RiskCard, totals: Integers, cuts: list[float]) -> Integers:
    """The risk group of each total: the number of risks in ``cuts`` that it reaches."""
    lowest = int(totals.min())
    every = np.arange(lowest, int(totals.max()) + 1)
    return np.searchsorted(np.array(cuts), card.risk_of_total(every), side="right")[totals - lowest]


def get_ready() -> None:
    """Compile what fits a scale, so that the first change need not wait for it."""
    totals, is_event = np.array([0, 0, 1, 1]), np.array([False, True, False, True])
    fit_card_scale(totals, is_event, np.ones(4), CardScale(1.0, 0.0))
