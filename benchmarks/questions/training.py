"""(a) Training loss and time of cards with 3, 5 and 8 terms, at equal points, on the same columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from benchmarks.bench import PLAIN, Bench
from benchmarks.methods import CARDS, EQUALS, LOWEST_LOSS, MAX_POINTS, METHODS, OWN, title_of
from benchmarks.questions.common import (
    SAME,
    Duel,
    Plan,
    Section,
    Standing,
    best_of,
    compare,
    geometric_mean,
    markdown_table,
    mean,
    ratios,
    reasons,
    verdict_on,
)
from benchmarks.store import Job, Kept, Store

__all__ = ["jobs", "measurer", "section"]

#: A fit that takes longer than this, in seconds, is not repeated.
LONG = 20.0

Cells = dict[tuple, dict[str, float]]


def jobs(plan: Plan) -> list[Job]:
    """Methods take turns on each table and size; those with a limit are run once, with the shortest.

    What a longer limit gives is asked by the question about proofs.
    """
    found = []
    for table in plan.tables:
        for terms in plan.terms:
            for repeat in range(plan.repeats):
                for name in CARDS:
                    limited = METHODS[name].has_limit
                    if limited and repeat > 0:
                        continue
                    limit = plan.limits[0] if limited else 0.0
                    found.append(Job("a", name, table, PLAIN, terms, limit=limit, repeat=repeat))
    return found


def measurer(bench: Bench, store: Store) -> Callable[[Job], dict[str, Any]]:
    """A function that measures one job; a long fit is not repeated."""

    def measure(job: Job) -> dict[str, Any]:
        first = replace(job, repeat=0)
        for one in store.kept("a") if job.repeat > 0 else ():
            if one.job == first and one.failed:
                return {"error": "not repeated: the first fit gave no figures"}
            if one.job == first and one.figures["processor"] > LONG:
                return {"error": f"not repeated: the first fit took more than {LONG:g} s"}
        return bench.run(job)

    return measure


def section(kept: list[Kept], plan: Plan) -> Section:
    """Means over all tables and sizes, then every loss."""
    losses, seconds = cells_of(kept)
    names = [name for name in columns(kept) if any(name in cell for cell in losses.values())]
    text = (
        "Every method gets the plain view of the whole table, with the same columns for all, and at most 5 points per "
        f"term where it has such an option{beyond(kept)}. *Loss* is the sum of log-losses of the returned "
        "card, computed by the "
        "evaluator. Ratios are to riskcard's heuristic for the lowest loss on the same table and size; means "
        "of ratios are geometric. Seconds "
        "are processor seconds of a warm fit, the shortest of the repeats. A *case* is a table and a number of terms. "
        "*Lowest*: cases with the lowest loss of all methods, ties included.\n\n"
    )
    text += markdown_table(
        [
            "method",
            "loss / riskcard",
            "worst",
            "best",
            "lowest",
            "time / riskcard",
            "seconds, mean",
        ],
        [summary(name, losses, seconds) for name in names],
    )
    common = [cell for cell, found in losses.items() if all(name in found for name in names)]
    if 0 < len(common) < len(losses):
        text += f"\nOn the {len(common)} cases for which all methods have a figure:\n\n"
        some = [{cell: found[cell] for cell in common} for found in (losses, seconds)]
        text += markdown_table(
            ["method", "loss / riskcard", "time / riskcard", "seconds, mean"],
            [[summary(name, *some)[place] for place in (0, 1, 5, 6)] for name in names],
        )
    text += at_equal_thresholds(losses, seconds)
    text += "\n### Losses\n\n" + details(losses, names, "{:.2f}")
    text += "\n### Processor seconds\n\n" + details(seconds, names, "{:.3g}")
    return Section(
        "(a) Training loss and time",
        text + "\n" + reasons(kept),
        losing(names, losses, seconds),
        standing=standings(names, losses, seconds),
        duels=duels(names, losses, seconds),
    )


def standings(names: list[str], losses: Cells, seconds: Cells) -> list[Standing]:
    """How often no other method has a lower loss, and the mean time."""
    rivals = rivals_of(names)
    cells = [
        cell for cell in losses.values() if LOWEST_LOSS in cell and any(r in cell for r in rivals)
    ]
    if not cells:
        return []
    lowest = {
        name: sum(
            name in cell
            and cell[name] <= (1 + SAME) * min(cell[r] for r in [LOWEST_LOSS, *rivals] if r in cell)
            for cell in cells
        )
        for name in [LOWEST_LOSS, *rivals]
    }
    times = {
        name: mean([cell[name] for cell in seconds.values() if name in cell])
        for name in [LOWEST_LOSS, *rivals]
    }
    most, quickest = (
        best_of({r: lowest[r] for r in rivals}, True),
        best_of({r: times[r] for r in rivals}),
    )
    return [
        Standing(
            "lowest training loss, ties included",
            f"{lowest[LOWEST_LOSS]} of {len(cells)} cases",
            f"{lowest[most]} of {len(cells)} ({heading(most)})",
            verdict_on(lowest[LOWEST_LOSS], lowest[most], True),
        ),
        Standing(
            "mean training time",
            f"{times[LOWEST_LOSS]:.3f} s",
            f"{times[quickest]:.3f} s ({heading(quickest)})",
            verdict_on(times[LOWEST_LOSS], times[quickest]),
        ),
    ]


def duels(names: list[str], losses: Cells, seconds: Cells) -> list[Duel]:
    """Loss and time against every method of other people."""
    return [
        compare(measure, title_of(rival.split(" ")[0]), pairs_of(cells, LOWEST_LOSS, rival))
        for measure, cells in (("training loss", losses), ("training time", seconds))
        for rival in rivals_of(names)
    ]


def rivals_of(names: list[str]) -> list[str]:
    """The columns of methods that are not ours."""
    return [name for name in names if name.split(" ")[0] not in OWN]


def at_equal_thresholds(losses: Cells, seconds: Cells) -> str:
    """Ours with as many cuts as a rival has thresholds; empty when that was not measured."""
    rows = []
    for ours, rival in EQUALS:
        pairs = pairs_of(losses, ours, rival)
        if pairs:
            times = [other / own for own, other in pairs_of(seconds, ours, rival)]
            rows.append(
                [
                    title_of(rival),
                    f"{geometric_mean([other / own for own, other in pairs]):.4f}",
                    f"{sum(own < other * (1 - SAME) for own, other in pairs)}",
                    f"{sum(abs(own - other) <= SAME * other for own, other in pairs)}",
                    f"{sum(own > other * (1 + SAME) for own, other in pairs)}",
                    f"{geometric_mean(times):.2f}",
                    f"{sum(ratio > 1 for ratio in times)} of {len(times)}",
                ]
            )
    if not rows:
        return ""
    head = ["method", "loss / riskcard", "riskcard lower", "same", "higher", "time / riskcard", "riskcard faster"]  # fmt: skip
    return (
        "\n### At equal numbers of thresholds\n\nriskcard for the lowest loss with 9 and with 99 cuts per "
        "feature, compared with the method that has as many thresholds; both use quantiles, but not by the "
        "same rule.\n\n" + markdown_table(head, rows)
    )


def pairs_of(cells: Cells, ours: str, rival: str) -> list[tuple[float, float]]:
    """Both figures, in every cell that has them."""
    return [(cell[ours], cell[rival]) for cell in cells.values() if ours in cell and rival in cell]


def beyond(kept: list[Kept]) -> str:
    """The methods with more points per term than were asked for, and how many they have."""
    most: dict[str, float] = {}
    for one in kept:
        jump = one.figures.get("card", {}).get("jump", 0)
        most[one.job.method] = max(jump, most.get(one.job.method, 0))
    return "".join(
        f"; {title_of(name)} has none, and its terms have up to {jump:g}"
        for name, jump in most.items()
        if jump > MAX_POINTS
    )


def columns(kept: list[Kept]) -> list[str]:
    """Methods as columns; one with several limits has a column for each."""
    return list(dict.fromkeys(column_of(one.job) for one in kept))


def column_of(job: Job) -> str:
    return job.method if not job.limit else f"{job.method} {job.limit:g}"


def cells_of(kept: list[Kept]) -> tuple[Cells, Cells]:
    """Loss and least seconds of each table and size, by column."""
    losses: Cells = {}
    seconds: Cells = {}
    for one in kept:
        if one.failed:
            continue
        cell, name = (one.job.table, one.job.terms), column_of(one.job)
        losses.setdefault(cell, {})[name] = one.figures["fit"]["loss"]
        known = seconds.setdefault(cell, {}).get(name, float("inf"))
        seconds[cell][name] = min(known, one.figures["processor"])
    return losses, seconds


def summary(name: str, losses: Cells, seconds: Cells) -> list[str]:
    """One method over all cells."""
    found = ratios(losses, name)
    lowest = sum(
        cell[name] <= min(cell.values()) * (1 + SAME) for cell in losses.values() if name in cell
    )
    count = sum(name in cell for cell in losses.values())
    taken = [cell[name] for cell in seconds.values() if name in cell]
    return [
        heading(name),
        f"{geometric_mean(found):.4f}",
        f"{max(found):.4f}",
        f"{min(found):.4f}",
        f"{lowest} of {count}",
        f"{geometric_mean(ratios(seconds, name)):.2f}",
        f"{sum(taken) / len(taken):.3g}",
    ]


def heading(column: str) -> str:
    name, *limit = column.split(" ")
    return title_of(name, float(limit[0]) if limit else 0.0)


def details(cells: Cells, names: list[str], form: str) -> str:
    head = ["table, terms", *(heading(name) for name in names)]
    rows = [
        [f"{table}, {terms}", *(form.format(cell[n]) if n in cell else "-" for n in names)]
        for (table, terms), cell in cells.items()
    ]
    return markdown_table(head, rows)


def losing(names: list[str], losses: Cells, seconds: Cells) -> list[str]:
    """Where another method has a lower loss or a shorter time, also with as many candidate cuts."""
    found = []
    for name in names:
        if name == LOWEST_LOSS:
            continue
        is_own = name.split(" ")[0] in OWN
        who = "its own longer search" if name.startswith("certified") else heading(name)
        found += lower(
            LOWEST_LOSS, name, losses, f"training loss: {who} is lower than riskcard's heuristic"
        )
        if not is_own:  # with fewer cuts it is our own that is faster
            found += faster(LOWEST_LOSS, name, seconds, f"training time: {heading(name)} is faster")
    for ours, rival in EQUALS:
        if ours in names and rival in names:
            who = f"{heading(rival)} is {{}} than {heading(ours)}"
            found += lower(ours, rival, losses, f"training loss: {who.format('lower')}")
            found += faster(ours, rival, seconds, f"training time: {who.format('faster')}")
    return found


def lower(ours: str, name: str, losses: Cells, claim: str) -> list[str]:
    """On how many cells a method's loss is lower than ours, and where most."""
    pairs = {
        cell: values[name] / values[ours]
        for cell, values in losses.items()
        if name in values and ours in values
    }
    below = {cell: ratio for cell, ratio in pairs.items() if ratio < 1 - SAME}
    if not below:
        return []
    cell = min(below, key=lambda one: below[one])
    return [
        f"{claim} in {len(below)} of {len(pairs)} cases; the largest difference is on {cell[0]} with {cell[1]} terms, "
        f"{100 * (1 - below[cell]):.2f} %"
    ]


def faster(ours: str, name: str, seconds: Cells, claim: str) -> list[str]:
    """On how many cells a method is faster than ours, and by how much there."""
    pairs = pairs_of(seconds, ours, name)
    longer = [own / other for own, other in pairs if other < own]
    if not longer:
        return []
    return [
        f"{claim} in {len(longer)} of {len(pairs)} cases; there riskcard takes "
        f"{geometric_mean(longer):.1f} times as long"
    ]
