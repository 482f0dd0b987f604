"""Cards for times to an event against Cox regression and survival forests, on tables of SurvSet.

    python -m benchmarks.survival                          all tables; prints the page's tables
    python -m benchmarks.survival --tables veteran GBSG2   some of them
    python -m benchmarks.survival --methods "card 5" Cox   some of the methods
    python -m benchmarks.survival --proofs                 shares proven within --limit seconds instead

Five folds, shuffled with seed 0. Each method is fitted to four folds and judged on the fifth: Harrell's
concordance index and the integrated Brier score (scikit-survival's), from the 10 % to the 80 % quantile of
the training times with an event. Cards take tables as they are; for the others categories become 0 and 1,
missing numbers the mean, and all columns have variance 1. "AutoScore k" has k columns (``autoscore_recipe``),
and the survival curves of a Cox regression on its total. Needs ``pip install scikit-survival SurvSet``.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold
from sksurv.ensemble import RandomSurvivalForest
from sksurv.linear_model import CoxnetSurvivalAnalysis, CoxPHSurvivalAnalysis
from sksurv.metrics import concordance_index_censored, integrated_brier_score
from sksurv.util import Surv
from SurvSet.data import SurvLoader

from benchmarks.autoscore_recipe import learn_points, rank_columns
from riskcard import RiskScoreSurvival

#: The tables, and columns that are left out: what is known only after the event, and when a row was drawn.
TABLES: dict[str, tuple[str, ...]] = {
    "veteran": (),
    "whas500": ("num_los",),
    "prostate": (),
    "GBSG2": (),
    "uis": (),
    "colon": (),
    "actg": (),
    "TRACE": (),
    "rott2": (),
    "smarto": (),
    "Framingham": (),
    "flchain": ("fac_chapter", "num_sample.yr", "fac_sample.yr"),
}
SIZES = (3, 5, 8)
N_FOLDS = 5
#: A forest of longer tables takes minutes a fold.
MOST_FOREST_ROWS = 3000


@dataclass(frozen=True)
class Fold:
    """A table divided: for cards as it is, for other methods as numbers."""

    train: pd.DataFrame
    test: pd.DataFrame
    train_numbers: np.ndarray
    test_numbers: np.ndarray
    y: np.ndarray
    test_y: np.ndarray
    known: dict[str, Any] = field(default_factory=dict)  # what several methods need

    @property
    def times(self) -> np.ndarray:
        """Where the Brier score is integrated: within what both parts were followed."""
        seen = self.y["time"][self.y["event"]]
        low, high = np.quantile(seen, [0.1, 0.8])
        last = min(high, self.test_y["time"].max() * (1 - 1e-9), self.y["time"].max() * (1 - 1e-9))
        return np.linspace(max(low, self.test_y["time"].min()), last, 50)


#: Of the test rows: higher for an earlier event; the probability of no event by each time.
Predicted = tuple[np.ndarray, np.ndarray]


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A table and its times."""
    frame = SurvLoader().load_dataset(ds_name=name)["df"]
    frame = frame[frame["time"] > 0].reset_index(drop=True)
    y = Surv.from_arrays(frame["event"] > 0, frame["time"].to_numpy(dtype=float))
    return frame.drop(columns=["pid", "event", "time", *TABLES[name]], errors="ignore"), y


def numbers_of(train: pd.DataFrame, test: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Both parts as standardised numbers; columns that are constant in training are left out."""
    both = pd.get_dummies(pd.concat([train, test]), drop_first=True, dummy_na=False).astype(float)
    first, second = both.iloc[: len(train)], both.iloc[len(train) :]
    first, second = first.fillna(first.mean()), second.fillna(first.mean())
    kept = first.columns[first.std() > 1e-9]
    mean, spread = first[kept].mean(), first[kept].std()
    return ((first[kept] - mean) / spread).to_numpy(), ((second[kept] - mean) / spread).to_numpy()


def folds_of(X: pd.DataFrame, y: np.ndarray) -> list[Fold]:
    """The five divisions of a table."""
    found = []
    for train, test in KFold(N_FOLDS, shuffle=True, random_state=0).split(X):
        parts = X.iloc[train], X.iloc[test]
        found.append(Fold(*parts, *numbers_of(*parts), y[train], y[test]))
    return found


def card(max_terms: int, **options: Any) -> Callable[[Fold], Predicted]:
    """A card of a size."""

    def fit(fold: Fold) -> Predicted:
        model = RiskScoreSurvival(max_terms, identifiers=None, **options).fit(fold.train, fold.y)
        curves = [one(fold.times) for one in model.predict_survival_function(fold.test)]
        return model.predict(fold.test), np.array(curves)

    return fit


def _of_numbers(model: Any, fold: Fold, **more: Any) -> Predicted:
    scores = model.predict(fold.test_numbers, **more)
    functions = model.predict_survival_function(fold.test_numbers, **more)
    times = np.clip(fold.times, *functions[0].domain)
    return scores, np.array([one(times) for one in functions])


def cox(fold: Fold) -> Predicted:
    """Cox regression on all columns, with a penalty that only keeps it computable."""
    model = CoxPHSurvivalAnalysis(alpha=1e-2, n_iter=200)
    return _of_numbers(model.fit(fold.train_numbers, fold.y), fold)


def lasso(n_columns: int) -> Callable[[Fold], Predicted]:
    """Cox regression on the first columns that a lasso takes up: at most as many as a card has terms."""

    def fit(fold: Fold) -> Predicted:
        path = CoxnetSurvivalAnalysis(l1_ratio=1.0, alpha_min_ratio=0.001, n_alphas=200)
        sizes = np.count_nonzero(path.fit(fold.train_numbers, fold.y).coef_, axis=0)
        place = int(np.flatnonzero(sizes <= n_columns)[-1])
        chosen = np.flatnonzero(path.coef_[:, place])
        narrow = {
            name: getattr(fold, name)[:, chosen] for name in ("train_numbers", "test_numbers")
        }
        return cox(replace(fold, **narrow))

    return fit


def forest(fold: Fold) -> Predicted:
    """A random survival forest."""
    model = RandomSurvivalForest(100, min_samples_leaf=10, max_features="sqrt", random_state=0)
    return _of_numbers(model.fit(fold.train_numbers, fold.y), fold)


def autoscore(n_columns: int) -> Callable[[Fold], Predicted]:
    """The recipe of AutoScore-Survival with a number of columns, some of which have several categories."""

    def fit(fold: Fold) -> Predicted:
        names = ranking_of(fold)[:n_columns]
        table = learn_points(fold.train, fold.y, names)
        totals = [table.totals(part)[:, None] / 10 for part in (fold.train, fold.test)]
        return cox(replace(fold, train_numbers=totals[0], test_numbers=totals[1]))

    return fit


def ranking_of(fold: Fold) -> list[str]:
    """The columns of a fold as AutoScore ranks them; worked out once for all sizes."""
    if "ranking" not in fold.known:
        fold.known["ranking"] = rank_columns(fold.train, fold.y)
    return fold.known["ranking"]


METHODS: dict[str, Callable[[Fold], Predicted]] = {
    **{f"card {size}": card(size) for size in SIZES},
    "lowest loss 5": card(5, regularization=None),
    "Cox": cox,
    **{f"lasso {size}": lasso(size) for size in SIZES},
    **{f"AutoScore {size}": autoscore(size) for size in SIZES},
    "forest": forest,
}


def judge(fold: Fold, predicted: Predicted) -> tuple[float, float]:
    """Concordance and integrated Brier score on the fifth fold."""
    scores, curves = predicted
    harrell = concordance_index_censored(fold.test_y["event"], fold.test_y["time"], scores)[0]
    # rows followed longer than any training row cannot be weighted
    known = fold.test_y["time"] < fold.y["time"].max()
    return harrell, integrated_brier_score(fold.y, fold.test_y[known], curves[known], fold.times)


def run(name: str, methods: Sequence[str]) -> dict[str, tuple[float, float]]:
    """The mean of both measures over the folds, by method."""
    X, y = load(name)
    found, folds = {}, folds_of(X, y)
    for method in methods:
        if method == "forest" and len(X) > MOST_FOREST_ROWS:
            continue
        fit = METHODS[method]
        found[method] = tuple(np.mean([judge(one, fit(one)) for one in folds], axis=0))
    print(f"# {name}: {len(X)} rows, {int(y['event'].sum())} events", flush=True)
    for method, (harrell, brier) in found.items():
        print(f"#   {method:14} {harrell:.4f} {brier:.4f}", flush=True)
    return found


def print_tables(
    results: dict[str, dict[str, tuple[float, float]]],
    facts: dict[str, str],
    methods: Sequence[str],
) -> None:
    """Both measures as tables of Markdown, with their means over the tables that every method has."""
    for place, title in enumerate(("Concordance index", "Integrated Brier score")):
        print(f"\n{title}\n")
        print(f"| table (rows, events) | {' | '.join(methods)} |")
        print(f"|---|{'---|' * len(methods)}")
        for name, found in results.items():
            cells = [f"{found[one][place]:.3f}" if one in found else "" for one in methods]
            print(f"| {name} {facts[name]} | {' | '.join(cells)} |")
        whole = [one for one in methods if all(one in found for found in results.values())]
        means = {one: np.mean([found[one][place] for found in results.values()]) for one in whole}
        cells = [f"{means[one]:.4f}" if one in means else "" for one in methods]
        print(f"| mean | {' | '.join(cells)} |")


def print_proofs(names: Sequence[str], limit: float) -> None:
    """What is proven within a time limit on each whole table."""
    print("| table | card | gap | status | processor seconds |\n|---|---|---|---|---|")
    for name in names:
        X, y = load(name)
        for words, options in (("default", {}), ("lowest loss", {"regularization": None})):
            for size in SIZES:
                if words == "lowest loss" and size == SIZES[-1]:
                    continue
                start = time.process_time()
                model = RiskScoreSurvival(
                    size, certify=True, time_limit=limit, identifiers=None, **options
                ).fit(X, y)
                seconds = time.process_time() - start
                cells = f"{model.gap_:.2e} | {model.status_} | {seconds:.1f}"
                print(f"| {name} | {words}, {size} terms | {cells} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--proofs", action="store_true")
    parser.add_argument("--limit", type=float, default=60.0)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    if options.proofs:
        print_proofs(options.tables, options.limit)
        return
    facts = {}
    for name in options.tables:
        X, y = load(name)
        facts[name] = f"({len(X):,}, {int(y['event'].sum()):,})"
    results = {name: run(name, options.methods) for name in options.tables}
    print_tables(results, facts, options.methods)


if __name__ == "__main__":
    main()
