"""The bootstrap of a report: as many resamples as the time allows."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone

from riskcard.evaluation.measures import measure
from riskcard.formatting.speech import say
from riskcard.model.card import RiskCard
from riskcard.report.refits.cross_validation import Table
from riskcard.stability.bootstrap import bootstrap_card
from riskcard.stability.result import CardStability

#: With fewer resamples, none are made.
FEWEST = 5
#: A resample takes longer than a fold: it has all rows, and is measured twice.
_LONGER = 1.5


@dataclass(frozen=True, slots=True)
class Plan:
    """How many resamples are wanted, and how long they may take.

    Attributes
    ----------
    bootstraps
        Number of resamples.
    seconds_left
        For all of them; infinite without a limit.
    seconds_of_a_fit
        What one fit of the card took; 0 when that is not known yet.
    seed
        Of the resamples.
    n_jobs
        Resamples at a time.
    """

    bootstraps: int
    seconds_left: float
    seconds_of_a_fit: float
    seed: int
    n_jobs: int | None


def resample(
    card: RiskCard, rows: Table, estimator: Any, plan: Plan, tell: Callable[[int], None]
) -> tuple[CardStability | None, list[str]]:
    """Refit the card on resamples of the rows.

    Parameters
    ----------
    card
        The card of the report, with which those of the resamples are compared.
    rows
        The rows.
    estimator
        The procedure behind the card.
    plan
        How much to do.
    tell
        Called with the number of steps done.

    Returns
    -------
    CardStability or None
        None when the time does not suffice for a few resamples.
    list
        Sentences on what was left out.
    """
    number = _affordable(rows, estimator, plan)
    notes = []
    if number < plan.bootstraps:
        tell(plan.bootstraps - number if number >= FEWEST else plan.bootstraps)
        name = "note_fewer_resamples" if number >= FEWEST else "note_no_resamples"
        notes.append(say(name, number=str(number), wanted=str(plan.bootstraps)))
    if number < FEWEST:
        return None, notes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = bootstrap_card(
            estimator,
            rows.table,
            rows.is_event,
            n_bootstraps=number,
            random_state=plan.seed,
            n_jobs=plan.n_jobs,
            sample_weight=rows.weights,
            groups=rows.division.groups,
            progress=lambda: tell(1),
        )
    # the card of the report is the one that was learned, with its proof, not the one found here
    log_odds = np.log(rows.risks) - np.log1p(-rows.risks)
    apparent = measure(log_odds, rows.is_event, rows.weights)
    return replace(found, card=card, apparent=apparent), notes


def _affordable(rows: Table, estimator: Any, plan: Plan) -> int:
    if plan.seconds_left == float("inf"):
        return plan.bootstraps
    seconds, left = plan.seconds_of_a_fit, plan.seconds_left
    if seconds <= 0:
        begun = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clone(estimator).fit(rows.table, rows.is_event, sample_weight=rows.weights)
        seconds = time.perf_counter() - begun
        left -= seconds
    at_a_time = effective_n_jobs(plan.n_jobs)
    fits = int(left * at_a_time / (_LONGER * max(seconds, 1e-6)))
    return max(0, min(plan.bootstraps, fits - 1))  # one fit is that of all rows
