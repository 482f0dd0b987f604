"""The original binary form with a binary alpha for each feature, so that all constraints are linear."""

from __future__ import annotations

import numpy as np

from riskcard.paper.formulations.binary import binary_scores, weight_bounds
from riskcard.paper.formulations.blocks import add_selection, add_weights
from riskcard.paper.formulations.building import ModelBuilder
from riskcard.paper.formulations.instance import Instance
from riskcard.paper.formulations.mip_model import Model


def build(instance: Instance) -> Model:
    """``sum alpha_j <= k`` and ``low_j alpha_j <= w_j <= high_j alpha_j`` instead of ``||w||_0 <= k``.

    The same cards are feasible: alpha_j = 0 makes w_j = 0, and with alpha_j = 1 wherever w_j is not
    0 (and 0 elsewhere) every w with at most k entries that are not 0 is reached. Data and bounds
    are those of ``binary.build``.
    """
    builder = ModelBuilder("reformulation")
    alpha = add_selection(builder, instance)
    w0 = builder.add("w0", "integer", [-np.inf], [np.inf])
    w = add_weights(builder, "w", alpha, *weight_bounds(instance))
    scores = binary_scores(instance, w0, w)
    return builder.minimise_log_loss(scores, instance.y, instance.table.weights)
