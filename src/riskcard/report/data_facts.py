"""What a table holds: rows, events, and a line for every column."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from riskcard.data.features import Features
from riskcard.data.levels import BOOLEAN, Levels
from riskcard.formatting.figures import share
from riskcard.formatting.numbers import minus
from riskcard.formatting.speech import in_figures, say
from riskcard.model.lines import show_level
from riskcard.report.facts import ColumnFacts, DataFacts

#: The most common levels of a category that are named.
_MOST_LEVELS = 3


def describe_table(
    table: Features,
    is_event: NDArray[np.bool_],
    weights: NDArray[np.float64],
    on_card: Sequence[str],
    grid: int | None = None,
) -> DataFacts:
    """Sum up a table.

    Parameters
    ----------
    table
        All candidate features.
    is_event, weights
        Of each row.
    on_card
        Names of the features that the card uses.
    grid
        The most candidate cuts per feature; None where every gap between values is one.
    """
    is_missing = np.isnan(table.values)
    return DataFacts(
        rows=len(table.values),
        events=int(is_event.sum()),
        base_rate=float(weights[is_event].sum() / weights.sum()),
        is_weighted=bool((weights != weights[0]).any()),
        columns=tuple(
            ColumnFacts(
                name=name,
                kind=_kind(table.levels[place]),
                is_on_card=name in on_card,
                missing=int(is_missing[:, place].sum()),
                summary=_summary(table.values[:, place], table.levels[place]),
                with_event=_in_short(table.values[is_event, place], table.levels[place]),
                without_event=_in_short(table.values[~is_event, place], table.levels[place]),
            )
            for place, name in enumerate(table.names)
        ),
        complete_rows=int((~is_missing.any(axis=1)).sum()),
        conditions=sum(
            _conditions(table.values[:, place], levels, grid)
            for place, levels in enumerate(table.levels)
        ),
    )


def _conditions(values: NDArray[np.float64], levels: Levels | None, grid: int | None) -> int:
    """Conditions that a card can choose from: cuts, levels, and a missing value.

    A level counts once, although groups of levels are candidates too, so the number is at least this.
    """
    is_missing = np.isnan(values)
    gaps = np.unique(values[~is_missing]).size - 1
    if levels is None and grid is not None:
        gaps = min(gaps, grid)
    return max(gaps, 0) + int(is_missing.any() and not is_missing.all())


def _short(number: float) -> str:
    """Four digits, or all of those before the point; never a zero with a sign."""
    number += 0.0
    return minus(in_figures(f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"))


def _share(part: float) -> str:
    """A share in whole per cent, on one line."""
    return share(part, 0).replace(" ", "\u00a0")


def _kind(levels: Levels | None) -> str:
    if levels is None:
        return "number"
    if levels == BOOLEAN:
        return "boolean"
    return "ordered category" if levels.is_ordered else "category"


def _is_yes_or_no(known: NDArray[np.float64]) -> bool:
    """Only zeros and ones, so that quartiles say nothing and a share says all."""
    return bool(np.isin(known, (0.0, 1.0)).all())


def _in_short(values: NDArray[np.float64], levels: Levels | None) -> str:
    """Median and quartiles, or the shares of all levels of a category, by their order, at most a few."""
    known = values[~np.isnan(values)]
    if not known.size:
        return say("data_no_values")
    if levels is None and _is_yes_or_no(known):
        return _share(known.mean())
    if levels is None:
        low, middle, high = map(_short, np.quantile(known, [0.25, 0.5, 0.75]).tolist())
        return say("data_median_short", median=middle, low=low, high=high)
    shares = np.bincount(known.astype(np.int64), minlength=len(levels.names)) / known.size
    if levels == BOOLEAN:
        return _share(shares[1])
    shown = [
        f"{show_level(name)} {_share(part)}"
        for name, part in zip(levels.names, shares, strict=True)
    ]
    return ", ".join(shown[:_MOST_LEVELS]) + (", ..." if len(shown) > _MOST_LEVELS else "")


def _summary(values: NDArray[np.float64], levels: Levels | None) -> str:
    known = values[~np.isnan(values)]
    if not known.size:
        return say("data_no_values")
    if levels is None:
        low, middle, high = map(_short, np.quantile(known, [0.25, 0.5, 0.75]).tolist())
        if known.min() == known.max():
            return say("data_always", value=_short(known[0]))
        if _is_yes_or_no(known):
            return say("data_zero_or_one", share=_share(known.mean()))
        ends = {"lowest": _short(known.min()), "highest": _short(known.max())}
        return say("data_median", median=middle, low=low, high=high, **ends)
    counts = np.bincount(known.astype(np.int64), minlength=len(levels.names))
    order = np.argsort(-counts, kind="stable")
    shown = [
        f"{show_level(levels.names[place])} {_share(counts[place] / known.size)}"
        for place in order[:_MOST_LEVELS]
    ]
    left = int((counts > 0).sum()) - len(shown)
    words = ", ".join(shown)
    return say("data_levels_more", levels=words, number=str(left)) if left > 0 else words
