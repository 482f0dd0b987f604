"""Which constants of the search matter: each is switched off in turn.

    python -m benchmarks.ablation                     on tables that come with the package
    python -m benchmarks.ablation --data FOLDER       and on the CSV files of a folder
    python -m benchmarks.ablation --only n_explored   for some constants alone

A constant is set to the value at which its mechanism does nothing, or where there is none to one
that is plainly different. The tables are in two groups, so that what one group suggests can be
judged by the other. Figures are relative to the plan as it is: the change of the loss in percent
(mean over the fits of either group), how many fits are worse and better, calls of kernels,
processor seconds, and the fits that change most. The first lines show chance: the plan as it is a
second time, and with other random numbers.

Constants that only bear on rules, pools, proofs or single features are not switched off: see
`NOT_SWITCHED`.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.counting import counted_kernels
from benchmarks.tables import load_table, names_of_tables
from riskcard.data.table import make_table
from riskcard.encoding.rank_table import rank_table
from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem, make_problem
from riskcard.search.empty_card import best_empty_card
from riskcard.search.heuristic.find_cards import find_cards
from riskcard.search.options import SearchOptions
from riskcard.search.plan import PLAN, SearchPlan

MANY = 10**9

#: For each constant the value that switches it off, or one that is plainly different.
SWITCHED_OFF: dict[str, tuple[Any, ...]] = {
    "one_pass_rows": (512,),
    "first_pass_values": (60_000,),
    "first_pass_fewest_rows": (1,),
    "sample_worthwhile": (1.0,),
    "first_pass_cuts": (32, 255),
    "second_pass_cuts": (128,),
    "second_pass_rows": (30_000,),
    "one_pass_steps": (0,),
    "one_pass_steps_per_term": (4,),
    "first_pass_steps": (1,),
    "thorough_chains": (1,),
    "thorough_one_pass": (1.1e8,),
    "thorough_first_pass": (0.0,),
    "n_explored": (1,),
    "most_perturbed_terms": (1,),
    "promising_features": (4, MANY),
    "few_cuts": (0,),
    "ridge": (1e-7,),
    "nearly_separated": (0.0,),
    "steps_if_separated": (1,),
    "small_ridge": (4e-6,),
    "no_real_limit": (0.0,),
    "n_tries": (4,),
    "one_pass_tries": (6,),
    "patience": (MANY,),
    "most_sets": (0,),
    "n_rounded": (4,),
    "n_fitted": (1,),
    "n_refined": (1,),
    "refine_steps": (0,),
    "n_descended": (1,),
    "most_values_to_exchange": (0, MANY),
    "second_pass": (0.0,),
    "thorough_second_pass": (2.0e7,),
    "second_pass_if_separated": (0.0,),
    "n_kept": (1,),
    "thorough_kept": (2,),
    "most_replaced_points": (1,),
    "least_gain": (0.0,),
    "window_bins": (32,),
    "window_part": (MANY,),
    "most_jumps_tried": (4,),
    "cost_of_step": (0.0,),
    "cost_of_cut": (0.0,),
    "cost_of_pair": (0.0,),
    "cost_of_value": (0.0,),
    "cost_of_value_per_term": (0.0,),
    "least_common": (1.1,),
    "common_sample": (8,),
    "common_most_rows": (0,),
}

#: Constants of drivers, proofs and pools: no fit of this benchmark depends on them.
NOT_SWITCHED = (
    "most_forced", "short_proof_work", "short_proof_fewest_nodes", "short_proof_most_nodes",
    "most_cards_tried", "all_sizes_rows", "most_choices", "sets_per_wanted_card", "pool_expanded",
    "pool_furthest_move", "pool_candidates", "rounded_cut_reach",
)  # fmt: skip

#: Near separation, where losses are tiny, changes are relative to this part of the empty card's
#: loss.
LEAST_LOSS = 0.05
#: Changes of less than this many percent are none.
SAME = 1e-4

#: Tables that come with the package, by name, rows and seed or columns; see `load_table`.
TABLES = (
    "planted", "planted:300:5", "correlated", "rare", "ties", "separable", "paper",
    "breast_cancer", "steps:1000:200", "planted:20000:1", "ties:8000:2", "steps:60000:20",
)  # fmt: skip
#: Kinds of fits: terms, scale, limit on the log-odds of a term, and whether the search is as
#: thorough as before a long proof.
KINDS: dict[str, tuple[int, Any, float | None, bool]] = {
    "3 terms": (3, "calibrated", None, False),
    "5 terms": (5, "calibrated", None, False),
    "9 terms": (9, "calibrated", None, False),
    "limited": (7, "calibrated", 3.0, False),
    "fixed": (5, 1, None, False),
    "thorough": (5, "calibrated", None, True),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A problem, how thoroughly it is searched, and the group of its table."""

    name: str
    group: str
    problem: Problem
    is_thorough: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """What one plan gave on all cases."""

    losses: np.ndarray
    calls: int
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="a folder of CSV files, the target (0 or 1) last")
    parser.add_argument("--only", nargs="+", choices=sorted(SWITCHED_OFF), metavar="CONSTANT")
    parser.add_argument("--tables", nargs="+", help="these tables alone")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    given = parser.parse_args(arguments)
    cases = make_cases(given.tables or _names(given.data), given.data, given.kinds)
    measure(cases[: len(given.kinds)], PLAN)  # compile
    known = measure(cases, PLAN)
    print(f"{len(cases)} fits, {known.seconds:.1f} processor seconds, {known.calls} kernel calls")
    print(_line(["constant", "value", "loss A %", "loss B %", "worse", "better", "calls", "time"]))
    print(_row("(nothing)", "", measure(cases, PLAN), known, cases), flush=True)
    print(_row("(other seed)", "", measure(cases, PLAN, seed=1), known, cases), flush=True)
    for name in given.only or SWITCHED_OFF:
        for value in SWITCHED_OFF[name]:
            changed = measure(cases, replace(PLAN, **{name: value}))
            print(_row(name, f"{value:g}", changed, known, cases), flush=True)
    return 0


def _names(folder: Path | None) -> list[str]:
    files = names_of_tables(folder)[: -len(names_of_tables(None))] if folder is not None else []
    return [*TABLES, *files]


def make_cases(
    names: Sequence[str], folder: Path | None, kinds: Sequence[str] = tuple(KINDS)
) -> list[Case]:
    """Every kind of fit of every table; tables belong to group A and group B in turns."""
    cases = []
    for place, name in enumerate(names):
        table = load_table(name, folder).plain()
        data, _ = rank_table(make_table(table.values, table.y))
        for kind in kinds:
            terms, scale, limit, is_thorough = KINDS[kind]
            problem = make_problem(data, max_terms=terms, scale=scale, max_log_odds=limit)
            cases.append(Case(f"{name}, {kind}", "AB"[place % 2], problem, is_thorough))
    return cases


def measure(cases: Sequence[Case], plan: SearchPlan, seed: int = 0) -> Measured:
    """Losses, calls of kernels and processor seconds of a plan."""
    losses, begin = [], time.process_time()
    with counted_kernels() as calls:
        for case in cases:
            options = SearchOptions(case.is_thorough or None, random_state=seed, plan=plan)
            losses.append(loss_of(find_cards(case.problem, options)[0], case.problem))
    return Measured(np.array(losses), sum(calls.values()), time.process_time() - begin)


def _row(name: str, value: str, changed: Measured, known: Measured, cases: Sequence[Case]) -> str:
    """A line of the table; at its end the fits whose losses change most."""
    least = [LEAST_LOSS * loss_of(best_empty_card(case.problem), case.problem) for case in cases]
    change = 100 * (changed.losses - known.losses) / np.maximum(known.losses, least)
    groups = np.array([case.group for case in cases])
    means = [f"{_mean(change[groups == group]):+.4f}" for group in "AB"]
    counts = [f"{np.count_nonzero(sign * change > SAME)}" for sign in (1, -1)]
    work = f"{changed.calls / known.calls:.2f}", f"{changed.seconds / known.seconds:.2f}"
    most = [place for place in np.argsort(-np.abs(change)) if abs(change[place]) > SAME][:3]
    fits = "; ".join(f"{cases[place].name} {change[place]:+.2f}" for place in most)
    return f"{_line([name, value, *means, *counts, *work])}  {fits}"


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if values.size else math.nan


def _line(cells: Sequence[str]) -> str:
    return f"{cells[0]:30}{cells[1]:>10}" + "".join(f"{cell:>10}" for cell in cells[2:])


if __name__ == "__main__":
    raise SystemExit(main())
