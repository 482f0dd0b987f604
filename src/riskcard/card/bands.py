"""The table from total to risk as people read it: few lines, with what was observed in training."""

from collections.abc import Sequence
from dataclasses import dataclass

from riskcard.formatting.percent import counted_percent, percent
from riskcard.model.card import RiskCard
from riskcard.model.totals import TotalCount, bands_of
from riskcard.model.words.labels import Labels


@dataclass(frozen=True, slots=True)
class Seen:
    """What was observed in the training rows of a band of totals.

    Attributes
    ----------
    rows, events
        Counts.
    rate
        The share of events, by weight where rows have weights; None without rows.
    rate_words
        The same as people read it; empty for None.
    """

    rows: int
    events: int
    rate: float | None
    rate_words: str


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
    interval, interval_words
        The 95 % interval of the risk, as numbers and in words; None and an empty text where the card
        has none.
    """

    low: int
    high: int
    label: str
    risk: str
    shares: tuple[float, float]
    seen: Seen | None
    interval: tuple[float, float] | None = None
    interval_words: str = ""


def band_lines(card: RiskCard) -> tuple[BandLine, ...]:
    """All totals that a row can have, in at most 30 lines."""
    counts, labels = counts_of(card), card.labels
    lines = []
    for low, high in bands_of(card.reachable_totals()):
        first, last = (float(risk) for risk in card.risk_of_total([low, high]))
        own = counts.get((low, high), [])
        interval = _joined(own)
        lines.append(
            BandLine(
                low,
                high,
                label=_range(labels, str(low), str(high)),
                risk=_range(labels, percent(first), percent(last)),
                shares=(first, last),
                seen=_seen(own, labels) if counts else None,
                interval=interval,
                interval_words="" if interval is None else _range(labels, *map(percent, interval)),
            )
        )
    return tuple(lines)


def cells_of(
    bands: Sequence[BandLine], labels: Labels
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The header and the rows of the table, in words, without columns that would be empty."""
    names = ["total", "risk"]
    has_intervals = has_risk_intervals(bands)
    if has_intervals:
        names.append("interval")
    if bands[0].seen is not None:
        names += ["rows", "events", "observed"]
    rows = []
    for line in bands:
        cells = [line.label, line.risk]
        if has_intervals:
            cells.append(line.interval_words)
        if (seen := line.seen) is not None:
            cells += [labels.count(seen.rows), labels.count(seen.events), seen.rate_words]
        rows.append(tuple(cells))
    return tuple(map(labels.say, names)), rows


def has_risk_intervals(bands: Sequence[BandLine]) -> bool:
    """Whether the card knows how uncertain its risks are."""
    return any(line.interval is not None for line in bands)


def counts_of(card: RiskCard) -> dict[tuple[int, int], list[TotalCount]]:
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


def _seen(counts: list[TotalCount], labels: Labels) -> Seen:
    rows, events = sum(one.rows for one in counts), sum(one.events for one in counts)
    weight = sum(one.weight for one in counts)
    if rows == 0 or weight <= 0:
        return Seen(rows, events, None, "")
    rate = sum(one.event_weight for one in counts) / weight
    return Seen(rows, events, rate, labels.number(counted_percent(rate)))


def _joined(counts: list[TotalCount]) -> tuple[float, float] | None:
    """From the lowest to the highest end of the intervals of some totals."""
    ends = [one.interval for one in counts if one.interval is not None]
    return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None


def _range(labels: Labels, first: str, last: str) -> str:
    if first == last:
        return labels.number(first)
    low, high = labels.number(first.removesuffix(" %")), labels.number(last)
    return labels.say("range", low=low, high=high)
