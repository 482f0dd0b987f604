"""The decision curve: what acting on risks is worth at every threshold."""

import math
from typing import Any

import numpy as np

from riskcard.evaluation.decision import DecisionCurve, decision_curve
from riskcard.formatting.speech import say
from riskcard.plots.drawing import DASHES, INK, PALE, SHADE, axes_or_new, finish
from riskcard.plots.subjects import read_several


def plot_decision(
    risks: Any, y: Any, sample_weight: Any = None, event: Any = None, ax: Any = None
) -> Any:
    """Draw the net benefit of acting on risks, of acting on all rows, and of acting on none.

    Net benefit is counted in true positives per hundred rows. A threshold of 20 % means acting on
    up to four rows without the event for one with it: a false positive costs a quarter of what a
    true one brings.

    Parameters
    ----------
    risks
        One risk per row, or what ``predict_proba`` gives; or a mapping from names to such.
    y
        One label per row.
    sample_weight
        One weight per row.
    event
        The label of the event; by default the larger one.
    ax
        The axes of matplotlib to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.

    Examples
    --------
    >>> axes = plot_decision([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['act on the risk', 'act on all', 'act on none']
    """
    curves = {
        name: decision_curve(one)
        for name, one in read_several(risks, y, sample_weight, event).items()
    }
    return draw_decision(axes_or_new(ax), curves)


def draw_decision(ax: Any, curves: dict[str, DecisionCurve], *, with_band: bool = False) -> Any:
    """Draw curves that were computed; the band is the 95 % interval of the first at each threshold."""
    if with_band:
        curve = next(iter(curves.values()))
        ax.fill_between(100 * curve.thresholds, 100 * curve.low, 100 * curve.high, color=SHADE,
                        linewidth=0, zorder=1, label=say("plot_interval"))  # fmt: skip
    for place, (name, curve) in enumerate(curves.items()):
        dash, colour = DASHES[place % len(DASHES)]
        ax.plot(
            100 * curve.thresholds, 100 * curve.net_benefit, dash, color=colour, linewidth=1.6,
            zorder=4 - place / 10, label=name or say("plot_act_on_risk"),
        )  # fmt: skip
    first = next(iter(curves.values()))
    ax.plot(100 * first.thresholds, 100 * first.act_on_all, color=PALE, linewidth=2.4,
            label=say("plot_act_on_all"))  # fmt: skip
    ax.axhline(0, color=INK, linewidth=0.8, label=say("plot_act_on_none"))
    most = max(float(curve.net_benefit.max()) for curve in curves.values())
    most = max(most, float(first.act_on_all.max()), 0.01)
    least = min(0.0, *(float(curve.net_benefit.min()) for curve in curves.values()))
    ax.set(
        xlim=(0, _last_threshold(curves)), ylim=(100 * max(least * 1.1, -0.25 * most) - 5 * most, 108 * most),
        xlabel=say("plot_threshold"),
        ylabel=say("plot_net_benefit"),
    )  # fmt: skip
    return finish(ax)


def _last_threshold(curves: dict[str, DecisionCurve]) -> float:
    """Where the last curve ends, in whole tens of a per cent: from there on nobody is acted on."""
    last = max(
        float(curve.thresholds[np.flatnonzero(curve.net_benefit)].max(initial=0.0))
        for curve in curves.values()
    )
    return min(100.0, 10.0 * math.ceil(10 * last + 0.5))
