"""FasterRisk's three steps: a beam over supports, a pool by swaps, rounding at many multipliers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from riskcard.baselines.plain_cards import PlainCardClassifier
from riskcard.baselines.steps.columns import Columns, Floats, candidate_columns
from riskcard.baselines.steps.rounding import RealCard, round_sequentially
from riskcard.baselines.steps.scaling import with_best_scale
from riskcard.logistic import curvatures, log_loss, residuals
from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.status import Status

#: Newton steps of the fits of single columns.
NEWTON_STEPS = 4
#: A column that holds in rows of one outcome only gets no curvature: this much is added.
FLATTEST = 1e-9


@dataclass(frozen=True, slots=True)
class Fit:
    """Real coefficients on a few columns, within the limits of points."""

    support: tuple[int, ...]
    coefficients: Floats
    intercept: float
    loss: float


@dataclass(frozen=True, slots=True)
class FasterRiskResult(SolveResult):
    """A result that also says what the three steps gave.

    Attributes
    ----------
    pool_losses
        The losses of the pool's real coefficients, from the smallest.
    card_losses
        For each of them, the loss of its best whole points.
    """

    pool_losses: tuple[float, ...] = ()
    card_losses: tuple[float, ...] = ()


@dataclass(eq=False, repr=False)
class FasterRiskClassifier(PlainCardClassifier):
    """FasterRisk: sparse coefficients by a beam search, a diverse pool, and integer points by rounding.

    An implementation of our own from the paper's description; the package of its authors is ``fasterrisk``.

    Parameters
    ----------
    max_terms, max_points, grid
        As in ``SelectRegressRoundClassifier``.
    scale
        "multiplier" as in the paper: whole points, a whole base, a real multiplier.
    beam
        Supports kept while terms are added.
    swaps
        For each term of the best support, this many other columns are tried in its place.
    pool_tolerance, pool_size
        Supports whose real loss is at most this share above the best one's are kept, and at most that many.
    n_multipliers
        Multipliers tried for each support of the pool, from 1 to the largest that the limits allow.

    Attributes
    ----------
    card_, loss_, lower_bound_, gap_, status_, classes_, n_features_in_, feature_names_in_
        As in ``RiskScoreClassifier``; nothing is proven about the card.
    result_ : FasterRiskResult
        Also has ``pool_losses`` and ``card_losses``.

    Notes
    -----
    Liu, Zhong, Li, Seltzer and Rudin, "FasterRisk: fast and accurate interpretable risk scores", NeurIPS 2022::

        minimise    sum of i log(1 + exp(-y_i (x_i w + w0) / m)),    at most k of w not 0, w whole in a box, m > 0

    1. *Sparse beam search.* To each support of the beam every other column is added by a fit of its
       coefficient alone; the best ``beam`` of all are refitted within the box.
    2. *Sparse diverse pool.* One column of the best support is swapped for each of the best others, and the
       coefficients are refitted.
    3. *Star ray.* Coefficients and intercept are multiplied by each multiplier and rounded, one after another.
       The authors choose the next one by an upper bound on the loss; here it is the loss itself. Then the
       scale is refitted, which the authors do not do.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> result = FasterRiskClassifier(max_terms=3, beam=3, swaps=5).fit(X, y).result_
    >>> result.loss == min(result.card_losses)
    True
    """

    max_terms: int = 5
    max_points: int = 5
    scale: float | str = "multiplier"
    grid: int | None = 9
    beam: int = 10
    swaps: int = 50
    pool_tolerance: float = 0.05
    pool_size: int = 50
    n_multipliers: int = 20

    def _solve(self, problem: Problem, names: Sequence[str]) -> SolveResult:
        columns = candidate_columns(problem)
        best = self._beam_search(columns, min(problem.limits.max_terms, columns.n_columns))
        pool = self._pool(columns, best)
        cards = [self._star_ray(problem, columns, fit) for fit in pool]
        losses = [loss_of(card, problem) for card in cards]
        card = cards[int(np.argmin(losses))]
        return FasterRiskResult(
            card,
            min(losses),
            0.0,
            Status.HEURISTIC,
            pool_losses=tuple(fit.loss for fit in pool),
            card_losses=tuple(losses),
        )

    def _beam_search(self, columns: Columns, count: int) -> Fit:
        """The best support of the last beam."""
        beam = [fit_in_box(columns, ())]
        for _ in range(count):
            grown: dict[tuple[int, ...], float] = {}
            for fit in beam:
                losses = losses_with_one_more(columns, fit)
                for column in np.argsort(losses, kind="stable")[: self.beam].tolist():
                    if np.isfinite(losses[column]):
                        support = tuple(sorted((*fit.support, column)))
                        grown[support] = min(losses[column], grown.get(support, np.inf))
            chosen = sorted(grown, key=lambda support: (grown[support], support))[: self.beam]
            beam = [fit_in_box(columns, support) for support in chosen] or beam
        return min(beam, key=lambda fit: fit.loss)

    def _pool(self, columns: Columns, best: Fit) -> list[Fit]:
        """The best fit, and those with one column swapped that are about as good."""
        found = {best.support: best}
        for column in best.support:
            rest = fit_in_box(columns, tuple(one for one in best.support if one != column))
            losses = losses_with_one_more(columns, rest)
            losses[column] = np.inf
            for other in np.argsort(losses, kind="stable")[: self.swaps].tolist():
                support = tuple(sorted((*rest.support, other)))
                # the fit of one coefficient bounds the refitted loss from above only, so all are refitted
                if np.isfinite(losses[other]) and support not in found:
                    found[support] = fit_in_box(columns, support)
        least = min(fit.loss for fit in found.values())
        kept = [fit for fit in found.values() if fit.loss <= least * (1 + self.pool_tolerance)]
        return sorted(kept, key=lambda fit: (fit.loss, fit.support))[: self.pool_size]

    def _star_ray(self, problem: Problem, columns: Columns, fit: Fit) -> Solution:
        """The best card of the multipliers."""
        few = columns.take(np.array(fit.support, dtype=np.int64))
        matrix = np.column_stack([few.holds, np.ones(few.labels.size)])
        cards = {
            tuple(
                round_sequentially(RealCard(matrix, few.labels, few.weights, real, m, 0.0))[0][:-1]
            )
            for m, real in self._rays(few, fit)
        }
        solutions = [
            with_best_scale(problem, few.terms(np.array(points))) for points in sorted(cards)
        ]
        return min(solutions, key=lambda card: loss_of(card, problem))

    def _rays(self, few: Columns, fit: Fit) -> Iterable[tuple[float, Floats]]:
        """Each multiplier, with coefficients and intercept times it."""
        size = np.abs(fit.coefficients)
        limits = np.where(fit.coefficients > 0, few.high, -few.low)
        most = float((limits[size > 0] / size[size > 0]).min(initial=np.inf))
        most = most if np.isfinite(most) else 1.0
        for multiplier in np.unique(np.linspace(min(1.0, most), most, self.n_multipliers)).tolist():
            points = np.clip(multiplier * fit.coefficients, few.low, few.high)
            yield multiplier, np.append(points, multiplier * fit.intercept)


def losses_with_one_more(columns: Columns, fit: Fit) -> Floats:
    """The loss after one more column gets its best coefficient alone; infinite for those of the fit.

    A column holds in some rows only, so its coefficient solves an equation in these rows. Newton's steps are taken
    for all columns at once and kept within the limits of points; the loss is exact at whatever they reach.
    """
    base = columns.holds[:, list(fit.support)] @ fit.coefficients + fit.intercept
    labels, weights, holds = columns.labels, columns.weights, columns.holds
    steps = np.zeros(columns.n_columns)
    for _ in range(NEWTON_STEPS):
        log_odds = base[:, None] + holds * steps
        pulls = residuals(log_odds, labels[:, None], weights[:, None])
        curves = curvatures(log_odds, weights[:, None])
        move = np.einsum("rc,rc->c", holds, pulls) / (
            np.einsum("rc,rc->c", holds, curves) + FLATTEST
        )
        steps = np.clip(steps + np.clip(move, -2.0, 2.0), columns.low, columns.high)
    margins = labels[:, None] * (base[:, None] + holds * steps)
    losses: Floats = weights @ np.logaddexp(0.0, -margins)
    losses[list(fit.support)] = np.inf
    return losses


def fit_in_box(columns: Columns, support: tuple[int, ...]) -> Fit:
    """The logistic regression on some columns, with coefficients within the limits of points."""
    chosen = np.array(support, dtype=np.int64)
    few = columns.take(chosen)
    design = np.column_stack([few.holds, np.ones(few.labels.size)])

    def objective(at: Floats) -> tuple[float, Floats]:
        log_odds = design @ at
        slopes: Floats = -design.T @ residuals(log_odds, few.labels, few.weights)
        return log_loss(log_odds, few.labels, few.weights), slopes

    is_event = few.labels > 0
    start = np.zeros(design.shape[1])
    start[-1] = np.log(few.weights[is_event].sum()) - np.log(few.weights[~is_event].sum())
    bounds = [*zip(few.low.tolist(), few.high.tolist(), strict=True), (None, None)]
    options = {"maxiter": 500, "ftol": 1e-12, "gtol": 1e-8}
    found = minimize(objective, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options)
    return Fit(support, found.x[:-1], float(found.x[-1]), float(found.fun))
