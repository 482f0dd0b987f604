"""How much of a card's scale to refit on some rows: nothing, its offset, or offset and slope.

The choice is a closed test, as Vergouwe et al. proposed it (Statistics in Medicine, 2017): the scale
stays as it is unless the rows speak against it, and its slope stays unless they speak against an update
of the offset alone. Both tests use the variance that the intervals have, so that they hold for weights
and clusters too. The chance of any update of a scale that is right is then at most 5 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2
from scipy.stats import f as f_distribution

from riskcard.errors import DataError, ParameterError
from riskcard.evaluation.calibration import (
    Calibration,
    calibration_of,
    intercept_linearised,
    slope_linearised,
)
from riskcard.evaluation.intervals import LEVEL
from riskcard.evaluation.linearisation import Linearised
from riskcard.evaluation.outcomes import Outcomes, effective_rows

#: What can be refitted, the least first.
UPDATES = ("none", "offset", "both")
#: Below this number of rows of the rarer kind, an update is refused: the standard error of an offset is about
#: 1 / sqrt(number), so that with 10 its interval reaches from half to twice the odds; a slope needs more.
LEAST_ROWS = {"none": 0, "offset": 10, "both": 20}
#: Below this number there is a warning: 100 of either kind are the usual minimum for judging calibration.
FEW_ROWS = {"none": 0, "offset": 50, "both": 100}


@dataclass(frozen=True, slots=True)
class ScaleUpdate:
    """What rows say about the scale of a card, and the update that they support.

    Attributes
    ----------
    choice
        "none", "offset" or "both".
    calibration
        The offset to add where the slope stays (its intercept), and the slope, with intervals.
    rarer
        Rows of the rarer kind, with or without the event; with weights the effective number.
    p_value
        Of the test of the scale as it is against a new offset and slope, or against a new offset where
        there are too few rows for a slope; None where there are too few for either.
    p_value_slope
        Of the test of a new offset against a new offset and slope; None where there is none.
    """

    choice: str
    calibration: Calibration
    rarer: float
    p_value: float | None
    p_value_slope: float | None


def choose_update(outcomes: Outcomes) -> ScaleUpdate:
    """Choose what to update by the closed test.

    Parameters
    ----------
    outcomes
        Rows with the risks that the card gives them now.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> rows = read_outcomes([0.1] * 100 + [0.3] * 100, [1] * 40 + [0] * 60 + [1] * 70 + [0] * 30)
    >>> choose_update(rows).choice  # risks are far too low, but their spread is right
    'offset'
    """
    calibration, rarer = calibration_of(outcomes), rarer_rows(outcomes)
    if rarer < LEAST_ROWS["offset"] or calibration.intercept_interval is None:
        return ScaleUpdate("none", calibration, rarer, None, None)
    intercept = intercept_linearised(outcomes)
    if rarer < LEAST_ROWS["both"] or calibration.slope_interval is None:
        p_value = _p_value([intercept], [0.0])
        choice = "offset" if p_value < 1 - LEVEL else "none"
        return ScaleUpdate(choice, calibration, rarer, p_value, None)
    slope = slope_linearised(outcomes)
    p_value, p_slope = _p_value([intercept, slope], [0.0, 1.0]), _p_value([slope], [1.0])
    choice = "none" if p_value >= 1 - LEVEL else "offset" if p_slope >= 1 - LEVEL else "both"
    return ScaleUpdate(choice, calibration, rarer, p_value, p_slope)


def rarer_rows(outcomes: Outcomes) -> float:
    """Rows with or without the event, whichever are fewer; with weights the effective number."""
    kinds = (outcomes.take(kind) for kind in (outcomes.is_event, ~outcomes.is_event))
    return min(effective_rows(own.weights, own.counts) for own in kinds)


def require_rows_for(update: str, rarer: float) -> None:
    """Refuse an update for which there are too few rows of either kind."""
    if update not in UPDATES:
        raise ParameterError(f"The update is {update!r}. Use 'auto', 'none', 'offset' or 'both'.")
    if rarer < LEAST_ROWS[update]:
        what = "offset" if update == "offset" else "offset and slope"
        other = "'offset', 'none'" if rarer >= LEAST_ROWS["offset"] else "'none'"
        raise DataError(
            f"There are {rarer:.3g} rows of the rarer kind (with or without the event): too few to fit "
            f"the {what} of a card, which takes at least {LEAST_ROWS[update]}. Give more rows, or use the "
            f"update {other} or 'auto'."
        )


def _p_value(figures: Sequence[Linearised], values: Sequence[float]) -> float:
    """Of Wald's test that figures of the same rows have given values.

    Their covariance is that of the influences of rows or clusters, so that a single figure is rejected
    where its interval does not contain the value. With weights or clusters the statistic is compared with the
    F distribution, as the intervals are with Student's.
    """
    influences = np.array([one.influence for one in figures])
    away = np.array([one.value for one in figures]) - np.array(values)
    statistic = float(away @ np.linalg.solve(influences @ influences.T, away)) / len(figures)
    degrees = min(one.degrees for one in figures)
    if math.isinf(degrees):
        return float(chi2.sf(statistic * len(figures), len(figures)))
    return float(f_distribution.sf(statistic, len(figures), degrees))
