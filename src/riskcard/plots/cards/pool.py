"""The cards of a pool side by side: how much worse than the best, and which features they use."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import ParameterError
from riskcard.plots.drawing import FILL, INK, PALE, axes_or_new, plain_spines
from riskcard.plots.lettering import plain_words


@dataclass(frozen=True, slots=True)
class PoolFigures:
    """What the picture of a pool shows.

    Attributes
    ----------
    places
        The place of each card in the pool, by loss.
    above_best
        Loss above the best, in per cent.
    features
        Features of any of the cards, those of most cards first.
    terms
        For each card and feature the number of its cuts, or of its groups less one; 0 when it is
        not used.
    """

    places: tuple[int, ...]
    above_best: NDArray[np.float64]
    features: tuple[str, ...]
    terms: NDArray[np.int64]


def pool_figures(pool: Any, most: int = 20) -> PoolFigures:
    """Sum up the first cards of a pool.

    Parameters
    ----------
    pool
        A ``CardPool``.
    most
        The most cards, the first ones: those of different features.
    """
    if not hasattr(pool, "cards") or not hasattr(pool, "losses"):
        raise ParameterError(
            f"A pool of cards is needed, not {type(pool).__name__}. Give that of find_pool."
        )
    if not pool.cards:
        raise ParameterError("The pool has no cards. Allow a larger tolerance.")
    losses = np.array(pool.losses)
    order = np.argsort(losses[:most], kind="stable")
    cards = [pool.cards[place] for place in order]
    used = Counter(feature.name for card in cards for feature in card.features)
    names = tuple(name for name, _ in used.most_common())
    terms = np.zeros((len(cards), len(names)), dtype=np.int64)
    for row, card in enumerate(cards):
        for feature in card.features:
            terms[row, names.index(feature.name)] = max(1, len(feature.points) - 1)
    best = losses.min()
    above = 100 * (losses[order] - best) / best if best > 0 else np.zeros(order.size)
    return PoolFigures(tuple(order.tolist()), above, names, terms)


def plot_pool(pool: Any, most: int = 20, ax: Any = None) -> Any:
    """Draw the first cards of a pool by loss: cards as rows, features as columns, and the losses.

    A filled square says that the card uses the feature; the number in it how many terms (cuts) it
    has, when there are several. Dots are losses above the best, in per cent.

    Parameters
    ----------
    pool
        A ``CardPool``, such as ``find_pool`` gives.
    most
        The most cards, the first ones: those of different features.
    ax
        The axes of matplotlib to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        What was drawn on; the losses have their own axes inside it.
    """
    shown = pool_figures(pool, most)
    n_cards, n_features = shown.terms.shape
    size = (3.6 + 0.45 * n_features, 1.7 + 0.24 * n_cards)
    ax = axes_or_new(ax, size)
    rows, columns = np.nonzero(shown.terms)
    ax.scatter(columns, rows, s=110, marker="s", color=INK, zorder=3)
    for row, column in zip(rows, columns, strict=True):
        if shown.terms[row, column] > 1:
            ax.text(column, row, str(shown.terms[row, column]), color="white", fontsize=7,
                    ha="center", va="center", zorder=4)  # fmt: skip
    ax.set_yticks(range(n_cards), [f"card {place}" for place in shown.places], fontsize=8)
    ax.set_xticks(range(n_features), shown.features, rotation=40, ha="left", fontsize=8,
                  rotation_mode="anchor")  # fmt: skip
    ax.xaxis.tick_top()
    plain_words(ax.get_xticklabels())
    ax.set(xlim=(-0.6, n_features + _room(n_features)), ylim=(n_cards - 0.4, -0.6))
    ax.tick_params(length=0)
    ax.grid(alpha=0.25)
    ax.set_axisbelow(True)
    plain_spines(ax, "left", "bottom")
    _draw_losses(ax, shown)
    return ax


def _room(n_features: int) -> float:
    """Columns to the right of the features, in which the losses are drawn."""
    return max(2.0, 0.5 * n_features)


def _draw_losses(ax: Any, shown: PoolFigures) -> None:
    n_features = shown.terms.shape[1]
    room = _room(n_features)
    whole = n_features + 0.6 + room
    side = ax.inset_axes((1 - (room - 0.1) / whole, 0, (room - 0.3) / whole, 1), sharey=ax)
    lines = np.arange(shown.above_best.size)
    side.hlines(lines, 0, shown.above_best, color=PALE, linewidth=1)
    side.plot(shown.above_best, lines, "o", color=FILL, markersize=5, clip_on=False)
    side.set_xlim(0, max(float(shown.above_best.max()) * 1.08, 0.01))
    side.set_xlabel("loss above\nthe best (%)", fontsize=8)
    side.tick_params(axis="y", left=False, labelleft=False)
    side.tick_params(axis="x", labelsize=8)
    side.grid(axis="x", alpha=0.3)
    plain_spines(side, "left")
