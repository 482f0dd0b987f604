"""Unit weights, after Burgess: each of the strongest associations is worth one point."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riskcard.baselines.plain_cards import PlainCardClassifier, unproven
from riskcard.baselines.steps.columns import Columns, Integers, candidate_columns
from riskcard.baselines.steps.scaling import with_best_scale
from riskcard.baselines.steps.selection import associations
from riskcard.problem.problem import Problem, make_problem
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.result import SolveResult


@dataclass(eq=False, repr=False)
class UnitWeightsClassifier(PlainCardClassifier):
    """One point for each condition that goes with the event; the total is calibrated.

    Each feature offers the cut that is most strongly associated with the event (Pearson's
    chi-square of the two-by-two table). The ``max_terms`` strongest features whose statistic is at
    least ``least_chi_square`` are worth one point each, on the side where the event is more common.
    Nothing is proven about the card: ``status_`` is "heuristic" and ``lower_bound_`` is 0.

    Parameters
    ----------
    max_terms
        At most this many terms.
    scale
        From total to log-odds, as in ``RiskScoreClassifier``: "calibrated", "multiplier" or a
        number.
    grid
        Candidate cuts of a continuous feature: at this many quantiles; None for every cut.
    least_chi_square
        Weaker associations are left out; 3.84 is the 5 % point of one cut that was not chosen, 0
        lets all in. Row weights count as numbers of rows.

    Attributes
    ----------
    card_, loss_, lower_bound_, gap_, status_, result_, classes_, n_features_in_, feature_names_in_
        As in ``RiskScoreClassifier``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> classifier = UnitWeightsClassifier(max_terms=4).fit(X, y)
    >>> sorted({max(term.below, term.above) for term in classifier.card_.terms})
    [1]
    """

    max_terms: int = 5
    scale: float | str = "calibrated"
    grid: int | None = 9
    least_chi_square: float = 3.84

    def _make_problem(self, data: RankedData) -> Problem:
        sizes = {"max_terms": self.max_terms, "max_cuts_per_feature": 1, "max_points": 1}
        return make_problem(data, **sizes, scale=self.scale)

    def _solve(self, problem: Problem, names: Sequence[str]) -> SolveResult:
        columns = candidate_columns(problem)
        points = _unit_points(columns, problem.limits.max_terms, self.least_chi_square)
        return unproven(with_best_scale(problem, columns.terms(points)), problem)


def _unit_points(columns: Columns, max_terms: int, least_chi_square: float) -> Integers:
    """One point, with its sign, for the best column of each of the strongest features."""
    strengths, directions = associations(columns)
    points = np.zeros(columns.n_columns, dtype=np.int64)
    used: set[int] = set()
    for column in np.argsort(-strengths, kind="stable"):
        feature = int(columns.features[column])
        if len(used) == max_terms or strengths[column] < least_chi_square:
            break
        if feature not in used and strengths[column] > 0:
            points[column] = 1 if directions[column] > 0 else -1
            used.add(feature)
    return points
