"""How the shares of bins have moved: the reference next to the new rows."""

from typing import Any

import numpy as np

from riskcard.evaluation.monitoring.drift import Drift
from riskcard.formatting.speech import say
from riskcard.plots.drawing import FILL, INK, SHADE, axes_or_new, finish

#: The width of a bar, where bins are 1 apart.
_WIDTH = 0.38


def plot_drift(drift: Drift, ax: Any = None) -> Any:
    """Draw the shares of every bin in the reference and in the new rows.

    Parameters
    ----------
    drift
        Of a total or of a feature, such as ``monitor_card(...).drift.total``.
    ax
        The axes of matplotlib to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.

    Examples
    --------
    >>> from riskcard.evaluation.monitoring.drift import drift_between
    >>> plot_drift(drift_between([50, 50], [60, 40])).get_ylabel()
    'share of rows (%)'
    """
    ax = axes_or_new(ax)
    places = np.arange(len(drift.bins))
    for side, name, look in (
        (-1, "expected", {"color": SHADE, "edgecolor": INK, "label": say("credit_plot_reference")}),
        (
            1,
            "actual",
            {"color": FILL, "edgecolor": INK, "hatch": "///", "label": say("credit_plot_new")},
        ),
    ):
        shares = [100 * getattr(one, name) for one in drift.bins]
        ax.bar(places + side * _WIDTH / 2, shares, _WIDTH, linewidth=0.5, **look)
    ax.set_xticks(places, [one.words for one in drift.bins], rotation=30, ha="right", fontsize=8)
    ax.set(xlabel=drift.name, ylabel=say("credit_plot_share_percent"))
    return finish(ax, "y", is_above=True, ncols=2)
