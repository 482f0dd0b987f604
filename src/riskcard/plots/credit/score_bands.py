"""Score bands: rows in each, the risk that the card gives them, and what happened."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from riskcard.formatting.speech import say
from riskcard.plots.drawing import FILL, SHADE, axes_or_new, behind, draw_rates, finish

if TYPE_CHECKING:
    from riskcard.credit.score_bands import ScoreBand


def plot_bands(bands: "Sequence[ScoreBand]", ax: Any = None) -> Any:
    """Draw score bands, the riskiest first.

    Parameters
    ----------
    bands
        Those of ``judge_credit(...).bands``.
    ax
        The axes of matplotlib to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.
    """
    ax = axes_or_new(ax)
    filled = [(place, one) for place, one in enumerate(bands) if one.rows]
    places = [place for place, _ in filled]
    ax.plot(
        places, [100 * (one.expected or 0.0) for _, one in filled], "o-", color=FILL, linewidth=1.3,
        markerfacecolor="white", markersize=7, zorder=3, label=say("credit_plot_risk_on_card"),
    )  # fmt: skip
    ends = [[100 * end for end in one.rate.interval or (one.rate.value,) * 2] for _, one in filled]
    rates = [100 * one.rate.value for _, one in filled]
    draw_rates(ax, places, rates, ends, markersize=4.5, linewidth=1.1, zorder=5)
    back = behind(ax, say("credit_plot_share"), max(one.share for one in bands))
    back.bar(range(len(bands)), [one.share for one in bands], 0.7, color=SHADE, linewidth=0)
    ax.set_xticks(
        range(len(bands)), [one.words for one in bands], rotation=30, ha="right", fontsize=8
    )
    ax.set(xlabel=say("credit_plot_total"), ylabel=say("credit_plot_risk"))
    ax.set_ylim(bottom=0)
    return finish(ax, "y", is_above=True, ncols=2)
