"""From a solver's answer and the training rows to the certificate and the facts of a card."""

from collections.abc import Sequence

import numpy as np

from riskcard.arrays import Integers
from riskcard.data.table import Table
from riskcard.encoding.decode_solution import Layout
from riskcard.model.origin.certificate import Certificate, TrainingFacts
from riskcard.model.totals import count_totals
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.rules.describe_rules import describe_rules


def certificate_of(
    result: SolveResult, problem: Problem, layout: Layout, loss: float
) -> Certificate:
    """Sum up a solver's answer as the certificate of its card.

    Parameters
    ----------
    result, problem, layout
        The answer, what was solved, and what its numbers mean.
    loss
        That of the printed card on the raw rows.
    """
    limits, scale = problem.limits, problem.scale
    n_terms = len(result.solution.terms) if result.min_gain > 0 else 0
    return Certificate(
        loss=loss,
        bound=min(result.bound, loss + result.min_gain * n_terms),
        status=result.status,
        max_terms=limits.max_terms,
        max_features=limits.max_features,
        max_cuts_per_feature=limits.max_cuts_per_feature,
        max_points=problem.max_points,
        scale=scale.multiplier if scale.kind == "fixed" else scale.kind,
        is_grid_full=layout.cut_grid.is_full and layout.shortlist is None,
        grid=None if layout.cut_grid.is_full else layout.grid,
        shortlist=layout.shortlist,
        all_conditions=layout.all_conditions,
        nodes=result.nodes,
        seconds=result.seconds,
        notes=result.notes,
        rules=tuple(_rules_in_words(layout)),
        min_line_rows=layout.min_line_rows,
        pseudo_rows=layout.pseudo.average,
        smooth_rows=layout.pseudo.smooth,
        max_log_odds=scale.limit,
        min_gain=result.min_gain,
        charged_terms=n_terms,
    )


def _rules_in_words(layout: Layout) -> list[str]:
    """What the card had to keep in addition to its size."""
    words = describe_rules(layout.rules, layout.least)
    if layout.max_changes is not None:
        words.append(f"terms of an earlier card that may be changed: {layout.max_changes}")
    return [*words, *layout.further_rules]


def training_facts_of(table: Table, totals: Integers, reachable: Sequence[int]) -> TrainingFacts:
    """Count the rows, the events and their weights, overall and by the total of the card.

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
    counts = None if table.merged is None else table.merged.counts
    return TrainingFacts(
        rows=table.n_rows,
        events=table.count(is_event),
        weight=float(np.sum(table.weights)),
        event_weight=float(np.sum(table.weights[is_event])),
        totals=count_totals(totals, is_event, table.weights, reachable, counts),
        is_weighted=bool((table.weights != (1 if counts is None else counts)).any()),
    )
