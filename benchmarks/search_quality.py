"""How far the search without a proof is above the optimum, where that can be proven.

    python -m benchmarks.search_quality                       on generated tables
    python -m benchmarks.search_quality --data FOLDER         and on the CSV files of a folder
    python -m benchmarks.search_quality --optima FILE         keeps proven losses for the next time
    python -m benchmarks.search_quality --group tuning        on the tables to look at, not on those to judge

For each problem the card of the search, and the loss of the best card, proven within ``--limit``
seconds; problems that take longer are left out. Per kind of problem: how many were proven, the share
of searches within 0.05 % of the optimum, the mean and the worst excess, and the mean processor time of
a search. ``--misses`` lists the others.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.known_optima import KINDS, N_RANDOM, Case, cases_of, digest_of
from riskcard.output_files import write_whole
from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem
from riskcard.search.drivers.solve_plain import find_card
from riskcard.search.empty_card import best_empty_card
from riskcard.search.options import Options, SearchOptions
from riskcard.search.solve import solve
from riskcard.search.warmup import make_ready
from riskcard.status import Status

#: A search is as good as a proof where its loss is above the optimum by no more than this part.
WITHIN = 5e-4
#: Near separation, where losses are tiny, an excess is relative to this part of the empty card's
#: loss.
LEAST_LOSS = 0.01


@dataclass(frozen=True, slots=True)
class Searched:
    """A case, the loss of the search and the optimum, what excess is relative to, and seconds."""

    case: Case
    loss: float
    optimum: float
    seconds: float
    unit: float

    @property
    def excess(self) -> float:
        """The part by which the search is above the optimum."""
        return max(self.loss - self.optimum, 0.0) / max(self.optimum, self.unit)


class Optima:
    """Proven losses by problem; None where a proof did not end. Kept in a file if one is given."""

    def __init__(self, path: Path | None, limit: float) -> None:
        self._path, self._limit = path, limit
        self._known: dict[str, float | None] = {}
        if path is not None and path.exists():
            self._known = json.loads(path.read_text(encoding="utf-8"))

    def of(self, problem: Problem) -> float | None:
        """The least loss of any card."""
        key = digest_of(problem)
        if key not in self._known:
            result = solve(problem, Options(certify=True, time_limit=self._limit))
            is_proven = result.status is Status.OPTIMAL
            self._known[key] = result.loss if is_proven else None
            if self._path is not None:
                write_whole(self._path, json.dumps(self._known, indent=0) + "\n")
        return self._known[key]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="a folder of CSV files, the target (0 or 1) last")
    parser.add_argument("--optima", type=Path, help="a file that keeps proven losses")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds of a proof")
    parser.add_argument("--group", choices=("tuning", "judging"))
    parser.add_argument("--kinds", nargs="+", choices=(*KINDS, "random"))
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--random", type=int, default=N_RANDOM, help="random problems")
    parser.add_argument("--seed", type=int, default=0, help="of the search")
    parser.add_argument("--misses", action="store_true", help="list the cases that are further off")
    given = parser.parse_args(arguments)
    optima, found = Optima(given.optima, given.limit), []
    for case in cases_of(given.data, given.random):
        if _is_wanted(case, given):
            searched = search(case, optima, given.seed)
            if searched is not None:
                found.append(searched)
                if given.misses and searched.excess > WITHIN:
                    print(f"{case.name}: {searched.loss:.5f}, optimum {searched.optimum:.5f}, "
                          f"{searched.excess:.3%} above", flush=True)  # fmt: skip
    print("| kind | proven | within 0.05 % | optimal | mean excess | worst | seconds |")
    print("|---|---|---|---|---|---|---|")
    for kind in (*KINDS, "random", "all"):
        own = [one for one in found if kind in (one.case.kind, "all")]
        if own:
            print(line_of(kind, own))
    return 0


def _is_wanted(case: Case, given: argparse.Namespace) -> bool:
    is_in_group = given.group is None or case.is_tuning == (given.group == "tuning")
    is_of_kind = given.kinds is None or case.kind in given.kinds
    return is_in_group and is_of_kind and given.only in case.name


def search(case: Case, optima: Optima, seed: int = 0) -> Searched | None:
    """One case; None where its optimum is not known."""
    problem = case.make()
    optimum = optima.of(problem)
    if optimum is None:
        return None
    make_ready(problem.scale.kind, False)
    begin = time.process_time()
    card = find_card(problem, SearchOptions(random_state=seed))
    seconds = time.process_time() - begin
    unit = LEAST_LOSS * loss_of(best_empty_card(problem), problem)
    return Searched(case, loss_of(card, problem), optimum, seconds, unit)


def line_of(kind: str, found: Sequence[Searched]) -> str:
    """A line of the table."""
    excess = np.array([one.excess for one in found])
    seconds = np.mean([one.seconds for one in found])
    return (
        f"| {kind} | {excess.size} | {np.mean(excess <= WITHIN):.1%} | {np.mean(excess <= 1e-6):.1%} "
        f"| {excess.mean():.4%} | {excess.max():.3%} | {seconds:.3f} |"
    )


if __name__ == "__main__":
    raise SystemExit(main())
