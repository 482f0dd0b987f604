"""From the user's rules to restrictions: what they mean for the columns and features of a table."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from riskcard.arrays import Integers
from riskcard.data.levels import Levels
from riskcard.errors import ParameterError
from riskcard.problem.problem import Problem
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.restrictions import Restrictions, no_restrictions
from riskcard.rules.card_rules import CardRules, FeatureRule, is_directed
from riskcard.rules.least_bins import LeastBins


def apply_rules(
    problem: Problem,
    names: Sequence[str],
    levels: Sequence[Levels | None],
    rules: CardRules,
    least: LeastBins,
) -> Problem:
    """The problem with restrictions; rules that cannot all hold are refused with the reason."""
    rules.check_names(names)
    data, max_points = problem.data, problem.max_points
    low, high = problem.jump_low.copy(), problem.jump_high.copy()
    counts = least.rows, least.events
    restrictions = no_restrictions(data, problem.limits.max_cuts_per_feature, counts)
    max_cuts, costs = restrictions.max_cuts.copy(), restrictions.costs.copy()
    must_use = restrictions.must_use.copy()
    for feature, name in enumerate(names):
        rule = rules.rule_of(name)
        level = levels[feature]
        if level is not None:
            _refuse_numbers(name, rule, level)
        own = np.flatnonzero(data.feature_of == feature)
        if rule != FeatureRule():
            low[own], high[own] = _jump_bounds(name, data, feature, rule, max_points)
        if rule.max_cuts is not None:
            max_cuts[feature] = min(max_cuts[feature], rule.max_cuts)
        costs[feature], must_use[feature] = rule.cost, rule.use == "must"
    groups = np.array(
        [[name in group.features for name in names] for group in rules.groups], dtype=bool
    ).reshape(len(rules.groups), len(names))
    restrictions = replace(
        restrictions,
        max_cuts=max_cuts,
        costs=costs,
        budget=float("inf") if rules.budget is None else rules.budget,
        must_use=must_use,
        groups=groups,
        at_most=np.array([group.at_most for group in rules.groups], dtype=np.int64),
    )
    ruled = replace(problem, jump_low=low, jump_high=high, restrictions=restrictions)
    _refuse_what_must_but_cannot(ruled, names, restrictions)
    return ruled


def _jump_bounds(
    name: str, data: RankedData, feature: int, rule: FeatureRule, max_points: int
) -> tuple[Integers, Integers]:
    """Least and largest jump of each column of a feature.

    A jump is what values at or below a cut have in addition, so a rising feature has jumps up to 0.
    """
    atoms = data.atoms[feature]
    n_columns = 1 if atoms is None else atoms.n_columns
    if rule.use == "never":
        return np.zeros(n_columns, dtype=np.int64), np.zeros(n_columns, dtype=np.int64)
    least, most = rule.points or (-max_points, max_points)
    if least > 1 or most < -1:
        raise ParameterError(
            f"The points of {name!r} are from {least} to {most}: each cut must add at least "
            f"{min(abs(least), abs(most))}. Only lower limits of 1 can be kept; use "
            f"{(0, most) if least > 1 else (least, 0)}."
        )
    least = 0 if rule.direction == "rises" else max(least, -max_points)
    most = 0 if rule.direction == "falls" else min(most, max_points)
    either = max(-least, most)
    low, high = np.full(n_columns, -most), np.full(n_columns, -least)
    if atoms is not None and is_directed(rule):
        for column, ids in enumerate(atoms.thresholds):
            if ids.size and (ids < 0).all():  # sets of special values or of levels
                low[column], high[column] = -either, either
            elif (ids < 0).any():  # both kinds: it only counts rows for the others
                low[column] = high[column] = 0
    return np.minimum(low, 0), np.maximum(high, 0)


def _refuse_numbers(name: str, rule: FeatureRule, levels: Levels) -> None:
    """Levels have no special values, and without an order no cuts and no direction."""
    if rule.codes:
        raise ParameterError(
            f"The rule of {name!r} has codes, but {name!r} is a category: every level can have "
            "points of its own. Leave them out."
        )
    for what in () if levels.is_ordered else ("direction", "cuts", "fixed_cuts"):
        if getattr(rule, what):
            raise ParameterError(
                f"The rule of {name!r} has {what}, but {name!r} is a category without an order. "
                "Leave it out, or make the feature an ordered category or a number."
            )


def _refuse_what_must_but_cannot(
    problem: Problem, names: Sequence[str], restrictions: Restrictions
) -> None:
    """Features that must be used but cannot be, by themselves or together."""
    data, limits = problem.data, problem.limits
    musts = np.flatnonzero(restrictions.must_use).tolist()
    listed = ", ".join(repr(names[feature]) for feature in musts)
    for most, what in ((limits.max_terms, "max_terms"), (limits.max_features, "max_features")):
        if len(musts) > most:
            raise ParameterError(
                f"{listed} must be used, but {what} is {most}. Raise it to {len(musts)}, or "
                "require fewer features."
            )
    for feature in musts:
        own = data.feature_of == feature
        if problem.is_usable[own].any():
            continue
        name = names[feature]
        if not data.n_cuts[own].any():
            reason = "it has the same value in all rows (or no allowed cut divides them)"
        elif all(restrictions.is_closed[v].all() for v in np.flatnonzero(own)):
            reason = (
                f"no cut leaves {restrictions.least[0]} rows and {restrictions.least[1]} events"
            )
        else:
            reason = "its rule allows no points"
        raise ParameterError(f"{name!r} must be used, but cannot be: {reason}.")
