"""A model looked at by a person: its value and its violation at a point, its size, its text."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from riskcard.formatting.templates import render
from riskcard.logistic import log_loss
from riskcard.paper.formulations.mip_model import Constraints, Floats, LinearObjective, Model

#: A variable of a cardinality constraint counts as 0 up to this much.
ZERO_TOLERANCE = 1e-6


def scores_at(model: Model, values: Floats) -> Floats:
    """The score of every row of a model that minimises the log-loss."""
    objective = model.objective
    if isinstance(objective, LinearObjective):
        raise TypeError(f"The objective of the model {model.name!r} is linear and has no scores.")
    scores: Floats = objective.constant + objective.matrix @ values
    if objective.products is not None:
        products = objective.products
        parts = products.factors * values[products.left] * values[products.right]
        np.add.at(scores, products.rows, parts)
    return scores


def objective_at(model: Model, values: Floats) -> float:
    """What the model minimises, at a point."""
    objective = model.objective
    if isinstance(objective, LinearObjective):
        return float(objective.coefficients @ values + objective.constant)
    return log_loss(scores_at(model, values), objective.labels, objective.weights)


def violation_at(model: Model, values: Floats, is_relaxed: bool = False) -> tuple[float, str]:
    """By how much a point breaks the model at most, and which block of the model that is.

    Parameters
    ----------
    is_relaxed
        Whether binary and integer variables may take any value within their bounds.
    """
    found = [(0.0, "")]
    for block in model.variables:
        part = values[block.span].reshape(block.shape)
        found.append((_excess(part, block.lower, block.upper), block.name))
        if block.kind != "continuous" and not is_relaxed:
            found.append((_excess(part, np.round(part), np.round(part)), block.name))
    for rows in model.constraints:
        found.append((_excess(rows.matrix @ values, rows.lower, rows.upper), rows.name))
    limit = model.cardinality
    if limit is not None:
        used = int(np.sum(np.abs(values[limit.members]) > ZERO_TOLERANCE))
        found.append((float(used - limit.most), limit.name))
    return max(found, key=lambda pair: pair[0])


def _excess(values: Floats, lower: Floats, upper: Floats) -> float:
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
    spans = [
        f"{block.lower.min(initial=np.inf):g} .. {block.upper.max(initial=-np.inf):g}"
        for block in model.variables
    ]
    return render(
        "paper/formulations/templates/model.txt.j2",
        model=model,
        blocks=list(zip(model.variables, spans, strict=True)),
        counted=_counted,
        total=count(model),
    )
