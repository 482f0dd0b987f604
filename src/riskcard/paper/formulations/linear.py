"""The paper's final form: the products of the bilinear form replaced by Fortet's inequalities."""

from riskcard.paper.formulations.bilinear import TwoWeights, add_two_weights
from riskcard.paper.formulations.blocks import Ties, add_product
from riskcard.paper.formulations.building import ModelBuilder
from riskcard.paper.formulations.indexing import Places, places_by_row
from riskcard.paper.formulations.instance import Instance
from riskcard.paper.formulations.mip_model import Indices, Model


def build(instance: Instance, ties: Ties = "library") -> Model:
    """``score_i = w0 + sum_j beta_below_ij + beta_above_ij`` with linear constraints only.

    In the paper's counting, N rows and p features make ``1 + (2 + 9 N) p`` constraints,
    ``p (1 + N)`` binaries, ``1 + 2 p (1 + N)`` integers and ``p`` continuous variables.

    Parameters
    ----------
    ties
        As in ``bilinear.build``.

    Examples
    --------
    >>> from riskcard.paper.formulations.evaluate import count
    >>> from riskcard.paper.formulations.instance import make_instance
    >>> from riskcard.data.table import make_table
    >>> table = make_table([[0.1], [0.5], [0.9]], [0, 1, 1])
    >>> count(build(make_instance(table))).constraints == 1 + (2 + 9 * 3) * 1
    True
    """
    builder = ModelBuilder("linear")
    places = places_by_row(instance)
    shared = add_two_weights(builder, instance, places, ties)
    products = add_two_products(builder, instance, places, shared)
    scores = [(product.ravel()[places.of_row], 1.0) for product in products]
    return builder.minimise_log_loss(scores, places.labels, places.weights)


def add_two_products(
    builder: ModelBuilder, instance: Instance, places: Places, shared: TwoWeights
) -> tuple[Indices, Indices]:
    """``beta_below = w_below b`` and ``beta_above = w_above (1 - b)`` at every place."""
    j = places.feature
    bounds = instance.low_below[j], instance.high_below[j]
    below = add_product(builder, "beta_below", shared.below[j], shared.b, bounds)
    bounds = instance.low[j], instance.high[j]
    above = add_product(
        builder, "beta_above", shared.above[j], shared.b, bounds, is_complement=True
    )
    return below, above
