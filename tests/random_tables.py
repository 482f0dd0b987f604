"""Random tiny tables with missing values, special values and levels, and random rules for cards on them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from random_problems import KINDS_OF_WEIGHTS, SCALES, random_labels, random_weights
from riskcard.data.levels import BOOLEAN, Levels
from riskcard.data.table import Table
from riskcard.encoding.encode_rules import apply_rules
from riskcard.encoding.rank_table import CutGrid, rank_table
from riskcard.errors import ParameterError
from riskcard.problem.problem import Limits, Problem, Scale, make_problem
from riskcard.rules.card_rules import CardRules, FeatureGroup, FeatureRule
from riskcard.rules.least_bins import LeastBins

KINDS_OF_FEATURES = (
    "number",
    "missing",
    "codes",
    "levels",
    "levels with missing",
    "ordered",
    "boolean",
    "empty",
)
CODES = (-9.0, -8.0, -7.0)
#: Rules on points in addition to "between a fall and a rise".
ONE_SIDED = ((0, 2), (1, 3), (-3, -1), (-1, 0), (-1, 3))


@dataclass(frozen=True, slots=True)
class Size:
    """How large random problems are, and how many cards the oracle is to look at."""

    most_rows: int = 13
    most_features: int = 3
    most_values: int = 4
    most_codes: int = 2
    max_terms: tuple[int, ...] = (1, 2, 3, 3)
    most_term_sets: int = 2500
    most_cards: int = 60_000


SMALL = Size()
LARGE = Size(
    most_rows=20,
    most_values=6,
    most_codes=3,
    max_terms=(1, 2, 3, 3, 4, 4),
    most_term_sets=12_000,
    most_cards=1_000_000,
)


def random_feature(
    rng: np.random.Generator, kind: str, n_rows: int, size: Size = SMALL
) -> tuple[np.ndarray, Levels | None, tuple[float, ...]]:
    """Values, levels and special codes of a feature."""
    n_values = int(rng.integers(2, size.most_values + 1))
    values = rng.integers(0, n_values, n_rows).astype(float)
    if kind == "empty":
        return np.full(n_rows, np.nan), None, ()
    if kind == "boolean":
        return np.minimum(values, 1.0), BOOLEAN, ()
    has_missing = kind in ("missing", "levels with missing")
    if has_missing or (kind in ("ordered", "codes") and rng.random() < 0.4):
        values[rng.random(n_rows) < 0.25] = np.nan
    if kind == "codes":
        codes = CODES[: int(rng.integers(1, size.most_codes + 1))]
        for code in codes:
            values[rng.random(n_rows) < 0.5 / len(codes)] = code
        return values, None, (*codes, -6.0)
    names = tuple("abcdefgh"[:n_values])
    if kind.startswith("levels"):
        return values, Levels(names), ()
    if kind == "ordered":
        return values, Levels((*names, "z"), is_ordered=True), ()
    return values, None, ()


def random_table(
    rng: np.random.Generator, size: Size = SMALL
) -> tuple[Table, dict[str, tuple[float, ...]]]:
    """A table of a few features, and the special codes of each."""
    n_rows = int(rng.integers(6, size.most_rows + 1))
    features = [
        random_feature(rng, KINDS_OF_FEATURES[rng.integers(len(KINDS_OF_FEATURES))], n_rows, size)
        for _ in range(int(rng.integers(1, size.most_features + 1)))
    ]
    values = np.column_stack([column for column, _, _ in features])
    known = np.nan_to_num(values, nan=1.5)
    labels = random_labels(rng, known, ("random", "signal", "separable")[rng.integers(3)])
    names = tuple(f"x{f}" for f in range(len(features)))
    weights = random_weights(rng, n_rows, KINDS_OF_WEIGHTS[rng.integers(3)])
    table = Table(values, names, labels, weights, (0, 1), tuple(own for _, own, _ in features))
    return table, {name: codes for name, (_, _, codes) in zip(names, features, strict=True)}


def random_rule(
    rng: np.random.Generator, levels: Levels | None, codes: tuple[float, ...]
) -> FeatureRule:
    """A rule that makes sense for the kind of feature."""
    is_number = levels is None or levels.is_ordered
    direction = rng.choice(["rises", "falls"]) if is_number and rng.random() < 0.3 else None
    points = (-int(rng.integers(0, 3)), int(rng.integers(1, 4)))
    if rng.random() < 0.4:
        points = ONE_SIDED[rng.integers(len(ONE_SIDED))]
    has_points = rng.random() < 0.3
    cuts = (0.0, 1.5, 7.0) if is_number and rng.random() < 0.2 else None
    is_fixed = rng.random() < 0.4
    max_cuts = int(rng.integers(1, 3)) if rng.random() < 0.2 else None
    return FeatureRule(
        direction=None if direction is None else str(direction),
        points=points if has_points else None,
        use=str(rng.choice(["may", "must", "never"], p=[0.75, 0.2, 0.05])),
        cuts=None if is_fixed else cuts,
        fixed_cuts=cuts if is_fixed else None,
        max_cuts=None if is_fixed and cuts is not None else max_cuts,
        cost=float(rng.integers(0, 4)),
        codes=codes,
    )


def random_rules(
    rng: np.random.Generator, table: Table, codes: dict[str, tuple[float, ...]]
) -> CardRules:
    """Rules for every feature, sometimes none but the codes; sometimes groups and a budget."""
    is_free = rng.random() < 0.4
    rules = {
        name: FeatureRule(codes=codes[name]) if is_free else random_rule(rng, levels, codes[name])
        for name, levels in zip(table.names, table.levels, strict=True)
    }
    groups = [FeatureGroup(table.names[:2], 1)] if not is_free and rng.random() < 0.2 else []
    budget = float(rng.integers(2, 7)) if not is_free and rng.random() < 0.3 else None
    return CardRules(rules, groups, budget)


def random_ruled_problem(
    seed: int, scale: Scale | None = None, size: Size = SMALL
) -> tuple[Problem, Table, CutGrid, CardRules] | None:
    """The problem of a seed with all that belongs to it; None where the rules are refused.

    A problem with too many cards for the oracle gets fewer terms.
    """
    rng = np.random.default_rng([seed, 77])
    table, codes = random_table(rng, size)
    least = LeastBins(int(rng.integers(1, 4)), int(rng.integers(0, 2)))
    least = least if rng.random() < 0.4 else LeastBins()
    max_terms = int(rng.choice(size.max_terms))
    grid = 2 if rng.random() < 0.1 else None
    try:
        rules = random_rules(rng, table, codes)
        data, cuts = rank_table(table, grid, rules=rules, needs_atoms=least != LeastBins())
        chosen = scale or SCALES[seed % len(SCALES)]
        problem = make_problem(
            data,
            max_terms=max_terms,
            max_features=int(rng.integers(1, 4)) if rng.random() < 0.3 else None,
            max_cuts_per_feature=int(rng.integers(1, 4)) if rng.random() < 0.3 else None,
            max_points=int(rng.choice([1, 2, 3])),
            scale=chosen.multiplier if chosen.kind == "fixed" else chosen.kind,
            max_log_odds=None if chosen.kind == "fixed" else chosen.limit,
        )
        problem = shrink(problem, size)
        return apply_rules(problem, table.names, table.levels, rules, least), table, cuts, rules
    except ParameterError:
        return None


def shrink(problem: Problem, size: Size) -> Problem:
    """The problem with as many terms as the oracle has the time for."""
    n_conditions, n_jumps = int(problem.data.n_cuts.sum()), 2 * problem.max_points
    limits = problem.limits
    for max_terms in range(limits.max_terms, 1, -1):
        n_sets = math.comb(n_conditions, max_terms)
        if n_sets <= size.most_term_sets and n_sets * n_jumps**max_terms <= size.most_cards:
            break
    else:
        max_terms = 1
    fewer = Limits(
        max_terms,
        min(limits.max_features, max_terms),
        min(limits.max_cuts_per_feature, max_terms),
    )
    return replace(problem, limits=fewer, restrictions=None)
