"""A master scale: rating grades by ranges of the risk, and whether what happened agrees with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest, norm, t

from riskcard.errors import ParameterError
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.linearisation import Cells
from riskcard.evaluation.outcomes import Outcomes, effective_rows
from riskcard.evaluation.thresholds import RiskGroup, risk_groups
from riskcard.formatting.speech import say

#: Where a further grade begins unless they are given: each time at twice the risk.
DOUBLING = tuple(0.005 * 2**power for power in range(8))
#: Below these chances a grade is doubtful, or out of line.
DOUBTFUL, OUT_OF_LINE = 0.05, 0.01

Grades = Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Grade:
    """One rating grade.

    Attributes
    ----------
    name
        What it is called.
    low, high
        Its range of risks: at least ``low``, below ``high``.
    rows, events
        Counts.
    share
        Share of all rows, by weight.
    expected
        Mean risk of its rows; None without rows.
    observed
        Share with the event, by weight, with its 95 % interval.
    chance
        Two-sided chance of a count at least as far from the expected one, if the mean risk is right
        and defaults are independent: the exact binomial test; with weights the normal approximation for
        the effective number of rows; with clusters, within which defaults may depend on each other,
        Student's for the effective number of rows. None without rows.
    """

    name: str
    low: float
    high: float
    rows: int
    events: int
    share: float
    expected: float | None
    observed: Figure
    chance: float | None

    @property
    def reading(self) -> str:
        """Whether what happened agrees with the risks."""
        if self.chance is None or self.expected is None:
            return say("credit_grade_empty")
        if self.chance >= DOUBTFUL:
            return say("credit_grade_in_line")
        side = "low" if self.observed.value > self.expected else "high"
        return say(f"credit_grade_{'too' if self.chance < OUT_OF_LINE else 'doubtful'}_{side}")


def master_scale(outcomes: Outcomes, grades: Grades | None = None) -> tuple[Grade, ...]:
    """Sort rows into grades, the safest first.

    Parameters
    ----------
    outcomes
        The rows.
    grades
        Names, each with the risk at which the grade begins; the first begins at 0. By default grades
        are numbered, and each begins at twice the risk of the one before, from 0.5 %; empty ones at
        both ends are left out.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> rows = read_outcomes([0.01, 0.02, 0.3, 0.4], [0, 0, 0, 1])
    >>> [(one.name, one.rows) for one in master_scale(rows, [("A", 0.0), ("B", 0.1)])]
    [('A', 2), ('B', 2)]
    """
    if grades is None:
        groups = risk_groups(outcomes, DOUBLING)
        filled = [place for place, one in enumerate(groups) if one.rows]
        kept = range(filled[0], filled[-1] + 1)
        return tuple(_grade(str(place + 1), groups[place], outcomes) for place in kept)
    _check(grades)
    limits = [begin for _, begin in grades[1:]]
    groups = risk_groups(outcomes, limits) if limits else risk_groups(outcomes, [2.0])[:1]
    return tuple(_grade(name, one, outcomes) for (name, _), one in zip(grades, groups, strict=True))


def _grade(name: str, group: RiskGroup, outcomes: Outcomes) -> Grade:
    expected = None if math.isnan(group.expected) else group.expected
    return Grade(
        name=name,
        low=max(group.low, 0.0),
        high=min(group.high, 1.0),
        rows=group.rows,
        events=group.events,
        share=group.share.value,
        expected=expected,
        observed=group.observed,
        chance=None if expected is None else _chance(group, expected, outcomes),
    )


def _chance(group: RiskGroup, expected: float, outcomes: Outcomes) -> float:
    """The test of one grade."""
    if outcomes.is_plain:
        return float(binomtest(group.events, group.rows, expected).pvalue)
    is_in = (outcomes.risks >= group.low) & (outcomes.risks < group.high)
    rows, degrees = effective_rows(outcomes.weights[is_in]), math.inf
    if outcomes.clusters is not None:
        cells = Cells.of(outcomes, is_in.astype(np.intp), 2)
        rate = cells.rate(cells.is_event, np.array([False, False, True, True]))
        rows, degrees = min(rows, rate.effective_rows), rate.units - 1
    error = math.sqrt(expected * (1 - expected) / rows)
    if not error or degrees <= 0:
        return 1.0
    distance = abs(group.observed.value - expected) / error
    return float(2 * (norm.sf(distance) if math.isinf(degrees) else t.sf(distance, degrees)))


def _check(grades: Grades) -> None:
    begins = [begin for _, begin in grades]
    is_rising = begins == sorted(set(begins)) and all(0 <= begin < 1 for begin in begins)
    if not grades or begins[0] != 0 or not is_rising:
        raise ParameterError(
            "Grades have to rise from 0 to below 1. Give the name of the safest grade, then each other "
            "one with the risk at which it begins, such as A B=1% C=2%."
        )
