"""The ROC curve: true against false positives at every threshold."""

from typing import Any

from riskcard.evaluation.discrimination import RocCurve, roc_curve
from riskcard.formatting.figures import plain
from riskcard.formatting.speech import say
from riskcard.plots.drawing import DASHES, PALE, SQUARE, axes_or_new, finish
from riskcard.plots.subjects import read_several


def plot_roc(
    risks: Any, y: Any, sample_weight: Any = None, event: Any = None, ax: Any = None
) -> Any:
    """Draw the ROC curve of risks, with the area under it and its 95 % interval.

    Dots are thresholds; a card has as many as it has totals. Several models have lines of different
    dashes.

    Parameters
    ----------
    risks
        One risk per row, or what ``predict_proba`` gives; or a mapping from names to such, one for
        each model.
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
    >>> axes = plot_roc([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])
    >>> axes.get_legend().get_texts()[0].get_text()
    'AUC 0.875 (0.228 to 0.994)'
    """
    curves = {
        name: roc_curve(one) for name, one in read_several(risks, y, sample_weight, event).items()
    }
    return draw_roc(axes_or_new(ax, SQUARE), curves)


def draw_roc(ax: Any, curves: dict[str, RocCurve]) -> Any:
    """Draw curves that were computed; a name that is empty is not shown."""
    ax.plot([0, 1], [0, 1], color=PALE, linewidth=0.8, zorder=1)
    for place, (name, curve) in enumerate(curves.items()):
        dash, colour = DASHES[place % len(DASHES)]
        few = curve.thresholds.size <= 60 and place == 0
        ax.plot(
            curve.false_positive, curve.true_positive, dash, color=colour, linewidth=1.5,
            marker="o" if few else None, markersize=3.5, zorder=4 - place / 10, clip_on=False,
            label=f"{name}: {_area(curve)}" if name else _area(curve),
        )  # fmt: skip
    ax.set(
        xlim=(0, 1), ylim=(0, 1), aspect="equal",
        xlabel=say("plot_false_positives"),
        ylabel=say("plot_true_positives"),
    )  # fmt: skip
    return finish(ax, loc="lower right")


def _area(curve: RocCurve) -> str:
    if curve.interval is None:
        return say("plot_auc", area=plain(curve.area))
    low, high = map(plain, curve.interval)
    return say("plot_auc_interval", area=plain(curve.area), low=low, high=high)
