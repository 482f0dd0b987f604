"""The lasso: logistic regression with a penalty on the size of its coefficients, along its path."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.logistic import curvatures, log_loss, residuals

#: Each penalty of the path is this share of the one before, down to this share of the first.
PATH_STEP = 0.85
PATH_END = 1e-4
#: The optimality conditions hold when they are violated by less, relative to the penalty.
TOLERANCE = 1e-4
#: Newton steps of a fit, and the shortest part of a step that is tried.
MOST_NEWTON_STEPS, SHORTEST_STEP = 50, 1e-6
#: Rounds of the active set; only rounding errors could make it go on for ever.
MOST_ROUNDS = 1000


@dataclass(frozen=True, slots=True)
class Candidates:
    """The columns of a regression, which need not all be written out.

    Attributes
    ----------
    labels
        +1.0 or -1.0 for each row.
    weights
        Row weights.
    add_up
        From a number for each row to the sum, per column, of number times value.
    take
        The values of some columns, shape (rows, columns).
    factors
        What the penalty on each coefficient is multiplied by; positive.
    may_fall, may_rise
        Whether each coefficient may be negative, and positive.
    """

    labels: Floats
    weights: Floats
    add_up: Callable[[Floats], Floats]
    take: Callable[[Integers], Floats]
    factors: Floats
    may_fall: Booleans
    may_rise: Booleans

    @property
    def base_rate(self) -> float:
        """The log-odds of the event over all rows."""
        is_event = self.labels > 0
        return float(np.log(self.weights[is_event].sum()) - np.log(self.weights[~is_event].sum()))


def pulls(gradient: Floats, may_fall: Booleans, may_rise: Booleans) -> Floats:
    """How strongly the loss draws each coefficient away from 0, on a side that is allowed."""
    fall, rise = np.where(may_fall, gradient, 0.0), np.where(may_rise, -gradient, 0.0)
    return np.maximum(np.maximum(fall, rise), 0.0)


def lasso_path(candidates: Candidates) -> Iterator[Floats]:
    """Coefficients for penalties that fall from the one at which all are 0.

    Each minimises the loss plus ``penalty`` times the sum of ``factor * |coefficient|``; the
    intercept is free.
    """
    labels, weights = candidates.labels, candidates.weights
    intercept = candidates.base_rate
    rest = residuals(np.full(labels.size, intercept), labels, weights)
    gradient = -candidates.add_up(rest)
    drawn = pulls(gradient, candidates.may_fall, candidates.may_rise) / candidates.factors
    largest = float(drawn.max(initial=0.0))
    coefficients, penalty = np.zeros(drawn.size), PATH_STEP * largest
    while penalty > PATH_END * largest:
        coefficients, intercept = fit_lasso(candidates, penalty, coefficients, intercept)
        yield coefficients
        penalty *= PATH_STEP


def fit_lasso(
    candidates: Candidates, penalty: float, coefficients: Floats, intercept: float
) -> tuple[Floats, float]:
    """Newton steps, each a small lasso on a quadratic model, from a nearby solution."""
    labels, weights = candidates.labels, candidates.weights
    active = np.flatnonzero(coefficients)
    log_odds = candidates.take(active) @ coefficients[active] + intercept
    loss = log_loss(log_odds, labels, weights)
    for _ in range(MOST_NEWTON_STEPS):
        rest = residuals(log_odds, labels, weights)
        gradient = -candidates.add_up(rest)
        drawn = pulls(gradient, candidates.may_fall, candidates.may_rise)
        is_drawn = drawn > penalty * candidates.factors * (1 + TOLERANCE)
        active = np.flatnonzero((coefficients != 0) | is_drawn)
        model = _Model(
            slopes=np.append(gradient[active], -rest.sum()),
            penalties=np.append(penalty * candidates.factors[active], 0.0),
            may_fall=np.append(candidates.may_fall[active], True),
            may_rise=np.append(candidates.may_rise[active], True),
        )
        at = np.append(coefficients[active], intercept)
        if model.violation(at, model.slopes) <= TOLERANCE * penalty:
            break
        design = np.column_stack([candidates.take(active), np.ones(labels.size)])
        hessian = design.T @ (curvatures(log_odds, weights)[:, None] * design)
        step = model.minimise(hessian, at) - at
        size, before = 1.0, loss + model.penalties @ np.abs(at)
        while size > SHORTEST_STEP:
            new = at + size * step
            log_odds = design @ new
            loss = log_loss(log_odds, labels, weights)
            if loss + model.penalties @ np.abs(new) <= before:
                break
            size /= 2
        coefficients = np.zeros_like(coefficients)
        coefficients[active], intercept = new[:-1], float(new[-1])
    return coefficients, intercept


@dataclass(frozen=True, slots=True)
class _Model:
    """A quadratic model of the loss about a point, its penalties, and where coefficients may be.

    The last coefficient is the intercept, which has no penalty.
    """

    slopes: Floats
    penalties: Floats
    may_fall: Booleans
    may_rise: Booleans

    def violation(self, at: Floats, slopes: Floats) -> float:
        """How far the optimality conditions are from holding at a point with these slopes."""
        used = np.abs(slopes + self.penalties * np.sign(at))
        return float(np.where(at != 0, used, self._drawn(slopes)).max())

    def _drawn(self, slopes: Floats) -> Floats:
        """How much more each coefficient is drawn away from 0 than its penalty holds it there."""
        return np.maximum(pulls(slopes, self.may_fall, self.may_rise) - self.penalties, 0.0)

    def minimise(self, hessian: Floats, start: Floats) -> Floats:
        """The model plus the penalty, by an active set.

        While the signs of the coefficients that are not 0 stay as they are, the minimum solves
        linear equations. On the way there a coefficient that reaches 0 stops at it and leaves the
        set; once there, the one that is drawn most from 0 joins. Every round ends lower than the
        one before, so no set of signs occurs twice.
        """
        at, signs = start.copy(), np.sign(start)
        signs[-1] = 1.0
        hessian = hessian + np.diag(np.full(at.size, 1e-10 * np.trace(hessian) + 1e-12))
        tolerance = 0.1 * TOLERANCE * max(float(self.penalties.max()), 1e-300)
        for _ in range(MOST_ROUNDS):
            slopes = self.slopes + hessian @ (at - start)
            used = np.flatnonzero(signs)
            force = slopes[used] + self.penalties[used] * signs[used]
            step = -np.linalg.solve(hessian[np.ix_(used, used)], force)
            crosses = (at[used] + step) * signs[used] < 0
            crosses[-1] = False  # the intercept
            if crosses.any():
                shares = np.where(crosses, -at[used] / np.where(step != 0, step, 1.0), np.inf)
                first = int(np.argmin(shares))
                at[used] += max(float(shares[first]), 0.0) * step
                at[used[first]] = signs[used[first]] = 0.0
                continue
            at[used] += step
            slopes = self.slopes + hessian @ (at - start)
            drawn = np.where(signs == 0, self._drawn(slopes), 0.0)
            joins = int(np.argmax(drawn))
            if drawn[joins] <= tolerance:
                break
            signs[joins] = -np.sign(slopes[joins])
        return at
