"""The points of a feature as steps over the distribution of its values."""

import importlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from riskcard.errors import ParameterError
from riskcard.evaluation.distribution import Distribution, Slot, distributions_of
from riskcard.formatting.figures import share
from riskcard.formatting.speech import say
from riskcard.formatting.spelling import nearest_name
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature
from riskcard.model.lines import LineKind
from riskcard.plots.drawing import (
    FILL,
    GREY,
    PALE,
    SHADE,
    axes_or_new,
    behind,
    plain_spines,
    require_matplotlib,
)
from riskcard.plots.lettering import label_levels, name_scale, number_ticks
from riskcard.plots.subjects import card_of

#: Width of a slot as a share of the scale.
_SLOT = 0.09
#: Features side by side.
_ACROSS = 3


def plot_points(
    model: Any, feature: str | int = 0, X: Any = None, sample_weight: Any = None, ax: Any = None
) -> Any:
    """Draw the points of one feature: steps over its distribution, or marks over bars for levels.

    Missing values and special codes are set apart, to the right. Pale bars are shares of the rows. The
    percentage below the points is the event rate of the training rows of that line.

    Parameters
    ----------
    model
        A ``RiskCard``, or a fitted classifier.
    feature
        Its name, or its place on the card.
    X
        Rows whose distribution is shown; without it there are the points alone.
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
    >>> card = RiskCard([FeaturePoints("age", [60, 75], [0, 2, 3])])
    >>> plot_points(card, "age", [[50], [62], [80]]).get_xlabel()
    'age'
    """
    card = card_of(model)
    one = _find(card, feature)
    with card.labels.spoken():
        (shown,) = distributions_of(card, [one], X, sample_weight)
        return draw_points(axes_or_new(ax), one, shown, card.labels.heading(one.name))


def draw_points(ax: Any, feature: CardFeature, distribution: Distribution, name: str) -> Any:
    """Draw what was computed; ``name`` is what the feature is called."""
    if distribution.is_scale:
        _draw_numbers(ax, feature, distribution)
    else:
        _draw_levels(ax, distribution)
    _finish(ax, feature, name)
    return ax


def plot_all_points(model: Any, X: Any = None, sample_weight: Any = None) -> Any:
    """Draw the points of every feature of a card, side by side in a new figure.

    Parameters
    ----------
    model, X, sample_weight
        As for ``plot_points``.

    Returns
    -------
    list of matplotlib.axes.Axes
        One for each feature, in the order of the card; ``[0].figure`` is the figure.
    """
    require_matplotlib()
    card = card_of(model)
    figure = importlib.import_module("matplotlib.pyplot").figure(
        figsize=size_for(card), layout="constrained"
    )
    with card.labels.spoken():
        shown = distributions_of(card, card.features, X, sample_weight)
        return draw_all_points(figure, card, shown)


def size_for(card: RiskCard) -> tuple[float, float]:
    """The size of a figure for all features of a card."""
    n_features = max(1, len(card.features))
    return 3.4 * min(_ACROSS, n_features), 2.6 * -(-n_features // _ACROSS)


def draw_all_points(figure: Any, card: RiskCard, distributions: Sequence[Distribution]) -> Any:
    """Draw every feature on a given figure."""
    n_features = len(card.features)
    across = min(_ACROSS, max(1, n_features))
    return [
        draw_points(
            figure.add_subplot(-(-n_features // across), across, place + 1),
            feature,
            distribution,
            card.labels.heading(feature.name),
        )
        for place, (feature, distribution) in enumerate(
            zip(card.features, distributions, strict=True)
        )
    ]


def _find(card: RiskCard, feature: str | int) -> CardFeature:
    if not card.features:
        raise ParameterError("The card has no features, so there are no points to draw.")
    if isinstance(feature, str):
        names = [one.name for one in card.features]
        if feature not in names:
            advice = nearest_name(feature, names, "features of the card")
            raise ParameterError(f"The card does not use the feature {feature!r}. {advice}")
        return card.features[names.index(feature)]
    if not -len(card.features) <= feature < len(card.features):
        raise ParameterError(
            f"feature is {feature}, but the card has {len(card.features)} features. Use a place "
            f"from 0 to {len(card.features) - 1}, or a name."
        )
    return card.features[feature]


# --- numbers ------------------------------------------------------------------------------------


def _draw_numbers(ax: Any, feature: CardFeature, shown: Distribution) -> None:
    left, right = shown.ends
    width = _SLOT * (right - left)
    places = right + width * (1.2 + 1.3 * np.arange(len(shown.slots)))
    if shown.has_rows:
        back = behind(ax, say("plot_share_of_rows"), shown.most)
        back.bar(shown.edges[:-1], shown.shares, np.diff(shown.edges), align="edge", color=SHADE,
                 edgecolor="white", linewidth=0.4)  # fmt: skip
        _draw_shares(back, shown.slots, places, width)
    _draw_steps(ax, feature, left, right)
    _draw_slot_marks(ax, shown.slots, places, width)
    ax.set_xlim(left, float(places[-1]) + width if shown.slots else right)
    ticks, words = number_ticks(ax, shown.ends, float(places[0]) if shown.slots else None)
    ax.set_xticks([*ticks, *places], [*words, *(slot.words for slot in shown.slots)])
    if shown.slots:
        ax.axvline(right + 0.4 * width, color=PALE, linewidth=0.8, linestyle=":")
        for label in ax.get_xticklabels()[len(ticks) :]:
            label.set(rotation=90, fontsize=8)


def _draw_steps(ax: Any, feature: CardFeature, left: float, right: float) -> None:
    bins = [line for line in feature.lines() if line.kind is LineKind.RANGE]
    for line in bins:
        start, stop = max(line.low, left), min(line.high, right)
        ax.plot([start, stop], [line.points] * 2, color=FILL, linewidth=2.2, zorder=4,
                solid_capstyle="butt")  # fmt: skip
        _write_points(ax, (start + stop) / 2, line.points, line.rate)
    for one, other in pairwise(bins):
        ax.plot([one.high] * 2, [one.points, other.points], color=FILL, linewidth=0.9,
                linestyle="--", zorder=3)  # fmt: skip


# --- levels -------------------------------------------------------------------------------------


def _draw_levels(ax: Any, shown: Distribution) -> None:
    slots, places, width = shown.slots, np.arange(len(shown.slots)), 0.8
    if shown.has_rows:
        _draw_shares(behind(ax, say("plot_share_of_rows"), shown.most), slots, places, width)
    _draw_slot_marks(ax, slots, places, width)
    ax.set_xlim(-0.6, len(slots) - 0.4)
    label_levels(ax, [slot.words for slot in slots])


def _draw_shares(back: Any, slots: Sequence[Slot], places: Any, width: float) -> None:
    """Pale bars; codes, unseen and missing values are hatched."""
    for place, slot in zip(places, slots, strict=True):
        back.bar(place, slot.share or 0.0, width, color=SHADE, linewidth=0.6,
                 edgecolor=PALE if slot.is_special else "white",
                 hatch="///" if slot.is_special else None)  # fmt: skip


def _draw_slot_marks(ax: Any, slots: Sequence[Slot], places: Any, width: float) -> None:
    for place, slot in zip(places, slots, strict=True):
        ax.plot([place - width / 2, place + width / 2], [slot.points] * 2, color=FILL,
                linewidth=2.2, zorder=4, solid_capstyle="butt")  # fmt: skip
        _write_points(ax, place, slot.points, slot.rate)


def _write_points(ax: Any, place: float, points: int, rate: float | None) -> None:
    """The points above their mark, and the event rate below it."""
    ax.annotate(
        str(points).replace("-", "−"), (place, points), xytext=(0, 3), textcoords="offset points",
        ha="center", va="bottom", fontsize=9, fontweight="bold", zorder=5,
    )  # fmt: skip
    if rate is not None:
        ax.annotate(
            share(rate, 0), (place, points), xytext=(0, -3), textcoords="offset points",
            ha="center", va="top", fontsize=7, color=GREY, zorder=5,
        )  # fmt: skip


def _finish(ax: Any, feature: CardFeature, name: str) -> None:
    points = feature.possible_points
    low, high = min(points), max(points)
    room = max(high - low, 1)
    has_rates = any(line.rate is not None for line in feature.lines())
    ax.set_ylim(low - (0.2 if has_rates else 0.12) * room, high + 0.22 * room)
    ticker = importlib.import_module("matplotlib.ticker")
    ax.yaxis.set_major_locator(ticker.MaxNLocator(6, integer=True))
    name_scale(ax, name)
    ax.set_ylabel(say("plot_points_and_rate" if has_rates else "plot_points"))
    plain_spines(ax)
