"""Root bounds: what each strengthening of the linear form is worth, and what it does to HiGHS.

    python -m benchmarks.root_bounds                  bounds of the relaxation, p = 1 .. 5
    python -m benchmarks.root_bounds --solve 20       and HiGHS on each model, 20 s at most
    python -m benchmarks.root_bounds --features 3     one number of features only
    python -m benchmarks.root_bounds --features 5 --k 2

The paper's data, 200 rows. Every variant is written with secants, so that
relaxation and model are linear and HiGHS (as scipy has it, one thread) takes both.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp

from benchmarks.proofs import PAPER_OPTIMA, paper_data
from riskcard.data.table import make_table
from riskcard.paper.formulations.evaluate import count
from riskcard.paper.formulations.instance import make_instance
from riskcard.paper.formulations.mip_model import Model
from riskcard.paper.formulations.secants import Secants, build
from riskcard.paper.formulations.strengthened import PLAIN, Strengthening

ROWS = 200


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to write the model; the cutoff is the known optimum where it is wanted."""

    name: str
    strengthening: Strengthening
    is_thin: bool = False
    has_cutoff: bool = False


def variants() -> list[Variant]:
    """The linear form, one strengthening at a time on top of it, then all of them added up."""
    found = [Variant("linear form", PLAIN)]
    for name in ("bounded_base", "shared", "ordered", "linked", "one_jump"):
        found.append(Variant(f"only {name}", replace(PLAIN, **{name: True})))
    chosen = replace(PLAIN, bounded_base=True, shared=True)
    for name in ("ordered", "linked", "one_jump", "hull"):
        chosen = replace(chosen, **{name: True})
        found.append(Variant(f"... + {name}", chosen))
    found.append(Variant("all, cutoff", chosen, has_cutoff=True))
    found.append(Variant("all, thin secants", chosen, is_thin=True))
    return found


def solve(model: Model, is_relaxed: bool, limit: float) -> tuple[OptimizeResult, float]:
    """HiGHS's answer and the seconds it took."""
    rows, blocks = model.constraints, model.variables
    constraint = LinearConstraint(
        sparse.vstack([block.matrix for block in rows]),
        np.concatenate([block.lower for block in rows]),
        np.concatenate([block.upper for block in rows]),
    )
    lower = np.concatenate([block.lower.ravel() for block in blocks])
    upper = np.concatenate([block.upper.ravel() for block in blocks])
    is_whole = np.concatenate([np.full(b.size, b.kind != "continuous") for b in blocks])
    started = time.perf_counter()
    answer = milp(
        model.objective.coefficients,
        constraints=constraint,
        bounds=Bounds(lower, upper),
        integrality=is_whole & (not is_relaxed),
        options={"time_limit": limit},
    )
    return answer, time.perf_counter() - started


def measure(variant: Variant, n_features: int, k: int, limit: float) -> str:
    """One line of the table."""
    optimum = PAPER_OPTIMA[ROWS, n_features, k]
    instance = make_instance(make_table(*paper_data(ROWS, n_features)), k)
    cutoff = optimum + 1e-5 if variant.has_cutoff else None
    secants = Secants(thin=variant.is_thin, cutoff=cutoff)
    model = build(instance, variant.strengthening, secants)
    relaxed, seconds = solve(model, True, 60.0)
    bound = relaxed.fun + model.objective.constant
    cells = [variant.name, f"{count(model).rows:,}", f"{model.n_variables:,}"]
    cells += [f"{bound:.5f}", f"{100 * bound / optimum:.1f} %", f"{seconds:.2f}"]
    if limit > 0:
        cells += solve_whole(model, limit)
    return "| " + " | ".join(cells) + " |"


def solve_whole(model: Model, limit: float) -> list[str]:
    """Seconds, best loss and bound of the mixed-integer model."""
    answer, seconds = solve(model, False, limit)
    constant = model.objective.constant
    loss = "-" if answer.fun is None else f"{answer.fun + constant:.5f}"
    bound = answer.get("mip_dual_bound")
    proven = "-" if bound is None else f"{bound + constant:.5f}"
    return [f"{seconds:.1f}" if answer.status == 0 else "*", loss, proven]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--solve", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--features", type=int, choices=range(1, 6))
    parser.add_argument("--k", type=int, help="features on a card; all by default")
    given = parser.parse_args()
    head = ["model", "rows", "variables", "root bound", "of optimum", "LP s"]
    head += ["solved s", "loss", "bound"] if given.solve > 0 else []
    for n_features in [given.features] if given.features else range(1, 6):
        k = given.k or n_features
        print(f"\np = {n_features}, k = {k}, optimum {PAPER_OPTIMA[ROWS, n_features, k]}\n")
        print("| " + " | ".join(head) + " |")
        print("|---" * len(head) + "|")
        for variant in variants():
            print(measure(variant, n_features, k, given.solve), flush=True)


if __name__ == "__main__":
    main()
