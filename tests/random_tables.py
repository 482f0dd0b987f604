"""Random tiny tables with holes, special values and levels, and random rules for cards on them."""

from __future__ import annotations

import numpy as np

from random_problems import KINDS_OF_WEIGHTS, SCALES, random_labels, random_weights
from riskcard.errors import ParameterError
from riskcard.problem.feature_rules import CardRules, FeatureGroup, FeatureRule
from riskcard.problem.levels import Levels
from riskcard.problem.problem import Problem, Scale, make_problem
from riskcard.problem.ranked import CutGrid, rank_table
from riskcard.problem.ruling import LeastBins, apply_rules
from riskcard.problem.table import Table

KINDS_OF_FEATURES = ("number", "holes", "codes", "levels", "levels with holes", "ordered", "empty")
CODE = -9.0


def random_feature(
    rng: np.random.Generator, kind: str, n_rows: int
) -> tuple[np.ndarray, Levels | None, tuple[float, ...]]:
    """Values, levels and special codes of a feature."""
    n_values = int(rng.integers(2, 5))
    values = rng.integers(0, n_values, n_rows).astype(float)
    is_hole = rng.random(n_rows) < 0.25
    if kind == "empty":
        return np.full(n_rows, np.nan), None, ()
    if kind in ("holes", "levels with holes") or (
        kind in ("ordered", "codes") and rng.random() < 0.4
    ):
        values[is_hole] = np.nan
    if kind == "codes":
        values[rng.random(n_rows) < 0.25] = CODE
        return values, None, (CODE, -8.0)
    names = tuple("abcdef"[:n_values])
    if kind.startswith("levels"):
        return values, Levels(names), ()
    return values, Levels(names, is_ordered=True) if kind == "ordered" else None, ()


def random_table(rng: np.random.Generator) -> tuple[Table, dict[str, tuple[float, ...]]]:
    """A table of two or three features, and the special codes of each."""
    n_rows = int(rng.integers(6, 14))
    features = [
        random_feature(rng, KINDS_OF_FEATURES[rng.integers(len(KINDS_OF_FEATURES))], n_rows)
        for _ in range(int(rng.integers(1, 4)))
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
    low, high = -int(rng.integers(0, 3)), int(rng.integers(1, 4))
    has_points = direction is None and rng.random() < 0.3
    has_cuts = is_number and rng.random() < 0.2
    return FeatureRule(
        direction=None if direction is None else str(direction),
        points=(low, high) if has_points else None,
        use=str(rng.choice(["may", "must", "never"], p=[0.75, 0.2, 0.05])),
        cuts=(0.0, 1.5, 7.0) if has_cuts else None,
        max_cuts=int(rng.integers(1, 3)) if rng.random() < 0.2 else None,
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
    seed: int, scale: Scale | None = None
) -> tuple[Problem, Table, CutGrid, CardRules] | None:
    """The problem of a seed with all that belongs to it; None where the rules are refused."""
    rng = np.random.default_rng([seed, 77])
    table, codes = random_table(rng)
    least = LeastBins(int(rng.integers(1, 4)), int(rng.integers(0, 2)))
    least = least if rng.random() < 0.4 else LeastBins()
    max_terms = int(rng.choice([1, 2, 3, 3]))
    try:
        rules = random_rules(rng, table, codes)
        data, grid = rank_table(table, rules=rules, needs_atoms=least != LeastBins())
        chosen = scale or SCALES[seed % len(SCALES)]
        problem = make_problem(
            data,
            max_terms=max_terms,
            max_features=int(rng.integers(1, 4)) if rng.random() < 0.3 else None,
            max_cuts_per_feature=int(rng.integers(1, 4)) if rng.random() < 0.3 else None,
            max_points=int(rng.choice([1, 2, 3])),
            scale=chosen.multiplier if chosen.kind == "fixed" else chosen.kind,
        )
        return apply_rules(problem, table.names, table.levels, rules, least), table, grid, rules
    except ParameterError:
        return None
