"""The figures of each group of rows: counts, base rate, AUC and calibration, with intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.raw_columns import is_missing, read_raw
from riskcard.errors import DataError
from riskcard.evaluation.calibration import (
    intercept_linearised,
    ratio_linearised,
    slope_linearised,
)
from riskcard.evaluation.discrimination import area_linearised
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.linearisation import Cells, Linearised
from riskcard.evaluation.outcomes import Outcomes

#: With fewer rows with the event, or without it, figures of calibration are too vague to rely on
#: (Vergouwe and others 2005, Collins and others 2016).
FEW = 100


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """What is known about the risks of one group.

    Attributes
    ----------
    name
        The value of the column that makes the groups; None where it is missing.
    rows, events
        The number of rows, and of rows with the event.
    clusters
        The number of clusters; the number of rows where there are no clusters.
    base_rate
        Share with the event, by weight.
    mean_risk
        By weight.
    auc, ratio, slope, intercept
        As for all rows: AUC, expected / observed events, calibration slope, calibration in the large. None
        where the group has rows of one class only.
    is_small
        Fewer than 100 rows with the event, or without it: figures are vague.
    """

    name: Any
    rows: int
    events: int
    clusters: int
    base_rate: Figure
    mean_risk: float
    auc: Figure | None
    ratio: Figure | None
    slope: Figure | None
    intercept: Figure | None
    is_small: bool


def subgroups(outcomes: Outcomes, groups: Any) -> tuple[GroupFigures, ...]:
    """Evaluate each group of some rows.

    Parameters
    ----------
    outcomes
        The rows.
    groups
        One label per row; rows without one are a group named None.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> rows = read_outcomes([0.1, 0.4, 0.4, 0.8, 0.2], [0, 0, 1, 1, 0])
    >>> [(one.name, one.rows, one.events) for one in subgroups(rows, ["a", "a", "a", "a", "b"])]
    [('a', 4, 2), ('b', 1, 0)]
    """
    return tuple(
        figures_of(name, outcomes.take(rows)) for name, rows in each_group(outcomes, groups)
    )


def each_group(outcomes: Outcomes, groups: Any) -> Iterator[tuple[Any, NDArray[np.intp]]]:
    """The name and the rows of each group, in order of the names; rows without one come last."""
    labels = read_raw(groups).as_array()
    if labels.shape != outcomes.risks.shape:
        raise DataError(
            f"There are {outcomes.risks.size} rows, but the groups have shape {labels.shape}. "
            "Give one label per row."
        )
    values = [None if is_missing(label) else label for label in labels.tolist()]
    names = {value for value in values if value is not None}
    try:
        ordered = sorted(names)
    except TypeError:  # labels of several types
        ordered = sorted(names, key=str)
    rows: dict[Any, list[int]] = {name: [] for name in [*ordered, None]}
    for row, value in enumerate(values):
        rows[value].append(row)
    for name, found in rows.items():
        if found:
            yield name, np.array(found, dtype=np.intp)


def figures_of(name: Any, rows: Outcomes) -> GroupFigures:
    """The figures of the rows of one group."""
    events, n_rows = rows.count(rows.is_event), rows.count()
    cells = Cells.of(rows, np.zeros(rows.risks.size, dtype=np.intp), 1)
    both = rows.has_both
    area, ratio = (area_linearised(rows), ratio_linearised(rows)) if both else (None, None)
    return GroupFigures(
        name=name,
        rows=n_rows,
        events=events,
        clusters=n_rows if rows.clusters is None else np.unique(rows.clusters).size,
        base_rate=cells.rate(cells.is_event, np.ones(2, dtype=bool)).figure(),
        mean_risk=float(rows.weights @ rows.risks / rows.weights.sum()),
        auc=None if area is None else Figure(area.value, area.logit_interval()),
        ratio=None if ratio is None else Figure(ratio.value, ratio.log_interval()),
        slope=_figure(slope_linearised(rows)) if both else None,
        intercept=_figure(intercept_linearised(rows)) if both else None,
        is_small=min(events, n_rows - events) < FEW,
    )


def _figure(found: Linearised) -> Figure | None:
    return None if np.isnan(found.value) else found.figure()
