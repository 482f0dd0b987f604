"""The recipe of AutoScore-Survival, from its description and its formulas: a score of categories.

A random survival forest ranks the columns by permutation; numbers are cut at their quantiles 0.05, 0.2, 0.8
and 0.95; a Cox regression on the categories, those with the lowest coefficient being the references of a
second one; its coefficients divided by the smallest and rounded; and the points scaled to a highest total of
100 and rounded again (Xie and others, Journal of Biomedical Informatics 125, 2022). Missing numbers become
the median, missing categories the most common one.

Three things differ from the R package. How many columns are used is given and not chosen by eye. The forest is
grown on two thirds of at most ``MOST_ROWS`` rows, and columns are permuted in the other third, where the
package permutes rows out of the bag. A penalty that only keeps it computable takes the place of the 1
that the package puts where Cox's regression finds no coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sksurv.ensemble import RandomSurvivalForest
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.metrics import concordance_index_censored

QUANTILES = (0.05, 0.2, 0.8, 0.95)
HIGHEST_TOTAL = 100
#: Rows of the ranking; the time of a forest grows faster than its rows.
MOST_ROWS = 1500
PENALTY = 1e-2
#: A coefficient below this is that of a reference.
LEAST = 1e-9


@dataclass(frozen=True)
class PointsTable:
    """Points of the categories of some columns.

    Attributes
    ----------
    cuts
        Of columns of numbers: where categories begin.
    fills
        What stands for a missing value of each column.
    points
        The points of each category of each column; others have none.
    """

    cuts: dict[str, np.ndarray]
    fills: dict[str, Any]
    points: dict[str, dict[Any, int]]

    def totals(self, rows: pd.DataFrame) -> np.ndarray:
        """The total of each row."""
        found = np.zeros(len(rows))
        for name, own in self.points.items():
            found += [own.get(one, 0) for one in categories(rows[name], self.fills, self.cuts)]
        return found


def rank_columns(rows: pd.DataFrame, y: np.ndarray, seed: int = 0) -> list[str]:
    """The columns, the most important ones first: what a forest loses in concordance where one is permuted."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(rows))[:MOST_ROWS]
    grown, kept = order[len(order) // 3 :], order[: len(order) // 3]
    filled = rows.assign(**{name: rows[name].fillna(fill_of(rows[name])) for name in rows})
    groups = {name: pd.get_dummies(filled[[name]], drop_first=True).astype(float) for name in rows}
    table = {name: own.to_numpy() for name, own in groups.items()}
    forest = RandomSurvivalForest(
        100, min_samples_leaf=10, max_features="sqrt", random_state=seed, low_memory=True
    )
    forest.fit(np.hstack([own[grown] for own in table.values()]), y[grown])

    def concordance(parts: dict[str, np.ndarray]) -> float:
        risks = forest.predict(np.hstack(list(parts.values())))
        return float(concordance_index_censored(y["event"][kept], y["time"][kept], risks)[0])

    held = {name: own[kept] for name, own in table.items()}
    lost = {
        name: -concordance(held | {name: own[rng.permutation(len(own))]})
        for name, own in held.items()
    }
    return sorted(lost, key=lambda name: lost[name], reverse=True)


def fill_of(column: pd.Series) -> Any:
    """What stands for missing values."""
    if pd.api.types.is_numeric_dtype(column):
        return column.median()
    return column.mode().iloc[0]


def categories(column: pd.Series, fills: dict[str, Any], cuts: dict[str, np.ndarray]) -> list[Any]:
    """The category of each row."""
    filled = column.fillna(fills[column.name])
    if column.name not in cuts:
        return filled.tolist()
    return np.digitize(filled.to_numpy(dtype=float), cuts[column.name]).tolist()


def learn_points(rows: pd.DataFrame, y: np.ndarray, names: list[str]) -> PointsTable:
    """The points of the categories of the named columns."""
    numbers = [name for name in names if pd.api.types.is_numeric_dtype(rows[name])]
    cuts = {name: cuts_of(rows[name]) for name in numbers}
    fills = {name: fill_of(rows[name]) for name in names}
    found = {name: categories(rows[name], fills, cuts) for name in names}
    references = {name: min(set(own), key=str) for name, own in found.items()}
    first = regress(found, references, y)
    references = {name: min(own, key=lambda one: own[one]) for name, own in first.items()}
    second = regress(found, references, y)
    least = min((b for own in second.values() for b in own.values() if b > LEAST), default=1.0)
    ratios = {
        name: {one: max(0, round(b / least)) for one, b in own.items()}
        for name, own in second.items()
    }
    whole = sum(max(own.values()) for own in ratios.values())
    share = HIGHEST_TOTAL / whole if whole else 0.0
    points = {
        name: {one: round(own * share) for one, own in of.items()} for name, of in ratios.items()
    }
    return PointsTable(cuts, fills, points)


def cuts_of(column: pd.Series) -> np.ndarray:
    """The quantiles with three digits, all different."""
    return np.unique([float(f"{one:.3g}") for one in column.dropna().quantile(list(QUANTILES))])


def regress(
    found: dict[str, list[Any]], references: dict[str, Any], y: np.ndarray
) -> dict[str, dict[Any, float]]:
    """Cox's coefficient of each category, that of the references being 0."""
    places = [
        (name, one)
        for name, own in found.items()
        for one in sorted(set(own), key=str)
        if one != references[name]
    ]
    columns = [np.array([own == one for own in found[name]], dtype=float) for name, one in places]
    effects = {name: {references[name]: 0.0} for name in found}
    if places:
        model = CoxPHSurvivalAnalysis(alpha=PENALTY, n_iter=200).fit(np.column_stack(columns), y)
        for (name, one), effect in zip(places, model.coef_, strict=True):
            effects[name][one] = float(effect)
    return effects
