"""The exact mixed-integer linear form: the loss replaced by its secants at the integers."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from riskcard.errors import ParameterError
from riskcard.paper.formulations.instance import Instance
from riskcard.paper.formulations.mip_model import (
    Constraints,
    Floats,
    Indices,
    LinearObjective,
    LogLoss,
    Model,
    Variables,
)
from riskcard.paper.formulations.ranges import score_range
from riskcard.paper.formulations.strengthened import Strengthening
from riskcard.paper.formulations.strengthened import build as build_strengthened

#: Two slopes that differ by less than this are one piece.
SAME_SLOPE = 1e-15


@dataclass(frozen=True, slots=True)
class Secants:
    """How the loss is written with secants.

    Attributes
    ----------
    tail
        By how much the sum of all losses may be understated; 0 for nothing. Losses of margins
        beyond M, where ``total weight * log(1 + exp(-M)) <= tail``, are too small for any solver's
        tolerances and only cost variables.
    thin
        Only every second secant, which is enough at the integers (see ``linearise``).
    cutoff
        The loss of a known card: scores at which one row alone would lose more are left out.
    """

    tail: float = 1e-9
    thin: bool = False
    cutoff: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.tail < math.inf:
            raise ParameterError(f"tail is {self.tail!r}. Use a number of at least 0.")
        if self.cutoff is not None and not 0 < self.cutoff < math.inf:
            raise ParameterError(f"cutoff is {self.cutoff!r}. Use the loss of a card, or None.")


def build(
    instance: Instance, strengthening: Strengthening | None = None, secants: Secants | None = None
) -> Model:
    """The strengthened form with secants: a mixed-integer linear model with the same optimum.

    Parameters
    ----------
    strengthening, secants
        By default all strengthenings, and all secants with a tail of 1e-9. The base is bounded in
        any case, by the range of the scores.
    """
    return linearise(build_strengthened(instance, strengthening), instance, secants)


def linearise(model: Model, instance: Instance, secants: Secants | None = None) -> Model:
    """Replace the log-loss of a model by secants at the integers; the scores must be integers.

    Rows with the same score, whatever their label, become one group with the convex loss ``F(s) =
    W+ log(1 + exp(-s)) + W- log(1 + exp(s))``. Let the score of a group lie in ``lo .. hi``,
    integers, and let m be the one with the smallest loss. The model is given real variables
    ``piece``, each between 0 and a width, some upwards and some downwards, with ``score = m + sum
    of upward pieces - sum of downward pieces``, and pays ``F(m)`` and a cost for each piece in
    proportion. (From m and not from lo, because all costs are then positive and the objective is as
    small as the loss.)

    *Exact.* Let G be the piecewise linear interpolation of F at the integers lo, ..., hi, with
    pieces of width 1 and slopes ``F(s + 1) - F(s)``. F is convex, so the slopes increase: upwards
    from m the costs increase from piece to piece, and downwards too. Hence the cheapest way to
    reach a score fills the pieces from m outwards, and costs G(score) - F(m). At every feasible
    point of the original model the score is an integer (w0, weights and their products with
    binaries are), where G = F. So the smallest objective over the pieces is the loss, for every
    card, and both models have the same best cards with the same loss. G >= F elsewhere, so that the
    relaxation is not weaker than that of the log-loss.

    *The range* ``lo .. hi`` is ``ranges.score_range``: some best card has all scores in it; cards
    outside are lost. With a ``cutoff`` it shrinks to the scores with F(s) <= cutoff: a card
    at least as good as the known one has no row group that alone loses more.

    *thin.* A secant through s and s + 1 touches F at both and is below F at all other integers. So
    the largest of the secants over [lo, lo + 1], [lo + 2, lo + 3], ... is F at every integer too,
    with half as many pieces and a relaxation that is a little weaker between them.

    *tail.* With h(s) = log(1 + exp(-|s|)) the loss of one row is max(-s, 0) + h(s). It is replaced
    by max(-s, 0) + max(h(s) - h(M), 0), the larger of max(-s, 0) and loss - h(M): convex, never
    above the loss and never more than h(M) below it. Linear beyond M and -M, it needs no secants
    there.
    """
    options = secants or Secants()
    if not isinstance(model.objective, LogLoss) or model.objective.products is not None:
        raise ParameterError(
            f"The model {model.name!r} has no log-loss of linear scores to be replaced by secants. "
            "Use the linear, the strengthened or the reformulated form."
        )
    groups = _group_rows(model.objective)
    low, high = score_range(instance)
    scores = np.arange(low, high + 1)
    start = _start_of_tail(float(groups.positive.sum() + groups.negative.sum()), options.tail)
    pairs = list(zip(groups.positive.tolist(), groups.negative.tolist(), strict=True))
    # most groups are one row of weight 1: each pair of weights is worked out once
    pieces = {pair: _pieces_of(scores, pair, start, options) for pair in set(pairs)}
    return _assemble(model, groups, [pieces[pair] for pair in pairs])


@dataclass(frozen=True, slots=True)
class _Groups:
    """Rows with the same score: its linear expression, and the weight of either label."""

    matrix: sparse.csr_array
    constant: Floats
    positive: Floats
    negative: Floats


@dataclass(frozen=True, slots=True)
class _Pieces:
    """A convex piecewise linear function, from its minimum upwards and then downwards.

    At ``start`` it has its smallest value, ``height``; each further piece has a width, a cost for
    one point, and a direction, +1 or -1.
    """

    start: float
    height: float
    widths: Floats
    costs: Floats
    directions: Floats


def _group_rows(objective: LogLoss) -> _Groups:
    matrix = objective.matrix.copy()
    matrix.sort_indices()
    group_of: dict[bytes, int] = {}
    group = np.empty(objective.labels.size, dtype=np.int64)
    for i in range(group.size):
        entries = slice(matrix.indptr[i], matrix.indptr[i + 1])
        key = (matrix.indices[entries], matrix.data[entries], objective.constant[i : i + 1])
        text = b"".join(part.tobytes() for part in key)
        group[i] = group_of.setdefault(text, len(group_of))
    first = np.unique(group, return_index=True)[1]
    is_event = objective.labels == 1
    return _Groups(
        matrix=matrix[first],
        constant=objective.constant[first],
        positive=np.bincount(group, objective.weights * is_event, first.size).astype(np.float64),
        negative=np.bincount(group, objective.weights * ~is_event, first.size).astype(np.float64),
    )


def _start_of_tail(total_weight: float, tail: float) -> float:
    """The smallest M with ``total_weight * log(1 + exp(-M)) <= tail``; infinite for no tail."""
    if tail == 0:
        return math.inf
    return float(max(1, math.ceil(-math.log(math.expm1(tail / total_weight)))))


def _losses(margins: Indices, start_of_tail: float) -> Floats:
    """The loss of one row by its margin, linear in the tails."""
    above_hinge = np.log1p(np.exp(-np.abs(margins))) - math.log1p(math.exp(-start_of_tail))
    return np.maximum(-margins, 0) + np.maximum(above_hinge, 0.0)


def _pieces_of(
    scores: Indices, weights: tuple[float, float], start_of_tail: float, options: Secants
) -> _Pieces:
    """The loss of one group over its range of scores."""
    positive, negative = weights
    if options.cutoff is not None:
        exact = positive * _losses(scores, math.inf) + negative * _losses(-scores, math.inf)
        is_possible = exact <= options.cutoff * (1 + 1e-9)
        if not is_possible.any():
            raise ParameterError(
                f"cutoff is {options.cutoff!r}, and no card is as good as that: rows that no card "
                f"can tell apart lose at least {exact.min():.6g}. Use the loss of a card."
            )
        scores = scores[is_possible]
    heights = positive * _losses(scores, start_of_tail) + negative * _losses(-scores, start_of_tail)
    slopes, widths = np.diff(heights), np.ones(scores.size - 1)
    if options.thin and slopes.size > 2:
        slopes, widths = _thin_out(heights)
    slopes, widths = _join(slopes, widths)
    return _from_minimum(float(scores[0]), float(heights[0]), slopes, widths)


def _from_minimum(left: float, height: float, slopes: Floats, widths: Floats) -> _Pieces:
    """Describe a function that is given from the left from its minimum outwards."""
    ends = left + np.concatenate([[0.0], np.cumsum(widths)])
    heights = height + np.concatenate([[0.0], np.cumsum(slopes * widths)])
    m = int(np.searchsorted(slopes, 0.0))  # the first piece that does not fall
    return _Pieces(
        start=float(ends[m]),
        height=float(heights[m]),
        widths=np.concatenate([widths[m:], widths[:m][::-1]]),
        costs=np.concatenate([slopes[m:], -slopes[:m][::-1]]),
        directions=np.concatenate([np.ones(slopes.size - m), -np.ones(m)]),
    )


def _thin_out(heights: Floats) -> tuple[Floats, Floats]:
    """Slopes and widths of the largest of every second secant (and the last one)."""
    at = np.unique(np.append(np.arange(0, heights.size - 1, 2), heights.size - 2))
    slopes = heights[at + 1] - heights[at]
    intercepts = heights[at] - slopes * at
    change = np.maximum(np.diff(slopes), SAME_SLOPE)
    crossings = -np.diff(intercepts) / change
    # parallel secants are one line, which may be left anywhere between the two
    crossings = np.clip(crossings, at[:-1] + 1, at[1:])
    ends = np.concatenate([[0.0], crossings, [heights.size - 1.0]])
    return slopes, np.diff(ends)


def _join(slopes: Floats, widths: Floats) -> tuple[Floats, Floats]:
    """Make neighbouring pieces of the same slope one, and slopes increasing despite rounding."""
    if slopes.size == 0:
        return slopes, widths
    scale = float(np.abs(slopes).max(initial=1.0))
    is_new = np.concatenate([[True], np.diff(slopes) > SAME_SLOPE * scale])
    firsts = np.flatnonzero(is_new)
    return np.maximum.accumulate(slopes[firsts]), np.add.reduceat(widths, firsts)


def _assemble(model: Model, groups: _Groups, parts: list[_Pieces]) -> Model:
    widths = np.concatenate([part.widths for part in parts])
    costs = np.concatenate([part.costs for part in parts])
    directions = np.concatenate([part.directions for part in parts])
    before, n_pieces = model.n_variables, widths.size
    pieces = Variables("piece", "continuous", np.zeros(n_pieces), widths, before)
    group = np.repeat(np.arange(len(parts)), [part.widths.size for part in parts])
    entries = (-directions, (group, np.arange(n_pieces)))
    filled = sparse.coo_array(entries, shape=(len(parts), n_pieces)).tocsr()
    start = np.array([part.start for part in parts]) - groups.constant
    scores = sparse.hstack([groups.matrix, filled], format="csr")
    return Model(
        name="secants",
        variables=(*model.variables, pieces),
        constraints=(
            *(rows.widened(before + n_pieces) for rows in model.constraints),
            Constraints("score in pieces", scores, start, start.copy()),
        ),
        objective=LinearObjective(
            np.concatenate([np.zeros(before), costs]), math.fsum(part.height for part in parts)
        ),
        cardinality=model.cardinality,
    )
