"""How far apart goods and bads are, in two pictures: the CAP curve and the distributions behind KS."""

from typing import Any

import numpy as np

from riskcard.evaluation.outcomes import Outcomes, read_outcomes
from riskcard.evaluation.separation import Separation, separation_of
from riskcard.formatting.figures import percentage, with_interval
from riskcard.formatting.speech import say
from riskcard.plots.drawing import (
    DASHES,
    FILL,
    GREY,
    INK,
    PALE,
    SHADE,
    SQUARE,
    axes_or_new,
    finish,
)
from riskcard.plots.subjects import read_several


def plot_cap(
    risks: Any, y: Any, sample_weight: Any = None, event: Any = None, ax: Any = None
) -> Any:
    """Draw the cumulative accuracy profile: how many events are among the riskiest rows.

    The pale area lies between the diagonal of no ranking at all and that of a perfect one. The
    accuracy ratio is the share of it below the curve, which is the Gini coefficient.

    Parameters
    ----------
    risks
        One risk per row, or what ``predict_proba`` gives; or a mapping from names to such, one for
        each model.
    y, sample_weight
        One label and one weight per row.
    event
        The label of the event; None where the labels say it.
    ax
        The axes of matplotlib to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.

    Examples
    --------
    >>> axes = plot_cap([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])
    >>> axes.get_legend().get_texts()[0].get_text()[:19]
    'accuracy ratio 0.75'
    """
    several = read_several(risks, y, sample_weight, event)
    found = {name: separation_of(one) for name, one in several.items()}
    return draw_cap(axes_or_new(ax, SQUARE), found, next(iter(several.values())).base_rate)


def draw_cap(ax: Any, found: dict[str, Separation], base_rate: float) -> Any:
    """Draw curves that were computed; a name that is empty is not shown."""
    ax.fill([0, base_rate, 1], [0, 1, 1], color=SHADE, alpha=0.5, linewidth=0, zorder=0)
    ax.plot([0, 1], [0, 1], color=PALE, linewidth=0.8, zorder=1)
    for place, (name, one) in enumerate(found.items()):
        dash, colour = DASHES[place % len(DASHES)]
        few = one.cap.rows.size <= 60 and place == 0
        words = say("credit_plot_accuracy", figure=with_interval(one.gini, one.gini_interval))
        ax.plot(
            one.cap.rows, one.cap.events, dash, color=colour, linewidth=1.5,
            marker="o" if few else None, markersize=3.5, zorder=4 - place / 10, clip_on=False,
            label=f"{name}: {words}" if name else words,
        )  # fmt: skip
    ax.set(
        xlim=(0, 1), ylim=(0, 1), aspect="equal",
        xlabel=say("credit_plot_all_rows"),
        ylabel=say("credit_plot_event_rows"),
    )  # fmt: skip
    return finish(ax, loc="lower right")


def plot_ks(
    risks: Any, y: Any, sample_weight: Any = None, event: Any = None, ax: Any = None
) -> Any:
    """Draw the distributions of the risk with and without the event, and where they are farthest apart.

    Parameters
    ----------
    risks, y, sample_weight, event, ax
        As for ``plot_cap``, of one model.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on.
    """
    outcomes = read_outcomes(risks, y, sample_weight, event)
    return draw_ks(axes_or_new(ax), outcomes, separation_of(outcomes))


def draw_ks(ax: Any, outcomes: Outcomes, found: Separation) -> Any:
    """Draw what was computed."""
    tally, ks = outcomes.tally(), found.ks
    ends = np.concatenate([[0.0], tally.values, [1.0]])
    for weights, dash, colour, words in (
        (tally.others, "-", FILL, say("credit_plot_without")),
        (tally.events, "--", INK, say("credit_plot_with")),
    ):
        shares = np.concatenate([[0.0], np.cumsum(weights) / weights.sum(), [1.0]])
        ax.step(
            100 * ends, 100 * shares, dash, where="post", color=colour, linewidth=1.5, label=words
        )
    at, sides = 100 * min(ks.risk, 1.0), (ks.others_above, ks.events_above)
    low, high = sorted(100 * (1 - share) for share in sides)
    ax.plot([at, at], [low, high], color=GREY, linewidth=2.5, solid_capstyle="butt", zorder=2,
            label=say("credit_plot_ks", figure=with_interval(ks.distance, ks.interval), risk=percentage(ks.risk)))  # fmt: skip
    ax.set(
        xlim=(0, min(100.0, 100 * float(tally.values[-1]) + 5)), ylim=(0, 102),
        xlabel=say("credit_plot_risk"), ylabel=say("credit_plot_up_to"),
    )  # fmt: skip
    return finish(ax, loc="lower right")
