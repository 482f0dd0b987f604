"""Figures of held-out rows from several divisions into folds, with intervals that know about both.

Every division gives a figure with a variance. The figure that is reported is their mean, and its variance
the mean of ``variance + (figure - mean)^2``. The first part is what other rows would change. It does not
shrink with the number of divisions, which bring no new rows. The second part is what another division
would change, and with it other cards: a page is about one card, not about an average of many, so this does
not shrink either. (Chernozhukov and others use the same rule, with medians, for repeated sample splitting:
The Econometrics Journal 21, 2018, section 3.4.)
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from riskcard.evaluation.calibration import (
    intercept_linearised,
    ratio_linearised,
    slope_linearised,
)
from riskcard.evaluation.comparison import Comparison, compare
from riskcard.evaluation.discrimination import area_linearised
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.linearisation import Linearised
from riskcard.evaluation.outcomes import Outcomes
from riskcard.evaluation.summary import (
    Evaluation,
    brier_linearised,
    evaluate,
    loss_linearised,
    scaled_brier_linearised,
)


def combined(parts: Sequence[Linearised]) -> Linearised:
    """One figure from those of several divisions; one that is not finite stands for all."""
    values = np.array([one.value for one in parts])
    if not np.isfinite(values).all():
        return parts[int(np.argmin(np.isfinite(values)))]
    mean = float(values.mean())
    variances = np.array([one.variance for one in parts])
    variance = float((variances + (values - mean) ** 2).mean())
    return Linearised(mean, np.array([np.sqrt(variance)]), min(one.degrees for one in parts))


def evaluate_divisions(divisions: Sequence[Outcomes], together: Outcomes) -> Evaluation:
    """All figures of several divisions.

    Parameters
    ----------
    divisions
        The held-out rows of each division.
    together
        The same rows in one, for curves, bins and counts.
    """
    found = evaluate(together)
    if len(divisions) == 1:
        return found

    def mean(measure: Callable[[Outcomes], Linearised]) -> Linearised:
        return combined([measure(one) for one in divisions])

    area, loss, brier = mean(area_linearised), mean(loss_linearised), mean(brier_linearised)
    slope, intercept = mean(slope_linearised), mean(intercept_linearised)
    return replace(
        found,
        log_loss=loss.value,
        log_loss_interval=loss.interval(),
        brier=brier.value,
        brier_interval=brier.interval(),
        scaled_brier_interval=mean(scaled_brier_linearised).interval(),
        roc=replace(found.roc, area=area.value, interval=area.logit_interval()),
        calibration=replace(
            found.calibration,
            slope=slope.value,
            slope_interval=slope.interval(),
            intercept=intercept.value,
            intercept_interval=intercept.interval(),
            ratio_interval=mean(ratio_linearised).log_interval(),
        ),
    )


def compare_divisions(
    first: Sequence[Outcomes], second: Sequence[Outcomes], together: tuple[Outcomes, Outcomes]
) -> Comparison:
    """The first less the second, paired within each division."""
    found = compare(*together)
    if len(first) == 1:
        return found

    def difference(measure: Callable[[Outcomes], Linearised]) -> Figure:
        pairs = zip(first, second, strict=True)
        return combined([measure(one) - measure(other) for one, other in pairs]).figure()

    return replace(
        found,
        auc=difference(area_linearised),
        log_loss=difference(loss_linearised),
        brier=difference(brier_linearised),
        scaled_brier=difference(scaled_brier_linearised),
    )
