"""The paper's heuristic, Algorithm 1: IPOPT's relaxation of the linear form, rounded to a card.

Notes
-----
The relaxation says nothing about the data (``uninformative_point`` exhibits why), so that the card
depends on which of its many solutions an interior-point method ends at. It is a fast way to a
feasible card, and not more.
"""

import math
import time
from dataclasses import dataclass
from typing import Literal

import numpy as np

from riskcard.errors import ParameterError, RiskcardError
from riskcard.paper.formulations import linear
from riskcard.paper.formulations.blocks import Ties
from riskcard.paper.formulations.instance import Instance
from riskcard.paper.formulations.mip_model import Floats, Model
from riskcard.paper.solvers.answer import Answer, SolverOptions
from riskcard.paper.solvers.ipopt import relax_with_ipopt
from riskcard.problem.objective import loss_of
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.status import Status

#: How weights become integers: to the nearest one, as the paper says, or so that its published losses
#: come out, with weights below 0 rounded down.
Rounding = Literal["nearest", "published"]
#: An alpha up to this is a 0 at which the selection stops: IPOPT's variables end about 1e-8 away
#: from their bounds.
ZERO = 1e-6
#: Two alphas this near to each other are equal: IPOPT's tolerance is 1e-8.
EQUAL = 1e-7


@dataclass(frozen=True, slots=True)
class Algorithm1Record:
    """What Algorithm 1 made: the card, and the relaxation it was rounded from."""

    result: SolveResult
    relaxation: Answer
    alpha: Floats
    seconds: float


def run_algorithm1(
    instance: Instance,
    options: SolverOptions | None = None,
    ties: Ties = "paper",
    rounding: Rounding = "nearest",
) -> Algorithm1Record:
    """Solve the continuous relaxation of the linear form with IPOPT and round it to a card.

    Parameters
    ----------
    options
        Of IPOPT. At a time limit the point reached is rounded; any point gives a feasible card.
    ties
        Which side a value at the threshold is on in the relaxation; the paper lets it be either. The
        card itself follows the library: a value at its cut is below it.
    rounding
        As in ``round_relaxation``.

    Returns
    -------
    Algorithm1Record
        The status is "heuristic" and the bound 0: the relaxation bounds nothing of use, and IPOPT's
        value is no proven bound.
    """
    if rounding not in ("nearest", "published"):
        raise ParameterError(f"rounding is {rounding!r}. Use 'nearest' or 'published'.")
    begin = time.perf_counter()
    model = linear.build(instance, ties)
    answer = relax_with_ipopt(model, options or SolverOptions())
    if answer.values is None or not np.isfinite(answer.values).all():
        raise RiskcardError(
            f"IPOPT found no point of the relaxation ({answer.claim.word}). Scale features whose "
            "values are very large or very small, or give it a start."
        )
    card = round_relaxation(model, instance, answer.values, rounding)
    loss, seconds = loss_of(card, instance.problem), time.perf_counter() - begin
    note = f"Algorithm 1: a relaxation of value {answer.claim.objective:.6g}, rounded."
    result = SolveResult(card, loss, 0.0, Status.HEURISTIC, seconds=seconds, notes=(note,))
    alpha = answer.values[model.block("alpha").span]
    return Algorithm1Record(result, answer, alpha, seconds)


def round_relaxation(
    model: Model, instance: Instance, values: Floats, rounding: Rounding = "nearest"
) -> Solution:
    """The rounding of Algorithm 1: from any point of the relaxed linear form to a feasible card.

    1. ``w0`` is rounded to the nearest integer.
    2. The features are taken by alpha in non-increasing order, of equal ones the one that comes first in
       the data. The first k are used; the selection stops at an alpha of 0.
    3. The two weights of those features are rounded to the nearest integers, all others are 0.
    4. Thresholds stay as they are, and b and beta follow from ``x <= t``.

    Halves are rounded away from 0: the paper does not say how, the rule treats both signs alike, and
    a weight of exactly 1/2 is kept rather than lost.

    "published" differs in step 3: weights below 0 are rounded down, to the next smaller integer. The
    paper does not say so, but its losses come out with it (docs/solvers.md).
    """
    parts = {block.name: values[block.span] for block in model.variables}
    base, thresholds = nearest_integer(parts["w0"][0]), parts["t"]
    below, above = parts["w_below"], parts["w_above"]
    terms = []
    for j in _selected(parts["alpha"], instance.k):
        whole = _whole(below[j], rounding), _whole(above[j], rounding)
        left = int(np.clip(whole[0], instance.low_below[j], instance.high_below[j]))
        right = int(np.clip(whole[1], instance.low[j], instance.high[j]))
        base += right
        cut = _cut_at(instance, j, float(thresholds[j]))
        if cut < 0:
            continue  # every row is above the threshold
        if cut >= instance.problem.data.n_cuts[j]:
            base += left - right  # every row is at or below it
        else:
            terms.append((j, cut, left - right))
    return Solution.of(terms, base)


def uninformative_point(model: Model, instance: Instance) -> Floats:
    """A point of the relaxed linear form that is feasible whatever the data, and separates them.

    Notes
    -----
    Take alpha = 0 and both weights 0, every b = 1/2, every threshold the middle of its feature's
    range, and for each row ``beta_below = beta_above`` equal to half the largest weight if the row
    has the event, half the smallest if not. With a half of b on either side of Fortet's inequalities
    ``low / 2 <= beta <= high / 2`` is all they ask. ``t`` in the middle and b = 1/2 keep the
    threshold rows for every value: ``t - (hi - lo) / 2 = lo <= x <= hi = t + (hi - lo) / 2``. With
    weights from -5 to 5 every row then has a score of 5 p in its own favour, and the relaxation a
    loss of at most ``N log(1 + exp(-5 p))``, for any labels.
    """
    values = np.zeros(model.n_variables)
    is_event = (instance.y == 1)[:, None]
    middle = (instance.x.min(axis=0) + instance.x.max(axis=0)) / 2
    parts = {
        "t": middle,
        "b": np.full(instance.x.shape, 0.5),
        "beta_below": np.where(is_event, instance.high_below, instance.low_below) / 2,
        "beta_above": np.where(is_event, instance.high, instance.low) / 2,
    }
    for name, part in parts.items():
        values[model.block(name).span] = part.ravel()
    return values


def nearest_integer(value: float) -> int:
    """The nearest integer; halves away from 0.

    Examples
    --------
    >>> nearest_integer(0.5), nearest_integer(-0.5), nearest_integer(2.4999), nearest_integer(-1.5)
    (1, -1, 2, -2)
    """
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def _whole(weight: float, rounding: Rounding) -> int:
    if rounding == "published" and weight < 0:
        return math.floor(weight)
    return nearest_integer(weight)


def _selected(alpha: Floats, k: int) -> list[int]:
    """The first k features by alpha, up to the first that is 0; equal ones in the order of the data."""
    steps = np.round(alpha / EQUAL)
    order = np.argsort(-steps, kind="stable")[:k]
    return [int(j) for j in order if alpha[j] > ZERO]


def _cut_at(instance: Instance, feature: int, threshold: float) -> int:
    """The last cut whose rows below are all at or below the threshold; -1 when there is none."""
    values = np.unique(instance.x[:, feature])
    return int(np.searchsorted(values, threshold, side="right")) - 1
