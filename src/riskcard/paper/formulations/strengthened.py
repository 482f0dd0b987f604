"""The linear form made tighter, each strengthening a switch with its proof."""

from dataclasses import dataclass

import numpy as np

from riskcard.errors import ParameterError
from riskcard.paper.formulations.bilinear import TwoWeights
from riskcard.paper.formulations.blocks import (
    add_product,
    add_selection,
    add_threshold,
    add_weights,
    constrain_threshold,
)
from riskcard.paper.formulations.building import ModelBuilder
from riskcard.paper.formulations.indexing import Places, places_by_row, places_by_value
from riskcard.paper.formulations.instance import Instance
from riskcard.paper.formulations.linear import add_two_products
from riskcard.paper.formulations.mip_model import Indices, Model
from riskcard.paper.formulations.ranges import base_range


@dataclass(frozen=True, slots=True)
class Strengthening:
    """What is added to the linear form; each of them keeps at least one best card.

    Attributes
    ----------
    shared
        Equal values of a feature share one b and equal rows are merged. *Proof*: by the library's
        rule equal values are on the same side of every cut, so that their b are equal at every
        feasible point; rows with equal b have equal scores, and their losses add up to the
        loss of one row with their total weight.
    ordered
        b falls from a value to the next larger one; the smallest value has b = 1, the largest
        b = 0. *Proof*: ``x <= x' <= t`` makes both b 1, so that b' <= b. The smallest value is not
        above any threshold. If the largest has b = 1 then all have, the feature gives the same
        points to every row, and the card without it and with these points in w0 has the same loss.
        With ``shared`` such a b *is* a cut, and t and its big-M rows are left out.
    linked
        ``low alpha <= beta <= high alpha``. *Proof*: alpha = 0 makes the weights and so the
        products 0; for alpha = 1 it is the bound of the product.
    one_jump
        One jump and one beta = jump * b instead of two weights and two products. *Proof*: the score
        is ``(w0 + sum w_above) + sum (w_below - w_above) b``. So a card is given by a base, which is
        a free integer as w0 is, and the jumps, where ``w_below - w_above`` takes every integer of
        ``jump_low .. jump_high`` and no other.
    hull
        ``jump_low (b - b') <= beta - beta' <= jump_high (b - b')`` for neighbouring values, b =
        alpha and beta = jump at the smallest, b = beta = 0 at the largest; instead of Fortet's
        inequalities. Needs the other three. *Proof*: let z_c = b - b' and e_c = beta - beta' at cut
        c. A used feature has z = 1 at its cut and 0 elsewhere and e = jump z; an unused one may as
        well have b = 0 everywhere, as its beta is 0. So all cards are feasible; and at binary b
        with alpha = 1 one z_c is 1 and e is jump there and 0 elsewhere, so that no others are.
        Moreover the rows of one feature describe the convex hull of its points (alpha, z, e), that
        is ``sum z = alpha <= 1, z >= 0, jump_low z <= e <= jump_high z``: with 0 <= alpha <= 1 such
        a point is the mixture, with weights z_c and 1 - alpha, of jumps e_c / z_c at cut c and of
        the unused feature. In words: the total variation of beta is at most the largest jump times
        alpha. It contains the order of b, the link to alpha and Fortet's inequalities.
    bounded_base
        ``w0``, or ``w0 + sum w_above``, lies in ``ranges.base_range``. *Proof*: there; cards whose
        base is not the best for their terms may be lost.
    """

    shared: bool = True
    ordered: bool = True
    linked: bool = True
    one_jump: bool = True
    hull: bool = True
    bounded_base: bool = True

    def __post_init__(self) -> None:
        if self.hull and not (self.shared and self.ordered and self.one_jump):
            raise ParameterError(
                "hull needs shared, ordered and one_jump. Switch them on, or hull off."
            )


#: Nothing added: the linear form, with the library's rule at a threshold.
PLAIN = Strengthening(False, False, False, False, False, False)


def build(instance: Instance, strengthening: Strengthening | None = None) -> Model:
    """The linear form with the strengthenings asked for; all of them by default.

    Parameters
    ----------
    strengthening
        ``PLAIN`` gives the linear form.

    Examples
    --------
    >>> from riskcard.paper.formulations.evaluate import count
    >>> from riskcard.paper.formulations.instance import make_instance
    >>> from riskcard.data.table import make_table
    >>> instance = make_instance(make_table([[0.1], [0.5], [0.9]], [0, 1, 1]))
    >>> count(build(instance)).rows, count(build(instance, PLAIN)).rows
    (9, 32)
    """
    chosen = strengthening or Strengthening()
    builder = ModelBuilder("strengthened")
    places = places_by_value(instance) if chosen.shared else places_by_row(instance)
    alpha = add_selection(builder, instance)
    b = _add_b(builder, instance, places, chosen)
    draft = _Draft(builder, instance, places, chosen, alpha, b)
    products = draft.add_one_jump() if chosen.one_jump else draft.add_two_weights()
    scores = [(product.ravel()[places.of_row], 1.0) for product in products]
    return builder.minimise_log_loss(scores, places.labels, places.weights)


def _add_b(
    builder: ModelBuilder, instance: Instance, places: Places, chosen: Strengthening
) -> Indices:
    """b, a step function of the value: by the order alone where that is enough, else by t."""
    lower, upper = np.zeros(places.feature.size), np.ones(places.feature.size)
    if chosen.ordered:
        # the only value of a constant feature is below every threshold, and above none in the hull
        upper[places.is_last(instance) & (chosen.hull | ~places.is_first)] = 0.0
        lower[places.is_first & (not chosen.hull)] = 1.0
    b = builder.add("b", "binary", lower.reshape(places.shape), upper.reshape(places.shape))
    left, right = places.steps
    flat = b.ravel()
    if chosen.ordered and not chosen.hull:
        builder.constrain("order of b", [(flat[left], 1.0), (flat[right], -1.0)], 0.0, np.inf)
    if not (chosen.ordered and chosen.shared):
        t = add_threshold(builder, instance)
        constrain_threshold(builder, instance, places, b, t)
    return b


@dataclass(frozen=True, slots=True)
class _Draft:
    """A model with alpha and b, which still needs its weights; each method adds to the builder."""

    builder: ModelBuilder
    instance: Instance
    places: Places
    chosen: Strengthening
    alpha: Indices
    b: Indices

    def add_one_jump(self) -> tuple[Indices, ...]:
        """w0, the jumps and their products with b, which are returned."""
        builder, problem, j = self.builder, self.instance.problem, self.places.feature
        low, high = problem.jump_low, problem.jump_high
        span = base_range(self.instance) if self.chosen.bounded_base else (-np.inf, np.inf)
        builder.add("w0", "integer", [span[0]], [span[1]])
        jump = add_weights(builder, "jump", self.alpha, low, high)
        if self.chosen.hull:
            return (self.add_hull(jump),)
        beta = add_product(builder, "beta", jump[j], self.b, (low[j], high[j]))
        self.link("beta", beta, low, high)
        return (beta,)

    def add_hull(self, jump: Indices) -> Indices:
        """beta with total variation bounded by alpha; real, because it is jump * b at binary b."""
        builder, b, j = self.builder, self.b, self.places.feature
        problem, is_used = self.instance.problem, ~self.places.is_last(self.instance)
        low, high = problem.jump_low[j], problem.jump_high[j]
        beta = builder.add("beta", "continuous", low * is_used, high * is_used)
        left, right = self.places.steps
        first = np.flatnonzero(self.places.is_first)
        # a constant feature has no cut: its only b is 0, so that alpha and the jump are 0
        builder.constrain("b starts at alpha", [(b[first], 1.0), (self.alpha, -1.0)], 0.0, 0.0)
        builder.constrain("beta starts at the jump", [(beta[first], 1.0), (jump, -1.0)], 0.0, 0.0)
        places = np.stack([beta[left], beta[right], b[left], b[right]], axis=1)
        slopes = np.stack([low[left], high[left]], axis=1).ravel().astype(np.float64)
        ones = np.ones_like(slopes)
        factors = np.stack([ones, -ones, -slopes, slopes], axis=1)
        lower, upper = np.tile([0.0, -np.inf], left.size), np.tile([np.inf, 0.0], left.size)
        builder.constrain("hull", [(np.repeat(places, 2, axis=0), factors)], lower, upper)
        return beta

    def add_two_weights(self) -> tuple[Indices, ...]:
        """w0, two weights per feature and their products with b and 1 - b, which are returned."""
        builder, instance = self.builder, self.instance
        w0 = builder.add("w0", "integer", [-np.inf], [np.inf])
        low, high = instance.low_below, instance.high_below
        below = add_weights(builder, "w_below", self.alpha, low, high)
        above = add_weights(builder, "w_above", self.alpha, instance.low, instance.high)
        weights = TwoWeights(below, above, self.b)
        products = add_two_products(builder, instance, self.places, weights)
        self.link("beta_below", products[0], low, high)
        self.link("beta_above", products[1], instance.low, instance.high)
        if self.chosen.bounded_base:
            span = base_range(instance)
            builder.constrain("base", [(w0[None, :], 1.0), (above[None, :], 1.0)], *span)
        return products

    def link(self, name: str, product: Indices, low: Indices, high: Indices) -> None:
        """``low alpha <= product <= high alpha``, where this is asked for."""
        if self.chosen.linked:
            j, terms = self.places.feature, [(product.ravel(), 1.0)]
            bounds = (0.0, low[j]), (0.0, high[j])
            self.builder.constrain_between(f"{name} within alpha", terms, self.alpha[j], *bounds)
