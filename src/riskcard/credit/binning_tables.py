"""Binning tables: rows, events, event rate, weight of evidence and information value of every bin.

The weight of evidence of a bin is ``log(share of all goods in it / share of all bads in it)``, where bads
have the event: it is positive where a bin is safer than average. The information value of a column is the
sum of ``(share of goods - share of bads) * weight of evidence``. Where a bin has no goods or no bads, half
a row is added to every bin of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from riskcard.credit.bins import Binning, bins_of
from riskcard.data.frames import Columns, make_frame
from riskcard.data.rows_to_score import take_columns
from riskcard.data.table import Table, make_table
from riskcard.evaluation.intervals import LEVEL
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.monitoring.drift import positive_shares
from riskcard.evaluation.outcomes import effective_rows
from riskcard.formatting.speech import say, spoken_language
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature
from riskcard.model.lines import Line
from riskcard.model.rows.lookup import LookUp
from riskcard.model.words.labels import Labels

#: The usual reading of an information value, by where each word begins.
READINGS = {"leak": 0.5, "strong": 0.3, "medium": 0.1, "weak": 0.02}


@dataclass(frozen=True, slots=True)
class BinRow:
    """One bin of a column.

    Attributes
    ----------
    words
        What it holds.
    rows, events
        Counts.
    share, rate
        Share of all rows, and share of its rows with the event, both by weight; the rate of an empty
        bin is None.
    woe
        Weight of evidence, positive where the bin is safer than average; None for an empty bin.
    iv
        What the bin adds to the information value.
    points
        What it is worth on a card; None where it is no line of one.
    """

    words: str
    rows: int
    events: int
    share: float
    rate: float | None
    woe: float | None
    iv: float
    points: int | None = None


@dataclass(frozen=True, slots=True)
class BinningTable:
    """The bins of one column.

    Attributes
    ----------
    feature, name
        The column, and what the labels of a card call it.
    bins
        In order.
    iv
        Information value.
    goods, bads
        Effective numbers of rows without and with the event.
    is_adjusted
        A bin has no goods or no bads, so half a row was added to every bin of both.
    is_on_card
        The bins are the lines of a card.
    """

    feature: str
    name: str
    bins: tuple[BinRow, ...]
    iv: float
    goods: float
    bads: float
    is_adjusted: bool
    is_on_card: bool

    @property
    def chance_limit(self) -> float:
        """A column without any relation to the event exceeds this in one sample of twenty.

        That is so for bins that were not chosen on the same rows; chosen ones exceed it more often.
        """
        free = sum(one.rows > 0 for one in self.bins) - 1
        return float(chi2.ppf(LEVEL, free)) * (1 / self.goods + 1 / self.bads) if free else 0.0

    @property
    def reading(self) -> str:
        """The usual reading of the information value."""
        if sum(one.rows > 0 for one in self.bins) == 1:
            return say("bins_reading_one")
        if self.iv <= self.chance_limit:
            return say("bins_reading_chance")
        found = next((name for name, begin in READINGS.items() if self.iv >= begin), "none")
        return say(f"bins_reading_{found}")


@dataclass(frozen=True, slots=True)
class BinningTables:
    """The tables of several columns, the highest information value first; ``print`` it.

    Attributes
    ----------
    tables
        One per column.
    event
        What the event is, in words.
    rows, events
        Counts of all rows.
    base_rate
        Share of all rows with the event, by weight.
    binning
        How the bins of columns that are not on a card were made.
    """

    tables: tuple[BinningTable, ...]
    event: str
    rows: int
    events: int
    base_rate: float
    binning: Binning

    def __iter__(self) -> Iterator[BinningTable]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __getitem__(self, feature: str) -> BinningTable:
        """The table of a column, by its name."""
        return {one.feature: one for one in self.tables}[feature]

    def columns(self) -> Columns:
        """All bins of all columns, as the columns of one long table."""
        pairs = [(table, one) for table in self.tables for one in table.bins]
        own = {"words": str, "rows": int, "events": int, "share": float, "rate": float}
        own |= {"woe": float, "iv": float, "points": int}
        names = {"words": "bin", "rate": "event_rate"}
        return {
            "feature": (str, [table.feature for table, _ in pairs]),
            **{
                names.get(name, name): (kind, [getattr(one, name) for _, one in pairs])
                for name, kind in own.items()
            },
            "feature_iv": (float, [table.iv for table, _ in pairs]),
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """One row per bin, as a frame of pandas, polars or pyarrow."""
        return make_frame(self.columns(), backend)

    def __str__(self) -> str:
        from riskcard.credit.binning_document import binning_document

        return binning_document(self).to_text()

    def _repr_html_(self) -> str:
        from riskcard.credit.binning_document import binning_document

        return binning_document(self).to_box()


def binning_tables(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    card: RiskCard | None = None,
    event: Any = None,
    method: str = "supervised",
    max_bins: int = 5,
    min_share: float = 0.05,
) -> BinningTables:
    """Bins of every column with their weight of evidence and information value.

    Parameters
    ----------
    X, y, sample_weight
        Rows, their labels and their weights.
    card
        Its features have the lines of the card as bins; other columns of the table have bins of
        their own.
    event
        The label of the event; None where the card or the labels say it.
    method, max_bins, min_share
        How bins are made: see ``riskcard.credit.bins.Binning``.

    Returns
    -------
    BinningTables
        The highest information value first. That of bins which were chosen on the same rows is too
        high; on a card's own training rows this holds for its lines, too.

    Examples
    --------
    >>> found = binning_tables({"late": [0, 0, 0, 1, 1, 1]}, [0, 0, 1, 0, 1, 1], method="quantile")
    >>> [(one.words, one.rows, round(one.woe, 3)) for one in found["late"].bins]
    [('no', 3, 0.693), ('yes', 3, -0.693)]
    """
    if card is not None:
        card.require_yes_or_no("Tables of weights of evidence")
    binning = Binning(method, max_bins, min_share)
    event = card.classes[1] if event is None and card is not None else event
    table = make_table(X, y, sample_weight, drop_zero_weights=True, event=event)
    return tables_of(table, binning, card, X)


def tables_of(
    table: Table, binning: Binning, card: RiskCard | None = None, rows: Any = None
) -> BinningTables:
    """The same for a table that was read; ``rows`` is what the card looks its columns up in."""
    is_event = table.labels > 0
    labels = Labels(language=spoken_language()) if card is None else card.labels
    found = []
    if card is not None and card.features:
        used = [one.name for one in card.features]
        _, columns = take_columns(rows, card.feature_names, used)
        for feature in card.features:
            looked_up = feature.look_up(columns[feature.name])
            lines = card.lines_of(feature)
            name = card.labels.name(feature.name)
            found.append(replace(_table(feature, lines, looked_up, table, True), name=name))
    for name, column in table.features.items():
        if card is None or name not in [one.name for one in card.features]:
            own = bins_of(name, column, is_event, table.weights, binning)
            looked_up = own.look_up(column.by_name())
            found.append(_table(own, labels.lines(own), looked_up, table, False))
    named = RiskCard((), classes=table.classes, outcome=table.outcome) if card is None else card
    return BinningTables(
        tuple(sorted(found, key=lambda one: -one.iv)),
        named.event,
        rows=is_event.size,
        events=int(is_event.sum()),
        base_rate=float(table.weights[is_event].sum() / table.weights.sum()),
        binning=binning,
    )


def _table(
    feature: CardFeature, lines: Sequence[Line], found: LookUp, table: Table, is_on_card: bool
) -> BinningTable:
    """Count the rows of each line; values without a line are counted in the usual one, as they score."""
    is_event, n_lines = table.labels > 0, len(lines)
    sums = np.array(
        [_weights_of(found, table.weights * kind, n_lines) for kind in (~is_event, is_event)]
    )
    rows, events = (np.bincount(found.lines[kind], minlength=n_lines) for kind in (..., is_event))
    goods, bads = (effective_rows(table.weights[kind]) for kind in (~is_event, is_event))
    woes, parts, is_adjusted = _evidence(sums, (goods, bads))
    weights = sums.sum(axis=0)
    bins = tuple(
        BinRow(
            words=line.label,
            rows=int(rows[i]),
            events=int(events[i]),
            share=float(weights[i] / weights.sum()),
            rate=float(sums[1, i] / weights[i]) if rows[i] else None,
            woe=woes[i],
            iv=parts[i],
            points=line.points if is_on_card else None,
        )
        for i, line in enumerate(lines)
    )
    return BinningTable(
        feature.name, feature.name, bins, sum(parts), goods, bads, is_adjusted, is_on_card
    )


def _weights_of(found: LookUp, weights: Floats, n_lines: int) -> NDArray[np.float64]:
    return np.bincount(found.lines, weights, n_lines).astype(np.float64)


def _evidence(sums: Floats, sizes: Sequence[float]) -> tuple[list[float | None], list[float], bool]:
    """Weight of evidence and part of the information value of each bin, from goods and bads."""
    filled = sums.sum(axis=0) > 0
    shares = sums[:, filled] / sums.sum(axis=1, keepdims=True)
    used, is_adjusted = positive_shares(shares, sizes)
    logs = iter(np.log(used[0] / used[1]).tolist())
    differences = iter((used[0] - used[1]).tolist())
    woes = [next(logs) if one else None for one in filled]
    parts = [0.0 if one is None else next(differences) * one for one in woes]
    return woes, parts, is_adjusted
