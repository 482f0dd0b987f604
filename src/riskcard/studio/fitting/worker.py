"""The process that fits: jobs come in as lines of JSON, moments and cards go out as lines of JSON.

It is a process of its own so that a fit can be ended from outside at any time, and so that the page is
answered while a fit is at work. It ends itself when the studio does: then its input ends.
"""

import json
import os
import queue
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from riskcard.cli.learning.fit import classifier_of
from riskcard.cli.rows.training import Training, load_rules
from riskcard.errors import RiskcardError
from riskcard.estimators.watched_fit import WatchedFit, fit_watched
from riskcard.search.warmup import make_ready
from riskcard.status import Progress
from riskcard.studio.choices import options_of
from riskcard.studio.fitting.exchange import read_training_file, write_pseudo

Tell = Callable[[dict[str, Any]], None]


class Jobs:
    """Takes jobs from a stream in a thread of its own, and interrupts the one at work when asked to."""

    def __init__(self, stream: TextIO) -> None:
        self.waiting: queue.Queue[dict[str, Any]] = queue.Queue()
        self.at_work = threading.Lock()
        self._stream = stream
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self._stream:
            job = json.loads(line)
            if job["kind"] != "stop":
                self.waiting.put(job)
            elif self.at_work.locked():
                import _thread

                _thread.interrupt_main()  # as Ctrl-C: the proof ends with what is proven so far
        os._exit(0)  # the studio has gone


def main() -> None:
    """Work until the studio goes."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # whatever prints must not come between the lines

    def tell(message: dict[str, Any]) -> None:
        channel.write(json.dumps(message) + "\n")

    jobs = Jobs(sys.stdin)
    make_ready("calibrated")  # compiled before the first job, not while its clock runs
    tell({"kind": "ready"})
    while True:
        try:
            job = jobs.waiting.get()
            with jobs.at_work:
                _do(job, partial(_with_number, tell, job["number"]))
        except KeyboardInterrupt:
            continue  # the user stopped a job that was over already


def _with_number(tell: Tell, number: int, message: dict[str, Any]) -> None:
    tell({**message, "job": number})


def _do(job: dict[str, Any], tell: Tell) -> None:
    """Do a job; whatever goes wrong is told."""
    try:
        {"fit": _fit, "pool": _pool, "sizes": _sizes}[job["kind"]](job, tell)
    except KeyboardInterrupt:
        tell({"kind": "stopped"})
    except RiskcardError as error:
        tell({"kind": "failed", "reason": " ".join(str(error).split())})
    except MemoryError:
        tell({"kind": "failed", "reason": "Not enough memory. Use fewer rows or columns."})


def _fit(job: dict[str, Any], tell: Tell) -> None:
    """The card at once, then the same search with its proof."""
    training, model = _prepared(job)

    def watch(moment: Progress) -> None:
        tell(
            {
                "kind": "moment",
                "seconds": moment.seconds,
                "loss": moment.loss,
                "bound": moment.bound,
                "nodes": moment.nodes,
            }
        )

    def fit(certify: bool) -> WatchedFit:
        model.set_params(certify=certify)
        return fit_watched(model, training.table, training.labels, watch, training.weights)

    _tell_card(fit(False), "card", job, tell)
    _tell_card(fit(True), "proven", job, tell)


def _tell_card(fit: WatchedFit, kind: str, job: dict[str, Any], tell: Tell) -> None:
    write_pseudo(Path(job["pseudo"]), fit.pseudo)
    tell({"kind": kind, "card": fit.card.to_json()})


def _pool(job: dict[str, Any], tell: Tell) -> None:
    """Cards about as good as the best."""
    from riskcard.estimators.card_pool import find_pool

    training, model = _prepared(job)
    model.set_params(certify=True)
    pool = find_pool(
        model,
        training.table,
        training.labels,
        tolerance=job["tolerance"],
        size=job["size"],
        sample_weight=training.weights,
    )
    tell(
        {
            "kind": "pool",
            "cards": [card.to_json() for card in pool.cards],
            "losses": list(pool.losses),
            "summary": pool.summary,
        }
    )


def _sizes(job: dict[str, Any], tell: Tell) -> None:
    """What cards of each size lose on rows that they were not learned from, by cross-validation."""
    from riskcard.estimators.cross_validation.cv import RiskScoreClassifierCV

    training, model = _prepared(job)
    model.set_params(certify=False)
    search = RiskScoreClassifierCV(model, max_terms=job["most"], repeats=1)
    # rows that belong together stay together in the folds
    search.fit(training.table, training.labels, training.weights, training.division.groups)
    results = search.cv_results_
    shown = {"terms": "n_terms", "loss": "test_log_loss", "auc": "mean_test_auc"}
    columns = {name: results[key].tolist() for name, key in shown.items()}
    tell({"kind": "sizes", **columns, "chosen": int(search.n_terms_)})


def _prepared(job: dict[str, Any]) -> tuple[Training, Any]:
    """The training rows that the studio has read, and the classifier that the command line would make."""
    options = options_of(job["arguments"])
    training = read_training_file(Path(job["training"]))
    rules = load_rules(options)
    if rules is not None:
        training = replace(training, rules=rules.only(training.table.column_names))
    return training, classifier_of(options, training)


if __name__ == "__main__":
    main()
