"""The facts of a validation as plain tables and as JSON, for other programs to read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from riskcard.evaluation.groups.random_effects import RandomEffects
from riskcard.evaluation.groups.subgroups import GroupFigures
from riskcard.evaluation.intervals import Figure, Interval
from riskcard.model.card import RiskCard
from riskcard.validation.facts import ValidationFacts

#: A row of a table: from the name of a column to a number, a text or None.
Row = dict[str, Any]


def headline_figures(facts: ValidationFacts) -> dict[str, Figure]:
    """The figures about all rows, by their names."""
    found, smooth = facts.evaluation, facts.smooth
    calibration = found.calibration
    return {
        "AUC": Figure(found.roc.area, found.roc.interval),
        "Log-loss": Figure(found.log_loss, found.log_loss_interval),
        "Brier score": Figure(found.brier, found.brier_interval),
        "Scaled Brier score": Figure(found.scaled_brier, found.scaled_brier_interval),
        "Calibration in the large": Figure(calibration.intercept, calibration.intercept_interval),
        "Calibration slope": Figure(calibration.slope, calibration.slope_interval),
        "Expected / observed": Figure(calibration.ratio, calibration.ratio_interval),
        "ICI": smooth.mean_error,
        "E50": smooth.median_error,
        "E90": smooth.high_error,
    }


def tables_of(facts: ValidationFacts) -> dict[str, list[Row]]:
    """All tables by name; one without rows is left out."""
    curve, decision = facts.smooth, facts.evaluation.decision
    tables: dict[str, list[Row]] = {
        "figures": [
            {"figure": name, **_spread("value", one)}
            for name, one in headline_figures(facts).items()
        ],
        "totals": _totals(facts),
        "calibration_curve": _columns(
            risk=curve.risks, rate=curve.rates, low=curve.low, high=curve.high
        ),
        "decision_curve": _columns(
            threshold=decision.thresholds,
            net_benefit=decision.net_benefit,
            low=decision.low,
            high=decision.high,
            act_on_all=decision.act_on_all,
        ),
        "thresholds": [_flat(one) for one in facts.thresholds],
        "risk_groups": [_flat(one) for one in facts.risk_groups],
        "subgroups": [
            {"column": part.column, **_group(one)}
            for part in facts.subgroups
            for one in part.groups
        ],
        "fairness": _fairness(facts),
        "sites": [] if facts.sites is None else [_group(one) for one in facts.sites.sites],
        "site_summary": _site_summary(facts),
        "comparisons": _comparisons(facts),
        "drift": _drift(facts),
        "unseen_values": [_flat(one) for one in facts.values],
    }
    return {name: rows for name, rows in tables.items() if rows}


def facts_as_dict(facts: ValidationFacts) -> dict[str, Any]:
    """Everything as JSON has it: None where a number is not finite; the card by title and digest."""
    found = _plain(facts)
    found["figures"] = {name: _plain(one) for name, one in headline_figures(facts).items()}
    return found  # type: ignore[no-any-return]


# --- tables -------------------------------------------------------------------------------------


def _totals(facts: ValidationFacts) -> list[Row]:
    return [
        {
            "low": one.low,
            "high": one.high,
            "risk_low": float(facts.card.risk_of_total(one.low)),
            "risk_high": float(facts.card.risk_of_total(one.high)),
            "rows": one.rows,
            "events": one.events,
            "rate": one.rate,
        }
        for one in facts.totals
    ]


def _group(one: GroupFigures) -> Row:
    return {
        "group": one.name,
        **{name: cell for name, cell in _flat(one).items() if name != "name"},
    }


def _fairness(facts: ValidationFacts) -> list[Row]:
    """A row for each column, group and threshold; differences are from the reference group."""
    nothing = Figure(math.nan, None)
    rows = []
    for part in facts.fairness:
        for one in part.found.groups:
            for place, rates in enumerate(one.rates):
                row: Row = {"column": part.column, "group": one.figures.name}
                row |= {"reference": part.found.reference, **_flat(rates)}
                row |= _spread("calibration_error", one.calibration_error.root)
                for entry in fields(rates)[1:]:
                    difference = nothing
                    if one.differences:
                        difference = getattr(one.differences[place], entry.name)
                    row |= _spread(f"{entry.name}_difference", difference)
                rows.append(row)
    return rows


def _site_summary(facts: ValidationFacts) -> list[Row]:
    if facts.sites is None:
        return []
    summary = facts.sites.summary
    found: dict[str, RandomEffects | None] = {
        "AUC": summary.auc,
        "Expected / observed": summary.ratio,
        "Calibration slope": summary.slope,
    }
    return [{"figure": name, **_flat(one)} for name, one in found.items() if one is not None]


def _comparisons(facts: ValidationFacts) -> list[Row]:
    rows = []
    for rival in facts.rivals:
        for one in rival.figures:
            difference = one.difference or Figure(math.nan, None)
            rows.append(
                {"against": rival.name, "figure": one.name, **_spread("card", one.own)}
                | _spread("other", one.other)
                | _spread("difference", difference)
            )
        nothing = Figure(math.nan, None)
        for threshold, difference in rival.net_benefit:
            name = f"Net benefit at {threshold:g}"
            rows.append(
                {"against": rival.name, "figure": name, **_spread("card", nothing)}
                | _spread("other", nothing)
                | _spread("difference", difference)
            )
    return rows


def _drift(facts: ValidationFacts) -> list[Row]:
    if facts.drift is None:
        return []
    parts = [*([facts.drift.total] if facts.drift.total is not None else []), *facts.drift.features]
    return [
        {
            "name": part.name,
            "bin": one.words,
            "expected": one.expected,
            "actual": one.actual,
            "part": one.part,
            "index": part.index,
            "reading": str(part.reading),
        }
        for part in parts
        for one in part.bins
    ]


def _flat(record: Any) -> Row:
    """The fields of a record; a figure becomes three columns, an interval two."""
    row: Row = {}
    for entry in fields(record):
        value = getattr(record, entry.name)
        if isinstance(value, Figure) or (value is None and "Figure" in str(entry.type)):
            row |= _spread(entry.name, value or Figure(math.nan, None))
        elif "Interval" in str(entry.type):
            row |= _ends(entry.name, value)
        else:
            row[entry.name] = _cell(value)
    return row


def _spread(name: str, one: Figure) -> Row:
    low, high = one.interval or (None, None)
    return {name: _cell(one.value), f"{name}_low": _cell(low), f"{name}_high": _cell(high)}


def _ends(name: str, interval: Interval | None) -> Row:
    low, high = interval or (None, None)
    return {f"{name}_low": _cell(low), f"{name}_high": _cell(high)}


def _columns(**columns: Any) -> list[Row]:
    names = list(columns)
    lists = [np.asarray(one).tolist() for one in columns.values()]
    return [dict(zip(names, map(_cell, row), strict=True)) for row in zip(*lists, strict=True)]


def _cell(value: Any) -> Any:
    """A value that JSON and CSV have; None for a number that is not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value.value if isinstance(value, Enum) else value


# --- JSON ---------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    if isinstance(value, RiskCard):
        digest = None if value.recipe is None else value.recipe.digest
        return {"title": value.title, "event": value.event, "digest": digest}
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, np.ndarray):
        return [_plain(one) for one in value.tolist()]
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (Sequence, Iterable)) and not isinstance(value, str):
        return [_plain(one) for one in value]
    return _cell(value)
