"""Folds one after the other, in threads and in processes, and what a new process needs before its first fit.

    python -m benchmarks.folds_at_once
    python -m benchmarks.folds_at_once --repeats 5

Each row is taken in processes of its own, the best of several. Processor time includes that of worker processes; on
a busy machine it is the figure to compare. The data are the breast cancer table of scikit-learn, five folds, cards
of three terms; and a made-up table of 768 rows and 8 columns, ten folds, cards by default.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

FOLDS = """
import os, resource, sys, time, warnings
warnings.simplefilter("ignore")
from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import get_reusable_executor
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from riskcard import RiskScoreClassifier

def used():
    kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return sum(one.ru_utime + one.ru_stime for one in map(resource.getrusage, kinds))

def worker(_):
    time.sleep(0.2)  # so that each of the two has some
    own = resource.getrusage(resource.RUSAGE_SELF)
    return os.getpid(), own.ru_utime + own.ru_stime

def workers():
    return dict(Parallel(n_jobs=2)(delayed(worker)(i) for i in range(4)))

backend, what = sys.argv[1:]
is_warm, backend = backend == "warm", backend.replace("warm", "loky")
if what == "breast cancer":
    (X, y), model, folds = load_breast_cancer(return_X_y=True), RiskScoreClassifier(3), 5
else:
    X, y = make_classification(768, 8, n_informative=6, flip_y=0.2, random_state=0)
    model, folds = RiskScoreClassifier(), 10
if what == "regression":
    model = LogisticRegression()
model.fit(X, y)  # compiled code is loaded here
if is_warm:
    cross_val_score(model, X, y, cv=folds, n_jobs=2)
    warm = workers()
begin, before = time.perf_counter(), used()
if backend == "serial":
    scores = cross_val_score(model, X, y, cv=folds, scoring="roc_auc")
else:
    with parallel_config(backend=backend):
        scores = cross_val_score(model, X, y, cv=folds, scoring="roc_auc", n_jobs=2)
seconds = time.perf_counter() - begin
processor = used() - before
if is_warm:
    processor += sum(seconds - warm[name] for name, seconds in workers().items())
elif backend == "loky":
    get_reusable_executor().shutdown(wait=True)  # the time of children counts once they have ended
    processor = used() - before
print(seconds, processor, scores.mean())
"""

STEPS = """
import time, warnings
warnings.simplefilter("ignore")
now = time.process_time
times = [now()]
import sklearn.linear_model, sklearn.model_selection
times.append(now())
import numba
times.append(now())
from riskcard.estimators.classifier import RiskScoreClassifier
times.append(now())
from numba.core.registry import cpu_target
cpu_target.target_context.refresh(), cpu_target.typing_context.refresh()
times.append(now())
from sklearn.datasets import load_breast_cancer
X, y = load_breast_cancer(return_X_y=True)
begin = now()
RiskScoreClassifier(3).fit(X, y)
first = now() - begin
begin = now()
RiskScoreClassifier(3).fit(X, y)
print(*(b - a for a, b in zip(times, times[1:])), first - (now() - begin), now() - begin)
"""

MODES = {
    "one after the other": "serial",
    "two threads": "threading",
    "two new processes": "loky",
    "two processes of an earlier call": "warm",
}
#: Cards of three terms in five folds; cards by default, and scikit-learn's regression, in ten folds of 768 x 8.
WHAT = ("breast cancer", "768 x 8", "regression")
PARTS = (
    "scikit-learn and pandas",
    "numba",
    "riskcard",
    "numba's types and functions",
    "compiled code of riskcard",
    "a fit after that",
)


def numbers_of(code: str, *words: str) -> list[float]:
    """What a fresh interpreter prints."""
    command = [sys.executable, "-c", code, *words]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(number) for number in answer.stdout.split()]


def best_of(repeats: int, code: str, *words: str) -> list[float]:
    """The lowest of each figure."""
    return [
        min(one) for one in zip(*(numbers_of(code, *words) for _ in range(repeats)), strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    print("| what | folds | seconds | processor seconds | mean AUC |\n|---|---|---|---|---|")
    for what in WHAT:
        for words, mode in MODES.items():
            seconds, processor, score = best_of(repeats, FOLDS, mode, what)
            print(f"| {what} | {words} | {seconds:.2f} | {processor:.2f} | {score:.4f} |")
    print("\n| before the first fit of a process | processor seconds |\n|---|---|")
    for words, seconds in zip(PARTS, best_of(repeats, STEPS), strict=True):
        print(f"| {words} | {seconds:.2f} |")


if __name__ == "__main__":
    main()
