"""(b) Held-out rows: AUC, log-loss and calibration error, and whether differences are significant."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.bench import AS_IT_COMES
from benchmarks.methods import CEILINGS, DEFAULT, FOR_NEW_ROWS, LOWEST_LOSS, METHODS, OWN, title_of
from benchmarks.questions.common import (
    Duel,
    Plan,
    Section,
    Standing,
    best_of,
    by_cell,
    compare,
    markdown_table,
    mean,
    reasons,
)
from benchmarks.ranks import Ranking, draw_rankings, rank
from benchmarks.store import Job, Kept

__all__ = ["PICTURE", "jobs", "section"]

PICTURE = "benchmark_ranks.png"
#: What is measured on held-out rows: its name on the page, and whether higher is better.
MEASURES = {"auc": ("AUC", True), "mean_loss": ("log-loss", False), "calibration": ("calibration error", False)}  # fmt: skip

#: Tables whose rows were used to choose the default settings (docs/choosing.md).
TUNED = (
    "breast_cancer", "ilpd", "transfusion", "magic", "spambase", "support2", "bank", "rhc", "adult",
    "credit_default",
)  # fmt: skip

Means = dict[tuple, dict[str, float]]


def jobs(plan: Plan) -> list[Job]:
    """The same halves for all methods; a ceiling has no size, and is fitted once.

    All tables have their first fold before any has its second: a stopped run has something of each.
    """
    found = []
    for fold in range(2 * plan.halvings):
        for table in plan.tables:
            for terms in plan.terms:
                for name in FOR_NEW_ROWS:
                    limit = plan.held_out_limit if METHODS[name].has_limit else 0.0
                    found.append(Job("b", name, table, AS_IT_COMES, terms, fold, limit))
            for name in CEILINGS:
                found.append(Job("b", name, table, AS_IT_COMES, 0, fold))
    return found


def section(kept: list[Kept], plan: Plan) -> Section:
    """Means for each size, ranks over tables and sizes, and their picture."""
    kept = whole_folds(kept, plan)
    if not kept:
        return Section("(b) Held-out rows", "No fold is finished by all methods yet.\n")
    means = {measure: means_of(kept, measure) for measure in MEASURES}
    names = [*FOR_NEW_ROWS, *CEILINGS]
    names = [name for name in names if any(name in cell for cell in means["auc"].values())]
    text = (
        f"{plan.halvings} x 2 folds: the rows are halved {plan.halvings} times; each method is fitted to each half and "
        "judged on the other. Methods that accept categories and missing values get the table as it is, the "
        "others its plain view. Means are over folds, then over tables. The calibration error is the mean distance, by "
        "rows, between risk and event rate in at most ten groups of rows with similar risks. A card with few totals has "
        "fewer groups, and chance adds less to each, so compare only cards of one size. "
        "*Terms used* counts the cuts and groups of levels of the returned cards; optbinning has bins for missing values "
        "in addition to the terms requested. LogisticRegression and HistGradientBoosting have no limit on their size.\n"
    )
    for terms in plan.terms:
        text += f"\n### {terms} terms\n\n" + table_of(means, names, terms, plan, sizes_of(kept))
    text += untouched_section(means, names, plan)
    text += "\n### Log-loss of every table\n\n" + details(means["mean_loss"], names, plan, kept)
    rankings = rankings_of(means, names, plan)
    text += "\n### Ranks\n\nRanks of cards, averaged over the sizes of each table; the tests count tables.\n\n"
    for (title, _), ranking in zip(MEASURES.values(), rankings, strict=True):
        text += (
            f"- {title}: {in_words(ranking)} (Friedman p = {ranking.p_value:.2g}; {ranking.n_blocks} tables, "
            f"critical difference {ranking.difference:.2f})\n"
        )
    text += f"\n![Mean ranks](images/{PICTURE})\n\n*Mean ranks on held-out rows, the best on the left. Methods joined by a bar do not differ significantly.*\n"
    titles = [title for title, _ in MEASURES.values()]

    def draw(folder: Path) -> None:
        draw_rankings(list(zip(titles, rankings, strict=True)), folder / PICTURE)

    losing = losing_of(means, names, plan) + losing_ranks(rankings)
    losing += losing_untouched(means, names, plan) + losing_to_floor(means, plan)
    return Section(
        "(b) Held-out rows",
        text + "\n" + reasons(kept),
        losing,
        draw,
        standings(means, names, plan),
        duels(means["mean_loss"], names),
    )


def standings(means: dict[str, Means], names: list[str], plan: Plan) -> list[Standing]:
    """Means over tables of both our settings, and of the best card of others, for each size."""
    found = []
    for measure, (title, is_high_good) in MEASURES.items():
        found += [
            standing(
                f"held-out {title}, {setting}", name, means[measure], names, plan, is_high_good
            )
            for name, setting in ((DEFAULT, "default"), (LOWEST_LOSS, "lowest loss"))
        ]
    fewer = untouched(means["mean_loss"])
    if fewer:
        question = "held-out log-loss, default, tables not used for tuning"
        found.append(standing(question, DEFAULT, fewer, names, plan, is_high_good=False))
    return found


def standing(
    question: str, ours: str, means: Means, names: list[str], plan: Plan, is_high_good: bool
) -> Standing:
    """One setting of ours against the best card of others, one figure for each size."""
    own, best, ahead = [], [], 0
    for terms in plan.terms:
        cells = [cell for (_, t), cell in means.items() if t == terms]
        values = {
            one: mean([cell.get(one, math.nan) for cell in cells])
            for one in names
            if METHODS[one].has_card and (one == ours or one not in OWN)
        }
        mine = values.pop(ours)
        winner = best_of(values, is_high_good)
        own.append(f"{mine:.4f}")
        best.append(f"{values[winner]:.4f}")
        ahead += mine > values[winner] if is_high_good else mine < values[winner]
    sizes = ", ".join(str(terms) for terms in plan.terms)
    verdict = f"{ahead} of {len(plan.terms)} sizes"
    return Standing(f"{question}; {sizes} terms", " / ".join(own), " / ".join(best), verdict)


def duels(means: Means, names: list[str]) -> list[Duel]:
    """The log-loss of both our settings against every card of others, by table and size."""
    return [
        compare(
            f"held-out log-loss,\n{setting} settings",
            title_of(rival),
            [
                (cell[ours], cell[rival])
                for cell in means.values()
                if ours in cell and rival in cell
            ],
        )
        for ours, setting in ((DEFAULT, "default"), (LOWEST_LOSS, "lowest loss"))
        for rival in names
        if METHODS[rival].has_card and rival not in OWN
    ]


def whole_folds(kept: list[Kept], plan: Plan) -> list[Kept]:
    """Only halvings of which all methods have finished both folds, so that they have the same rows."""
    planned = Counter((job.table, job.fold) for job in jobs(plan))
    done = Counter((one.job.table, one.job.fold) for one in kept)
    is_whole = {fold: done[fold] == count for fold, count in planned.items()}
    return [
        one
        for one in kept
        # folds 2 h and 2 h + 1 are the two halves of one halving
        if is_whole[one.job.table, one.job.fold] and is_whole[one.job.table, one.job.fold ^ 1]
    ]


def means_of(kept: list[Kept], measure: str) -> Means:
    """Mean over the folds of each table and size; a ceiling is repeated for every size."""
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


def titled(name: str, plan: Plan) -> str:
    """A method with the seconds that it has here."""
    return title_of(name, plan.held_out_limit)


def untouched(means: Means) -> Means:
    """The tables that were not used to choose our settings."""
    return {cell: found for cell, found in means.items() if cell[0] not in TUNED}


def untouched_section(means: dict[str, Means], names: list[str], plan: Plan) -> str:
    """The same figures without the tables on which our settings were chosen."""
    fewer = {measure: untouched(found) for measure, found in means.items()}
    tables = sorted({table for table, _ in fewer["auc"]})
    if not tables:
        return ""
    text = (
        f"\n### Tables not used to choose the default settings\n\n{', '.join(tables)}. Rows of the other tables "
        "were used to choose these settings ([size and stability](choosing.md)).\n"
    )
    for terms in plan.terms:
        text += f"\n{terms} terms:\n\n" + table_of(fewer, names, terms, plan, {})
    for (title, _), ranking in zip(MEASURES.values(), rankings_of(fewer, names, plan), strict=True):
        text += f"\nMean ranks in {title}: {in_words(ranking)}.\n"
    return text


def table_of(
    means: dict[str, Means], names: list[str], terms: int, plan: Plan, sizes: Means
) -> str:
    rows = []
    for name in names:
        cells = [titled(name, plan)]
        for measure in MEASURES:
            found = [c[name] for (_, t), c in means[measure].items() if t == terms and name in c]
            cells.append(f"{mean(found):.4f}" if found else "-")
        if sizes:
            size = sizes.get((terms,), {}).get(name)
            cells.append("-" if size is None else f"{size:.1f}")
        rows.append(cells)
    titles = [title for title, _ in MEASURES.values()]
    return markdown_table(["method", *titles, *(["terms used"] if sizes else [])], rows)


def details(means: Means, names: list[str], plan: Plan, kept: list[Kept]) -> str:
    """One measure for each table and size, and the number of folds behind it."""
    folds: dict[str, set[int]] = {}
    for one in kept:
        folds.setdefault(one.job.table, set()).add(one.job.fold)
    rows = [
        [
            f"{table}, {terms}",
            str(len(folds[table])),
            *(f"{cell[n]:.4f}" if n in cell else "-" for n in names),
        ]
        for (table, terms), cell in sorted(means.items())
    ]
    return markdown_table(["table, terms", "folds", *(titled(name, plan) for name in names)], rows)


def rankings_of(means: dict[str, Means], names: list[str], plan: Plan) -> list[Ranking]:
    """One ranking for each measure, of the cards that have a figure everywhere."""
    found = []
    for measure, (_, is_high_good) in MEASURES.items():
        cells = means[measure]
        common = [
            name
            for name in names
            if METHODS[name].has_card and all(name in cell for cell in cells.values())
        ]
        values = np.array([[cell[name] for name in common] for cell in cells.values()])
        titles = [titled(name, plan) for name in common]
        tables = [table for table, _ in cells]
        found.append(rank(titles, -values if is_high_good else values, tables))
    return found


def in_words(ranking: Ranking) -> str:
    order = np.argsort(ranking.ranks, kind="stable")
    return ", ".join(f"{ranking.names[m]} {ranking.ranks[m]:.2f}" for m in order)


def losing_of(means: dict[str, Means], names: list[str], plan: Plan) -> list[str]:
    """Other people's cards with a better mean over the tables than one of ours."""
    return [
        f"held-out rows, {words}"
        for measure, terms, name in product(MEASURES, plan.terms, (DEFAULT, LOWEST_LOSS))
        for words in behind(means[measure], names, measure, terms, name)
    ]


def behind(means: Means, names: list[str], measure: str, terms: int, name: str) -> list[str]:
    """Which card of other people is best, if it is better than a card of ours, and our place."""
    title, is_high_good = MEASURES[measure]
    cells = [cell for (_, t), cell in means.items() if t == terms]
    values = {
        one: mean([cell.get(one, math.nan) for cell in cells])
        for one in names
        if METHODS[one].has_card and (one == name or one not in OWN)
    }
    order = sorted(values, key=lambda one: -values[one] if is_high_good else values[one])
    if not cells or values[order[0]] == values[name]:
        return []
    return [
        f"{title}, {terms} terms: {title_of(order[0])} has {values[order[0]]:.4f}, {title_of(name)} "
        f"{values[name]:.4f} (rank {order.index(name) + 1} of {len(order)})"
    ]


def losing_untouched(means: dict[str, Means], names: list[str], plan: Plan) -> list[str]:
    """The same for the default settings, on tables that were not used to choose them."""
    return [
        f"held-out rows of the tables not used for tuning, {words}"
        for measure, terms in product(MEASURES, plan.terms)
        for words in behind(untouched(means[measure]), names, measure, terms, DEFAULT)
    ]


def losing_to_floor(means: dict[str, Means], plan: Plan) -> list[str]:
    """Where a plain regression, which is not a card, is better than the better of our cards."""
    found = []
    for measure, (title, is_high_good) in MEASURES.items():
        better = []
        for terms in plan.terms:
            cells = [cell for (_, t), cell in means[measure].items() if t == terms]
            ours = [
                mean([cell.get(name, math.nan) for cell in cells])
                for name in (DEFAULT, LOWEST_LOSS)
            ]
            floor = mean([cell.get(CEILINGS[0], math.nan) for cell in cells])
            if floor > max(ours) if is_high_good else floor < min(ours):
                better.append(str(terms))
        if better:
            found.append(
                f"held-out rows, {title}: {title_of(CEILINGS[0])}, which is not a card, is better than our cards with "
                f"{', '.join(better)} terms"
            )
    return found


def losing_ranks(rankings: list[Ranking]) -> list[str]:
    found = []
    rivals = {title_of(name) for name in FOR_NEW_ROWS if name not in OWN}
    for (title, _), ranking in zip(MEASURES.values(), rankings, strict=True):
        ranks = dict(zip(ranking.names, ranking.ranks, strict=True))
        for name in (title_of(DEFAULT), title_of(LOWEST_LOSS)):
            better = [rival for rival in rivals & ranks.keys() if ranks[rival] < ranks.get(name, 0)]
            if better:
                listed = "; ".join(sorted(better, key=lambda rival: ranks[rival]))
                verb = "has" if len(better) == 1 else "have"
                found.append(
                    f"held-out rows, mean rank in {title}: {listed} {verb} a better rank than {name}"
                )
    return found
