"""Discrete coordinate descent: the points of one term at a time, until no change helps."""

from riskcard.baselines.steps.scaling import with_best_scale
from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution

#: A change must lower the loss by more than this, relatively: rounding is no progress.
LEAST_PROGRESS = 1e-12


def polish(problem: Problem, card: Solution) -> Solution:
    """Move the points of each term to their best value while that lowers the loss.

    After every change the scale is the best for the points, so the result is never worse than the
    card given and no single change of one term's points improves it (Ustun and Rudin 2019). Terms
    keep their cuts; one that ends with 0 points is dropped.
    """
    card = min(card, with_best_scale(problem, card.terms), key=lambda c: loss_of(c, problem))
    loss, has_changed = loss_of(card, problem), True
    while has_changed:
        has_changed = False
        for feature, cut, jump in card.terms:
            rest = [term for term in card.terms if term[:2] != (feature, cut)]
            for new in range(int(problem.jump_low[feature]), int(problem.jump_high[feature]) + 1):
                if new == jump:
                    continue
                other = with_best_scale(problem, [*rest, (feature, cut, new)])
                other_loss = loss_of(other, problem)
                if other_loss < loss * (1 - LEAST_PROGRESS):
                    card, loss, has_changed = other, other_loss, True
    return card
