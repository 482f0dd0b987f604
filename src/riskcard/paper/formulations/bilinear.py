"""The bilinear form: a threshold for each continuous feature, and a weight on either side of it."""

from dataclasses import dataclass

import numpy as np

from riskcard.paper.formulations.blocks import (
    Ties,
    add_selection,
    add_threshold,
    add_weights,
    constrain_threshold,
)
from riskcard.paper.formulations.building import ModelBuilder
from riskcard.paper.formulations.indexing import Places, places_by_row
from riskcard.paper.formulations.instance import Instance
from riskcard.paper.formulations.mip_model import Indices, Model, Products


@dataclass(frozen=True, slots=True)
class TwoWeights:
    """The variables of which the bilinear and the linear form have products."""

    below: Indices
    above: Indices
    b: Indices


def build(instance: Instance, ties: Ties = "library") -> Model:
    """``score_i = w0 + sum_j w_below_j b_ij + w_above_j (1 - b_ij)``, with products in the scores.

    Parameters
    ----------
    ties
        Which side of a threshold a value at the threshold is on: ``"library"`` below it;
        ``"paper"`` either, as the paper writes it (see ``blocks.constrain_threshold``).
    """
    builder = ModelBuilder("bilinear")
    places = places_by_row(instance)
    shared = add_two_weights(builder, instance, places, ties)
    n_rows, n_features = shared.b.shape
    rows = np.repeat(np.arange(n_rows), n_features)
    ones = np.ones(rows.size)
    products = Products(
        rows=np.concatenate([rows, rows]),
        factors=np.concatenate([ones, -ones]),
        left=np.concatenate([np.tile(shared.below, n_rows), np.tile(shared.above, n_rows)]),
        right=np.concatenate([shared.b.ravel(), shared.b.ravel()]),
    )
    scores = [(np.broadcast_to(shared.above, (n_rows, n_features)), 1.0)]
    return builder.minimise_log_loss(scores, places.labels, places.weights, products)


def add_two_weights(
    builder: ModelBuilder, instance: Instance, places: Places, ties: Ties
) -> TwoWeights:
    """alpha, the two weights within it, t, and b tied to t."""
    alpha = add_selection(builder, instance)
    builder.add("w0", "integer", [-np.inf], [np.inf])
    below = add_weights(builder, "w_below", alpha, instance.low_below, instance.high_below)
    above = add_weights(builder, "w_above", alpha, instance.low, instance.high)
    t = add_threshold(builder, instance)
    b = builder.add("b", "binary", np.zeros(places.shape), 1.0)
    constrain_threshold(builder, instance, places, b, t, ties)
    return TwoWeights(below, above, b)
