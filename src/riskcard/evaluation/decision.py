"""What acting on risks is worth: net benefit against the threshold at which one acts, with bands."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import ParameterError
from riskcard.evaluation.intervals import LEVEL, Interval, quantile_of
from riskcard.evaluation.linearisation import ONE_UNIT, Cells, effective_units
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.outcomes import Outcomes

#: From 1 % to 99 %.
THRESHOLDS: Floats = np.arange(1, 100) / 100
#: Draws behind the width of the simultaneous band, and their seed: the same rows, the same band. Errors
#: at neighbouring thresholds are nearly equal, so a grid stands for all.
_DRAWS, _SEED, _GRID, _NOISE = 4_000, 0, 33, 1e-6


@dataclass(frozen=True, slots=True)
class DecisionCurve:
    """Net benefit per row, in true positives: a false positive costs ``threshold / (1 - threshold)``.

    Attributes
    ----------
    thresholds
        Risks at or above which one acts; between 0 and 1.
    net_benefit
        Of acting on rows whose risk is at least the threshold.
    act_on_all
        Of acting on every row; acting on none is worth 0.
    low, high
        The ends of the 95 % interval of the net benefit at each threshold.
    supported
        The ranges of thresholds at which the rows show that risks beat acting on all and on none. All
        of these statements together hold with a confidence of 95 %; see `supported_thresholds`.
    """

    thresholds: Floats
    net_benefit: Floats
    act_on_all: Floats
    low: Floats
    high: Floats
    supported: tuple[Interval, ...]


def decision_curve(outcomes: Outcomes, thresholds: Any = None) -> DecisionCurve:
    """Compute the net benefit of some rows.

    Parameters
    ----------
    outcomes
        The rows.
    thresholds
        Ascending, between 0 and 1; by default every whole per cent.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> rows = read_outcomes([0.1, 0.6, 0.7, 0.8], [0, 0, 1, 1])
    >>> decision_curve(rows, [0.5]).net_benefit.tolist()  # (2 true - 1 false positive) / 4
    [0.25]
    """
    at = np.asarray(THRESHOLDS if thresholds is None else thresholds, dtype=np.float64)
    if at.ndim != 1 or not at.size or not ((at > 0) & (at < 1)).all():
        raise ParameterError("Thresholds are risks between 0 and 1, without the ends.")
    if (np.diff(at) <= 0).any():
        raise ParameterError("Thresholds must be ascending.")
    places = np.searchsorted(at, outcomes.risks, side="right")
    cells = Cells.of(outcomes, places, at.size + 1)
    is_flagged = (np.arange(at.size + 1)[:, None] > np.arange(at.size)).repeat(2, axis=0)
    everyone = np.where(cells.is_event[:, None], 1.0, -at / (1 - at))
    worth = np.where(is_flagged, everyone, 0.0)
    net_benefit = cells.shares @ worth
    reach = _reach(outcomes, cells.units @ (worth - net_benefit))
    return DecisionCurve(
        thresholds=at,
        net_benefit=net_benefit,
        act_on_all=cells.shares @ everyone,
        low=net_benefit - reach,
        high=net_benefit + reach,
        supported=supported_thresholds(cells, at, is_flagged),
    )


def _reach(outcomes: Outcomes, influence: Floats) -> Floats:
    """Half the width of the interval of each mean, from the influences of the units."""
    units = effective_units(outcomes)
    if units <= ONE_UNIT:
        return np.full(influence.shape[1], np.inf)
    quantile = quantile_of(math.inf if outcomes.is_plain else units - 1)
    reach: Floats = quantile * np.sqrt((influence**2).sum(axis=0) * units / (units - 1))
    return reach


def supported_thresholds(
    cells: Cells, thresholds: Floats, is_flagged: NDArray[np.bool_]
) -> tuple[Interval, ...]:
    """The ranges of thresholds at which acting on risks is shown to beat both simple strategies.

    Acting on risks beats acting on none if the rate of events among the rows flagged is above the
    threshold, and it beats acting on all if the rate among the others is below it. Each rate has a
    Wilson interval that must exclude the threshold. Because many thresholds are tested, the quantile
    is not 1.96 but the 95 % quantile of the largest of all normal errors, which are correlated as
    those of the net benefits are.

    Parameters
    ----------
    cells
        The rows, by the number of thresholds that their risk reaches.
    thresholds
        Ascending.
    is_flagged
        For each cell and threshold, whether its rows are acted on.
    """
    quantile = _largest_error(cells, thresholds, is_flagged)
    if math.isinf(quantile):
        return ()
    supported = np.zeros(thresholds.size, dtype=bool)
    for j, at in enumerate(thresholds):
        flagged, others = (
            cells.rate(cells.is_event, some).interval(quantile)
            for some in (is_flagged[:, j], ~is_flagged[:, j])
        )
        supported[j] = flagged is not None and others is not None and others[1] < at < flagged[0]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], supported, [False]]).astype(int)))
    return tuple(
        (float(thresholds[first]), float(thresholds[end - 1]))
        for first, end in edges.reshape(-1, 2)
    )


def _largest_error(cells: Cells, thresholds: Floats, is_flagged: NDArray[np.bool_]) -> float:
    """How far the largest of all standardised errors is from 0, in 95 % of all samples."""
    some = np.unique(np.linspace(0, thresholds.size - 1, _GRID).astype(int))
    beyond, is_flagged = cells.is_event[:, None] - thresholds[some], is_flagged[:, some]
    worth = np.column_stack([is_flagged * beyond, ~is_flagged * beyond])
    influence = cells.units @ (worth - cells.shares @ worth)
    errors = np.sqrt((influence**2).sum(axis=0))
    known = errors > 1e-12 * errors.max(initial=0.0)
    if not known.any():
        return math.inf
    standard = influence[:, known] / errors[known]
    # many thresholds flag the same rows: a little noise makes the matrix regular
    correlation = standard.T @ standard + _NOISE * np.eye(standard.shape[1])
    normal = np.random.default_rng(_SEED).standard_normal((_DRAWS, standard.shape[1]))
    draws = normal @ np.linalg.cholesky(correlation).T
    return float(np.quantile(np.abs(draws).max(axis=1), LEVEL))
