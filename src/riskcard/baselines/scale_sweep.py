"""Cole's sweep: a regression rounded at every scale, and what each largest point costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.baselines.plain_cards import PlainCardClassifier
from riskcard.baselines.steps.columns import Floats, Integers, candidate_columns
from riskcard.baselines.steps.regression import fit_logistic
from riskcard.baselines.steps.scaling import with_best_scale
from riskcard.baselines.steps.selection import select_forward
from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.status import Status


@dataclass(frozen=True, slots=True)
class SweepRow:
    """The best rounding with a given largest point.

    Attributes
    ----------
    largest
        The largest number of points of a term.
    loss
        Of the best whole points with it, scale and offset refitted.
    efficiency
        The share that they keep of what the regression gains over the same risk for every row.
    """

    largest: int
    loss: float
    efficiency: float


@dataclass(frozen=True, slots=True)
class SweepResult(SolveResult):
    """A result that also has the table of the sweep.

    Attributes
    ----------
    sweep
        One row for each largest point that occurs.
    real_loss
        The loss of the regression.
    """

    sweep: tuple[SweepRow, ...] = ()
    real_loss: float = 0.0


@dataclass(eq=False, repr=False)
class ScaleSweepClassifier(PlainCardClassifier):
    """Cole's sweep over scales: the smallest whole points that keep enough of a regression.

    Parameters
    ----------
    max_terms
        At most this many columns, by forward selection.
    max_points
        The largest point of the sweep.
    scale, grid, ridge
        As in ``SelectRegressRoundClassifier``.
    least_efficiency
        Of the largest points that keep this share of the gain of the regression, the smallest is used; if none
        does, that with the smallest loss.

    Attributes
    ----------
    result_ : SweepResult
        Also has ``sweep``, the table of largest point, loss and efficiency, and ``real_loss``.
    card_, loss_, lower_bound_, gap_, status_, classes_, n_features_in_, feature_names_in_
        As in ``RiskScoreClassifier``; nothing is proven about the card.

    Notes
    -----
    Cole, "Algorithm AS 281: scaling and rounding regression coefficients to integers", Applied Statistics 42
    (1993) 261-268. For coefficients beta and every scale s, the points are the nearest whole numbers to
    ``s * beta``. They change only where some ``s |beta_j|`` is a half, so the sweep looks at one s
    between each two such places and sees every rounding. Losses here are log-losses with a refitted scale.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> classifier = ScaleSweepClassifier(max_terms=3, max_points=4).fit(X, y)
    >>> [row.largest for row in classifier.result_.sweep]
    [1, 2, 3, 4]
    """

    max_terms: int = 5
    max_points: int = 5
    scale: float | str = "calibrated"
    grid: int | None = 9
    ridge: float = 0.001
    least_efficiency: float = 0.99

    def _solve(self, problem: Problem, names: Sequence[str]) -> SolveResult:
        columns = candidate_columns(problem)
        chosen = columns.take(select_forward(columns, problem.limits.max_terms, self.ridge))
        beta, intercept = fit_logistic(chosen.holds, chosen.labels, chosen.weights, self.ridge)
        empty = with_best_scale(problem, [])
        base = loss_of(empty, problem)
        signs = chosen.labels * (chosen.holds @ beta + intercept)
        real_loss = float(chosen.weights @ np.logaddexp(0.0, -signs))
        cards = _best_by_largest(problem, beta, lambda points: chosen.terms(points))
        gain = base - real_loss
        sweep = tuple(
            SweepRow(largest, loss, (base - loss) / gain if gain > 0 else 1.0)
            for largest, (loss, _) in sorted(cards.items())
        )
        card = empty
        if sweep:
            enough = [row for row in sweep if row.efficiency >= self.least_efficiency]
            row = enough[0] if enough else min(sweep, key=lambda row: row.loss)
            card = cards[row.largest][1]
        loss = loss_of(card, problem)
        return SweepResult(card, loss, 0.0, Status.HEURISTIC, sweep=sweep, real_loss=real_loss)


def every_rounding(beta: Floats, largest: int) -> list[Integers]:
    """All different roundings of ``s * beta`` for s > 0 with numbers up to ``largest``."""
    size = np.abs(beta)
    if not size.any():
        return []
    most = (largest + 0.5) / float(size.max())
    halves = [(np.arange(int(np.floor(most * one)) + 1) + 0.5) / one for one in size[size > 0]]
    ends = np.unique(np.concatenate([[0.0], *halves, [most]]))
    ends = ends[ends <= most]
    found = {
        tuple(np.rint(scale * beta).astype(np.int64).tolist())
        for scale in (ends[1:] + ends[:-1]) / 2
    }
    return [np.array(points) for points in sorted(found) if any(points)]


def _best_by_largest(
    problem: Problem, beta: Floats, terms_of: Any
) -> dict[int, tuple[float, Solution]]:
    best: dict[int, tuple[float, Solution]] = {}
    for points in every_rounding(beta, problem.max_points):
        card = with_best_scale(problem, terms_of(points))
        largest, loss = int(np.abs(points).max()), loss_of(card, problem)
        if largest not in best or loss < best[largest][0]:
            best[largest] = loss, card
    return best
