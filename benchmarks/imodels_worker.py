"""Fits FastRiskScoreClassifier in the interpreter that has imodels; see imodels_process.py.

Each line of standard input names a file with a request; the answer is written beside it as JSON,
and a line says so. Two kinds of requests:

- ``.npz`` with the arrays ``X``, ``y`` and ``terms``: the answer is the seconds of a fit with 99
  thresholds and the rules with their points;
- ``.json`` with a CSV file, the rows to fit, the rows to predict and the settings: the answer is the
  seconds of the fit, its loss a row and the risks of the rows to predict.
"""

import functools
import json
import os
import sys
import time
import warnings


def fit_arrays(path):
    """Seconds of one fit, and its rules as (column, kind, value, points)."""
    import numpy as np
    from imodels import FastRiskScoreClassifier

    with np.load(path) as data:
        X, y, terms = data["X"], data["y"], int(data["terms"])
    begin = time.perf_counter()
    model = FastRiskScoreClassifier(k=terms, max_points=5, n_thresholds=99).fit(X, y)
    seconds = time.perf_counter() - begin
    rules = [
        (int(rule[0]), rule[1], float(rule[2]), int(points))
        for rule, points in zip(model.binarizer_.rules_, model.coef_, strict=True)
        if points != 0
    ]
    return {"seconds": seconds, "rules": rules}


@functools.lru_cache(maxsize=1)
def read_frame(path):
    """The table as it comes: texts are categories, empty cells are missing."""
    import pandas as pd

    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def fit_and_predict(path):
    """Fit the classifier on some rows of a table as it comes, and predict others."""
    from imodels import FastRiskScoreClassifier

    with open(path) as file:
        request = json.load(file)
    frame = read_frame(request["table"])
    X, y = frame.drop(columns="target"), frame["target"]
    fitted, asked = request["fitted"], request["asked"]
    warnings.simplefilter("ignore")  # here, because the import of imodels turns them on
    begin = time.perf_counter()
    model = FastRiskScoreClassifier(**request["settings"]).fit(X.iloc[fitted], y.iloc[fitted])
    seconds = time.perf_counter() - begin
    risks = model.predict_proba(X.iloc[asked])[:, 1].tolist()
    return {"seconds": seconds, "fit_loss": model.train_loss_, "risks": risks}


def main():
    # read when numpy and numba are imported, in the functions above
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    for line in sys.stdin:
        request = line.strip()
        fit = fit_arrays if request.endswith(".npz") else fit_and_predict
        with open(request + ".json", "w") as answer:
            json.dump(fit(request), answer)
        print("done", flush=True)


if __name__ == "__main__":
    main()
