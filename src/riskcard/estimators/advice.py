"""Hints that come with a result: what would give more than was reached."""

import math

from riskcard.problem.problem import USUAL_LIMIT, Problem
from riskcard.problem.result import SolveResult
from riskcard.status import Status

#: From this gap on, a hint is worth its line.
LARGE_GAP = 0.05
#: A limit on the log-odds that is worth a hint: at least what most cards keep, at most what still
#: helps, and at most this part of what the bound allows.
LEAST_STEP, MOST_STEP, MOST_PART = 3, 6, 0.65


def hints_on(result: SolveResult, problem: Problem) -> list[str]:
    """What to change where a proof was cut short and left a large gap."""
    is_cut_short = result.status in (Status.TIME_LIMIT, Status.INTERRUPTED)
    if not is_cut_short or result.bound <= 0 or result.gap < LARGE_GAP:
        return []
    has_limit = problem.scale.kind == "fixed" or problem.scale.limit < USUAL_LIMIT
    largest = max(map(abs, result.solution.jumps), default=0) / result.solution.multiplier
    limit = max(LEAST_STEP, math.ceil(largest))
    if has_limit or limit > min(MOST_STEP, MOST_PART * problem.scale.limit):
        return []
    return [
        f"Terms of this card change the log-odds by at most {largest:.2g}, and the bound allows "
        f"{problem.scale.limit:.2g}: max_log_odds={limit} (--max-log-odds {limit}) usually leaves a much "
        "smaller gap."
    ]
