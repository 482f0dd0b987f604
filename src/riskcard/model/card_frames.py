"""A card as data frames: its lines, and its totals with their risks."""

from typing import Any

from riskcard.data.frames import Columns, make_frame
from riskcard.model.card import RiskCard


def lines_frame(card: RiskCard, backend: str) -> Any:
    """The lines of a card; the columns are those that ``RiskCard.to_frame`` lists."""
    lines = [(feature.name, line) for feature in card.features for line in card.lines_of(feature)]
    columns: Columns = {
        "feature": (str, [name for name, _ in lines]),
        "condition": (str, [line.label for _, line in lines]),
        "points": (int, [line.points for _, line in lines]),
        "rows": (int, [line.rows for _, line in lines]),
        "events": (int, [line.events for _, line in lines]),
    }
    return make_frame(columns, backend)


def totals_frame(card: RiskCard, backend: str) -> Any:
    """The totals of a card; the columns are those that ``RiskCard.totals_frame`` lists."""
    table = card.risk_table()
    counts = () if card.training is None else card.training.totals
    known = {count.low: count for count in counts}
    # no count without training rows; a band of several totals says nothing about one of them
    is_counted = bool(counts) and all(count.low == count.high for count in counts)
    found = [known.get(row.total) if is_counted else None for row in table]
    empty = 0 if is_counted else None
    ends = [(one and one.interval) or (None, None) for one in found]
    columns: Columns = {
        "total": (int, [row.total for row in table]),
        "log_odds": (float, [row.log_odds for row in table]),
        "risk": (float, [row.risk for row in table]),
        "rows": (int, [empty if one is None else one.rows for one in found]),
        "events": (int, [empty if one is None else one.events for one in found]),
        "low": (float, [low for low, _ in ends]),
        "high": (float, [high for _, high in ends]),
    }
    return make_frame(columns, backend)
