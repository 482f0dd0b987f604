"""Given points get the best scale that the problem allows."""

import numpy as np

from riskcard.kernels.scale import CALIBRATED, FIXED, MULTIPLIER, fit_scale
from riskcard.problem.objective import log_odds_of
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution

KINDS = {"fixed": FIXED, "multiplier": MULTIPLIER, "calibrated": CALIBRATED}

#: Newton steps stop when one promises less than this share of the weight of all rows.
ACCURACY = 1e-15


def with_best_scale(problem: Problem, terms: list[tuple[int, int, int]]) -> Solution:
    """The card with these terms and the multiplier, offset or base that makes its loss smallest."""
    data, card = problem.data, Solution.of(terms)
    scores = log_odds_of(card, data.codes).astype(np.int64)  # multiplier 1: whole numbers
    lowest = int(scores.min())
    keys = 2 * (scores - lowest) + (data.labels > 0)
    tally = np.bincount(keys, data.weights, minlength=2 * int(scores.max() - lowest + 1))
    kind, most = problem.scale.kind, max(map(abs, card.jumps), default=0)
    bound = 1 / problem.scale.multiplier if kind == "fixed" else problem.scale.limit
    scale = np.array([bound if kind == "fixed" else 1.0, 0.0])
    fit_scale(tally, lowest, most, KINDS[kind], bound, scale, ACCURACY * float(tally.sum()))
    slope, offset = float(scale[0]), float(scale[1])
    multiplier = problem.scale.multiplier if kind == "fixed" else 1 / slope
    if kind == "calibrated":
        return Solution.of(card.terms, 0, multiplier, offset)
    return Solution.of(card.terms, round(offset / slope), multiplier)
