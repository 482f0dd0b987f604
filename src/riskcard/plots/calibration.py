"""The calibration plot: observed rates against risks, and where the risks lie."""

from typing import Any

import numpy as np

from riskcard.evaluation.calibration import (
    BARS,
    Calibration,
    RiskBin,
    calibration_bins,
    calibration_of,
    end_of_scale,
    risk_histogram,
)
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.outcomes import read_outcomes
from riskcard.evaluation.smooth_calibration import SmoothCalibration
from riskcard.formatting.figures import amount, plain
from riskcard.formatting.speech import say
from riskcard.plots.drawing import FILL, INK, PALE, SHADE, SQUARE, axes_or_new, draw_rates, finish

#: The base line of the histogram and its highest bar, as shares of the scale.
_BASE, _REACH = -0.13, 0.09


def plot_calibration(
    risks: Any,
    y: Any,
    n_bins: int = 10,
    sample_weight: Any = None,
    event: Any = None,
    ax: Any = None,
) -> Any:
    """Draw the observed rate of the event against the mean risk, in bins of similar risks.

    Bars are 95 % intervals (Wilson). On the dotted line risks equal the observed rates; above it
    they are too low. Below, histograms of the risks, each to its own scale: rows with the event
    upwards, others downwards.

    Parameters
    ----------
    risks
        One risk per row, or what ``predict_proba`` gives.
    y
        One label per row.
    n_bins
        The most bins, of about equal numbers of rows.
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
    >>> axes = plot_calibration([0.2, 0.2, 0.4, 0.4], [0, 0, 0, 1])
    >>> axes.get_xlabel()
    'risk'
    """
    outcomes = read_outcomes(risks, y, sample_weight, event)
    bins = calibration_bins(outcomes, n_bins)
    histogram = risk_histogram(outcomes, end_of_scale(bins))
    return draw_calibration(axes_or_new(ax, SQUARE), bins, calibration_of(outcomes), histogram)


def draw_calibration(
    ax: Any,
    bins: tuple[RiskBin, ...],
    figures: Calibration,
    histogram: tuple[np.ndarray, np.ndarray],
    smooth: SmoothCalibration | None = None,
) -> Any:
    """Draw what was computed; the histogram reaches to ``end_of_scale(bins)``."""
    top = end_of_scale(bins)
    ax.plot([0, top], [0, top], ":", color=PALE, linewidth=1, label=say("plot_ideal"))
    if smooth is not None:
        ax.fill_between(smooth.risks, smooth.low, smooth.high, color=SHADE, linewidth=0, zorder=1)
        ax.plot(smooth.risks, smooth.rates, color=FILL, linewidth=1.6, zorder=2,
                label=say("plot_smooth"))  # fmt: skip
    risks, rates, ends = zip(
        *((one.mean_risk, one.rate, one.interval) for one in bins), strict=True
    )
    draw_rates(ax, risks, rates, ends, markersize=5, linewidth=1.2, zorder=3)
    _draw_histogram(ax, histogram, top)
    ax.set(
        xlim=(-0.02 * top, 1.02 * top), ylim=(top * (_BASE - _REACH - 0.01), 1.03 * top),
        xlabel=say("plot_risk"), aspect="equal",
    )  # fmt: skip
    ax.set_ylabel(say("plot_observed_rate"), y=0.6)
    ticks = [tick for tick in ax.get_yticks() if 0 <= tick <= top]
    sides = [top * (_BASE + 0.6 * _REACH), top * (_BASE - 0.6 * _REACH)]
    outcomes = [say("plot_event"), say("plot_no_event")]
    ax.set_yticks([*ticks, *sides], [*(amount(tick, "g") for tick in ticks), *outcomes])
    finish(ax, is_above=True)
    for label, mark in zip(ax.get_yticklabels()[-2:], ax.yaxis.get_major_ticks()[-2:], strict=True):
        label.set_fontsize(7)
        mark.tick1line.set_visible(False)
        mark.gridline.set_visible(False)
    legend = ax.get_legend()
    legend.set_title(_words(figures), prop={"size": 8})
    legend._legend_box.align = "left"
    return ax


def _draw_histogram(ax: Any, histogram: tuple[Floats, Floats], top: float) -> None:
    edges = np.linspace(0, top, BARS + 1)[:-1]
    width, base, reach = top / BARS, top * _BASE, top * _REACH
    sides = ((1, INK), (-1, SHADE))
    for counts, (sign, colour) in zip(histogram, sides, strict=True):
        heights = sign * reach * counts / max(counts.max(), 1e-300)
        ax.bar(edges, heights, width, base, align="edge", color=colour, edgecolor=PALE,
               linewidth=0.4)  # fmt: skip
    ax.axhline(base, color=INK, linewidth=0.6)


def _words(figures: Calibration) -> str:
    name = "plot_slope" if np.isfinite(figures.slope) else "plot_no_slope"
    return say(name, slope=plain(figures.slope, 2), intercept=plain(figures.intercept, 2))
