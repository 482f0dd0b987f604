"""Fits FastRiskScoreClassifier in the interpreter that has imodels; called by benchmarks.rivals.

Each line of standard input names a file with the arrays ``X``, ``y`` and ``terms``. The answer, the
seconds and the rules with their points, is written beside it as JSON, and a line says so.
"""

import json
import os
import sys
import time


def fit(path):
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


def main():
    # read when numpy and numba are imported, in fit
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    for line in sys.stdin:
        request = line.strip()
        with open(request + ".json", "w") as answer:
            json.dump(fit(request), answer)
        print("done", flush=True)


if __name__ == "__main__":
    main()
