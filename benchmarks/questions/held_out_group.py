"""Tables that are judged together on held-out rows: means over folds, ranks, and who is ahead."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.methods import DEFAULT, FOR_NEW_ROWS, OWN, title_of
from benchmarks.questions.common import Plan, best_of, by_cell, mean
from benchmarks.ranks import Ranking, rank
from benchmarks.store import Kept

__all__ = [
    "MEASURES",
    "NEW",
    "Group",
    "Means",
    "against_others",
    "groups_of",
    "is_better",
    "rankings_of",
    "ranks_of",
    "subgroup",
]

#: What is measured on held-out rows: its name on the page, and whether higher is better.
MEASURES = {
    "auc": ("AUC", True),
    "mean_loss": ("log-loss", False),
    "brier": ("Brier score", False),
    "calibration": ("calibration error", False),
}
NEW, USED = "Tables on which nothing of the default was tuned", "Tables used during development"

#: By table and size, and by method.
Means = dict[tuple, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Group:
    """Tables that are judged together, and the means of their folds for each measure."""

    title: str
    tables: tuple[str, ...]
    means: dict[str, Means]

    def of(self, measure: str, terms: int, name: str) -> list[float]:
        """One figure for each table on which a method was run."""
        cells = [self.means[measure].get((table, terms), {}) for table in self.tables]
        return [cell[name] for cell in cells if name in cell]

    def cards(self) -> list[str]:
        """The cards that have a figure everywhere, so that means and ranks can be compared."""
        cells = [cell for (_, terms), cell in self.means["auc"].items() if terms]
        return [name for name in FOR_NEW_ROWS if all(name in cell for cell in cells)]


def groups_of(kept: list[Kept], plan: Plan) -> list[Group]:
    """Tables without and with a part in the development; those that the default has finished."""
    means = {
        measure: means_of(kept, measure, plan.folds) for measure in (*MEASURES, "slope", "terms")
    }
    done = {table for (table, _), cell in means["auc"].items() if DEFAULT in cell}
    found = []
    for title, tables in ((NEW, plan.new_tables), (USED, plan.tables)):
        finished = tuple(table for table in tables if table in done)
        own = {
            measure: {cell: value for cell, value in of.items() if cell[0] in finished}
            for measure, of in means.items()
        }
        if finished:
            found.append(Group(title, finished, own))
    return found


def means_of(kept: list[Kept], measure: str, folds: int) -> Means:
    """Means over the folds of each table and size, of methods that have finished all of them.

    A method without a size is repeated for every size, and stands under size 0 as well.
    """
    cells = by_cell(kept, partial(figure_of, measure), lambda job: (job.table, job.terms))
    whole = {
        cell: {name: mean(values) for name, values in found.items() if len(values) == folds}
        for cell, found in cells.items()
    }
    return {
        (table, terms): {**found, **whole.get((table, 0), {})}
        for (table, terms), found in whole.items()
    }


def figure_of(measure: str, one: Kept) -> float | None:
    if measure == "terms":
        return one.figures.get("card", {}).get("terms")
    return one.figures["held_out"][measure]


def subgroup(group: Group, terms: int, name: str) -> Group:
    """The tables on which a method was run."""
    cells = group.means["auc"]
    tables = tuple(table for table in group.tables if name in cells.get((table, terms), {}))
    return Group(group.title, tables, group.means)


def ranks_of(group: Group, terms: int, measure: str) -> dict[str, float]:
    """Mean ranks of the cards of one size; empty where there is nothing to compare."""
    names = group.cards()
    if len(names) < 2:
        return {}
    sign = -1 if MEASURES[measure][1] else 1
    values = np.column_stack([group.of(measure, terms, name) for name in names])
    return dict(zip(names, rank(names, sign * values).ranks, strict=True))


def rankings_of(group: Group) -> list[Ranking]:
    """One ranking for each measure, over all tables and sizes."""
    names = group.cards()
    found = []
    for measure, (_, is_high_good) in MEASURES.items():
        cells = {cell: of for cell, of in group.means[measure].items() if cell[1]}
        values = np.array([[of[name] for name in names] for of in cells.values()])
        tables = [table for table, _ in cells]
        found.append(rank([*map(title_of, names)], -values if is_high_good else values, tables))
    return found


def against_others(
    group: Group, measure: str, terms: int, name: str
) -> tuple[float, float, list[str]]:
    """Our mean, the best of other people's cards, and all of them in the order of their means."""
    rivals = [one for one in group.cards() if one not in OWN]
    values = {one: mean(group.of(measure, terms, one)) for one in (name, *rivals)}
    is_high_good = MEASURES[measure][1]
    order = sorted(values, key=lambda one: -values[one] if is_high_good else values[one])
    ours = values.pop(name)
    theirs = values[best_of(values, is_high_good)] if values else math.nan
    return ours, theirs, order


def is_better(measure: str, ours: float, theirs: float) -> bool:
    return ours > theirs if MEASURES[measure][1] else ours < theirs
