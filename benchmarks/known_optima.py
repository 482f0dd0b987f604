"""Problems whose best card can be proven: every cut, deciles, the regularised default, random ones.

Tables are in two groups, those to look at while the search is changed and those to judge it by at the
end. All problems of a table are in one group.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.decile_proofs import cut_at_deciles
from benchmarks.tables import Table, load_table, names_of_tables
from riskcard import CardRules, FeatureRule, Regularization, RiskScoreClassifier
from riskcard.data.table import Table as Rows
from riskcard.encoding.rank_table import rank_table
from riskcard.errors import ParameterError
from riskcard.estimators import learning
from riskcard.problem.problem import Problem, make_problem

__all__ = ["KINDS", "TUNING", "Case", "cases_of", "digest_of"]

#: Tables that may be looked at while the search is changed; it is judged by all others. Of random
#: problems and generated tables those with an even seed.
TUNING = ("heart_cleveland", "pima", "ilpd", "german", "bank", "magic", "breast_cancer")
GENERATED = tuple(
    f"{family}:{rows}:{seed}"
    for family in ("planted", "correlated", "rare", "ties", "paper")
    for rows in (200, 800)
    for seed in (0, 1)
)
#: Tables of more rows are left out of the kind "default": their proofs take too long.
MOST_DEFAULT_ROWS = 1000
N_RANDOM = 300


@dataclass(frozen=True, slots=True)
class Case:
    """A problem that is made when it is needed, its kind, and whether it may be looked at."""

    name: str
    kind: str
    is_tuning: bool
    make: Callable[[], Problem]


class _Posed(Exception):
    """A fit has come to the problem that it would solve."""


def posed_problem(model: RiskScoreClassifier, X: Any, y: Any, weights: Any = None) -> Problem:
    """The problem that a fit would solve."""
    posed = []

    def keep(problem: Problem, _options: Any) -> None:
        posed.append(problem)
        raise _Posed

    with mock.patch.object(learning, "solve", keep):
        try:
            model.fit(X, y, sample_weight=weights)
        except _Posed:
            return posed[0]
    raise AssertionError("a fit poses a problem")


def digest_of(problem: Problem) -> str:
    """A text that differs for problems with other rows, limits or rules."""
    found, data = hashlib.sha256(), problem.data
    own = problem.restrictions
    arrays = [data.codes, data.labels, data.weights, problem.jump_low, problem.jump_high]
    for array in [*arrays, own.max_cuts, own.must_use, own.costs, *own.is_closed, *own.groups]:
        found.update(np.ascontiguousarray(array).tobytes())
    found.update(repr((problem.limits, problem.scale, own.budget, own.at_most)).encode())
    return found.hexdigest()[:16]


# --- tables -------------------------------------------------------------------------------------


def frame_of(table: Table) -> pd.DataFrame:
    """A table with its missing values, and texts for levels."""
    columns = {}
    for place, (name, levels) in enumerate(zip(table.columns, table.levels, strict=True)):
        values = table.values[:, place]
        if levels is not None:
            texts = [None if np.isnan(code) else levels[int(code)] for code in values]
            columns[name] = pd.Series(texts, dtype=object)
        else:
            columns[name] = pd.Series(values)
    return pd.DataFrame(columns)


def _numbers(table: Table) -> NDArray[np.float64]:
    """The columns of numbers, with -1 for missing values."""
    values = table.values[:, [levels is None for levels in table.levels]]
    return np.where(np.isnan(values), -1.0, values)


def every_cut(table: Table, terms: int) -> Problem:
    """Numbers only, every cut, nothing regularised."""
    return posed_problem(RiskScoreClassifier(terms, regularization=None), _numbers(table), table.y)


def deciles(table: Table, terms: int) -> Problem:
    """A binary column for each decile, steps not limited."""
    numbers = table.values[:, [levels is None for levels in table.levels]]
    X = cut_at_deciles([["" if np.isnan(v) else str(v) for v in column] for column in numbers.T])
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    labels = np.where(table.y > 0, 1, -1).astype(np.int8)
    data, _ = rank_table(Rows(X, names, labels, np.ones(labels.size), (0, 1)))
    return make_problem(data, terms, max_log_odds=None)


def default(table: Table, terms: int) -> Problem:
    """What a user gets who sets the number of terms."""
    return posed_problem(RiskScoreClassifier(terms), frame_of(table), table.y)


#: For each kind how the problem is made, and the numbers of terms.
KINDS: dict[str, tuple[Callable[[Table, int], Problem], tuple[int, ...]]] = {
    "every cut": (every_cut, (3, 4, 5)),
    "deciles": (deciles, (3, 4, 5, 6, 7)),
    "default": (default, (3, 5, 8)),
}


# --- random problems ----------------------------------------------------------------------------


def random_frame(rng: np.random.Generator) -> tuple[pd.DataFrame, NDArray, NDArray]:
    """Columns of numbers, with missing values or not, and of levels; labels and weights."""
    n_rows, columns = int(rng.integers(30, 300)), {}
    score = np.zeros(n_rows)
    for place in range(int(rng.integers(2, 7))):
        codes = rng.integers(0, int(rng.integers(2, 9)), n_rows)
        score += rng.normal() * (codes - codes.mean()) / (1.0 + codes.std())
        kind = rng.integers(4)
        values = pd.Series(codes.astype(float) + (rng.normal(size=n_rows) if kind == 0 else 0.0))
        if kind == 1:
            values[rng.random(n_rows) < 0.15] = np.nan
        is_text = kind == 2 and codes.max() < 5
        columns[f"x{place}"] = values.map(lambda v: "abcdefgh"[int(v)]) if is_text else values
    y = (rng.random(n_rows) < 1 / (1 + np.exp(-rng.uniform(0.5, 4.0) * score))).astype(int)
    y[:2] = 0, 1
    weights = np.ones(n_rows) if rng.random() < 0.6 else np.exp(rng.uniform(-1, 1, n_rows))
    return pd.DataFrame(columns), y, weights


def random_rules(rng: np.random.Generator, X: pd.DataFrame) -> CardRules | None:
    """Directions, points, numbers of cuts, costs; often none."""
    if rng.random() < 0.5:
        return None
    rules = {}
    for name in X:
        is_number = X[name].dtype != object
        draws = rng.random(4)
        rules[str(name)] = FeatureRule(
            direction=str(rng.choice(["rises", "falls"])) if is_number and draws[0] < 0.3 else None,
            points=(-2, 3) if draws[1] < 0.2 else None,
            max_cuts=1 if draws[2] < 0.3 else None,
            cost=float(rng.integers(0, 3)),
            use="must" if draws[3] < 0.1 else "may",
        )
    return CardRules(rules, budget=float(rng.integers(3, 8)) if rng.random() < 0.3 else None)


def random_small(seed: int) -> Problem:
    """The problem of a seed; the next draws are tried where rules cannot be kept together."""
    rng = np.random.default_rng([seed, 5])
    while True:
        X, y, weights = random_frame(rng)
        model = RiskScoreClassifier(
            max_terms=int(rng.integers(2, 6)),
            max_points=int(rng.choice([2, 3, 5])),
            scale=["calibrated", "calibrated", "multiplier", 1.0][rng.integers(4)],
            regularization=Regularization.only(grid=int(rng.integers(4, 10))),
            rules=random_rules(rng, X),
        )
        try:
            return posed_problem(model, X, y, weights)
        except ParameterError:
            continue


# --- all of them --------------------------------------------------------------------------------


def cases_of(folder: Path | None, n_random: int = N_RANDOM) -> Iterator[Case]:
    """Every case, kind after kind."""
    files = [] if folder is None else names_of_tables(folder)
    known = names_of_tables(None)
    tables = [*(name for name in files if name not in known), "breast_cancer", *GENERATED]
    for kind, (make, sizes) in KINDS.items():
        for name in tables:
            is_generated = ":" in name
            is_tuning = name.endswith(":0") if is_generated else name in TUNING
            if kind == "default" and len(_load(name, folder).y) > MOST_DEFAULT_ROWS:
                continue
            for terms in sizes:
                made = partial(_made, make, name, folder, terms)
                yield Case(f"{kind}, {name}, {terms}", kind, is_tuning, made)
    for seed in range(n_random):
        yield Case(f"random, {seed}", "random", seed % 2 == 0, partial(random_small, seed))


def _made(
    make: Callable[[Table, int], Problem], name: str, folder: Path | None, terms: int
) -> Problem:
    return make(_load(name, folder), terms)


_loaded: dict[str, Table] = {}


def _load(name: str, folder: Path | None) -> Table:
    """A table; the last one is kept, because problems of one table follow each other."""
    if name not in _loaded:
        _loaded.clear()
        _loaded[name] = load_table(name, folder)
    return _loaded[name]
