"""From a problem to a result: search first, then, when asked, prove."""

from __future__ import annotations

import time
from dataclasses import replace

from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.search.near_optimal import find_pool
from riskcard.search.options import Options
from riskcard.search.solve_max_changes import solve_with_few_changes
from riskcard.search.solve_min_gain import solve_with_paying_terms
from riskcard.search.solve_plain import solve_once
from riskcard.search.warmup import make_ready


def solve(problem: Problem, options: Options | None = None) -> SolveResult:
    """Find a good card and, when asked, prove how far from optimal it can at most be."""
    options = options or Options()
    if options.certify:
        make_ready(problem.scale.kind)
    start = time.perf_counter()
    if options.max_changes is not None:
        result = solve_with_few_changes(problem, options)
    elif options.min_gain > 0:
        result = solve_with_paying_terms(problem, options)
    else:
        result = solve_once(problem, options)
    if options.pool_tolerance is None:
        return result
    used = time.perf_counter() - start
    left = None if options.time_limit is None else max(0.0, options.time_limit - used)
    pool = find_pool(problem, result, replace(options, time_limit=left))
    return replace(result, pool=pool, seconds=time.perf_counter() - start)
