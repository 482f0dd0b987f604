"""A card against another card, risks or a score on the same rows, with paired intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import DataError
from riskcard.evaluation.comparison import Comparison, compare
from riskcard.evaluation.discrimination import roc_curve
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.outcomes import Outcomes
from riskcard.evaluation.summary import Evaluation, evaluate
from riskcard.validation.facts import RivalFacts, RivalFigure
from riskcard.validation.rows import Rival


def read_rival(name: str, values: Any, n_rows: int) -> Rival:
    """A column of risks or scores; numbers that are all from 0 to 1 are taken for risks."""
    try:
        numbers = np.array([np.nan if one is None else float(one) for one in values])
    except (TypeError, ValueError):
        raise DataError(
            f"{name!r} is compared with the card, but it is not a column of numbers."
        ) from None
    if numbers.shape != (n_rows,):
        raise DataError(
            f"There are {n_rows} rows, but {name!r} has shape {numbers.shape}. Give one number per row."
        )
    known = numbers[~np.isnan(numbers)]
    if not known.size or not np.isfinite(known).all():
        raise DataError(
            f"{name!r} has no values, or infinite ones, so nothing can be compared with it."
        )
    is_risk = bool(((known >= 0) & (known <= 1)).all()) and np.unique(known).size > 2
    return Rival(name, "risk" if is_risk else "score", numbers)


def compare_rival(outcomes: Outcomes, rival: Rival, thresholds: tuple[float, ...]) -> RivalFacts:
    """Compare a card with a rival.

    Parameters
    ----------
    outcomes
        The card on all judged rows.
    rival
        Its values on the same rows.
    thresholds
        Risks at which net benefits are compared.
    """
    known = ~np.isnan(rival.values)
    own = outcomes.take(known)
    if not own.has_both:
        raise DataError(
            f"The rows that have a value of {rival.name!r} are all of one class. Compare it on other rows."
        )
    if rival.kind == "score":
        other, is_reversed = _as_risks(own, rival.values[known])
        differences = compare(own, other)
        return RivalFacts(
            name=rival.name,
            kind=rival.kind,
            rows=int(known.sum()),
            events=int(own.is_event.sum()),
            figures=(RivalFigure("AUC", _area(own), _area(other), differences.auc),),
            is_reversed=is_reversed,
        )
    other = replace(own, risks=rival.values[known])
    differences = compare(own, other, thresholds)
    return RivalFacts(
        name=rival.name,
        kind=rival.kind,
        rows=int(known.sum()),
        events=int(own.is_event.sum()),
        figures=_figures(evaluate(own), evaluate(other), differences),
        net_benefit=tuple(zip(differences.thresholds, differences.net_benefit, strict=True)),
    )


def _as_risks(own: Outcomes, values: NDArray[np.float64]) -> tuple[Outcomes, bool]:
    """A score as numbers from 0 to 1 in the same order; turned round where it plainly falls with the risk."""
    other = replace(own, risks=_ranks(values))
    interval = roc_curve(other).interval
    if interval is None or interval[1] >= 0.5:
        return other, False
    return replace(own, risks=_ranks(-values)), True


def _ranks(values: NDArray[np.float64]) -> Floats:
    different, places = np.unique(values, return_inverse=True)
    ranks: Floats = (places + 1) / (different.size + 1)
    return ranks


def _area(outcomes: Outcomes) -> Figure:
    found = roc_curve(outcomes)
    return Figure(found.area, found.interval)


#: How each figure of risks is read from an evaluation, and its difference from a comparison.
_READERS: dict[str, tuple[Callable[[Evaluation], Figure], str | None]] = {
    "AUC": (lambda one: Figure(one.roc.area, one.roc.interval), "auc"),
    "Log-loss": (lambda one: Figure(one.log_loss, one.log_loss_interval), "log_loss"),
    "Brier score": (lambda one: Figure(one.brier, one.brier_interval), "brier"),
    "Scaled Brier score": (
        lambda one: Figure(one.scaled_brier, one.scaled_brier_interval),
        "scaled_brier",
    ),
    "Calibration slope": (
        lambda one: Figure(one.calibration.slope, one.calibration.slope_interval),
        None,
    ),
    "Expected / observed": (
        lambda one: Figure(one.calibration.ratio, one.calibration.ratio_interval),
        None,
    ),
}


def _figures(
    own: Evaluation, other: Evaluation, differences: Comparison
) -> tuple[RivalFigure, ...]:
    return tuple(
        RivalFigure(
            name, read(own), read(other), None if field is None else getattr(differences, field)
        )
        for name, (read, field) in _READERS.items()
    )
