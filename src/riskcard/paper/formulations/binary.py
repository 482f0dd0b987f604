"""The original form for binary data, at most k weights not 0, and its linear reformulation."""

import numpy as np

from riskcard.errors import DataError
from riskcard.paper.formulations.blocks import add_selection, add_weights
from riskcard.paper.formulations.building import ModelBuilder, Terms
from riskcard.paper.formulations.instance import Instance
from riskcard.paper.formulations.mip_model import Indices, Model


def build(instance: Instance) -> Model:
    """``minimise loss(w0 + x w)  with  ||w||_0 <= k,  w_j integer within its bounds, w0 integer``.

    The number of weights that are not 0 is no linear function of them: the model carries it as a
    ``Cardinality``, and a backend that cannot state one refuses the model.

    Parameters
    ----------
    instance
        Its values must be 0 or 1. Weights lie in ``low .. high`` for an instance made with
        ``is_one_sided``, which is the original problem; otherwise each feature has two weights,
        whose difference is the weight here and lies in ``low - high .. high - low``.

    Examples
    --------
    >>> from riskcard.paper.formulations.evaluate import count
    >>> from riskcard.paper.formulations.instance import make_instance
    >>> from riskcard.data.table import make_table
    >>> table = make_table([[0, 1], [1, 1], [1, 0]], [0, 1, 1])
    >>> model = build(make_instance(table, k=1, is_one_sided=True))
    >>> count(model).integers, model.cardinality.most
    (3, 1)
    """
    builder = ModelBuilder("binary")
    builder.add("w0", "integer", [-np.inf], [np.inf])
    w = builder.add("w", "integer", *weight_bounds(instance))
    builder.limit_nonzeros("at most k features", w, instance.k)
    scores = binary_scores(instance, w)
    return builder.minimise_log_loss(scores, instance.y, instance.table.weights)


def build_reformulation(instance: Instance) -> Model:
    """``sum alpha_j <= k`` and ``low_j alpha_j <= w_j <= high_j alpha_j`` instead of ``||w||_0 <= k``.

    The same cards are feasible: alpha_j = 0 makes w_j = 0, and with alpha_j = 1 wherever w_j is not
    0 (and 0 elsewhere) every w with at most k nonzero entries is reached. Data and bounds are those
    of ``build``.
    """
    builder = ModelBuilder("reformulation")
    alpha = add_selection(builder, instance)
    builder.add("w0", "integer", [-np.inf], [np.inf])
    w = add_weights(builder, "w", alpha, *weight_bounds(instance))
    scores = binary_scores(instance, w)
    return builder.minimise_log_loss(scores, instance.y, instance.table.weights)


def weight_bounds(instance: Instance) -> tuple[Indices, Indices]:
    """Smallest and largest weight of ``x = 1`` against ``x = 0``: the jump, looked at from above."""
    return -instance.problem.jump_high, -instance.problem.jump_low


def binary_scores(instance: Instance, w: Indices) -> Terms:
    """``sum of w_j x_ij`` for every row; refuses values other than 0 and 1."""
    x = instance.x
    is_other = (x != 0) & (x != 1)
    if is_other.any():
        i, j = np.argwhere(is_other)[0]
        raise DataError(
            f"Feature {instance.table.names[j]!r} is {x[i, j]:g} in row {i}, and this form needs "
            "values 0 and 1. Cut the features first, or use a form for continuous data."
        )
    return [(np.broadcast_to(w, x.shape), x)]
