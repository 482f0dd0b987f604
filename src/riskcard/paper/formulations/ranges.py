"""What is known of a best card before any search: the range of its base and of its scores."""

import math

import numpy as np

from riskcard.paper.formulations.instance import Instance
from riskcard.paper.formulations.mip_model import Indices
from riskcard.problem.objective import loss_of
from riskcard.problem.solution import Solution


def base_range(instance: Instance) -> tuple[int, int]:
    """Integers between which the best base of every card lies.

    Notes
    -----
    Let r be the log-odds of the weighted base rate and let the terms of a card give row i the
    points s_i. The loss is convex in the base; its derivative is the sum of weighted risks less the
    weight of the events. Where every base + s_i >= r each risk is at least the base rate and the
    derivative is not negative; where every base + s_i <= r it is not positive. So a real minimiser
    lies in ``[r - max s, r - min s]`` and an integer one in ``[floor(r) - max s, ceil(r) - min s]``,
    the s_i being integers. At most k terms have ``max s <= `` the k largest upper jumps, added up,
    and ``-min s <=`` the same for the lower ones.
    """
    rate = _log_odds_of_base_rate(instance)
    most, least = _extreme_points(instance)
    return math.floor(rate) - most, math.ceil(rate) - least


def score_range(instance: Instance) -> tuple[int, int]:
    """Integers between which all scores of some best card lie.

    Notes
    -----
    Give every card its best base. By ``base_range`` the score of a row is at least
    ``floor(r) - (max s - min s)``, and at most ``ceil(r) + (max s - min s)``. The points of one term
    differ by |jump| between rows, so ``max s - min s`` is at most the k largest |jump|, added up.
    """
    rate = _log_odds_of_base_rate(instance)
    problem = instance.problem
    width = _sum_of_largest(np.maximum(problem.jump_high, -problem.jump_low), instance.k)
    return math.floor(rate) - width, math.ceil(rate) + width


def with_best_base(instance: Instance, solution: Solution) -> Solution:
    """The same terms with the best integer base (the smallest of them), which is in the range."""
    low, high = base_range(instance)
    cards = [Solution.of(solution.terms, base) for base in range(low, high + 1)]
    return min(cards, key=lambda card: loss_of(card, instance.problem))


def _log_odds_of_base_rate(instance: Instance) -> float:
    weights, is_event = instance.table.weights, instance.y == 1
    return math.log(float(weights[is_event].sum())) - math.log(float(weights[~is_event].sum()))


def _extreme_points(instance: Instance) -> tuple[int, int]:
    """The most and the least points that the terms of a card can give."""
    problem = instance.problem
    most = _sum_of_largest(problem.jump_high, instance.k)
    return most, -_sum_of_largest(-problem.jump_low, instance.k)


def _sum_of_largest(values: Indices, k: int) -> int:
    return int(np.sort(values)[::-1][:k].sum())
