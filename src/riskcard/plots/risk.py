"""Risk against total, next to what was observed."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from riskcard.errors import ParameterError
from riskcard.evaluation.intervals import rate_interval
from riskcard.evaluation.outcomes import read_outcomes
from riskcard.formatting.speech import say
from riskcard.model.card import RiskCard
from riskcard.model.totals import TotalCount, count_totals
from riskcard.plots.drawing import FILL, INK, SHADE, axes_or_new, behind, draw_rates, finish
from riskcard.plots.subjects import card_of

#: At most this many totals have a mark each.
_MOST_MARKS = 60


def plot_risk(
    model: Any, X: Any = None, y: Any = None, sample_weight: Any = None, ax: Any = None
) -> Any:
    """Draw the risk of every total, and the observed rates.

    Observed rates of rows that are given have 95 % intervals (Wilson, from the effective number of
    rows). Without rows they are those of the training rows, where the card knows them; these have
    no intervals, since the same rows chose the card. Bars in the background are the shares of the
    rows with each total.

    Parameters
    ----------
    model
        A ``RiskCard``, or a fitted classifier.
    X, y
        Rows and their labels; the event is the second class of the card.
    sample_weight
        One weight per row.
    ax
        The axes of matplotlib to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.

    Examples
    --------
    >>> from riskcard import FeaturePoints, RiskCard
    >>> card = RiskCard([FeaturePoints("age", [60, 75], [0, 2, 3])], base=-1)
    >>> plot_risk(card).get_xlabel()
    'total'
    """
    card = card_of(model)
    if (X is None) != (y is None):
        raise ParameterError("Observed rates need both X and y. Give both, or none.")
    if X is None:
        counts = () if card.training is None else card.training.totals
        is_recalibrated = card.training is not None and card.training.is_recalibrated
        where = "recalibration" if is_recalibrated else "training"
    else:
        where = ""
        counts = observed_totals(card, X, y, sample_weight)
    with card.labels.spoken():
        return draw_risk(axes_or_new(ax), card, counts, where)


def observed_totals(
    card: RiskCard, X: Any, y: Any, sample_weight: Any = None
) -> tuple[TotalCount, ...]:
    """Rows and events of every total, or band of totals, that rows have."""
    totals = card.total_points(X)
    rows = read_outcomes(card.risk_of_total(totals), y, sample_weight, _event_among(card, y))
    if rows.risks.size < totals.size:  # rows of weight 0
        totals = totals[np.asarray(sample_weight) > 0]
    return count_totals(totals, rows.is_event, rows.weights, card.reachable_totals())


def _event_among(card: RiskCard, y: Any) -> Any:
    """The event of the card, where the labels are those of the card."""
    labels = set(np.unique(np.asarray(y)).tolist())
    return card.classes[1] if labels == set(card.classes) else None


def draw_risk(ax: Any, card: RiskCard, counts: Sequence[TotalCount], where: str = "") -> Any:
    """Draw a card and what was counted in "training", in a "recalibration", or in other rows."""
    table = card.risk_table()
    low, high = table[0].total, table[-1].total
    fine = np.linspace(low - 0.4, high + 0.4, 400)
    ax.plot(fine, 100 * card.risk_of_total(fine), color=FILL, linewidth=1.3, zorder=3)
    if len(table) <= _MOST_MARKS:
        ax.plot([row.total for row in table], [100 * row.risk for row in table], "o", color=FILL,
                markerfacecolor="white", markersize=8, zorder=4, label=say("plot_risk_on_card"))  # fmt: skip
    else:
        ax.plot([], [], color=FILL, label=say("plot_risk_on_card"))
    if counts:
        _draw_observed(ax, counts, where)
    ax.set(
        xlim=(low - 0.7, high + 0.7),
        ylim=(-3, 104),
        xlabel=say("plot_total"),
        ylabel=say("plot_risk_percent"),
    )
    ax.xaxis.get_major_locator().set_params(integer=True)
    return finish(ax, "y", is_above=True, ncols=2)


def _draw_observed(ax: Any, counts: Sequence[TotalCount], where: str) -> None:
    middles = np.array([(one.low + one.high) / 2 for one in counts])
    rates = np.array([one.rate for one in counts])
    if where:
        ax.plot(middles, 100 * rates, "s", color=INK, markersize=4.5, zorder=5,
                label=say(f"plot_observed_{where}"))  # fmt: skip
    else:
        ends = np.array(
            [one.interval or rate_interval(one.rate, one.effective_rows) for one in counts]
        )
        draw_rates(ax, middles, 100 * rates, 100 * ends, markersize=4.5, linewidth=1.1, zorder=5)
    shares = np.array([one.weight for one in counts])
    shares = shares / shares.sum()
    back = behind(ax, say("plot_share_of_rows"), float(shares.max()))
    widths = [one.high - one.low + 0.7 for one in counts]
    back.bar(middles, shares, widths, color=SHADE, edgecolor="white", linewidth=0.4)
