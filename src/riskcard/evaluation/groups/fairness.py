"""Error rates of groups at thresholds, and their differences from a reference group, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.errors import ParameterError
from riskcard.evaluation.discrimination import area_linearised
from riskcard.evaluation.groups.calibration_error import CalibrationError, calibration_error
from riskcard.evaluation.groups.subgroups import GroupFigures, each_group, figures_of
from riskcard.evaluation.intervals import Figure, difference
from riskcard.evaluation.linearisation import Cells, Rate, correlation_of
from riskcard.evaluation.outcomes import Outcomes


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """The error rates of one group when one acts at a risk and above.

    Attributes
    ----------
    threshold
        Rows with at least this risk are flagged.
    flagged
        Share of the group that is flagged.
    false_positive, false_negative
        Share flagged of the rows without the event; share not flagged of those with it.
    positive_value, negative_value
        Share with the event of the rows flagged; share without it of the others.
    """

    threshold: float
    flagged: Figure
    false_positive: Figure
    false_negative: Figure
    positive_value: Figure
    negative_value: Figure


@dataclass(frozen=True, slots=True)
class GroupFairness:
    """The figures of one group, and how far they are from those of the reference group.

    Attributes
    ----------
    figures
        Counts, base rate, AUC and calibration.
    calibration_error
        Debiased, so that groups of different sizes can be compared.
    rates
        Error rates at each threshold.
    differences
        The same, each minus that of the reference group; empty for the reference group itself.
    auc_difference, squared_error_difference
        AUC and debiased squared calibration error, minus those of the reference group; None for the
        reference group, and where one of the two has no such figure.
    """

    figures: GroupFigures
    calibration_error: CalibrationError
    rates: tuple[ErrorRates, ...]
    differences: tuple[ErrorRates, ...]
    auc_difference: Figure | None
    squared_error_difference: Figure | None


@dataclass(frozen=True, slots=True)
class Fairness:
    """Every group against the reference group.

    Attributes
    ----------
    reference
        The name of the reference group.
    groups
        In order of their names; rows without a group are left out.
    """

    reference: Any
    groups: tuple[GroupFairness, ...]


def fairness(
    outcomes: Outcomes, groups: Any, thresholds: Any, reference: Any = None, n_bins: int = 10
) -> Fairness:
    """Compare the groups of some rows.

    Parameters
    ----------
    outcomes
        The rows.
    groups
        One label per row; rows without one are left out.
    thresholds
        Risks between 0 and 1 at or above which one acts.
    reference
        The group that others are compared with; by default the one with most rows.
    n_bins
        Bins of the calibration error.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> rows = read_outcomes([0.1, 0.6, 0.4, 0.8, 0.2], [0, 0, 1, 1, 0])
    >>> found = fairness(rows, ["a", "a", "a", "b", "b"], [0.5])
    >>> [(one.figures.name, one.rates[0].false_positive.value) for one in found.groups]
    [('a', 0.5), ('b', 0.0)]
    """
    at = [float(one) for one in thresholds]
    if not all(0 < one < 1 for one in at):
        raise ParameterError("Thresholds are risks between 0 and 1, without the ends.")
    rows = {
        name: outcomes.take(chosen)
        for name, chosen in each_group(outcomes, groups)
        if name is not None
    }
    if len(rows) < 2:
        raise ParameterError(
            "Fairness compares groups, but there are fewer than two. Name another column."
        )
    if reference is None:
        reference = max(rows, key=lambda name: rows[name].risks.size)
    if reference not in rows:
        raise ParameterError(f"There is no group {reference!r}. The groups are {[*rows]!r}.")
    first = rows[reference]
    return Fairness(
        reference,
        tuple(
            _group(name, own, None if own is first else first, at, n_bins)
            for name, own in rows.items()
        ),
    )


def _group(
    name: Any, rows: Outcomes, reference: Outcomes | None, at: list[float], n_bins: int
) -> GroupFairness:
    own = [_rates(rows, one) for one in at]
    error, auc, squared = calibration_error(rows, n_bins), None, None
    differences: tuple[ErrorRates, ...] = ()
    if reference is not None:
        pairs = zip(at, own, (_rates(reference, one) for one in at), strict=True)
        differences = tuple(
            ErrorRates(one, *(_rate_difference(*pair) for pair in zip(mine, theirs, strict=True)))
            for one, mine, theirs in pairs
        )
        auc = _area_difference(rows, reference)
        squared = _squared_difference(error, calibration_error(reference, n_bins))
    return GroupFairness(
        figures=figures_of(name, rows),
        calibration_error=error,
        rates=tuple(
            ErrorRates(one, *(rate.figure() for rate in mine))
            for one, mine in zip(at, own, strict=True)
        ),
        differences=differences,
        auc_difference=auc,
        squared_error_difference=squared,
    )


def _rates(rows: Outcomes, threshold: float) -> list[Rate]:
    """The rates of `ErrorRates`, in its order."""
    cells = Cells.of(rows, (rows.risks >= threshold).astype(np.intp), 2)
    event, flagged = cells.is_event, np.arange(4) >= 2
    everyone = np.ones(4, dtype=bool)
    return [
        cells.rate(flagged, everyone),
        cells.rate(flagged, ~event),
        cells.rate(~flagged, event),
        cells.rate(event, flagged),
        cells.rate(~event, ~flagged),
    ]


def _rate_difference(one: Rate, other: Rate) -> Figure:
    together = 0.0
    if one.is_clustered and other.is_clustered:
        together = correlation_of(one.influence, other.influence)
    return difference(one.figure(), other.figure(), together)


def _area_difference(rows: Outcomes, reference: Outcomes) -> Figure | None:
    if not (rows.has_both and reference.has_both):
        return None
    one, other = area_linearised(rows), area_linearised(reference)
    together = 0.0 if rows.clusters is None else correlation_of(one.influence, other.influence)
    mine, theirs = (Figure(area.value, area.logit_interval()) for area in (one, other))
    return difference(mine, theirs, together)


def _squared_difference(one: CalibrationError, other: CalibrationError) -> Figure | None:
    if not (one.bins and other.bins):
        return None
    return difference(one.squared, other.squared)
