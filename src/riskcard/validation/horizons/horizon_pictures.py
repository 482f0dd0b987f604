"""The pictures of a judgement by horizons, for a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riskcard.evaluation.intervals import Figure
    from riskcard.validation.horizons.by_horizon import AtHorizon


def drawn_horizon(at: AtHorizon, time: str, who: str = "Kaplan and Meier") -> list[Any]:
    """Calibration and decisions by one horizon."""
    from riskcard.plots.by_time import draw_benefit_by
    from riskcard.plots.embedded import drawn

    by = f"{time} {at.horizon:g}"
    known = [one for one in at.groups if not math.isnan(one.observed.value)]
    found = []
    if known:
        expected, observed = [one.mean_risk for one in known], [one.observed for one in known]
        found.append(
            drawn_calibration(expected, observed, f"by {by}", how=who.replace(" and ", "-"))
        )
    found.append(
        drawn(
            lambda ax: draw_benefit_by(at.benefit, ax),
            f"Net benefit against the threshold by {by}",
            f"Decisions by {by}",
            (5.2, 3.9),
        )
    )
    return found


def drawn_calibration(
    expected: Sequence[float],
    observed: Sequence[Figure],
    place: str,
    *,
    how: str = "observed",
    what: str = "risk",
) -> Any:
    """Observed shares against what the card says; ``how`` and ``what`` as for ``draw_calibration_by``."""
    from riskcard.plots.by_time import draw_calibration_by
    from riskcard.plots.embedded import drawn

    return drawn(
        lambda ax: draw_calibration_by(expected, observed, ax, how=how, what=what),
        f"Observed share {'with the event ' if what == 'risk' else ''}{place} against the {what} on the card",
        f"Calibration {place}",
        (4.2, 3.9),
    )


def drawn_curves(named: Sequence[tuple[str, Any]], time: str, who: str) -> Any:
    """Groups of risk over time, each with its name."""
    from riskcard.plots.by_time import draw_curves
    from riskcard.plots.embedded import drawn

    return drawn(
        lambda ax: draw_curves(named, time, ax),
        "Share with the event over time, by group of risk",
        f"{who}'s estimate (steps) and the mean risk on the card (pale)",
        (6.4, 4.0),
    )
