"""How a proof went: the best loss and the bound over time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import ParameterError
from riskcard.plots.drawing import FILL, INK, SHADE, axes_or_new, finish
from riskcard.status import Progress, relative_gap

Floats = NDArray[np.float64]


def progress_figures(history: Sequence[Progress]) -> tuple[Floats, Floats, Floats]:
    """Seconds, best losses and bounds; losses never rise and bounds never fall."""
    seconds = np.array([one.seconds for one in history])
    losses = np.minimum.accumulate([one.loss for one in history])
    bounds = np.maximum.accumulate([one.bound for one in history])
    return seconds, losses, bounds


def plot_progress(result: Any, ax: Any = None) -> Any:
    """Draw the best loss and the bound against the seconds since the start.

    The shaded part is the gap: the best card that exists lies in it. Nothing is known before the
    first report, and steps hold until the next one.

    Parameters
    ----------
    result
        A classifier fitted with ``certify=True``, its ``result_``, or a history.
    ax
        The axes of matplotlib to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.

    Examples
    --------
    >>> from riskcard.problem.result import Progress
    >>> axes = plot_progress([Progress(1.0, 60.0, 20.0, 100), Progress(2.0, 55.0, 50.0, 900)])
    >>> axes.get_xlabel()
    'seconds'
    """
    history = _history_of(result)
    seconds, losses, bounds = progress_figures(history)
    ax = axes_or_new(ax)
    ax.fill_between(seconds, bounds, losses, step="post", color=SHADE, linewidth=0, label="gap")
    ax.step(seconds, losses, where="post", color=INK, linewidth=1.6, label="best loss")
    ax.step(seconds, bounds, where="post", color=FILL, linewidth=1.6, linestyle="--", label="bound")
    ax.plot(seconds[-1:], losses[-1:], "o", color=INK, markersize=4)
    ax.plot(seconds[-1:], bounds[-1:], "s", color=FILL, markersize=4)
    top = float(losses.max())
    ax.set(xlabel="seconds", ylabel="loss", ylim=(0, 1.12 * top if top > 0 else 1))
    if seconds[0] > 0 and seconds[-1] > 30 * seconds[0]:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
    elif seconds[-1] > seconds[0]:
        ax.set_xlim(0, seconds[-1] * 1.03)
    words = f"{_gap_words(losses[-1], bounds[-1])}, {history[-1].nodes:,} nodes"
    ax.set_title(words, fontsize=9, loc="right")
    return finish(ax, loc="center left")


def _gap_words(loss: float, bound: float) -> str:
    if bound <= 0 < loss:
        return "no bound yet"
    gap = 100 * relative_gap(loss, bound)
    return f"gap at the end {gap:.1f} %" if gap >= 0.1 else "gap at the end below 0.1 %"


def _history_of(result: Any) -> Sequence[Progress]:
    result = getattr(result, "result_", result)
    history = getattr(result, "history", result)
    if not isinstance(history, (list, tuple)) or not all(
        isinstance(one, Progress) for one in history
    ):
        raise ParameterError(
            f"The progress of a proof is needed, not {type(result).__name__}. Give a classifier that "
            "was fitted with certify=True."
        )
    if not history:
        raise ParameterError(
            "There is no progress to draw: nothing was proven. Fit with certify=True."
        )
    return history
