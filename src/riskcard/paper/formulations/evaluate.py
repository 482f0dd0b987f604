"""A model looked at by a person: its value and its violation at a point, its size, its text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.logistic import log_loss
from riskcard.paper.formulations.mip_model import Constraints, LinearObjective, Model

#: A variable of a cardinality constraint counts as 0 up to this much.
ZERO_TOLERANCE = 1e-6


def scores_at(model: Model, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The score of every row of a model that minimises the log-loss."""
    objective = model.objective
    if isinstance(objective, LinearObjective):
        raise TypeError(f"The objective of the model {model.name!r} is linear and has no scores.")
    scores: NDArray[np.float64] = objective.constant + objective.matrix @ values
    if objective.products is not None:
        products = objective.products
        parts = products.factors * values[products.left] * values[products.right]
        np.add.at(scores, products.rows, parts)
    return scores


def objective_at(model: Model, values: NDArray[np.float64]) -> float:
    """What the model minimises, at a point."""
    objective = model.objective
    if isinstance(objective, LinearObjective):
        return float(objective.coefficients @ values + objective.constant)
    return log_loss(scores_at(model, values), objective.labels, objective.weights)


def violation_at(
    model: Model, values: NDArray[np.float64], is_relaxed: bool = False
) -> tuple[float, str]:
    """By how much a point breaks the model at most, and which block of the model that is.

    Parameters
    ----------
    is_relaxed
        Whether binary and integer variables may take any value within their bounds.
    """
    worst, where = 0.0, ""
    for block in model.variables:
        part = values[block.start : block.start + block.size].reshape(block.shape)
        found = _excess(part, block.lower, block.upper)
        if block.kind != "continuous" and not is_relaxed:
            found = max(found, float(np.max(np.abs(part - np.round(part)), initial=0.0)))
        if found > worst:
            worst, where = found, block.name
    for rows in model.constraints:
        found = _excess(rows.matrix @ values, rows.lower, rows.upper)
        if found > worst:
            worst, where = found, rows.name
    limit = model.cardinality
    if limit is not None:
        used = int(np.sum(np.abs(values[limit.members]) > ZERO_TOLERANCE))
        if used - limit.most > worst:
            worst, where = float(used - limit.most), limit.name
    return worst, where


def _excess(
    values: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> float:
    return float(np.max(np.maximum(lower - values, values - upper), initial=0.0))


@dataclass(frozen=True, slots=True)
class Counts:
    """The size of a model; bounds of single variables are not constraints.

    ``constraints`` counts a double inequality once, as the paper does; ``rows`` is the number of
    rows that a solver is given; ``loss_rows`` the number of rows of a log-loss.
    """

    binaries: int
    integers: int
    continuous: int
    constraints: int
    rows: int
    nonzeros: int
    products: int
    loss_rows: int


def count(model: Model) -> Counts:
    """How large a model is, in the paper's counting and in a solver's."""
    sizes: Counter[str] = Counter()
    for block in model.variables:
        sizes[block.kind] += block.size
    objective, products, losses = model.objective, 0, 0
    if not isinstance(objective, LinearObjective):
        products = 0 if objective.products is None else objective.products.rows.size
        losses = objective.labels.size
    return Counts(
        binaries=sizes["binary"],
        integers=sizes["integer"],
        continuous=sizes["continuous"],
        constraints=sum(_counted(rows) for rows in model.constraints),
        rows=sum(rows.lower.size for rows in model.constraints),
        nonzeros=sum(rows.matrix.nnz for rows in model.constraints),
        products=products,
        loss_rows=losses,
    )


def _counted(rows: Constraints) -> int:
    return rows.lower.size // 2 if rows.is_paired else rows.lower.size


def describe(model: Model) -> str:
    """The model as text: every block of variables and constraints, and the totals."""
    lines = [f"model {model.name}", "variables"]
    for block in model.variables:
        shape = " x ".join(map(str, block.shape)) or "1"
        span = f"{block.lower.min(initial=np.inf):g} .. {block.upper.max(initial=-np.inf):g}"
        lines.append(f"  {block.name:<14} {block.kind:<11} {shape:>12}   in {span}")
    lines.append("constraints")
    for rows in model.constraints:
        kind = "double inequalities" if rows.is_paired else "rows"
        lines.append(f"  {rows.name:<26} {_counted(rows):>12} {kind}")
    if model.cardinality is not None:
        limit = model.cardinality
        lines.append(
            f"  {limit.name:<26} at most {limit.most} of {limit.members.size} differ from 0"
        )
    total = count(model)
    is_linear = isinstance(model.objective, LinearObjective)
    lines.append("objective")
    lines.append(
        "  linear"
        if is_linear
        else f"  log-loss of {total.loss_rows} rows"
        + (f" with {total.products} products in their scores" if total.products else "")
    )
    lines.append(
        f"total: {total.binaries} binaries, {total.integers} integers, {total.continuous} "
        f"continuous, {total.constraints} constraints ({total.rows} rows, {total.nonzeros} nonzeros)"
    )
    return "\n".join(lines)
