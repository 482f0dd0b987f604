"""A card in the letters of a model, and back: for warm starts, and for reading a solver's answer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import ParameterError
from riskcard.paper.formulations.indexing import Places, places_by_row, places_by_value
from riskcard.paper.formulations.instance import Instance
from riskcard.paper.formulations.mip_model import Floats, Indices, Model
from riskcard.problem.objective import violations
from riskcard.problem.solution import Solution

OUT_OF_RANGE = (
    "That is outside the range of the model. Give the card its best base first "
    "(riskcard.paper.formulations.ranges.with_best_base); a cutoff must not be below its loss."
)


def values_of(model: Model, instance: Instance, solution: Solution) -> Floats:
    """The point of a model that represents a card; any form.

    Parameters
    ----------
    solution
        A feasible card of ``instance.problem``. Forms that bound the base cannot hold every base:
        ``ranges.with_best_base`` brings a card into their range.
    """
    wrong = violations(solution, instance.problem)
    if wrong:
        raise ParameterError(f"The card is not feasible: {'; '.join(wrong)}.")
    jump, cut = np.zeros(instance.low.size, dtype=np.int64), np.full(instance.low.size, -1)
    for feature, place, points in solution.terms:
        jump[feature], cut[feature] = points, place
    above = _weights_above(instance, jump)
    in_base = -jump.sum() if model.has("w") else above.sum() if model.has("w_above") else 0
    parts: dict[str, NDArray[Any]] = {
        "w0": np.array([solution.base - in_base]),
        "alpha": jump != 0,
        "jump": jump,
        "w": -jump,
        "w_below": jump + above,
        "w_above": above,
        "t": _thresholds(instance, cut),
    }
    if model.has("b"):
        parts |= _at_places(model, instance, cut, parts)
    values = np.zeros(model.n_variables)
    for block in model.variables:
        if block.name in parts:
            values[block.span] = parts[block.name].ravel()
    if model.has("piece"):
        _fill_pieces(model, values)
    block = model.block("w0")
    if not block.lower[0] <= values[block.start] <= block.upper[0]:
        raise ParameterError(f"The card has the base {solution.base}. {OUT_OF_RANGE}")
    return values


def _weights_above(instance: Instance, jump: Indices) -> Indices:
    """Weights above the cut such that both are within bounds, and near to half the jump each."""
    least = np.maximum(instance.low, instance.low_below - jump)
    most = np.minimum(instance.high, instance.high_below - jump)
    return np.where(jump == 0, 0, np.clip(-(jump // 2), least, most))


def _thresholds(instance: Instance, cut: Indices) -> Floats:
    """A threshold well within the gap of each cut; the smallest value for a feature without one."""
    thresholds: Floats = instance.x.min(axis=0)
    for j in np.flatnonzero(cut >= 0):
        below, above = instance.grid.gaps[j].ends(int(cut[j]))
        thresholds[j] = below + (above - below) / 4
    return thresholds


def _places_of(model: Model, instance: Instance) -> Places:
    is_by_row = len(model.block("b").shape) == 2
    return places_by_row(instance) if is_by_row else places_by_value(instance)


def _at_places(
    model: Model, instance: Instance, cut: Indices, parts: dict[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """b and its products."""
    places = _places_of(model, instance)
    j = places.feature
    # without a cut the threshold is the smallest value, which is below it
    b = (places.code <= np.maximum(cut[j], 0)).astype(float)
    if any(rows.name == "hull" for rows in model.constraints):
        b *= parts["alpha"][j]
    return {
        "b": b,
        "beta": parts["jump"][j] * b,
        "beta_below": parts["w_below"][j] * b,
        "beta_above": parts["w_above"][j] * (1 - b),
    }


def _fill_pieces(model: Model, values: Floats) -> None:
    """Fill the pieces of each score, outwards from its start; writes into ``values``."""
    block = model.block("piece")
    rows = next(rows for rows in model.constraints if rows.name == "score in pieces")
    wanted = rows.matrix @ values - rows.lower
    signs = rows.matrix[:, block.span].tocsc()
    group, direction, widths = signs.indices, -signs.data, block.upper
    # pieces of one group and direction are adjacent: how far the preceding ones reach
    is_first = (np.diff(group, prepend=-1) != 0) | (np.diff(direction, prepend=0.0) != 0)
    reached = np.cumsum(widths) - widths
    before = reached - reached[is_first][np.cumsum(is_first) - 1]
    filled = np.clip(direction * wanted[group] - before, 0.0, widths)
    values[block.span] = filled
    if np.abs(rows.matrix @ values - rows.lower).max(initial=0.0) > 1e-9:
        raise ParameterError(f"The card has a score of another range. {OUT_OF_RANGE}")


def solution_of(model: Model, instance: Instance, values: Floats) -> Solution:
    """The card that a point of a model represents; any form.

    Integers are rounded. The cut of a feature is read from b, not from t, which a solver's tolerance
    may put on the wrong side of a value: it is the cut with which most b agree, hence b itself when
    that is a step function. (With the paper's rule at a threshold equal values may have
    different b; then no card is that point, and the loss of this one differs.) A feature whose
    rows are all on one side has no cut, and its points go to the base.
    """
    part = {
        block.name: np.round(values[block.span]).astype(np.int64)
        for block in model.variables
        if block.kind != "continuous"
    }
    base = int(part["w0"][0])
    if "w" in part:
        jump, base = -part["w"], base + int(part["w"].sum())
        # the value 0 is below the cut and the value 1 above it, also where it is the only value
        cut = np.where(instance.x.min(axis=0) == 1, -1, 0)
    else:
        cut = _agreeing_cuts(instance, _places_of(model, instance), part["b"])
        if "jump" in part:
            jump = part["jump"]
        else:
            jump, base = part["w_below"] - part["w_above"], base + int(part["w_above"].sum())
    n_cuts = instance.problem.data.n_cuts
    base += int(jump[cut >= n_cuts].sum())
    has_cut = (cut >= 0) & (cut < n_cuts)
    return Solution.of([(int(j), int(cut[j]), int(jump[j])) for j in np.flatnonzero(has_cut)], base)


def _agreeing_cuts(instance: Instance, places: Places, b: Indices) -> Indices:
    """The cut of each feature with which most places agree; -1 if all are above, n_cuts if below."""
    n_cuts = instance.problem.data.n_cuts
    cuts = np.empty(n_cuts.size, dtype=np.int64)
    for j in range(n_cuts.size):
        is_here = places.feature == j
        code, size = places.code[is_here], int(n_cuts[j]) + 1
        ones = np.bincount(code, b[is_here], size)
        zeros = np.bincount(code, 1 - b[is_here], size)
        # cut c has the codes up to c below it: their zeros and the ones of the others disagree
        wrong = ones.sum() + np.concatenate([[0.0], np.cumsum(zeros - ones)])
        cuts[j] = int(np.argmin(wrong)) - 1
    return cuts
