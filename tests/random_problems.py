"""Random tiny problems for tests: ties, weights, every scale, every limit, odd data."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from riskcard.data.table import Table
from riskcard.encoding.rank_table import rank_table
from riskcard.problem.problem import USUAL_LIMIT, Limits, Problem, Scale
from riskcard.problem.ranked_data import RankedData

SCALES = (
    Scale("fixed", 1.0),
    Scale("fixed", 0.7),
    Scale("fixed", 2.5),
    Scale("multiplier"),
    Scale("calibrated"),
    Scale("multiplier", limit=1.2),
    Scale("calibrated", limit=0.8),
    Scale("calibrated", limit=USUAL_LIMIT),
)
KINDS_OF_DATA = ("random", "signal", "separable", "one_feature", "duplicated", "constant")
KINDS_OF_WEIGHTS = ("equal", "integer", "real")


def random_values(rng: np.random.Generator, kind: str) -> np.ndarray:
    """A small table with ties; which columns and rows are special depends on the kind."""
    n_features = 1 if kind == "one_feature" else int(rng.integers(2, 4))
    n_rows = int(rng.integers(6, 13))
    levels = rng.integers(4, 8, 1) if kind == "one_feature" else rng.integers(2, 7, n_features)
    values = np.column_stack([rng.integers(0, level, n_rows) for level in levels]).astype(float)
    if kind == "constant":
        values[:, rng.integers(n_features)] = 7.0
    if kind == "duplicated":
        values = values[rng.integers(0, max(2, n_rows // 2), n_rows)]
    return values


def random_labels(rng: np.random.Generator, values: np.ndarray, kind: str) -> np.ndarray:
    """Labels in {-1, +1}, both present."""
    n_rows = len(values)
    score = (values - values.mean(axis=0)) @ rng.normal(size=values.shape[1])
    if kind == "separable":
        labels = np.where(score > np.quantile(score, rng.uniform(0.2, 0.8)), 1, -1)
    elif kind == "signal":
        labels = np.where(score + rng.normal(size=n_rows) > 0, 1, -1)
    else:
        labels = rng.choice([-1, 1], n_rows, p=[0.6, 0.4])
    if abs(labels.sum()) == n_rows:
        labels[rng.integers(n_rows)] *= -1
    return labels.astype(np.int8)


def random_weights(rng: np.random.Generator, n_rows: int, kind: str) -> np.ndarray:
    """Row weights: all 1, small integers, or real numbers over two orders of magnitude."""
    if kind == "equal":
        return np.ones(n_rows)
    if kind == "integer":
        return rng.integers(1, 5, n_rows).astype(float)
    return np.exp(rng.uniform(-2.3, 2.3, n_rows))


def random_data(rng: np.random.Generator) -> RankedData:
    """Ranked rows of a random kind."""
    kind = KINDS_OF_DATA[rng.integers(len(KINDS_OF_DATA))]
    values = random_values(rng, kind)
    labels = random_labels(rng, values, kind)
    weights = random_weights(rng, len(values), KINDS_OF_WEIGHTS[rng.integers(3)])
    names = tuple(f"x{f}" for f in range(values.shape[1]))
    data, _ = rank_table(Table(values, names, labels, weights, (0, 1)))
    return data


def random_limits(rng: np.random.Generator, n_features: int) -> Limits:
    """At most 3 terms, usually 3; features and cuts each limited in some cases."""
    max_terms = int(rng.choice([1, 2, 3, 3]))
    most_features = min(max_terms, n_features)
    is_limited = rng.random(2) < 0.3
    return Limits(
        max_terms=max_terms,
        max_features=int(rng.integers(1, most_features + 1)) if is_limited[0] else most_features,
        max_cuts_per_feature=int(rng.integers(1, max_terms + 1)) if is_limited[1] else max_terms,
    )


def random_jump_bounds(rng: np.random.Generator, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """The same for all features, or asymmetric and different, down to features never used."""
    if rng.random() < 0.5:
        high = np.full(n_features, rng.choice([1, 2, 3, 3]))
        return -high, high
    low, high = -rng.integers(0, 4, n_features), rng.integers(0, 4, n_features)
    if not (low.any() or high.any()):
        high[0] = 1
    return low, high


def random_problem(seed: int, scale: Scale | None = None) -> Problem:
    """The tiny problem of a seed; its scale goes round by the seed unless it is given.

    At most 12 rows, 3 features, 6 cuts per feature, 3 terms and 3 points.
    """
    rng = np.random.default_rng(seed)
    data = random_data(rng)
    low, high = random_jump_bounds(rng, data.n_features)
    return Problem(
        data=data,
        limits=random_limits(rng, data.n_features),
        scale=scale or SCALES[seed % len(SCALES)],
        jump_low=low.astype(np.int64),
        jump_high=high.astype(np.int64),
    )


@st.composite
def tiny_problems(draw: st.DrawFn, scale: Scale | None = None) -> Problem:
    """The same as a hypothesis strategy that shrinks: fewer rows, smaller values, limits, jumps."""
    n_features = draw(st.integers(1, 3))
    n_rows = draw(st.integers(2, 10))
    row = st.tuples(*[st.integers(0, 4)] * n_features)
    values = np.array(draw(st.lists(row, min_size=n_rows, max_size=n_rows)), dtype=float)
    is_event = draw(
        st.lists(st.booleans(), min_size=n_rows, max_size=n_rows).filter(
            lambda events: 0 < sum(events) < len(events)
        )
    )
    weight = draw(
        st.sampled_from([st.just(1.0), st.integers(1, 4).map(float), st.floats(0.1, 10.0)])
    )
    weights = draw(st.lists(weight, min_size=n_rows, max_size=n_rows))
    labels = np.where(is_event, 1, -1).astype(np.int8)
    names = tuple(f"x{f}" for f in range(n_features))
    data, _ = rank_table(Table(values, names, labels, np.array(weights), (0, 1)))
    max_terms = draw(st.integers(1, 3))
    return Problem(
        data=data,
        limits=Limits(
            max_terms=max_terms,
            max_features=draw(st.integers(1, min(max_terms, n_features))),
            max_cuts_per_feature=draw(st.integers(1, max_terms)),
        ),
        scale=scale or draw(st.sampled_from(SCALES)),
        jump_low=-np.array([draw(st.integers(0, 3)) for _ in range(n_features)], dtype=np.int64),
        jump_high=np.array([draw(st.integers(1, 3)) for _ in range(n_features)], dtype=np.int64),
    )
