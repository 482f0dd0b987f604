"""(d) Recovery: how much of a planted card is found again."""

from __future__ import annotations

import numpy as np

from benchmarks.bench import PLAIN
from benchmarks.evaluate import NEAR
from benchmarks.families import FAMILIES
from benchmarks.methods import CARDS, DEFAULT, LOWEST_LOSS, METHODS, OWN, title_of
from benchmarks.questions.common import (
    Plan,
    Section,
    Standing,
    best_of,
    by_cell,
    markdown_table,
    mean,
    reasons,
    verdict_on,
)
from benchmarks.store import Job, Kept

__all__ = ["ROWS", "TERMS", "jobs", "section"]

ROWS, TERMS = 1000, 5
#: A proof changes few of the heuristic's cards, so that it is left out.
NAMES = (DEFAULT, LOWEST_LOSS, *(name for name in CARDS if name not in OWN))
#: Mean F1 scores that differ by no more than this, relatively, are about equal.
NOISE = 0.01
MEASURES = {"cuts": "planted cuts", "features": "planted features"}


def jobs(plan: Plan) -> list[Job]:
    """Tables of every family, all methods in turn; a card has as many terms as were planted."""
    return [
        Job(
            "d", name, f"{family}:{ROWS}:{seed}", PLAIN, TERMS,
            limit=plan.planted_limit if METHODS[name].has_limit else 0.0,
        )
        for family in FAMILIES
        for seed in range(plan.seeds)
        for name in NAMES
    ]  # fmt: skip


def section(kept: list[Kept], plan: Plan) -> Section:
    """Mean F1 scores of each family and method."""
    text = (
        f"{ROWS:,} rows, {plan.seeds} tables per family, {TERMS} planted cuts and {TERMS} terms. The figures are F1 "
        "scores: 1 if exactly what was planted was found. A cut counts as found if at most "
        f"{100 * NEAR:g} % of the rows lie between it and the planted one.\n"
    )
    losing, standing = [], []
    for measure, title in MEASURES.items():
        cells = by_cell(
            kept,
            lambda one, measure=measure: one.figures.get("recovery", {}).get(measure),
            lambda job: (job.table.split(":")[0],),
        )
        means = {
            cell: {name: mean(values) for name, values in found.items()}
            for cell, found in cells.items()
        }
        everything = {
            name: mean([found[name] for found in means.values() if name in found])
            for name in NAMES
            if any(name in found for found in means.values())
        }
        head = ["method", *(FAMILIES[cell[0]].title for cell in means), "mean"]
        rows = [
            [
                title_of(name, plan.planted_limit),
                *(f"{found[name]:.3f}" if name in found else "-" for found in means.values()),
                f"{value:.3f}",
            ]
            for name, value in everything.items()
        ]
        text += f"\n### {title.capitalize()}\n\n" + markdown_table(head, rows)
        losing += losing_of(title, cells)
        rivals = {name: value for name, value in everything.items() if name not in OWN}
        if LOWEST_LOSS in everything and rivals:
            best, mine = best_of(rivals, True), everything[LOWEST_LOSS]
            standing.append(
                Standing(
                    f"recovery of {title}, mean F1",
                    f"{mine:.3f}",
                    f"{rivals[best]:.3f} ({title_of(best)})",
                    verdict_on(mine, rivals[best], True, NOISE),
                )
            )
    return Section(
        "(d) Recovery of planted cards", text + "\n" + reasons(kept), losing, standing=standing
    )


def losing_of(title: str, cells: dict[tuple, dict[str, list[float]]]) -> list[str]:
    """Families of which another method finds more, and how certain the difference is."""
    found = []
    for (family,), values in cells.items():
        rivals = [name for name in values if name not in OWN or name == LOWEST_LOSS]
        best = max(rivals, key=lambda name: mean(values[name]))
        ours, theirs = values.get(LOWEST_LOSS, []), values[best]
        if ours and mean(theirs) > mean(ours) + 1e-12:
            found.append(
                f"recovery of {title}, {FAMILIES[family].title}: {title_of(best)} has "
                f"{mean(theirs):.3f}, riskcard {mean(ours):.3f}{certainty(theirs, ours)}"
            )
    return found


def certainty(theirs: list[float], ours: list[float]) -> str:
    """The standard error of a difference between methods on the same tables."""
    if len(ours) != len(theirs) or len(ours) < 2:
        return ""
    differences = np.array(theirs) - np.array(ours)
    error = float(differences.std(ddof=1)) / np.sqrt(len(ours))
    return f" (standard error of the difference {error:.3f})"
