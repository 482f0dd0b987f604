"""The forest plot: figures of groups of rows with their intervals, one line per group."""

from __future__ import annotations

import importlib
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.formatting.speech import in_figures
from riskcard.plots.drawing import FILL, INK, PALE, plain_spines, require_matplotlib
from riskcard.plots.lettering import plain_words, spoken_ticks

#: Inches of a line, and of what is above and below all lines.
_LINE, _AROUND = 0.24, 0.95
#: The scale of a panel reaches to the figures and to the intervals, but no farther than this many times the
#: distance between the outer figures and the reference.
_FARTHEST = 3.0


@dataclass(frozen=True, slots=True)
class ForestLine:
    """One line.

    Attributes
    ----------
    label
        What it is about.
    values
        A figure and its interval for each panel; None for a heading.
    size
        The area of the squares, as a share of the largest.
    is_summary
        A diamond over all lines above, in place of a square.
    """

    label: str
    values: Sequence[tuple[float, tuple[float, float] | None]] | None
    size: float = 1.0
    is_summary: bool = False


@dataclass(frozen=True, slots=True)
class ForestPanel:
    """One figure: its title, the value that is right or average, and whether its scale is of logarithms."""

    title: str
    reference: float | None = None
    is_log: bool = False


def forest_size(lines: Sequence[ForestLine], panels: Sequence[ForestPanel]) -> tuple[float, float]:
    """Width and height of a plot in inches."""
    return 2.0 + 2.0 * len(panels), _AROUND + _LINE * len(lines)


def forest_figure(lines: Sequence[ForestLine], panels: Sequence[ForestPanel]) -> Any:
    """Draw on a new figure of matplotlib, and return it."""
    require_matplotlib()
    pyplot = importlib.import_module("matplotlib.pyplot")
    figure = pyplot.figure(figsize=forest_size(lines, panels), layout="constrained")
    draw_forest(figure, lines, panels)
    return figure


def draw_forest(figure: Any, lines: Sequence[ForestLine], panels: Sequence[ForestPanel]) -> Any:
    """Draw all panels side by side on an empty figure of matplotlib.

    Squares are figures, bars are 95 % intervals, and an arrow shows that an interval goes on. A figure that
    there is not, such as an AUC without events, leaves its line empty.
    """
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    places = np.arange(len(lines))[::-1]
    for number, (ax, panel) in enumerate(zip(axes, panels, strict=True)):
        _draw_panel(ax, lines, places, number, panel)
    axes[0].set(ylim=(-0.8, len(lines) - 0.2))
    axes[0].set_yticks(
        places, [textwrap.shorten(line.label, 34, placeholder=" …") for line in lines]
    )
    plain_words(axes[0].get_yticklabels())
    for text, line in zip(axes[0].get_yticklabels(), lines, strict=True):
        text.set_fontsize(8)
        text.set_fontweight("bold" if line.values is None or line.is_summary else "normal")
    return axes


def _draw_panel(
    ax: Any, lines: Sequence[ForestLine], places: Any, number: int, panel: ForestPanel
) -> None:
    drawn = [
        (place, line, *line.values[number])
        for place, line in zip(places, lines, strict=True)
        if line.values is not None and _is_drawable(line.values[number][0], panel)
    ]
    low, high = _ends([one[2:] for one in drawn], panel)
    if panel.is_log:
        ax.set_xscale("log")
    for place, line, value, interval in drawn:
        _draw_line(ax, place, line, (value, interval), (low, high))
    if panel.reference is not None:
        ax.axvline(panel.reference, color=PALE, linewidth=1, linestyle=":", zorder=1)
    ax.set_xlim(low, high)
    ax.set_xlabel(panel.title, fontsize=9)
    ax.tick_params(axis="x", labelsize=8)
    ax.tick_params(axis="y", length=0)
    _few_ticks(ax, panel)
    spoken_ticks(ax)
    ax.grid(axis="x", alpha=0.3)
    plain_spines(ax, "left")


def _draw_line(
    ax: Any, place: float, line: ForestLine, found: Any, ends: tuple[float, float]
) -> None:
    value, interval = found
    colour = FILL if line.is_summary else INK
    if interval is not None:
        low, high = max(interval[0], ends[0]), min(interval[1], ends[1])
        ax.plot([low, high], [place, place], color=colour, linewidth=1.2, zorder=2)
        for end, limit, mark in ((interval[0], ends[0], "<"), (interval[1], ends[1], ">")):
            if end < ends[0] or end > ends[1]:
                ax.plot([limit], [place], mark, color=colour, markersize=5, zorder=3, clip_on=False)
    mark, size = ("D", 6.0) if line.is_summary else ("s", 3.0 + 4.0 * math.sqrt(line.size))
    if ends[0] <= value <= ends[1]:
        fill = colour if interval is not None else "white"
        ax.plot(
            [value], [place], mark, color=colour, markersize=size, markerfacecolor=fill, zorder=3
        )


def _is_drawable(value: float, panel: ForestPanel) -> bool:
    return math.isfinite(value) and (value > 0 or not panel.is_log)


def _ends(found: list[Any], panel: ForestPanel) -> tuple[float, float]:
    """The ends of the scale."""
    turn, back = (np.log, np.exp) if panel.is_log else (np.asarray, np.asarray)
    known = [float(turn(value)) for value, _ in found]
    middle = [] if panel.reference is None else [float(turn(panel.reference))]
    if not known:
        known = middle or [float(turn(1.0))]
    inner = min(known + middle), max(known + middle)
    reach = _FARTHEST * max(inner[1] - inner[0], 0.02 * max(1.0, abs(inner[1])))
    outer = [
        turn(max(end, 1e-300) if panel.is_log else end) for _, one in found if one for end in one
    ]
    low = max(min([*outer, inner[0]]), inner[0] - reach)
    high = min(max([*outer, inner[1]]), inner[1] + reach)
    room = 0.06 * (high - low) or 0.1
    return float(back(low - room)), float(back(high + room))


def _few_ticks(ax: Any, panel: ForestPanel) -> None:
    """Round numbers, few enough to have room."""
    ticker = importlib.import_module("matplotlib.ticker")
    low, high = ax.get_xlim()
    if not panel.is_log:
        ax.xaxis.set_major_locator(ticker.MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
        return
    round_ones = [m * 10.0**e for e in range(-3, 4) for m in (1, 1.25, 1.5, 2, 3, 5, 7, 8)]
    inside = [one for one in round_ones if low <= one <= high]
    kept = [one for one in inside if one == 1]
    for one in sorted(inside, key=lambda tick: -abs(math.log(tick))):
        if all(abs(math.log(one / other)) > math.log(high / low) / 5 for other in kept):
            kept.append(one)
    ax.xaxis.set_minor_locator(ticker.NullLocator())
    ax.set_xticks(kept, [in_figures(f"{one:g}") for one in kept])
