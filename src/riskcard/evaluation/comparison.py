"""One set of risks against another on the same rows: paired differences with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.errors import DataError, ParameterError
from riskcard.evaluation.discrimination import area_linearised
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.linearisation import Linearised, mean_of
from riskcard.evaluation.outcomes import Outcomes
from riskcard.evaluation.summary import brier_linearised, loss_linearised, scaled_brier_linearised


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences (first minus second), each with a 95 % interval.

    Attributes
    ----------
    auc
        Above 0, the first separates better. The interval is DeLong's for paired curves.
    log_loss, brier
        Below 0, the first is better.
    scaled_brier
        Above 0, the first is better.
    net_benefit
        For each threshold, in the order given; above 0, the first is better.
    thresholds
        Risks at or above which one acts.
    """

    auc: Figure
    log_loss: Figure
    brier: Figure
    scaled_brier: Figure
    net_benefit: tuple[Figure, ...]
    thresholds: tuple[float, ...]


def compare(first: Outcomes, second: Outcomes, thresholds: Any = ()) -> Comparison:
    """Compare two sets of risks of the same rows.

    For the AUC, an existing score need not be a risk: any increasing function of it between 0 and 1
    will do. The other figures are meaningful for risks only.

    Parameters
    ----------
    first, second
        The same rows in the same order, with the same outcomes, weights and clusters.
    thresholds
        Risks between 0 and 1 at which net benefits are compared.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> y = [0, 0, 1, 0, 1, 1]
    >>> one, other = (read_outcomes(risks, y) for risks in ([.1, .2, .3, .4, .5, .6], [.5] * 6))
    >>> round(compare(one, other).auc.value, 3)
    0.389
    """
    _check(first, second)
    at = tuple(float(one) for one in thresholds)
    if not all(0 < one < 1 for one in at):
        raise ParameterError("Thresholds are risks between 0 and 1, without the ends.")

    def difference(measure: Any) -> Figure:
        return (measure(first) - measure(second)).figure()  # type: ignore[no-any-return]

    return Comparison(
        auc=difference(area_linearised),
        log_loss=difference(loss_linearised),
        brier=difference(brier_linearised),
        scaled_brier=difference(scaled_brier_linearised),
        net_benefit=tuple(
            difference(lambda rows, one=one: net_benefit_linearised(rows, one)) for one in at
        ),
        thresholds=at,
    )


def net_benefit_linearised(outcomes: Outcomes, threshold: float) -> Linearised:
    """The net benefit of acting on rows whose risk is at least the threshold."""
    price = threshold / (1 - threshold)
    worth = np.where(outcomes.is_event, 1.0, -price)
    return mean_of(outcomes, np.where(outcomes.risks >= threshold, worth, 0.0))


def _check(first: Outcomes, second: Outcomes) -> None:
    one, other = ((rows.is_event, rows.weights, rows.clusters) for rows in (first, second))
    if not all(np.array_equal(a, b) for a, b in zip(one, other, strict=True)):  # type: ignore[arg-type]
        raise DataError(
            "The two sets of risks are not of the same rows: outcomes, weights or clusters differ. "
            "Give the same rows in the same order."
        )
