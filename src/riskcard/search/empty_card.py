"""The card without terms: the base rate for everyone."""

import math

from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution


def best_empty_card(problem: Problem) -> Solution:
    """The best card without terms, exactly.

    The loss is convex in the one log-odds that all rows share and lowest at those of the base rate;
    where the base is a whole number of points, one of its two neighbours is best.
    """
    weights, labels = problem.data.weights, problem.data.labels
    rate = math.log(weights[labels > 0].sum()) - math.log(weights[labels < 0].sum())
    if problem.scale.kind == "calibrated":
        return Solution.of([], offset=rate)
    if problem.scale.kind == "multiplier":
        base = 0 if rate == 0 else int(math.copysign(1, rate))
        return Solution.of([], base=base, multiplier=1 / abs(rate) if base else 1.0)
    multiplier = problem.scale.multiplier
    nearest = (math.floor(multiplier * rate), math.ceil(multiplier * rate))
    cards = [Solution.of([], base=base, multiplier=multiplier) for base in nearest]
    return min(cards, key=lambda card: loss_of(card, problem))
