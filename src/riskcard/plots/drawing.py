"""What all pictures share: colours that read in black and white, new axes, files."""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from riskcard.errors import ParameterError
from riskcard.extras import import_extra
from riskcard.formatting.figures import amount
from riskcard.formatting.fonts import figure_as_bytes
from riskcard.formatting.speech import say
from riskcard.plots.lettering import plain_words, spoken_ticks

INK, GREY, PALE, FILL, SHADE = "#000000", "#666666", "#8c8c8c", "#0072b2", "#d9d9d9"
SIZE, SQUARE, DOTS = (6.4, 4.0), (5.0, 5.0), 150
#: Formats that a picture can have, by the ending of its file.
FORMATS = ("png", "svg", "pdf")
#: Lines are told apart by their dashes and their grey.
DASHES = (("-", INK), ("--", FILL), (":", INK), ("-.", GREY))


def require_matplotlib() -> None:
    """Say how to get matplotlib where it is not installed."""
    import_extra("matplotlib", "A plot", "plots")


def axes_or_new(ax: Any, size: tuple[float, float] = SIZE) -> Any:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    require_matplotlib()
    pyplot = importlib.import_module("matplotlib.pyplot")
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def picture_of(
    draw: Callable[[Any], Any], form: str = "png", size: tuple[float, float] = SIZE
) -> bytes:
    """A picture as the content of a file; no window is needed and none is opened.

    Parameters
    ----------
    draw
        Is given the figure, which is empty.
    form
        "png", "svg" or "pdf". The same drawing gives the same bytes.
    size
        Width and height in inches.
    """
    if form not in FORMATS:
        raise ParameterError(f"A picture cannot be {form!r}. Use {', '.join(FORMATS)}.")
    require_matplotlib()
    dated = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
    # a salt of our own, so that names inside an SVG do not change from run to run
    settings = {"svg.hashsalt": "riskcard"}
    figure_options = {"figsize": size, "layout": "constrained"}
    return figure_as_bytes(draw, figure_options, settings, format=form, dpi=DOTS, metadata=dated)


def plain_spines(ax: Any, *also: str) -> None:
    """Leave out the lines above and to the right."""
    ax.spines[["top", "right", *also]].set_visible(False)


def add_legend(ax: Any, **more: Any) -> Any:
    """A small legend on a pale ground, which keeps its words apart from lines below them."""
    legend = ax.legend(fontsize=8, framealpha=0.85, edgecolor="none", **{"loc": "best"} | more)
    legend.set_zorder(6)
    plain_words(legend.get_texts())
    return legend


def finish(ax: Any, axis: str = "both", is_above: bool = False, **legend: Any) -> Any:
    """Add a pale grid and a legend, and leave out the lines above and to the right.

    Parameters
    ----------
    ax
        The axes.
    axis
        Which lines the grid has: "x", "y" or "both".
    is_above
        The legend is above the picture, where it hides no interval.
    **legend
        Options of the legend.
    """
    ax.grid(axis=axis, alpha=0.3)
    if is_above:
        legend |= {"loc": "lower left", "bbox_to_anchor": (-0.02, 1.0), "borderpad": 0.1}
    plain_spines(ax)
    spoken_ticks(ax)
    add_legend(ax, **legend)
    return ax


def draw_rates(ax: Any, places: Any, rates: Any, intervals: Any, **look: Any) -> None:
    """Draw observed rates as squares, with bars as long as their intervals."""
    rates, ends = np.asarray(rates), np.asarray(intervals)
    reach = np.maximum(0, [rates - ends[:, 0], ends[:, 1] - rates])
    ax.errorbar(places, rates, yerr=reach, fmt="s", color=INK, capsize=3,
                label=say("plot_observed_interval"), **look)  # fmt: skip


def behind(ax: Any, label: str, most: float) -> Any:
    """A second pair of axes behind the first, for pale bars of shares of rows.

    Parameters
    ----------
    ax
        The first axes.
    label
        What the bars are.
    most
        The largest share. Bars fill two fifths of the height, so that they hide little.
    """
    back = ax.twinx()
    back.set_zorder(ax.get_zorder() - 1)
    ax.patch.set_visible(False)
    back.set_ylim(0, 2.5 * most if most > 0 else 1)
    ticks = importlib.import_module("matplotlib.ticker").MaxNLocator(2, steps=[1, 2, 5, 10])
    shown = [tick for tick in ticks.tick_values(0, most) if 0 < tick <= 1.02 * most]
    back.set_yticks(shown, [say("in_percent", number=amount(100 * tick, "g")) for tick in shown])
    back.set_ylabel(label, color=GREY, fontsize=8, y=0.0, ha="left")
    back.tick_params(axis="y", colors=GREY, labelsize=8, length=2)
    back.spines[["top", "left", "bottom", "right"]].set_visible(False)
    back.grid(False)
    return back
