"""Cards for numbers and ordered levels against regressions on all columns, on tables that need no network.

    python -m benchmarks.other_outcomes            prints the two tables of docs/outcomes.md
    python -m benchmarks.other_outcomes --proofs   what is proven on the whole tables within --limit seconds

Five folds, shuffled with seed 0. Each method is fitted to four folds and judged on the fifth: numbers by R^2,
levels by the mean log-loss. The rivals are a linear regression and a proportional-odds model (statsmodels),
both on all columns, of variance 1. The tables are scikit-learn's and statsmodels'.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import statsmodels.api as sm
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler
from statsmodels.miscmodels.ordinal_model import OrderedModel

from riskcard import RiskScoreOrdinal, RiskScoreRegressor

SIZES = (3, 5, 8)
N_FOLDS = 5


@dataclass(frozen=True)
class Outcome:
    """A table and its outcome, numbers or levels."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    is_ordered: bool


def outcomes() -> Iterator[Outcome]:
    """The tables."""
    diabetes = load_diabetes(as_frame=True)
    yield Outcome("diabetes, progression", diabetes.data, diabetes.target.to_numpy(), False)
    star = sm.datasets.star98.load_pandas().data
    share = star["NABOVE"] / (star["NABOVE"] + star["NBELOW"])
    schools = star.drop(columns=["NABOVE", "NBELOW"]).iloc[:, :12]  # without products of columns
    yield Outcome("star98, share above the median", schools, 100 * share.to_numpy(), False)
    cards = sm.datasets.ccard.load_pandas().data
    spending = cards["AVGEXP"].to_numpy()
    yield Outcome("ccard, spending", cards.drop(columns=["AVGEXP", "INCOMESQ"]), spending, False)
    fair = sm.datasets.fair.load_pandas().data
    marriage = (5 - fair["rate_marriage"]).to_numpy().astype(int)
    yield Outcome(
        "fair, rating of the marriage (5 levels)",
        fair.drop(columns="rate_marriage"),
        marriage,
        True,
    )
    votes = sm.datasets.anes96.load_pandas().data
    party = votes["PID"].to_numpy().astype(int)
    columns = ["popul", "TVnews", "selfLR", "ClinLR", "DoleLR", "age", "educ", "income"]
    yield Outcome("anes96, party (7 levels)", votes[columns], party, True)
    rand = sm.datasets.randhie.load_pandas().data
    health = (rand["hlthg"] + 2 * rand["hlthf"] + 3 * rand["hlthp"]).to_numpy().astype(int)
    columns = ["mdvis", "lncoins", "idp", "lpi", "fmde", "physlm", "disea"]
    yield Outcome("randhie, health (4 levels)", rand[columns], health, True)


def main() -> None:
    """Run what the options ask for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--proofs", action="store_true", help="prove on whole tables instead")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each proof (60)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for is_ordered in (False, True):
        found = [one for one in outcomes() if one.is_ordered == is_ordered]
        if options.proofs:
            _print_proofs(found, options.limit)
        else:
            _print_figures(found)


def card(
    size: int, is_ordered: bool, **parameters: object
) -> RiskScoreOrdinal | RiskScoreRegressor:
    """The estimator of a kind of outcome."""
    if is_ordered:
        return RiskScoreOrdinal(size, **parameters)
    return RiskScoreRegressor(size, loss="squared_error", **parameters)


def _print_figures(found: list[Outcome]) -> None:
    names = [f"card {size}" for size in SIZES] + ["lowest loss 5", "all columns", "no columns"]
    print("\n| table (rows) | " + " | ".join(names) + " |")
    print("|" + "---|" * (len(names) + 1))
    for one in found:
        sums = np.mean([_judge(one, *fold) for fold in _folds(one)], axis=0)
        cells = " | ".join(f"{value:.3f}" for value in sums)
        print(f"| {one.name} ({one.y.size:,}) | {cells} |", flush=True)


def _folds(one: Outcome) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    return KFold(N_FOLDS, shuffle=True, random_state=0).split(one.X)


def _judge(one: Outcome, train: np.ndarray, test: np.ndarray) -> list[float]:
    """The figure of each method on one fold."""
    X, y = one.X.iloc[train], one.y[train]
    models = [card(size, one.is_ordered) for size in SIZES]
    models.append(card(5, one.is_ordered, regularization=None))
    scaler = StandardScaler().fit(X)
    numbers, others = scaler.transform(X), scaler.transform(one.X.iloc[test])
    if not one.is_ordered:
        said = [model.fit(X, y).predict(one.X.iloc[test]) for model in models]
        said.append(LinearRegression().fit(numbers, y).predict(others))
        said.append(np.full(test.size, y.mean()))
        wrong = np.sum((one.y[test] - y.mean()) ** 2)
        return [1 - float(np.sum((one.y[test] - values) ** 2) / wrong) for values in said]
    shares = [model.fit(X, y).predict_proba(one.X.iloc[test]) for model in models]
    fitted = OrderedModel(y, numbers, distr="logit").fit(method="bfgs", maxiter=500, disp=False)
    shares.append(np.asarray(fitted.model.predict(fitted.params, exog=others)))
    shares.append(np.tile(np.bincount(y) / y.size, (test.size, 1)))
    own = one.y[test]
    return [float(-np.mean(np.log(values[np.arange(test.size), own]))) for values in shares]


def _print_proofs(found: list[Outcome], limit: float) -> None:
    print("\n| table (rows) | terms | cards | status | gap | nodes | processor seconds |")
    print("|---|---|---|---|---|---|---|")
    for one in found:
        for size in SIZES:
            for name, parameters in (("default", {}), ("lowest loss", {"regularization": None})):
                start = time.process_time()
                model = card(size, one.is_ordered, certify=True, time_limit=limit, **parameters)
                model.fit(one.X, one.y)
                used = time.process_time() - start
                print(
                    f"| {one.name} ({one.y.size:,}) | {size} | {name} | {model.status_} | "
                    f"{100 * model.gap_:.3g} % | {model.result_.nodes:,} | {used:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
