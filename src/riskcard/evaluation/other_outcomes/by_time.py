"""Ranking, net benefit and constancy of effects where rows are followed over time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from riskcard.arrays import Booleans, Floats
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.linearisation import Linearised, linearise
from riskcard.evaluation.other_outcomes.row_units import RowUnits
from riskcard.evaluation.other_outcomes.survival import (
    competes_by,
    not_censored,
    share_with_event,
    within_shares,
)
from riskcard.outcomes.hazards import FollowUp

#: Pairs of rows that are compared at once.
PAIRS_AT_ONCE = 4_000_000
#: Newton steps of a Cox regression, and the step at which it ends.
MOST_STEPS, SMALL_STEP = 50, 1e-10
#: A direction in which covariates vary less than this, relatively, tells nothing.
FLAT = 1e-10


# --- ranking by a horizon -----------------------------------------------------------------------


def area_by(
    rows: FollowUp, predicted: Floats, horizon: float, units: RowUnits | None = None
) -> Figure:
    """The area under the ROC curve by a horizon: cases have had the event by then, controls are without it later.

    A case weighs ``1 / G(time)``, with ``G`` the share that is not censored just before its time, which makes up
    for rows that were lost before the horizon (Uno and others). Rows with a competing event by then are controls, and
    weigh like cases (Blanche and others). Weights of rows are counted in addition. Rows have to be followed from the
    start. The 95 % interval takes what makes up for lost rows as known. NaN where there are no cases or no controls.
    """
    return within_shares(area_linearised(rows, predicted, horizon, units))


def area_linearised(
    rows: FollowUp, predicted: Floats, horizon: float, units: RowUnits | None = None
) -> Linearised:
    """The same with the influence of each row."""
    units = units or RowUnits.equal(predicted.size)
    is_case = rows.is_event & (rows.time <= horizon)
    is_late, competes = rows.time > horizon, competes_by(rows, horizon)
    is_control = is_late | competes
    if not is_case.any() or not is_control.any():
        return Linearised(math.nan, np.full(1, np.inf), 0.0)
    uncensored = not_censored(rows, units.weights)
    weights = units.weights[is_case] / uncensored.before(rows.time[is_case])
    later = 1 / float(uncensored.at(np.array([horizon]))[0]) if is_late.any() else 1.0
    against = np.where(is_late, later, 1 / np.where(competes, uncensored.before(rows.time), 1.0))
    against = units.weights[is_control] * against[is_control]
    cases, controls = predicted[is_case], predicted[is_control]
    wins, losses = np.empty(cases.size), np.zeros(controls.size)
    size = max(1, PAIRS_AT_ONCE // controls.size)
    for start in range(0, cases.size, size):
        own = slice(start, start + size)
        above = cases[own, None] - controls
        agrees = np.where(np.abs(above) <= 1e-8, 0.5, above > 0)
        wins[own] = agrees @ against / against.sum()
        losses += weights[own] @ agrees
    whole = float(weights.sum())
    area, moves = float(weights @ wins) / whole, np.zeros(rows.time.size)
    moves[is_case] = weights * (wins - area) / whole
    moves[is_control] = against * (losses / whole - area) / float(against.sum())
    return linearise(units, area, moves)


# --- decisions by a horizon ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BenefitBy:
    """Net benefit per row by a horizon, in true positives.

    Attributes
    ----------
    thresholds
        Risks from which on one acts.
    net_benefit
        Of acting on rows whose risk by the horizon is at least the threshold.
    act_on_all
        Of acting on every row; acting on none is worth 0.
    """

    thresholds: tuple[float, ...]
    net_benefit: tuple[float, ...]
    act_on_all: tuple[float, ...]


def benefit_by(
    rows: FollowUp,
    risks: Floats,
    horizon: float,
    thresholds: Floats,
    weights: Floats | None = None,
) -> BenefitBy:
    """The decision curve by a horizon (Vickers and others).

    Among the rows with at least the threshold, Kaplan and Meier's estimate (Aalen and Johansen's
    where events compete) says how many have the event by the
    horizon; a false positive costs ``threshold / (1 - threshold)``. NaN where none of them was followed so long.
    """
    own = np.ones(rows.time.size) if weights is None else weights
    everyone = _observed(rows, own, horizon)
    found, of_all = [], []
    for threshold in thresholds.tolist():
        odds = threshold / (1 - threshold)
        flagged = risks >= threshold
        share = float(own[flagged].sum() / own.sum())
        observed = _observed(rows.take(flagged), own[flagged], horizon) if flagged.any() else 0.0
        found.append(share * (observed - (1 - observed) * odds))
        of_all.append(everyone - (1 - everyone) * odds)
    return BenefitBy(tuple(thresholds.tolist()), tuple(found), tuple(of_all))


def _observed(rows: FollowUp, weights: Floats, horizon: float) -> float:
    """The share of rows with the event by a horizon; NaN where nobody was followed so long."""
    if float(rows.time.max()) < horizon:
        return math.nan
    return float(share_with_event(rows, weights).at(np.array([horizon]))[0])


# --- effects over time --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constancy:
    """Whether the effect of one covariate stays the same over time.

    Attributes
    ----------
    name
        The covariate.
    slope
        The factor of what the card says, over all times: 1 where the card is right.
    statistic, p_value
        The score test of Grambsch and Therneau against an effect that changes with the rank of the time of
        events: chi-squared with one degree of freedom.
    direction
        The sign of the change: positive where the effect grows.
    """

    name: str
    slope: float
    statistic: float
    p_value: float
    direction: float


@dataclass(frozen=True, slots=True)
class _Moments:
    """Mean and covariance of the covariates among the rows at risk at each time of an event, and the events."""

    means: Floats
    covariances: Floats
    number: Floats
    sums: Floats


def constancy_of(rows: FollowUp, covariates: Floats, names: list[str]) -> list[Constancy]:
    """Test for each covariate of a Cox regression whether its effect changes with time.

    Parameters
    ----------
    rows
        Times and events; tied events are taken as Breslow does.
    covariates
        One column for each, such as the points of a feature divided by the multiplier of the card.
    names
        Of the columns.

    Returns
    -------
    list
        Without columns that are the same in all rows; empty where a regression cannot be fitted.
    """
    varies = np.ptp(covariates, axis=0) > 0 if covariates.size else np.zeros(len(names), dtype=bool)
    columns, kept = covariates[:, varies], [n for n, one in zip(names, varies, strict=True) if one]
    times = np.unique(rows.time[rows.is_event])
    if not kept or times.size < 2:
        return []
    slopes = np.zeros(len(kept))
    for _ in range(MOST_STEPS):
        moments = _moments(rows, columns, slopes, times)
        score = (moments.sums - moments.number[:, None] * moments.means).sum(axis=0)
        whole = np.einsum("t,tij->ij", moments.number, moments.covariances)
        step = np.linalg.pinv(whole, rcond=FLAT, hermitian=True) @ score
        slopes = slopes + np.clip(step, -2.0, 2.0)
        if float(np.abs(step).max()) < SMALL_STEP:
            break
    if not np.isfinite(slopes).all():
        return []
    moments = _moments(rows, columns, slopes, times)
    # ranks of times, by events, so that a few late ones do not decide
    place = np.cumsum(moments.number) - moments.number / 2
    place = place - np.average(place, weights=moments.number)
    residuals = moments.sums - moments.number[:, None] * moments.means
    whole = np.einsum("t,tij->ij", moments.number, moments.covariances)
    mixed = np.einsum("t,tij->ij", moments.number * place, moments.covariances)
    squared = np.einsum("t,tij->ij", moments.number * place**2, moments.covariances)
    inverse = np.linalg.pinv(whole, rcond=FLAT, hermitian=True)
    found = []
    for column, name in enumerate(kept):
        pull = float(place @ residuals[:, column])
        variance = float(squared[column, column] - mixed[column] @ inverse @ mixed[column])
        statistic = pull**2 / variance if variance > 0 else 0.0
        p_value = float(chi2.sf(statistic, 1))
        found.append(
            Constancy(name, float(slopes[column]), statistic, p_value, math.copysign(1.0, pull))
        )
    return found


def _moments(rows: FollowUp, columns: Floats, slopes: Floats, times: Floats) -> _Moments:
    linear = columns @ slopes
    weights = np.exp(linear - linear.max())
    products = columns[:, :, None] * columns[:, None, :]
    whole = _at_risk(rows, weights, times)
    means = _at_risk(rows, weights[:, None] * columns, times) / whole[:, None]
    squares = _at_risk(rows, weights[:, None, None] * products, times) / whole[:, None, None]
    places = np.searchsorted(times, rows.time[rows.is_event])
    number, sums = np.zeros(times.size), np.zeros((times.size, columns.shape[1]))
    np.add.at(number, places, 1.0)
    np.add.at(sums, places, columns[rows.is_event])
    return _Moments(means, squares - means[:, :, None] * means[:, None, :], number, sums)


def _at_risk(rows: FollowUp, values: Floats, times: Floats) -> Floats:
    """Sums over the rows at risk at each time."""
    found = _later(rows.time, values, times)
    if rows.entry is None:
        return found
    late: Booleans = rows.entry > 0
    return found - _later(rows.entry[late], values[late], times)


def _later(moments: Floats, values: Floats, times: Floats) -> Floats:
    """Sums over what happens at each time or later."""
    order = np.argsort(moments, kind="stable")
    sums = np.concatenate(
        [np.cumsum(values[order][::-1], axis=0)[::-1], np.zeros((1, *values.shape[1:]))]
    )
    found: Floats = sums[np.searchsorted(moments[order], times, side="left")]
    return found
