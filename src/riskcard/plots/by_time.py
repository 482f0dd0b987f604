"""Pictures of cards for times to an event: curves of risk groups, calibration and decisions at a horizon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from riskcard.plots.drawing import DASHES, FILL, INK, PALE, axes_or_new, finish

if TYPE_CHECKING:
    from riskcard.evaluation.intervals import Figure
    from riskcard.evaluation.other_outcomes.by_time import BenefitBy


def draw_curves(curves: Sequence[tuple[str, Any]], time: str, ax: Any = None) -> Any:
    """Draw for each group of risk the share with the event over time, and what the card expects.

    Parameters
    ----------
    curves
        For each group its name, and its ``times``, ``observed`` and ``expected`` shares with the event.
    time
        What times are called.
    ax
        The axes of matplotlib to draw on; by default those of a new figure.
    """
    ax = axes_or_new(ax)
    for place, (name, one) in enumerate(curves):
        dash, colour = DASHES[place % len(DASHES)]
        ax.step(
            one.times,
            100 * np.array(one.observed),
            where="post",
            color=colour,
            linestyle=dash,
            label=name,
        )
        ax.plot(one.times, 100 * np.array(one.expected), color=PALE, linewidth=1.0)
    ax.plot([], [], color=PALE, linewidth=1.0, label="risk on the card")
    ax.set(xlabel=time, ylabel="with the event (%)")
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    return finish(ax, is_above=True, ncols=2)


def draw_calibration_by(
    expected: Sequence[float],
    observed: Sequence[Figure],
    ax: Any = None,
    *,
    how: str = "Kaplan-Meier",
    what: str = "risk",
) -> Any:
    """Draw the mean risk of groups against what was observed, with its interval.

    Parameters
    ----------
    expected
        The mean risk of each group.
    observed
        The share of each with the event.
    ax
        The axes of matplotlib to draw on; by default those of a new figure.
    how, what
        How the shares were estimated, and what the card gives: a risk, or the probability of a level.
    """
    ax = axes_or_new(ax)
    ends = [one.interval or (one.value, one.value) for one in observed]
    values = np.array([one.value for one in observed])
    reach = np.maximum(0, [values - np.array(ends)[:, 0], np.array(ends)[:, 1] - values])
    most = 100 * max([*expected, *(end[1] for end in ends)]) * 1.08
    ax.plot([0, most], [0, most], color=PALE, linewidth=1.0, label="as the card says")
    ax.errorbar(100 * np.array(expected), 100 * values, yerr=100 * reach, fmt="s", color=INK, capsize=3,
                label=f"{how}, 95 % interval")  # fmt: skip
    ax.set(
        xlabel=f"mean {what} on the card (%)",
        ylabel="with the event (%)" if what == "risk" else "observed (%)",
        xlim=(0, most),
        ylim=(0, most),
    )
    return finish(ax, is_above=True, ncols=2)


def draw_benefit_by(curve: BenefitBy, ax: Any = None) -> Any:
    """Draw the decision curve by a horizon.

    Parameters
    ----------
    curve
        Net benefit by threshold.
    ax
        The axes of matplotlib to draw on; by default those of a new figure.
    """
    ax = axes_or_new(ax)
    at = 100 * np.array(curve.thresholds)
    ax.plot(at, 100 * np.array(curve.net_benefit), color=FILL, label="act on the risk")
    ax.plot(at, 100 * np.array(curve.act_on_all), "--", color=INK, label="act on all")
    ax.axhline(0, color=PALE, label="act on none")
    most = 100 * max(0.01, float(np.nanmax([curve.net_benefit, curve.act_on_all])))
    ax.set(
        xlabel="threshold of the risk (%)",
        ylabel="net benefit per 100 rows",
        ylim=(-0.3 * most, 1.1 * most),
    )
    return finish(ax, is_above=True, ncols=3)
