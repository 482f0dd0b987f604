"""How much the risk of a single row depends on the rows that a card was learned from (Riley and Collins 2023).

The whole procedure is repeated on resamples of the development rows; each of the cards gives every row of the
original table a risk. Where these differ much from the risk of the card itself, another sample would
have given the same person quite another risk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.errors import DataError, ParameterError
from riskcard.evaluation.measures import Floats, Tally, fit_intercept, fit_logistic, fit_slope
from riskcard.evaluation.outcomes import Outcomes


@dataclass(frozen=True, slots=True)
class Instability:
    """Risks of the same rows by cards from resamples.

    Attributes
    ----------
    risks
        The risk of each row by the card.
    low, high
        2.5 % and 97.5 % quantile of its risks by the other cards: the instability plot.
    errors
        Mean absolute difference between these and the risk of the card, for each row.
    mean_error
        MAPE: the mean of ``errors``, by weight.
    largest_error
        The largest of ``errors``.
    """

    risks: Floats
    low: Floats
    high: Floats
    errors: Floats
    mean_error: float
    largest_error: float


@dataclass(frozen=True, slots=True)
class CalibrationInstability:
    """How each card from a resample would be calibrated on the original rows.

    Attributes
    ----------
    risks
        A grid of risks.
    rates
        For each card, how often the event happened at each of them: one line in log-odds per card; NaN
        outside the risks that the card gives.
    slopes, intercepts
        Calibration slope, and calibration in the large, of each card.
    """

    risks: Floats
    rates: Floats
    slopes: Floats
    intercepts: Floats


def instability(outcomes: Outcomes, resampled: Any) -> Instability:
    """Compare the risks of the card with those of cards from resamples.

    Parameters
    ----------
    outcomes
        The development rows with the risks of the card.
    resampled
        Risks of the same rows: one line per card, one column per row.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> rows = read_outcomes([0.2, 0.6], [0, 1])
    >>> round(instability(rows, [[0.1, 0.6], [0.3, 0.8]]).mean_error, 3)
    0.1
    """
    others = _read_resampled(outcomes, resampled)
    errors = np.abs(others - outcomes.risks).mean(axis=0)
    low, high = np.quantile(others, [0.025, 0.975], axis=0)
    mean = float(outcomes.weights @ errors / outcomes.weights.sum())
    return Instability(outcomes.risks, low, high, errors, mean, float(errors.max()))


def changed_decisions(outcomes: Outcomes, resampled: Any, threshold: float) -> Floats:
    """For each row, the share of the resampled cards that disagree with the card on which side of a threshold it is.

    Parameters
    ----------
    outcomes, resampled
        As for `instability`.
    threshold
        Rows with at least this risk are acted on.
    """
    if not 0 < threshold < 1:
        raise ParameterError(f"The threshold is {threshold!r}. Use a risk between 0 and 1.")
    others = _read_resampled(outcomes, resampled)
    changed: Floats = ((others >= threshold) != (outcomes.risks >= threshold)).mean(axis=0)
    return changed


def calibration_instability(
    outcomes: Outcomes, resampled: Any, n_points: int = 51
) -> CalibrationInstability:
    """Calibrate each card from a resample on the original rows.

    Parameters
    ----------
    outcomes, resampled
        As for `instability`.
    n_points
        Points of the grid from 0 to 1.
    """
    others, grid = _read_resampled(outcomes, resampled), np.linspace(0, 1, n_points)[1:-1]
    at, rates, slopes, intercepts = np.log(grid) - np.log1p(-grid), [], [], []
    for risks in others:
        rows = Outcomes(risks, outcomes.is_event, outcomes.weights)
        tally = rows.tally(rows.log_odds)
        slopes.append(fit_slope(tally).value)
        intercepts.append(fit_intercept(tally).value)
        rates.append(
            _line(tally, at, grid) if np.isfinite(slopes[-1]) else np.full(at.size, np.nan)
        )
    return CalibrationInstability(grid, np.array(rates), np.array(slopes), np.array(intercepts))


def _line(tally: Tally, at: Floats, grid: Floats) -> Floats:
    constant, slope = fit_logistic(
        np.column_stack([np.ones_like(tally.values), tally.values]), tally
    )
    rates: Floats = 1 / (1 + np.exp(-(constant + slope * at)))
    is_inside = (at >= tally.values[0]) & (at <= tally.values[-1])
    return np.where(is_inside, rates, np.nan)


def _read_resampled(outcomes: Outcomes, resampled: Any) -> Floats:
    found = np.asarray(resampled, dtype=np.float64)
    if found.ndim != 2 or found.shape[1] != outcomes.risks.size or not found.shape[0]:
        raise DataError(
            f"The risks of the resampled cards have shape {found.shape}. Give one line per card and one "
            f"column for each of the {outcomes.risks.size} rows."
        )
    if not ((found >= 0) & (found <= 1)).all():
        raise DataError("The risks of the resampled cards must be between 0 and 1.")
    return found
