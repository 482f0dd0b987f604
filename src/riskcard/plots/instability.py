"""How far the risks of the same rows differ between cards of resamples."""

from typing import Any

import numpy as np

from riskcard.evaluation.development.instability import Instability
from riskcard.formatting.speech import say
from riskcard.plots.drawing import FILL, GREY, INK, finish


def draw_instability(ax: Any, found: Instability) -> Any:
    """Draw, for each risk by the card, which risks the other cards give to the same rows.

    Bars go from the lowest to the highest of the rows' own 95 % ranges, the thick part from the mean of
    their lower to the mean of their upper ends.
    """
    risks, rows = np.unique(found.risks, return_inverse=True)
    counts = np.bincount(rows)
    lowest, highest = np.full(risks.size, np.inf), np.full(risks.size, -np.inf)
    np.minimum.at(lowest, rows, found.low)
    np.maximum.at(highest, rows, found.high)
    low, high = (np.bincount(rows, ends) / counts for ends in (found.low, found.high))
    ax.plot([0, 1], [0, 1], ":", color=GREY, label=say("plot_same_risk"))
    ax.vlines(risks, lowest, highest, color=GREY, linewidth=1, label=say("plot_widest_range"))
    ax.vlines(risks, low, high, color=FILL, linewidth=5, label=say("plot_usual_range"))
    ax.plot(risks, risks, "o", color=INK, markersize=3)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.set_xlabel(say("plot_risk_by_card"))
    ax.set_ylabel(say("plot_risk_by_resamples"))
    return finish(ax, is_above=True)
