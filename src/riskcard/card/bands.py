"""The table from total to risk as people read it: few lines, with what was observed in training."""

from collections.abc import Sequence
from dataclasses import dataclass

from riskcard.evaluation.intervals import wilson_interval
from riskcard.formatting.percent import percent
from riskcard.model.card import RiskCard
from riskcard.model.totals import TotalCount, bands_of


@dataclass(frozen=True, slots=True)
class Seen:
    """What was observed in the training rows of a band of totals.

    Attributes
    ----------
    rows, events
        Counts.
    rate, interval
        The share of events (by weight where rows have weights) and an interval for it, as numbers;
        None where it is unknown: no rows, or weights.
    rate_words, interval_words
        The same as people read it; empty for None.
    """

    rows: int
    events: int
    rate: float | None
    interval: tuple[float, float] | None
    rate_words: str
    interval_words: str


@dataclass(frozen=True, slots=True)
class BandLine:
    """One row of the table from total to risk, where many totals are joined in bands.

    Attributes
    ----------
    low, high
        The band: totals from ``low`` to ``high``, often a single one.
    label, risk
        The band and its risk, in words.
    shares
        The risks of ``low`` and ``high``, as numbers.
    seen
        What was observed; None when the card does not know.
    """

    low: int
    high: int
    label: str
    risk: str
    shares: tuple[float, float]
    seen: Seen | None


def band_lines(card: RiskCard) -> tuple[BandLine, ...]:
    """All totals that a row can have, in at most 30 lines."""
    counts = _counts_of(card)
    is_weighted = card.training is not None and card.training.is_weighted
    lines = []
    for low, high in bands_of(card.reachable_totals()):
        first, last = (float(risk) for risk in card.risk_of_total([low, high]))
        lines.append(
            BandLine(
                low,
                high,
                label=str(low) if low == high else f"{low} to {high}",
                risk=_range(percent(first), percent(last)),
                shares=(first, last),
                seen=_seen(counts[low, high], is_weighted) if counts else None,
            )
        )
    return tuple(lines)


def cells_of(bands: Sequence[BandLine]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The header and the rows of the table, in words, without columns that would be empty."""
    n_cells = 2 if bands[0].seen is None else 6
    if not any(line.seen and line.seen.interval for line in bands):  # weighted rows have none
        n_cells = min(n_cells, 5)
    header = ("Total", "Risk", "Rows", "Events", "Observed", "95 % interval")
    rows = []
    for line in bands:
        cells = [line.label, line.risk]
        if (seen := line.seen) is not None:
            counts = [f"{seen.rows:,}", f"{seen.events:,}"]
            cells += [*counts, seen.rate_words, seen.interval_words]
        rows.append(tuple(cells[:n_cells]))
    return header[:n_cells], rows


def _counts_of(card: RiskCard) -> dict[tuple[int, int], list[TotalCount]]:
    """The counts of each band; none when they do not fit this card's totals."""
    counts = () if card.training is None else card.training.totals
    bands = bands_of(card.reachable_totals())
    found: dict[tuple[int, int], list[TotalCount]] = {band: [] for band in bands}
    for one in counts:
        homes = [band for band in bands if band[0] <= one.low and one.high <= band[1]]
        if not homes:
            return {}
        found[homes[0]].append(one)
    return found if counts else {}


def _seen(counts: list[TotalCount], is_weighted: bool) -> Seen:
    rows, events = sum(one.rows for one in counts), sum(one.events for one in counts)
    weight = sum(one.weight for one in counts)
    if rows == 0 or weight <= 0:
        return Seen(rows, events, None, None, "", "")
    rate = sum(one.event_weight for one in counts) / weight
    if is_weighted:
        # what a weight means is unknown: rows counted together, or rows that matter more
        return Seen(rows, events, rate, None, _rate(rate), "")
    interval = wilson_interval(events, rows)
    return Seen(rows, events, rate, interval, _rate(rate), _range(*map(_rate, interval)))


def _rate(rate: float) -> str:
    """A counted share, which may be all or nothing."""
    return f"{100 * rate:.0f} %" if rate in (0, 1) else percent(rate)


def _range(first: str, last: str) -> str:
    return first if first == last else f"{first.removesuffix(' %')} to {last}"
