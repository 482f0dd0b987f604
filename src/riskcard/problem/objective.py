"""The referee: the loss of a card, and what is wrong with it, by slow and obvious code."""

import itertools
from collections import Counter
from collections.abc import Sequence

import numpy as np

from riskcard.arrays import Codes, Floats
from riskcard.logistic import log_loss
from riskcard.problem.problem import Problem
from riskcard.problem.solution import Solution


def log_odds_of(solution: Solution, codes: Codes) -> Floats:
    """Log-odds of every row of ``codes`` (features, rows)."""
    score = np.full(codes.shape[1], solution.base, dtype=np.int64)
    for feature, cut, jump in solution.terms:
        score += jump * (codes[feature] <= cut)
    return score / solution.multiplier + solution.offset


def loss_of(solution: Solution, problem: Problem) -> float:
    """The loss of a card on the rows of the problem."""
    data = problem.data
    return log_loss(log_odds_of(solution, data.codes), data.labels, data.weights)


def order_of(
    solution: Solution, problem: Problem
) -> tuple[float, list[tuple[int, int, int]], float]:
    """A key to sort cards by: lower losses first, and of equal ones that with the first conditions.

    Features that divide the rows alike give cards with the same loss but for the last digits, which
    are a matter of rounding and must not decide, unless the conditions are the same.
    """
    loss = loss_of(solution, problem)
    return float(f"{loss:.12g}"), solution.terms, loss


def violations(solution: Solution, problem: Problem) -> list[str]:
    """Every way in which a card is not allowed by the problem; empty when it is feasible."""
    scale, found = problem.scale, []
    conditions = list(zip(solution.features, solution.cuts, strict=True))
    found += violations_of_terms(conditions, problem)
    for column, cut, jump in solution.terms:
        if not 0 <= cut < problem.data.n_cuts[column]:
            found.append(f"cut {cut} of column {column} is not a candidate")
        if not problem.jump_low[column] <= jump <= problem.jump_high[column] or jump == 0:
            found.append(f"jump {jump} of column {column} is outside its bounds")
        if scale.kind != "fixed" and abs(jump) / solution.multiplier > scale.limit * (1 + 1e-9):
            found.append(f"the term on column {column} moves the log-odds beyond the limit")
    for term in problem.kept:
        if term not in solution.terms:
            found.append(f"term {term} is not on the card, but is kept")
    if not (solution.multiplier > 0 and np.isfinite(solution.multiplier)):
        found.append(f"the multiplier is {solution.multiplier}")
    if scale.kind == "fixed" and solution.multiplier != scale.multiplier:
        found.append(f"the multiplier is {solution.multiplier}, not {scale.multiplier}")
    if scale.kind != "calibrated" and solution.offset != 0:
        found.append(f"the offset is {solution.offset}, not 0")
    if scale.kind == "calibrated" and solution.base != 0:
        found.append(f"the base is {solution.base}, not 0")
    return found


def violations_of_terms(conditions: Sequence[tuple[int, int]], problem: Problem) -> list[str]:
    """Every way in which a set of (column, cut) pairs is not allowed, whatever the points are."""
    limits, rules, found = problem.limits, problem.restrictions, []
    feature_of = problem.data.feature_of
    used = Counter(int(feature_of[column]) for column, _ in conditions)
    if len(conditions) > limits.max_terms:
        found.append(f"{len(conditions)} terms, {limits.max_terms} allowed")
    if len(used) > limits.max_features:
        found.append(f"{len(used)} features, {limits.max_features} allowed")
    if len(set(conditions)) < len(conditions):
        found.append("two terms share a feature and a cut")
    for column, cut in conditions:
        if cut < rules.is_closed[column].size and rules.is_closed[column][cut]:
            found.append(f"cut {cut} of column {column} is closed")
    for feature, count in used.items():
        most = min(limits.max_cuts_per_feature, int(rules.max_cuts[feature]))
        if count > most:
            found.append(f"{count} cuts on feature {feature}, {most} allowed")
        own = [(v, cut) for v, cut in conditions if feature_of[v] == feature]
        found += _violations_of_groups(feature, own, problem)
    missing = [f for f in np.flatnonzero(rules.must_use).tolist() if f not in used]
    if missing:
        found.append(f"feature {missing[0]} is not used, but must be")
    cost = sum(float(rules.costs[feature]) for feature in used)
    if cost > rules.budget * (1 + 1e-12):
        found.append(f"the features cost {cost}, {rules.budget} allowed")
    for members, most in zip(rules.groups, rules.at_most.tolist(), strict=True):
        count = sum(1 for feature in used if members[feature])
        if count > most:
            found.append(f"{count} features of a group, {most} allowed")
    return found


def _violations_of_groups(
    feature: int, conditions: list[tuple[int, int]], problem: Problem
) -> list[str]:
    """What is wrong with the groups of values into which terms divide one feature."""
    atoms, found = problem.data.atoms[feature], []
    if atoms is None:
        return []
    first = int(problem.data.first_columns[feature])
    own = [(column - first, cut) for column, cut in conditions]
    at = [int(atoms.thresholds[v][cut]) for v, cut in own if atoms.thresholds[v][cut] >= 0]
    if len(set(at)) < len(at):
        found.append(f"two terms of feature {feature} share a cut")
    for one, two in itertools.combinations(own, 2):
        if np.unique(atoms.groups([one, two])).size != 3:
            found.append(f"two terms of feature {feature} do not make three groups")
    groups = atoms.groups(own)
    for counts, least, what in zip(
        (atoms.rows, atoms.events), problem.restrictions.least, ("rows", "events"), strict=True
    ):
        for name, is_counted in (("group", ...), ("bin", atoms.is_bin)):
            counted = np.unique(groups[is_counted], return_inverse=True)[1].ravel()
            fewest = int(np.bincount(counted, counts[is_counted]).min(initial=least))
            if fewest < least:
                found.append(f"a {name} of feature {feature} has {fewest} {what}, {least} needed")
    return found
