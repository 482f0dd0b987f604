"""(b) Unseen rows: AUC, log-loss and calibration error, and whether differences are significant."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.bench import AS_IT_COMES
from benchmarks.methods import CEILINGS, METHODS, OURS, OWN, STURDY, STURDY_TOO, title_of
from benchmarks.questions.common import (
    Plan,
    Section,
    by_cell,
    markdown_table,
    mean,
    reasons,
)
from benchmarks.ranks import Ranking, draw_rankings, rank
from benchmarks.store import Job, Kept

__all__ = ["PICTURE", "jobs", "section"]

PICTURE = "benchmark_ranks.png"
#: What is measured on unseen rows: its name on the page, and whether much of it is good.
MEASURES = {"auc": ("AUC", True), "mean_loss": ("log-loss", False), "calibration": ("calibration error", False)}  # fmt: skip

Means = dict[tuple, dict[str, float]]


def jobs(plan: Plan) -> list[Job]:
    """The same halves for all methods; a ceiling has no size, and is fitted once.

    All tables have their first fold before any has its second: a stopped run has something of each.
    """
    found = []
    for fold in range(2 * plan.halvings):
        for table in plan.tables:
            for terms in plan.terms:
                for name in STURDY_TOO:
                    limit = plan.held_out_limit if METHODS[name].has_limit else 0.0
                    found.append(Job("b", name, table, AS_IT_COMES, terms, fold, limit))
            for name in CEILINGS:
                found.append(Job("b", name, table, AS_IT_COMES, 0, fold))
    return found


def section(kept: list[Kept], plan: Plan) -> Section:
    """Means for each size, ranks over tables and sizes, and their picture."""
    kept = whole_folds(kept, plan)
    if not kept:
        return Section("(b) Unseen rows", "No fold is finished by all methods yet.\n")
    means = {measure: means_of(kept, measure) for measure in MEASURES}
    names = [*STURDY_TOO, *CEILINGS]
    names = [name for name in names if any(name in cell for cell in means["auc"].values())]
    text = (
        f"{plan.halvings} x 2 folds: the rows are halved {plan.halvings} times, each half is fitted once and "
        "judged on the other. Methods that take categories and missing values get the table as it comes, the "
        "others its plain view. Means are over folds, then over tables. The calibration error is "
        "the mean distance between risk and event rate in ten groups of rows with alike risks. "
        "*Terms used* counts the cuts and groups of levels of the returned cards; optbinning counts its bins for "
        "missing values on top of the terms asked. "
        "LogisticRegression and HistGradientBoosting have no limit on their size.\n"
    )
    for terms in plan.terms:
        text += f"\n### {terms} terms\n\n" + table_of(means, names, terms, sizes_of(kept))
    text += "\n### Log-loss of every table\n\n" + details(means["mean_loss"], names)
    rankings = rankings_of(means, names)
    text += "\n### Ranks\n\n"
    for (title, _), ranking in zip(MEASURES.values(), rankings, strict=True):
        text += (
            f"- {title}: {in_words(ranking)} (Friedman p = {ranking.p_value:.2g}; ranks over "
            f"{ranking.n_blocks} tables x sizes, critical difference {ranking.difference:.2f}; sizes of one table are "
            "not independent, so take the level as rough)\n"
        )
    text += f"\n![Mean ranks](images/{PICTURE})\n\n*Mean ranks on unseen rows, the best on the left. Methods joined by a bar do not differ significantly.*\n"
    titles = [title for title, _ in MEASURES.values()]

    def draw(folder: Path) -> None:
        draw_rankings(list(zip(titles, rankings, strict=True)), folder / PICTURE)

    losing = losing_of(means, names, plan) + losing_ranks(rankings)
    return Section("(b) Unseen rows", text + "\n" + reasons(kept), losing, draw)


def whole_folds(kept: list[Kept], plan: Plan) -> list[Kept]:
    """Only the folds that all methods have finished, so that they are compared on the same rows."""
    planned = Counter((job.table, job.fold) for job in jobs(plan))
    done = Counter((one.job.table, one.job.fold) for one in kept)
    return [
        one
        for one in kept
        if done[one.job.table, one.job.fold] == planned[one.job.table, one.job.fold]
    ]


def means_of(kept: list[Kept], measure: str) -> Means:
    """Mean over the folds of each table and size; a ceiling stands with every size."""
    cells = by_cell(
        kept, lambda one: one.figures["held_out"][measure], lambda job: (job.table, job.terms)
    )
    ceilings = {table: found for (table, terms), found in cells.items() if terms == 0}
    return {
        (table, terms): {
            name: mean(values) for name, values in {**found, **ceilings.get(table, {})}.items()
        }
        for (table, terms), found in cells.items()
        if terms != 0
    }


def sizes_of(kept: list[Kept]) -> Means:
    """Terms that the cards really have, on average over tables and folds."""
    cells = by_cell(
        kept,
        lambda one: one.figures.get("card", {}).get("terms"),
        lambda job: (job.terms,),
    )
    return {
        cell: {name: mean(values) for name, values in found.items()}
        for cell, found in cells.items()
    }


def table_of(means: dict[str, Means], names: list[str], terms: int, sizes: Means) -> str:
    rows = []
    for name in names:
        cells = [title_of(name)]
        for measure in MEASURES:
            found = [c[name] for (_, t), c in means[measure].items() if t == terms and name in c]
            cells.append(f"{mean(found):.4f}" if found else "-")
        size = sizes.get((terms,), {}).get(name)
        rows.append([*cells, "-" if size is None else f"{size:.1f}"])
    titles = [title for title, _ in MEASURES.values()]
    return markdown_table(["method", *titles, "terms used"], rows)


def details(means: Means, names: list[str]) -> str:
    """One measure for each table and size."""
    rows = [
        [f"{table}, {terms}", *(f"{cell[n]:.4f}" if n in cell else "-" for n in names)]
        for (table, terms), cell in sorted(means.items())
    ]
    return markdown_table(["table, terms", *(title_of(name) for name in names)], rows)


def rankings_of(means: dict[str, Means], names: list[str]) -> list[Ranking]:
    """One ranking for each measure, of the methods that have a figure everywhere."""
    found = []
    for measure, (_, is_high_good) in MEASURES.items():
        cells = means[measure].values()
        common = [name for name in names if all(name in cell for cell in cells)]
        values = np.array([[cell[name] for name in common] for cell in cells])
        titles = [title_of(name) for name in common]
        found.append(rank(titles, -values if is_high_good else values))
    return found


def in_words(ranking: Ranking) -> str:
    order = np.argsort(ranking.ranks, kind="stable")
    return ", ".join(f"{ranking.names[m]} {ranking.ranks[m]:.2f}" for m in order)


def losing_of(means: dict[str, Means], names: list[str], plan: Plan) -> list[str]:
    """Other people's cards with a better mean over the tables than one of ours."""
    found = []
    rivals = [name for name in names if METHODS[name].has_card and name not in OWN]
    for measure, (title, is_high_good) in MEASURES.items():
        for terms, name in product(plan.terms, (OURS, STURDY)):
            cells = [cell for (_, t), cell in means[measure].items() if t == terms]
            best, ours = name, mean([cell.get(name, math.nan) for cell in cells])
            value = ours
            for rival in rivals:
                theirs = mean([cell.get(rival, math.nan) for cell in cells])
                if theirs > value if is_high_good else theirs < value:
                    best, value = rival, theirs
            if best != name:
                found.append(
                    f"unseen rows, {title}, {terms} terms: {title_of(best)} has {value:.4f}, {title_of(name)} {ours:.4f}"
                )
    return found


def losing_ranks(rankings: list[Ranking]) -> list[str]:
    found = []
    rivals = {title_of(name) for name in STURDY_TOO if name not in OWN}
    for (title, _), ranking in zip(MEASURES.values(), rankings, strict=True):
        ranks = dict(zip(ranking.names, ranking.ranks, strict=True))
        for name in (title_of(OURS), title_of(STURDY)):
            better = [rival for rival in rivals & ranks.keys() if ranks[rival] < ranks.get(name, 0)]
            if better:
                listed = ", ".join(sorted(better, key=lambda rival: ranks[rival]))
                found.append(f"unseen rows, mean rank in {title}: better than {name} are {listed}")
    return found
