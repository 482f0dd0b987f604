"""How many rows a development needs, by the criteria of Riley and others (2019, 2020) for a binary outcome."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import entr, expit, logit, ndtri

from riskcard.checks import is_whole
from riskcard.errors import ParameterError
from riskcard.evaluation.intervals import QUANTILE

#: Points of the quadrature over a normal distribution.
_POINTS = 200


@dataclass(frozen=True, slots=True)
class SampleSize:
    """The rows that a development needs.

    Attributes
    ----------
    for_shrinkage
        Rows for risks that need a shrinkage of at most 10 % (or the target that was given).
    for_optimism
        Rows for a difference of at most 0.05 between apparent and adjusted Nagelkerke's R-squared.
    for_overall_risk
        Rows for an overall risk that is known to within 0.05.
    rows
        The largest of the three.
    events
        Expected events among that many rows, rounded up.
    events_per_parameter
        Events per candidate parameter.
    shrinkage
        Expected shrinkage factor with that many rows.
    """

    for_shrinkage: int
    for_optimism: int
    for_overall_risk: int
    rows: int
    events: int
    events_per_parameter: float
    shrinkage: float


def sample_size(
    parameters: int,
    prevalence: float,
    r_squared: float,
    *,
    shrinkage: float = 0.9,
    optimism: float = 0.05,
    margin: float = 0.05,
) -> SampleSize:
    """Compute the rows needed.

    Parameters
    ----------
    parameters
        Number of *candidate* parameters: everything that the data may choose between, not what was
        chosen. For a card that is every condition that a feature could have entered with.
    prevalence
        Share of rows with the event.
    r_squared
        Cox and Snell's R-squared that the model is expected to have on new data, cautiously guessed;
        see `r_squared_of_auc`.
    shrinkage, optimism, margin
        The targets of the three criteria.

    Notes
    -----
    With ``P`` parameters and ``R2`` the shrinkage factor is ``S = 1 + P / (n log(1 - R2))`` to a good
    approximation, with ``R2 = S * apparent R2``, so that ``n = P / ((S - 1) log(1 - R2 / S))``. The second
    criterion is the first with ``S = R2 / (R2 + optimism * max R2)``, and the third is
    ``n = (1.96 / margin)^2 prevalence (1 - prevalence)``.

    Examples
    --------
    >>> found = sample_size(24, 0.174, 0.288)
    >>> found.for_shrinkage, found.for_optimism, found.for_overall_risk, found.rows
    (623, 662, 221, 662)
    """
    if not is_whole(parameters) or parameters < 1:
        raise ParameterError(f"parameters is {parameters!r}. Use a whole number of at least 1.")
    if not 0 < prevalence < 1:
        raise ParameterError(f"prevalence is {prevalence!r}. Use a share between 0 and 1.")
    most = largest_r_squared(prevalence)
    if not 0 < r_squared < most:
        raise ParameterError(
            f"r_squared is {r_squared!r}. Use a value between 0 and {most:.4g}, the largest that is "
            "possible with this prevalence."
        )
    lower = r_squared / (r_squared + optimism * most)
    needed = (
        _rows_for_shrinkage(parameters, r_squared, shrinkage),
        _rows_for_shrinkage(parameters, r_squared, lower),
        math.ceil((QUANTILE / margin) ** 2 * prevalence * (1 - prevalence)),
    )
    rows = max(needed)
    return SampleSize(
        for_shrinkage=needed[0],
        for_optimism=needed[1],
        for_overall_risk=needed[2],
        rows=rows,
        events=math.ceil(rows * prevalence),
        events_per_parameter=rows * prevalence / parameters,
        shrinkage=expected_shrinkage(rows, parameters, r_squared),
    )


def _rows_for_shrinkage(parameters: int, r_squared: float, shrinkage: float) -> int:
    if not r_squared < shrinkage < 1:
        raise ParameterError(
            f"A shrinkage of {shrinkage:.3g} cannot be asked for with an R-squared of {r_squared:.3g}."
        )
    return math.ceil(parameters / ((shrinkage - 1) * math.log1p(-r_squared / shrinkage)))


def expected_shrinkage(rows: float, parameters: int, r_squared: float) -> float:
    """The shrinkage factor that the risks learned from some rows are expected to need.

    It solves the equation of the first criterion for the shrinkage; the number of rows increases with it.
    """

    def excess(shrinkage: float) -> float:
        return parameters + rows * (1 - shrinkage) * math.log1p(-r_squared / shrinkage)

    return float(brentq(excess, r_squared * (1 + 1e-12), 1.0, xtol=1e-12))


def largest_r_squared(prevalence: float) -> float:
    """The largest Cox and Snell R-squared that is possible with some prevalence."""
    return -math.expm1(-2 * float(entr(prevalence) + entr(1 - prevalence)))


def r_squared_of_auc(auc: float, prevalence: float) -> float:
    """Cox and Snell's R-squared of a model with some AUC, if its log-odds are normal in each class.

    With equal variances in both classes the log-odds of such a model are right as they are, and the
    R-squared follows from the mean log-loss against that of the prevalence alone.

    Examples
    --------
    >>> round(r_squared_of_auc(0.8, 0.2), 3)
    0.183
    """
    if not 0.5 < auc < 1:
        raise ParameterError(f"auc is {auc!r}. Use a value above 0.5 and below 1.")
    if not 0 < prevalence < 1:
        raise ParameterError(f"prevalence is {prevalence!r}. Use a share between 0 and 1.")
    distance = math.sqrt(2) * float(ndtri(auc))
    points, weights = np.polynomial.hermite_e.hermegauss(_POINTS)
    weights = weights / weights.sum()
    loss = 0.0
    for share, centre, sign in ((prevalence, distance, -1), (1 - prevalence, 0.0, 1)):
        log_odds = logit(prevalence) + distance * (points + centre) - distance**2 / 2
        loss += share * float(weights @ -np.log(expit(-sign * log_odds)))
    return -math.expm1(2 * (loss - float(entr(prevalence) + entr(1 - prevalence))))
