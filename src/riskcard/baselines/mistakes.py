"""SLIM: whole points with the fewest mistakes, as a mixed-integer linear programme on HiGHS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp, minimize_scalar
from scipy.sparse import bmat, csr_array, eye_array

from riskcard.baselines.plain_cards import PlainCardClassifier
from riskcard.baselines.steps.columns import Columns, Floats, Integers, candidate_columns
from riskcard.checks import LOG_ODDS_LIMIT
from riskcard.logistic import log_loss
from riskcard.problem.objective import loss_of
from riskcard.problem.problem import Problem, make_problem
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.status import Status

#: HiGHS's tolerances on constraints and on whole numbers allow an objective this much too low, relatively.
TOLERANCE = 1e-6
#: The flattest slope of the risks, where the best one would not rise.
FLATTEST = 1e-6


@dataclass(frozen=True, slots=True)
class SlimResult(SolveResult):
    """A result that also says how many mistakes the card makes, and what is proven about that.

    Attributes
    ----------
    mistakes
        Weight of the rows on the wrong side, those at a total of 0 included; with ``event_weight``, rows with
        the event count that much more.
    objective_value, objective_bound
        Mistakes and penalties; no card of the problem has less than the bound, by HiGHS's arithmetic.
    mistakes_status
        Why the programme ended.
    """

    mistakes: float = 0.0
    objective_value: float = 0.0
    objective_bound: float = 0.0
    mistakes_status: Status = Status.HEURISTIC


@dataclass(eq=False, repr=False)
class SlimClassifier(PlainCardClassifier):
    """SLIM: the whole points with the fewest mistakes, and a bound on the mistakes of every other card.

    Parameters
    ----------
    max_terms, max_points, grid
        As in ``LatticeCuttingPlaneClassifier``.
    term_penalty
        Added to the mistakes (a sum over rows) for each term: the C0 of SLIM, times the rows.
    event_weight
        Rows with the event count this much more in the mistakes: the W+ / W- of SLIM.
    max_false_positives
        At most this share of the rows without the event may be on the side of the event; None for no limit.
    time_limit
        Seconds; None for no limit. What HiGHS has found and proven by then is kept.

    Attributes
    ----------
    card_, loss_, lower_bound_, gap_, status_, classes_, n_features_in_, feature_names_in_
        As in ``RiskScoreClassifier``. They are about the log-loss, of which nothing is proven: ``status_`` is
        "heuristic" and ``lower_bound_`` is 0.
    result_ : SlimResult
        Also has ``mistakes``, ``objective_bound`` and ``mistakes_status``.

    Notes
    -----
    Ustun and Rudin, "Supersparse linear integer models for optimized medical scoring systems", Machine
    Learning 102 (2016). With labels y of -1 and +1, columns x and whole points p and base b::

        minimise    sum of w_i [y_i (p x_i + b) <= 0] + C0 * number of terms

    Since scores are whole, a row is right when ``y (p x + b) >= 1``. With ``wrong_i`` in {0, 1} this is
    ``M_i wrong_i >= 1 - y_i (p x_i + b)``, where M_i is the most that the right side can be. The base is
    bounded by the largest total plus 1, beyond which no row changes its side. A total of 0 is wrong for both sides,
    so a term of one point alone tells no rows apart: use at least 2 points, or two terms. SLIM's tiny penalty on
    the sum of the points only makes them coprime; here a common divisor is divided out, which changes no side.

    The base of the card is that of SLIM, so ``predict`` gives the event where the total is above 0, as SLIM
    does. SLIM gives no risks: those of the card are from one slope, fitted to its totals.

    Examples
    --------
    >>> X = [[value % 10, value % 7] for value in range(60)]
    >>> y = [value % 10 > 4 or value % 7 == 0 for value in range(60)]
    >>> classifier = SlimClassifier(max_terms=2, max_points=1).fit(X, y)
    >>> str(classifier.result_.mistakes_status), int((classifier.predict(X) != y).sum())
    ('optimal', 4)
    """

    max_terms: int = 5
    max_points: int = 5
    grid: int | None = 9
    term_penalty: float = 0.0
    event_weight: float = 1.0
    max_false_positives: float | None = None
    time_limit: float | None = 60.0

    def _make_problem(self, data: RankedData) -> Problem:
        sizes = {"max_terms": self.max_terms, "max_points": self.max_points}
        return make_problem(data, **sizes, scale="multiplier", max_log_odds=None)

    def _solve(self, problem: Problem, names: Sequence[str]) -> SolveResult:
        columns = candidate_columns(problem)
        factors = np.where(columns.labels > 0, columns.weights * self.event_weight, columns.weights)
        programme = Programme(
            columns,
            min(problem.limits.max_terms, columns.n_columns),
            float(self.term_penalty),
            factors,
            self.max_false_positives,
        )
        point, bound, status = programme.solve(self.time_limit)
        mistakes = programme.mistakes(point)
        objective = programme.objective(point)
        card = with_best_slope(problem, columns, point)
        note = (
            f"Mistakes and penalties of the card are {objective:.6g}, and HiGHS proved that no card on these "
            f"{columns.n_columns} columns has less than {bound:.6g} ({status}). Its log-loss is not proven."
        )
        return SlimResult(
            card,
            loss_of(card, problem),
            0.0,
            Status.HEURISTIC,
            notes=(note,),
            mistakes=mistakes,
            objective_value=objective,
            objective_bound=min(bound, objective),
            mistakes_status=status,
        )


@dataclass(frozen=True, slots=True)
class Programme:
    """The fewest mistakes: whole points of the columns, the base, a term or not, a row wrong or not.

    Attributes
    ----------
    factors
        What a mistake in each row costs.
    """

    columns: Columns
    max_terms: int
    penalty: float
    factors: Floats
    max_false_positives: float | None

    @property
    def reach(self) -> int:
        """The largest total that points can add up to, up or down."""
        largest = np.maximum(self.columns.high, -self.columns.low)
        return int(np.sort(largest)[::-1][: self.max_terms].sum())

    def mistakes(self, point: Integers) -> float:
        """What a point costs without its penalties."""
        scores = self.columns.holds @ point[:-1] + point[-1]
        return float(self.factors[self.columns.labels * scores <= 0].sum())

    def objective(self, point: Integers) -> float:
        """Mistakes and penalties."""
        return self.mistakes(point) + self.penalty * int(np.count_nonzero(point[:-1]))

    def allows(self, point: Integers) -> bool:
        """Whether a point keeps all limits."""
        columns, points = self.columns, point[:-1]
        is_inside = bool(np.all((columns.low <= points) & (points <= columns.high)))
        is_few = np.count_nonzero(points) <= self.max_terms
        if self.max_false_positives is None:
            return is_inside and bool(is_few)
        others = columns.labels < 0
        flagged = others & (columns.holds @ points + point[-1] >= 0)
        most = self.max_false_positives * columns.weights[others].sum()
        return (
            is_inside and bool(is_few) and float(columns.weights[flagged].sum()) <= most + TOLERANCE
        )

    def solve(self, time_limit: float | None) -> tuple[Integers, float, Status]:
        """The best point, a bound on every point, and why HiGHS stopped."""
        columns, count, n_rows = self.columns, self.columns.n_columns, self.factors.size
        base, start = self.reach + 1, self.greedy()
        low = np.concatenate([columns.low, [-base], np.zeros(count + n_rows)])
        high = np.concatenate([columns.high, [base], np.ones(count + n_rows)])
        costs = np.concatenate([np.zeros(count + 1), np.full(count, self.penalty), self.factors])
        options = {"mip_rel_gap": 0.0}
        if time_limit is not None:
            options["time_limit"] = float(time_limit)
        found = milp(
            costs,
            integrality=np.ones(low.size),
            bounds=Bounds(low, high),
            constraints=[*self._constraints(base), self._at_most(start, costs)],
            options=options,
        )
        points = [start]
        if found.x is not None:
            points.append(np.rint(found.x[: count + 1]).astype(np.int64))
        point = min(filter(self.allows, points), key=self.objective)
        point = point // max(int(np.gcd.reduce(point)), 1)
        bound = float(getattr(found, "mip_dual_bound", None) or 0.0)
        bound = max(bound * (1 - TOLERANCE) - TOLERANCE, 0.0)
        is_done = (
            found.status == 0
            and self.objective(point) <= bound * (1 + 3 * TOLERANCE) + 3 * TOLERANCE
        )
        if is_done:
            return point, bound, Status.OPTIMAL
        return point, bound, Status.TIME_LIMIT if found.status == 1 else Status.ROUNDING

    def _constraints(self, base: int) -> list[LinearConstraint]:
        columns, count, n_rows = self.columns, self.columns.n_columns, self.factors.size
        signed = csr_array(
            columns.labels[:, None] * np.column_stack([columns.holds, np.ones(n_rows)])
        )
        big = np.full(n_rows, 1.0 + self.reach + base)
        no_terms = csr_array((n_rows, count))
        right = bmat([[signed, no_terms, csr_array(np.diag(big))]], format="csr")
        points = eye_array(count, count + 1, format="csr")
        no_rows = csr_array((count, n_rows))
        upper = bmat([[points, -csr_array(np.diag(columns.high)), no_rows]], format="csr")
        lower = bmat([[points, -csr_array(np.diag(columns.low)), no_rows]], format="csr")
        number = np.concatenate([np.zeros(count + 1), np.ones(count), np.zeros(n_rows)])
        found = [
            LinearConstraint(right, 1.0, np.inf),
            LinearConstraint(upper, -np.inf, 0.0),
            LinearConstraint(lower, 0.0, np.inf),
            LinearConstraint(number[None, :], 0, self.max_terms),
        ]
        if self.max_false_positives is not None:
            others = np.where(columns.labels < 0, columns.weights, 0.0)
            row = np.concatenate([np.zeros(2 * count + 1), others])
            most = self.max_false_positives * others.sum()
            found.append(LinearConstraint(row[None, :], 0, most))
        return found

    def _at_most(self, start: Integers, costs: Floats) -> LinearConstraint:
        """No worse than a point that is known, which HiGHS need not find again."""
        return LinearConstraint(
            costs[None, :], -np.inf, self.objective(start) * (1 + TOLERANCE) + TOLERANCE
        )

    def greedy(self) -> Integers:
        """Add or change the points of one column at a time while that lowers the objective."""
        columns = self.columns
        point = np.zeros(columns.n_columns + 1, dtype=np.int64)
        best, point[-1] = self._with_best_base(point[:-1])
        while True:
            found = best, point
            has_room = np.count_nonzero(point[:-1]) < self.max_terms
            for column in (
                range(columns.n_columns) if has_room else np.flatnonzero(point[:-1]).tolist()
            ):
                for value in range(int(columns.low[column]), int(columns.high[column]) + 1):
                    other = point.copy()
                    other[column] = value
                    objective, other[-1] = self._with_best_base(other[:-1])
                    if objective < found[0] - TOLERANCE:
                        found = objective, other
            if found[1] is point:
                return point
            best, point = found

    def _with_best_base(self, points: Integers) -> tuple[float, int]:
        """The objective with the best base, and that base."""
        columns, reach = self.columns, self.reach
        scores = np.rint(columns.holds @ points).astype(np.int64) + reach + 1
        is_event = columns.labels > 0
        size = 2 * reach + 3
        missed = np.cumsum(np.bincount(scores[is_event], self.factors[is_event], size))
        costs, weights = (
            np.cumsum(np.bincount(scores[~is_event], own[~is_event], size)[::-1])[::-1]
            for own in (self.factors, columns.weights)
        )
        total = missed + costs
        if self.max_false_positives is not None:
            most = self.max_false_positives * columns.weights[~is_event].sum()
            total = np.where(weights <= most, total, np.inf)
        # at this value of the score and a base that brings it to 0, it counts as wrong for both
        place = int(np.argmin(total))
        penalty = self.penalty * int(np.count_nonzero(points))
        return float(total[place]) + penalty, reach + 1 - place


def with_best_slope(problem: Problem, columns: Columns, point: Integers) -> Solution:
    """Points and base as they are, with the slope of the risks that fits best.

    The loss is convex in the slope, so a bounded search finds the minimum.
    """
    scores = columns.holds @ point[:-1] + point[-1]
    largest = int(np.abs(point[:-1]).max(initial=1)) or 1
    steepest = min(LOG_ODDS_LIMIT, problem.scale.limit) / largest

    def loss(slope: float) -> float:
        return log_loss(slope * scores, columns.labels, columns.weights)

    slope = float(minimize_scalar(loss, bounds=(FLATTEST, steepest), method="bounded").x)
    return Solution.of(columns.terms(point[:-1]), int(point[-1]), 1 / slope)
