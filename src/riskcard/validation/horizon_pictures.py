"""The pictures of a judgement by horizons, for a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riskcard.validation.by_horizon import AtHorizon


def drawn_horizon(at: AtHorizon, time: str) -> list[Any]:
    """Calibration and decisions by one horizon."""
    from riskcard.plots.by_time import draw_benefit_by, draw_calibration_by
    from riskcard.plots.embedded import drawn

    by = f"{time} {at.horizon:g}"
    known = [one for one in at.groups if not math.isnan(one.observed.value)]
    found = []
    if known:
        expected, observed = [one.mean_risk for one in known], [one.observed for one in known]
        found.append(
            drawn(
                lambda ax: draw_calibration_by(expected, observed, ax),
                f"Observed share with the event by {by} against the risk on the card",
                f"Calibration by {by}",
                (4.2, 3.9),
            )
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
