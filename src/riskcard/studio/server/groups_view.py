"""Risk groups, thresholds and figures by a column, on the check rows, or on the training rows where there are none."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from riskcard.data.columns import FeatureValues
from riskcard.errors import ParameterError
from riskcard.evaluation.groups.subgroups import figures_of
from riskcard.evaluation.outcomes import Outcomes
from riskcard.evaluation.thresholds import risk_groups, threshold_table
from riskcard.model.card import RiskCard
from riskcard.model.lines import show_level
from riskcard.studio.state.session import Session
from riskcard.studio.table.pricing import totals_of
from riskcard.studio.table.rows import Rows

#: More different numbers than this are divided into parts with about as many rows.
MOST_VALUES, _PARTS = 6, 4
#: More parts than this are too many to read.
MOST_PARTS = 30


def groups_view(session: Session, by: str | None = None) -> dict[str, Any]:
    """What the screen of the risk groups shows; with figures by the values of a column where one is named."""
    card, division = session.document.card, session.division
    if card is None or division is None:
        return {"groups": [], "thresholds": [], "totals": [], "rows": None, "parts": None}
    rows = division.check or division.rows
    totals = totals_of(card, rows)
    outcomes = Outcomes(card.risk_of_total(totals), rows.is_event, rows.weights, rows.clusters)
    cuts = list(session.document.groups)
    return {
        "rows": "training" if division.check is None else "check",
        "number": rows.is_event.size,
        "groups": [_plain(one) for one in risk_groups(outcomes, cuts)] if cuts else [],
        "thresholds": [_plain(one) for one in threshold_table(outcomes, at=cuts)] if cuts else [],
        "totals": _approvals(card, rows, totals),
        "parts": None if by is None else _by_column(by, rows, outcomes),
    }


def _by_column(name: str, rows: Rows, outcomes: Outcomes) -> list[dict[str, Any]]:
    """Figures of the rows with each value of a column, in its order; those with a missing value come last."""
    if name not in rows.features:
        raise ParameterError(f"There is no column {name!r} to divide the rows by. Choose another.")
    found = []
    for words, is_in in _parts_of(rows.features[name]):
        places = np.flatnonzero(is_in)
        if places.size:
            found.append({**_plain(figures_of(None, outcomes.take(places))), "name": words})
    if len(found) > MOST_PARTS:
        raise ParameterError(
            f"{name!r} has {len(found)} different values. Choose a column with at most {MOST_PARTS}."
        )
    return found


def _parts_of(column: FeatureValues) -> list[tuple[dict[str, Any] | None, Any]]:
    """What the rows of each part have, and which rows these are: a level, a number, or numbers in a range."""
    values = column.values
    is_missing = np.isnan(values)
    different = np.unique(values[~is_missing])
    parts: list[tuple[dict[str, Any] | None, Any]]
    if column.levels is not None:
        names = column.levels.names
        parts = [({"level": show_level(names[int(one)])}, values == one) for one in different]
    elif different.size <= MOST_VALUES:
        parts = [({"low": float(one), "high": float(one)}, values == one) for one in different]
    else:
        inner = np.quantile(values[~is_missing], np.arange(1, _PARTS) / _PARTS, method="lower")
        part = np.searchsorted(np.unique(inner), values, side="left")
        parts = []
        for place in range(_PARTS):
            is_in = (part == place) & ~is_missing
            if is_in.any():
                low, high = float(values[is_in].min()), float(values[is_in].max())
                parts.append(({"low": low, "high": high}, is_in))
    return [*parts, (None, is_missing)]


def _approvals(card: RiskCard, rows: Rows, totals: Any) -> list[dict[str, Any]]:
    """For each total: if rows up to it are approved, their share, and the share of events among them."""
    values = np.unique(totals)
    if values.size > 200:
        return []
    places = np.searchsorted(values, totals)
    counts = np.cumsum(np.bincount(places, rows.weights))
    events = np.cumsum(np.bincount(places, rows.weights * rows.is_event))
    risks = card.risk_of_total(values)
    return [
        {
            "total": int(total),
            "risk": float(risk),
            "approved": float(count / counts[-1]),
            "bad": float(event / count),
        }
        for total, risk, count, event in zip(values, risks, counts, events, strict=True)
    ]


def _plain(record: Any) -> dict[str, Any]:
    """A record of figures as plain values; what is not finite is None."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: plain(one) for name, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(one) for one in value]
        if isinstance(value, float) and not math.isfinite(value):
            return None
        return value

    return dict(plain(asdict(record)))
