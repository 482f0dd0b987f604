"""(c) Proofs: how many problems are proven within a time, and how far the others were."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.bench import PLAIN
from benchmarks.methods import METHODS, title_of
from benchmarks.questions.common import (
    Plan,
    Section,
    Standing,
    best_of,
    markdown_table,
    mean,
    reasons,
    verdict_on,
)
from benchmarks.store import Job, Kept
from riskcard.status import OPTIMALITY_TOLERANCE, relative_gap

__all__ = ["PROBLEMS", "SMALL", "jobs", "section"]

#: The kinds of problems: its name, who is asked to prove it (ours first), and which sizes.
PROBLEMS = {
    "calibrated": (
        "every cut, fitted scale, odds × 1,000 per term", ("certified",), (3, 5, 8),
    ),
    "steep": ("every cut, fitted scale, odds × e^30 per term", ("certified-steep",), (3, 5, 8)),
    "limited": (
        "every cut, fitted scale, odds × 20 per term", ("certified-limited",), (5, 8),
    ),
    "lattice": (
        "nine cuts per feature, one point = one unit of log-odds",
        ("certified-lattice", "lattice", "lattice-scip"),
        (3, 5),
    ),
    "paper": (
        "the paper's form: one cut per feature, one point = one unit of log-odds", ("paper", "bonmin", "scip"), (2, 3),
    ),
}  # fmt: skip
#: A shorter limit, the default of a proof, for large problems that only riskcard is asked; and their sizes.
A_MINUTE, LARGE_SIZES = 60.0, (5, 8)
#: Where the paper's form is small enough for BONMIN and SCIP.
SMALL = ("paper:200:0", "planted:200:0", "ties:400:0")


def jobs(plan: Plan) -> list[Job]:
    """One run with the longest limit: what was proven earlier ended earlier."""
    found = []
    for kind, (_, names, sizes) in PROBLEMS.items():
        for table in SMALL if kind == "paper" else plan.tables:
            for terms in sizes:
                for limit in limits_of(kind, table, terms, plan):
                    found += [Job("c", name, table, PLAIN, terms, limit=limit) for name in names]
    return found


def limits_of(kind: str, table: str, terms: int, plan: Plan) -> list[float]:
    """Limits of the runs on a table, in seconds: one, or two if there is a longer or a shorter one as well."""
    limits, has_rivals = {limit_of(kind, plan)}, len(PROBLEMS[kind][1]) > 1
    if has_rivals and table in plan.long_tables:
        limits.add(max(plan.limits))
    if kind in ("calibrated", "steep") and terms in LARGE_SIZES:
        limits.add(min(A_MINUTE, max(plan.limits)))
    return sorted(limits)


def limit_of(kind: str, plan: Plan) -> float:
    """Seconds for a kind of problem, the same for all who are asked to prove it; the hardest has the longest."""
    longest = max(plan.limits)
    return longest if kind == "steep" else min(longest, plan.rival_limit)


def section(kept: list[Kept], plan: Plan) -> Section:
    """A line for each kind of problem and method; then every problem."""
    limits = sorted(plan.limits)
    text = (
        "A problem counts as proven when the relative gap between the card's loss, by the evaluator, and the "
        "method's bound is at most one in a million. Seconds are wall-clock time, like the limits; processor "
        "seconds are "
        "listed next to them. The mean gap is over all problems of a kind, at the end of the longest limit: "
        "0 if the proof "
        "is complete, 100 % if there is no card or no bound. BONMIN gives no bound that can be relied on: "
        "its final status "
        "is shown, and nothing counts as proven by it.\n\n"
    )
    head = ["problem", "limit", "method", *(f"proven in {limit:g} s" for limit in limits), "mean gap"]  # fmt: skip
    rows, losing = [], []
    for kind, (title, names, _) in PROBLEMS.items():
        for longest in sorted({one.job.limit for one in kept if one.job.method in names}):
            of_kind = [o for o in kept if o.job.method in names and o.job.limit == longest]
            for name in names:
                runs = [one for one in of_kind if one.job.method == name]
                if runs:
                    cells = shares(runs, limits, longest)
                    rows.append([title, f"{longest:g} s", METHODS[name].title, *cells])
            losing += losing_of(kind, of_kind) + unproven(kind, of_kind, longest)
    text += markdown_table(head, rows) + "\n### Every problem\n\n"
    text += markdown_table(
        [
            "problem",
            "method",
            "limit",
            "loss",
            "bound",
            "gap",
            "status",
            "seconds",
            "processor",
            "nodes",
        ],
        [line(one) for one in kept if not one.failed],
    )
    return Section("(c) Proofs", text + "\n" + reasons(kept), losing, standing=standings(kept))


def standings(kept: Sequence[Kept]) -> list[Standing]:
    """How many problems are proven: for the lowest loss, and wherever other solvers take part."""
    found = []
    for kind, (title, (ours, *rivals), _) in PROBLEMS.items():
        limits = {one.job.limit for one in kept if one.job.method == ours}
        if not limits or not (rivals or kind == "calibrated"):
            continue
        limit = max(limits)
        runs = {
            name: [one for one in kept if one.job.method == name and one.job.limit == limit]
            for name in (ours, *rivals)
        }
        counts = {
            name: sum(is_proven(one, limit) for one in some) for name, some in runs.items() if some
        }
        mine = counts.pop(ours)
        others, verdict = "no other method here", "-"
        if counts:
            best = best_of(counts, True)
            others = f"{counts[best]} of {len(runs[best])} ({METHODS[best].title})"
            verdict = verdict_on(mine, counts[best], True)
        question = f"proven in {limit:g} s: {title}"
        found.append(Standing(question, f"{mine} of {len(runs[ours])}", others, verdict))
    return found


def unproven(kind: str, kept: Sequence[Kept], limit: float) -> list[str]:
    """How many problems we did not prove, whether or not somebody else did."""
    ours = [one for one in kept if one.job.method == PROBLEMS[kind][1][0]]
    rest = [one for one in ours if not is_proven(one, limit)]
    if not rest:
        return []
    gap = mean([1.0 if one.failed else gap_of(one) for one in rest])
    return [
        f"proofs, {PROBLEMS[kind][0]}: {len(rest)} of {len(ours)} problems are not proven after {limit:g} s; "
        "their mean "
        f"gap is {100 * gap:.1f} %"
    ]


def gap_of(one: Kept) -> float:
    """The relative gap; 1 if there is no bound to rely on."""
    bound = one.figures.get("bound")
    if bound is None or one.job.method == "bonmin":
        return 1.0
    return relative_gap(one.figures["fit"]["loss"], bound)


def is_proven(one: Kept, limit: float) -> bool:
    return (
        not one.failed
        and gap_of(one) <= OPTIMALITY_TOLERANCE
        and one.figures["seconds"] <= limit * 1.05
    )


def shares(runs: Sequence[Kept], limits: Sequence[float], longest: float) -> list[str]:
    """How many were proven within each limit that there was time for, and how far the others were."""
    cells = [
        f"{sum(is_proven(one, limit) for one in runs)} of {len(runs)}" if limit <= longest else "-"
        for limit in limits
    ]
    gaps = [1.0 if one.failed else gap_of(one) for one in runs]
    gaps = [0.0 if is_proven(one, longest) else gap for one, gap in zip(runs, gaps, strict=True)]
    return [*cells, f"{100 * mean(gaps):.1f} %"]


def line(one: Kept) -> list[str]:
    figures = one.figures
    bound = figures.get("bound")
    return [
        f"{one.job.table}, {one.job.terms} terms",
        title_of(one.job.method),
        f"{one.job.limit:g} s",
        f"{figures['fit']['loss']:.5f}",
        "-" if bound is None else f"{bound:.5f}",
        f"{100 * gap_of(one):.3g} %",
        str(figures.get("status")),
        f"{figures['seconds']:.2f}",
        f"{figures['processor']:.2f}",
        f"{figures.get('nodes', 0):,}",
    ]


def losing_of(kind: str, kept: Sequence[Kept]) -> list[str]:
    """Problems that another proved and we did not, or on which it had a smaller gap or less time."""
    ours_name = PROBLEMS[kind][1][0]
    ours = {(o.job.table, o.job.terms): o for o in kept if o.job.method == ours_name}
    found = []
    for other in kept:
        mine = ours.get((other.job.table, other.job.terms))
        if other.failed or mine is None or mine.failed or other.job.method == ours_name:
            continue
        where = f"{other.job.table}, {other.job.terms} terms, {other.job.limit:g} s"
        rival = title_of(other.job.method)
        if gap_of(other) < gap_of(mine) - OPTIMALITY_TOLERANCE:
            found.append(
                f"proofs: {rival} leaves a gap of {100 * gap_of(other):.2f} % on {where}, "
                f"riskcard {100 * gap_of(mine):.2f} %"
            )
        elif (
            gap_of(other) <= OPTIMALITY_TOLERANCE
            and other.figures["processor"] < mine.figures["processor"]
        ):
            found.append(f"proofs: {rival} is faster on {where}")
    return found
