"""From a solver's answer and the training rows to the certificate and the facts that a card carries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from riskcard.data.table import Table
from riskcard.encoding.rank_table import CutGrid
from riskcard.model.certificate import Certificate, TrainingFacts
from riskcard.model.totals import count_totals
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult


def certificate_of(result: SolveResult, problem: Problem, cut_grid: CutGrid) -> Certificate:
    """Sum up a solver's answer as the certificate that its card carries."""
    limits, scale, moderate = problem.limits, problem.scale, result.moderate
    return Certificate(
        loss=result.loss,
        bound=result.bound,
        status=result.status,
        max_terms=limits.max_terms,
        max_features=limits.max_features,
        max_cuts_per_feature=limits.max_cuts_per_feature,
        max_points=problem.max_points,
        scale=scale.multiplier if scale.kind == "fixed" else scale.kind,
        is_grid_full=cut_grid.is_full,
        nodes=result.nodes,
        seconds=result.seconds,
        notes=result.notes,
        max_log_odds=scale.limit,
        moderate_odds=0.0 if moderate is None else moderate.odds,
        moderate_bound=0.0 if moderate is None else moderate.bound,
    )


def training_facts_of(
    table: Table, totals: NDArray[np.int64], reachable: Sequence[int]
) -> TrainingFacts:
    """Count the rows, the events and their weights, in all and by the total of the card.

    Parameters
    ----------
    table
        The rows.
    totals
        What the card gives each of them.
    reachable
        Every total that a row can have, ascending.
    """
    is_event = table.labels == 1
    return TrainingFacts(
        rows=table.labels.size,
        events=int(np.count_nonzero(is_event)),
        weight=float(np.sum(table.weights)),
        event_weight=float(np.sum(table.weights[is_event])),
        totals=count_totals(totals, is_event, table.weights, reachable),
    )
