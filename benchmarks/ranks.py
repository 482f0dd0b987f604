"""Ranks of methods over many tables, and the critical-difference picture of Demšar (2006)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import friedmanchisquare, rankdata, studentized_range

__all__ = ["Ranking", "draw_rankings", "rank"]

#: The level of the tests.
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Ranking:
    """Mean ranks of methods, 1 for the best.

    Attributes
    ----------
    difference
        Mean ranks further apart than this differ significantly (Nemenyi's test).
    p_value
        Of Friedman's test that all methods are alike; NaN with fewer than three methods.
    """

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    difference: float
    p_value: float
    n_blocks: int

    def groups(self) -> list[tuple[int, int]]:
        """Longest runs of methods, in the order of their ranks, that do not differ significantly."""
        order = np.argsort(self.ranks, kind="stable")
        sorted_ranks = np.array(self.ranks)[order]
        found: list[tuple[int, int]] = []
        for start in range(len(order)):
            near = np.flatnonzero(sorted_ranks <= sorted_ranks[start] + self.difference)
            end = int(near[-1])
            if end > start and (not found or end > found[-1][1]):
                found.append((start, end))
        return found


def rank(
    names: Sequence[str], values: NDArray[np.float64], blocks: Sequence[str] | None = None
) -> Ranking:
    """Rank methods by values of which small ones are good.

    Parameters
    ----------
    values
        One row a case, one column a method.
    blocks
        What each case belongs to, such as its table; each row by default. Cases of one block are not
        independent: their ranks are averaged, and the tests count blocks.

    Examples
    --------
    >>> rank(["a", "b", "c"], np.array([[1.0, 2, 3], [1, 3, 2]])).ranks
    (1.0, 2.5, 2.5)
    """
    n_methods = values.shape[1]
    known = np.array(range(len(values)) if blocks is None else blocks)
    each = np.vstack([rankdata(row) for row in values])
    by_block = np.vstack([each[known == block].mean(axis=0) for block in np.unique(known)])
    ranks, n_blocks = each.mean(axis=0), len(by_block)
    # Nemenyi: the studentized range with infinite degrees of freedom, over the square root of two
    quantile = studentized_range.ppf(1 - LEVEL, n_methods, np.inf) / np.sqrt(2)
    difference = quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks))
    p_value = float("nan")
    if n_methods > 2 and n_blocks > 1 and np.ptp(by_block, axis=1).any():
        p_value = float(friedmanchisquare(*by_block.T).pvalue)
    return Ranking(tuple(names), tuple(ranks.tolist()), float(difference), p_value, n_blocks)


def draw_rankings(rankings: Sequence[tuple[str, Ranking]], path: Path) -> None:
    """A picture with one axis of ranks for each ranking, the best on the left."""
    from matplotlib.figure import Figure

    tallest = max(len(ranking.names) for _, ranking in rankings)
    size = (9, len(rankings) * (1.2 + 0.22 * tallest))
    figure = Figure(figsize=size)
    all_axes = figure.subplots(len(rankings), 1, squeeze=False)
    for axes, (title, ranking) in zip(all_axes[:, 0], rankings, strict=True):
        _draw(axes, title, ranking)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def _draw(axes: Any, title: str, ranking: Ranking) -> None:
    n_methods = len(ranking.names)
    order = np.argsort(ranking.ranks, kind="stable")
    half = (n_methods + 1) // 2
    axes.set_xlim(0.2 - n_methods * 0.35, n_methods * 1.35 + 0.8)
    axes.set_ylim(-(half + 1.6), 1.5)
    axes.axis("off")
    axes.set_title(title, fontsize=10, loc="left")
    axes.plot([1, n_methods], [0, 0], color="black", linewidth=1)
    for place in range(1, n_methods + 1):
        axes.plot([place, place], [0, 0.15], color="black", linewidth=1)
        axes.text(place, 0.25, str(place), ha="center", va="bottom", fontsize=8)
    axes.plot([1, 1 + ranking.difference], [1.2, 1.2], color="tab:red", linewidth=2)
    axes.text(1 + ranking.difference, 1.2, f"  critical difference {ranking.difference:.2f}",
              va="center", fontsize=8, color="tab:red")  # fmt: skip
    for place, method in enumerate(order):
        value, is_left = ranking.ranks[method], place < half
        depth = -(place + 1 if is_left else n_methods - place) - 0.5
        end = 0.7 if is_left else n_methods + 0.3
        axes.plot([value, value, end], [0, depth, depth], color="grey", linewidth=0.8)
        text = f"{ranking.names[method]}  {value:.2f}"
        axes.text(end, depth, text, ha="right" if is_left else "left", va="center", fontsize=8)
    for line, (start, end) in enumerate(ranking.groups()):
        ranks = sorted(ranking.ranks)
        height = -0.2 - 0.2 * line
        axes.plot([ranks[start] - 0.04, ranks[end] + 0.04], [height] * 2, color="tab:blue", lw=3)
