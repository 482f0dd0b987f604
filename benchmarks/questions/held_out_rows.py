"""(b) Held-out rows: how cards do on rows that they were not learned from, by cross-validation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.bench import AS_IT_COMES
from benchmarks.methods import (
    CEILINGS,
    DEFAULT,
    FOR_NEW_ROWS,
    FORMER,
    LOWEST_LOSS,
    OWN,
    TUNED,
    title_of,
)
from benchmarks.questions.common import (
    Duel,
    Plan,
    Section,
    Standing,
    compare,
    markdown_table,
    mean,
    reasons,
)
from benchmarks.questions.held_out_group import (
    MEASURES,
    NEW,
    Group,
    against_others,
    groups_of,
    is_better,
    rankings_of,
    ranks_of,
    subgroup,
)
from benchmarks.ranks import Ranking, draw_rankings
from benchmarks.store import Job, Kept

__all__ = ["PICTURE", "jobs", "section"]

TITLE, PICTURE = "(b) Held-out rows", "benchmark_ranks.png"
#: Those of which ranks are shown for each size.
RANKED = ("auc", "mean_loss")
#: Calibration slopes that are called right.
LOWEST_SLOPE, HIGHEST_SLOPE = 0.8, 1.2
#: The size that one chosen by cross-validation is compared with: that of the default.
FIXED_TERMS = 5


def jobs(plan: Plan) -> list[Job]:
    """The same folds for all methods; one that has no size is fitted once.

    All tables have their first fold before any has its second: a stopped run has something of each.
    """
    found = []
    for fold, table in product(range(plan.folds), (*plan.new_tables, *plan.tables)):
        for terms, name in product(plan.terms, FOR_NEW_ROWS):
            found.append(Job("b", name, table, AS_IT_COMES, terms, fold))
        for name in (*CEILINGS, TUNED):
            found.append(Job("b", name, table, AS_IT_COMES, 0, fold))
    return found


def section(kept: list[Kept], plan: Plan) -> Section:
    """Means for each size, the choice of a size, ranks over tables and sizes, and their picture."""
    groups = groups_of(kept, plan)
    if not groups:
        return Section(TITLE, "No table is finished by the default yet.\n")
    judged, *others = groups
    text = introduction(plan)
    for group in groups:
        text += f"\n## {group.title}\n\n{len(group.tables)} tables: {', '.join(group.tables)}.\n"
        for terms in plan.terms:
            text += f"\n### {terms} terms, {len(group.tables)} tables\n\n" + table_of(group, terms)
    sizes, sizes_losing = chosen_sizes(groups)
    text += sizes
    rankings = rankings_of(judged)
    text += (
        f"\n## Ranks\n\n{judged.title}. Ranks of cards, averaged over the sizes of each table; the tests count "
        "tables.\n\n"
    )
    for (title, _), ranking in zip(MEASURES.values(), rankings, strict=True):
        text += (
            f"- {title}: {in_words(ranking)} (Friedman p = {ranking.p_value:.2g}; {ranking.n_blocks} tables, "
            f"critical difference {ranking.difference:.2f})\n"
        )
    text += (
        f"\n![Mean ranks](images/{PICTURE})\n\n*Mean ranks on held-out rows, the best on the left. Methods joined by a "
        "bar do not differ significantly.*\n\n## Log-loss of every table\n\n"
    )
    text += details(groups, plan)
    titles = [title for title, _ in MEASURES.values()]

    def draw(folder: Path) -> None:
        draw_rankings(list(zip(titles, rankings, strict=True)), folder / PICTURE)

    losing = losing_of(judged, plan, (DEFAULT, LOWEST_LOSS)) + losing_ranks(rankings)
    losing += [line for group in others for line in losing_of(group, plan, (DEFAULT,))]
    losing += [line for group in groups for line in losing_to_former(group, plan)]
    losing += losing_to_regressions(judged, plan) + sizes_losing
    return Section(
        TITLE,
        text + "\n" + reasons(kept),
        losing,
        draw,
        list(standings(groups, plan)),
        duels(judged),
    )


def introduction(plan: Plan) -> str:
    """How the figures of the page were made."""
    return (
        f"{plan.folds} folds, stratified and the same for all methods: each method is fitted to the rows of all folds "
        "but one and judged on that one. Methods that accept categories and missing values get the table as it is, the "
        "others its plain view. Means are over folds, then over tables. The calibration error is the mean distance, by "
        "rows, between risk and event rate in at most ten groups of rows with similar risks. A card with few "
        "totals has "
        "fewer groups, and chance adds less to each, so compare only cards of one size. The calibration slope is 1 "
        "where risks are neither too extreme (below 1) nor too cautious (above 1): its median over tables, and the "
        f"share of tables where it is between {LOWEST_SLOPE} and {HIGHEST_SLOPE}. Ranks are among the cards that were "
        "run on all tables of the group. *Terms used* counts the cuts and groups of levels of the returned cards; "
        f"optbinning has bins for missing values in addition to the terms requested. {titles_of(CEILINGS)} use all "
        "columns and are not cards.\n"
    )


def titles_of(names: Sequence[str]) -> str:
    *others, last = map(title_of, names)
    return f"{', '.join(others)} and {last}"


def table_of(group: Group, terms: int) -> str:
    """One line for each method; beside one that was run on some tables only, ours on these tables."""
    ranks = [ranks_of(group, terms, measure) for measure in RANKED]
    rows = []
    for name in (*FOR_NEW_ROWS, *CEILINGS):
        count = len(group.of("auc", terms, name))
        if count == len(group.tables):
            rows.append([title_of(name), *cells_of(group, terms, name, ranks)])
        elif count:
            fewer = subgroup(group, terms, name)
            rows.append([f"{title_of(name)}, {count} tables", *cells_of(fewer, terms, name, [])])
            rows.append(
                [f"{title_of(DEFAULT)}, the same {count}", *cells_of(fewer, terms, DEFAULT, [])]
            )
    head = ["method", *(title for title, _ in MEASURES.values()), "slope"]
    head += [f"slope {LOWEST_SLOPE} to {HIGHEST_SLOPE}"]
    head += [f"rank in {MEASURES[measure][0]}" for measure in RANKED]
    return markdown_table([*head, "terms used"], rows)


def cells_of(group: Group, terms: int, name: str, ranks: Sequence[dict[str, float]]) -> list[str]:
    """The figures of one method: means, slopes, ranks and terms."""
    slopes = [slope for slope in group.of("slope", terms, name) if not math.isnan(slope)]
    right = mean([LOWEST_SLOPE < slope < HIGHEST_SLOPE for slope in slopes])
    terms_used = group.of("terms", terms, name)
    return [
        *(f"{mean(group.of(measure, terms, name)):.4f}" for measure in MEASURES),
        f"{np.median(slopes):.2f}" if slopes else "-",
        f"{100 * right:.0f} %" if slopes else "-",
        *(f"{of[name]:.2f}" if name in of else "-" for of in ranks or [{}] * len(RANKED)),
        f"{mean(terms_used):.1f}" if terms_used else "-",
    ]


def in_words(ranking: Ranking) -> str:
    order = np.argsort(ranking.ranks, kind="stable")
    return ", ".join(f"{ranking.names[m]} {ranking.ranks[m]:.2f}" for m in order)


def chosen_sizes(groups: Sequence[Group]) -> tuple[str, list[str]]:
    """A size chosen by cross-validation against the fixed one, and where it is worse."""
    means = {
        measure: {cell: of for group in groups for cell, of in group.means[measure].items()}
        for measure in groups[0].means
    }
    tables = tuple(
        table
        for table, terms in means["auc"]
        if terms == FIXED_TERMS and {TUNED, DEFAULT} <= {*means["auc"][table, terms]}
    )
    if not tables:
        return "", []
    both = Group("", tables, means)
    fixed = f"{title_of(DEFAULT)}, {FIXED_TERMS} terms"
    rows = [
        [title, *(cell for cell in cells_of(both, FIXED_TERMS, name, []) if cell != "-")]
        for title, name in ((title_of(TUNED), TUNED), (fixed, DEFAULT))
    ]
    head = ["method", *(title for title, _ in MEASURES.values()), "slope"]
    head += [f"slope {LOWEST_SLOPE} to {HIGHEST_SLOPE}", "terms used"]
    text = (
        f"\n## The size chosen by cross-validation\n\n`RiskScoreClassifierCV()` with its default settings, on the "
        f"training rows of each fold, against a card with {FIXED_TERMS} terms; {len(tables)} tables: "
        f"{', '.join(tables)}.\n\n" + markdown_table(head, rows)
    )
    losing = []
    for measure, (title, is_high_good) in MEASURES.items():
        ours, theirs = (both.of(measure, FIXED_TERMS, name) for name in (TUNED, DEFAULT))
        duel = compare(title, "", zip(ours, theirs, strict=True), is_high_good)
        text += f"\n{title}: better on {duel.better} tables, the same on {duel.same}, worse on {duel.worse}."
        if (mean(ours) < mean(theirs)) == is_high_good and mean(ours) != mean(theirs):
            losing.append(
                f"held-out rows, {title}: the size chosen by cross-validation has {mean(ours):.4f}, a fixed size of "
                f"{FIXED_TERMS} terms {mean(theirs):.4f} ({len(tables)} tables)"
            )
    return text + "\n", losing


def details(groups: Sequence[Group], plan: Plan) -> str:
    """The log-loss of each table and size."""
    names = (*FOR_NEW_ROWS, *CEILINGS)
    rows = [
        [
            f"{table}, {terms}",
            *(f"{cell[name]:.4f}" if name in cell else "-" for name in names),
        ]
        for group in groups
        for table in sorted(group.tables)
        for terms in plan.terms
        if (cell := group.means["mean_loss"].get((table, terms)))
    ]
    return markdown_table(["table, terms", *map(title_of, names)], rows)


def standings(groups: Sequence[Group], plan: Plan) -> Iterator[Standing]:
    """Means over tables of both our settings, and of the best card of others, for each size."""
    judged, *others = groups
    for measure in MEASURES:
        yield standing(judged, plan, measure, DEFAULT)
    yield standing(judged, plan, "mean_loss", LOWEST_LOSS)
    for group in others:
        yield standing(group, plan, "mean_loss", DEFAULT)


def standing(group: Group, plan: Plan, measure: str, name: str) -> Standing:
    """One setting of ours against the best card of others, one figure for each size."""
    own, best, ahead = [], [], 0
    for terms in plan.terms:
        ours, theirs, _ = against_others(group, measure, terms, name)
        own.append(f"{ours:.4f}")
        best.append(f"{theirs:.4f}")
        ahead += is_better(measure, ours, theirs)
    setting = {DEFAULT: "default", LOWEST_LOSS: "lowest loss"}[name]
    where = f"{len(group.tables)} {'new' if group.title == NEW else 'used'} tables"
    sizes = ", ".join(str(terms) for terms in plan.terms)
    return Standing(
        f"held-out {MEASURES[measure][0]}, {setting}, {where}; {sizes} terms",
        " / ".join(own),
        " / ".join(best),
        f"{ahead} of {len(plan.terms)} sizes",
    )


def duels(group: Group) -> list[Duel]:
    """The log-loss of both our settings against every card of others, by table and size."""
    cells = [cell for (_, terms), cell in group.means["mean_loss"].items() if terms]
    return [
        compare(
            f"held-out log-loss,\n{setting} settings",
            title_of(rival),
            [(cell[ours], cell[rival]) for cell in cells if ours in cell and rival in cell],
        )
        for ours, setting in ((DEFAULT, "default"), (LOWEST_LOSS, "lowest loss"))
        for rival in FOR_NEW_ROWS
        if rival not in OWN and any({ours, rival} <= cell.keys() for cell in cells)
    ]


def losing_of(group: Group, plan: Plan, ours: Sequence[str]) -> list[str]:
    """Other people's cards with a better mean over the tables than one of ours."""
    found = []
    for measure, terms, name in product(MEASURES, plan.terms, ours):
        mine, theirs, order = against_others(group, measure, terms, name)
        if order[0] != name and mine != theirs:
            found.append(
                f"{where(group)}, {MEASURES[measure][0]}, {terms} terms: {title_of(order[0])} has {theirs:.4f}, "
                f"{title_of(name)} {mine:.4f} (rank {order.index(name) + 1} of {len(order)})"
            )
    return found


def where(group: Group) -> str:
    return "held-out rows" if group.title == NEW else f"held-out rows, {group.title.lower()}"


def losing_to_former(group: Group, plan: Plan) -> list[str]:
    """Where our former settings for new rows were better than the default."""
    found = []
    for measure, (title, _) in MEASURES.items():
        pairs = [
            (terms, *(mean(group.of(measure, terms, name)) for name in (FORMER, DEFAULT)))
            for terms in plan.terms
            if len(group.of(measure, terms, FORMER)) == len(group.tables)
        ]
        better = [
            f"{theirs:.4f} with {terms} terms, {title_of(DEFAULT)} {ours:.4f}"
            for terms, theirs, ours in pairs
            if is_better(measure, theirs, ours)
        ]
        if better:
            found.append(f"{where(group)}, {title}: {title_of(FORMER)} has {'; '.join(better)}")
    return found


def losing_to_regressions(group: Group, plan: Plan) -> list[str]:
    """Where a method that is not a card is better than the default."""
    found = []
    for name, measure in product(CEILINGS, MEASURES):
        better = [
            str(terms)
            for terms in plan.terms
            if len(theirs := group.of(measure, terms, name)) == len(group.tables)
            and is_better(measure, mean(theirs), mean(group.of(measure, terms, DEFAULT)))
        ]
        if better:
            found.append(
                f"held-out rows, {MEASURES[measure][0]}: {title_of(name)}, which is not a card, is better than the "
                f"default with {', '.join(better)} terms"
            )
    return found


def losing_ranks(rankings: list[Ranking]) -> list[str]:
    """Other people's cards with a better mean rank than one of ours."""
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
