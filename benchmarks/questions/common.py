"""What all questions share: the plan of a run, a part of the page, and small summaries."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.methods import LOWEST_LOSS
from benchmarks.store import Job, Kept

__all__ = [
    "SAME",
    "Duel",
    "Plan",
    "Section",
    "Standing",
    "best_of",
    "by_cell",
    "compare",
    "geometric_mean",
    "markdown_table",
    "mean",
    "ratios",
    "reasons",
    "verdict_on",
]

#: Losses that differ by no more than this, relatively, count as the same.
SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured.

    Attributes
    ----------
    tables
        Of the questions about losses and proofs.
    terms
        Sizes of the cards.
    new_tables
        Further tables, on which nothing was developed, of the question about held-out rows.
    folds
        Of the cross-validation there.
    limits
        Seconds for proofs.
    rival_limit
        Seconds for proofs, of all methods, where other solvers take part, and where the steps of a
        term are limited.
    long_tables
        Tables on which all of those have the longest time in addition.
    planted_limit
        Seconds for methods with a limit in the question about planted cards.
    repeats
        Of each fit whose time matters.
    seeds
        Tables of each synthetic family.
    rows, features, sizes
        Of the tables whose growth is measured, and sizes of the cards on them.
    cap
        Processor seconds; a method that needed more is not tried on a larger table.
    memory
        Bytes that a method may use on the large tables.
    speed_rows
        Rows of the predictions whose speed is measured.
    """

    tables: tuple[str, ...]
    terms: tuple[int, ...] = (3, 5, 8)
    new_tables: tuple[str, ...] = ()
    folds: int = 5
    limits: tuple[float, ...] = (10.0, 60.0, 600.0)
    rival_limit: float = 600.0
    long_tables: tuple[str, ...] = ()
    planted_limit: float = 3.0
    repeats: int = 3
    seeds: int = 20
    rows: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
    features: tuple[int, ...] = (5, 15, 50, 150, 500)
    sizes: tuple[int, ...] = (1, 2, 3, 5, 7, 10)
    cap: float = 300.0
    memory: float = 16e9
    speed_rows: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the table of where riskcard stands: both figures, and who is ahead."""

    question: str
    ours: str
    others: str
    verdict: str  # that of `verdict_on`, or how often we are ahead


@dataclass(frozen=True, slots=True)
class Duel:
    """In how many cases riskcard is better than another method, the same, or worse."""

    measure: str
    rival: str
    better: int
    same: int
    worse: int

    @property
    def cases(self) -> int:
        return self.better + self.same + self.worse


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the page.

    Attributes
    ----------
    losing
        Sentences on where riskcard is not first.
    draw
        Writes the pictures into a folder; they are named in the text.
    standing
        Lines of the table at the head of the first page.
    duels
        Comparisons with single methods, for the picture there.
    """

    title: str
    text: str
    losing: list[str] = field(default_factory=list)
    draw: Callable[[Path], None] | None = None
    standing: list[Standing] = field(default_factory=list)
    duels: list[Duel] = field(default_factory=list)


def compare(
    measure: str, rival: str, pairs: Iterable[tuple[float, float]], is_high_good: bool = False
) -> Duel:
    """A duel from pairs of figures, ours first."""
    better = same = worse = 0
    for ours, theirs in pairs:
        if abs(ours - theirs) <= SAME * abs(theirs):
            same += 1
        elif (ours > theirs) == is_high_good:
            better += 1
        else:
            worse += 1
    return Duel(measure, rival, better, same, worse)


def verdict_on(ours: float, theirs: float, is_high_good: bool = False, noise: float = 0.0) -> str:
    """Whether we are ahead; figures within the noise of each other, relatively, are about equal."""
    if abs(ours - theirs) <= noise * max(abs(ours), abs(theirs)):
        return "about equal"
    return "yes" if (ours > theirs) == is_high_good else "no"


def best_of(values: Mapping[str, float], is_high_good: bool = False) -> str:
    """The name with the best value."""
    return (max if is_high_good else min)(values, key=lambda name: values[name])


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column is text and whose others are figures."""
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def geometric_mean(values: Sequence[float]) -> float:
    """NaN when there are none."""
    return math.exp(mean([math.log(value) for value in values])) if values else math.nan


def mean(values: Sequence[float]) -> float:
    """NaN when there are none."""
    return sum(values) / len(values) if values else math.nan


def by_cell(
    kept: Iterable[Kept], value: Callable[[Kept], float | None], key: Callable[[Job], tuple]
) -> dict[tuple, dict[str, list[float]]]:
    """Values of each cell and method; failures and missing values are left out."""
    cells: dict[tuple, dict[str, list[float]]] = {}
    for one in kept:
        if one.failed:
            continue
        found = value(one)
        if found is not None:
            cells.setdefault(key(one.job), {}).setdefault(one.job.method, []).append(found)
    return cells


def ratios(cells: dict[tuple, dict[str, float]], method: str) -> list[float]:
    """A method's value over ours, in every cell that has both."""
    return [
        found[method] / found[LOWEST_LOSS]
        for found in cells.values()
        if method in found and found.get(LOWEST_LOSS, 0.0) > 0
    ]


def reasons(kept: Sequence[Kept]) -> str:
    """Which methods gave no figures, and why; empty when all did."""
    found: dict[tuple[str, str], int] = {}
    for one in kept:
        if one.failed:
            key = one.job.method, one.figures["error"]
            found[key] = found.get(key, 0) + 1
    lines = [f"- {method}: {reason} ({count} jobs)" for (method, reason), count in found.items()]
    return "Without figures:\n\n" + "\n".join(lines) + "\n" if lines else ""
