"""Parts that several forms share: selection, weights, threshold and the products of Fortet."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from riskcard.errors import ParameterError
from riskcard.paper.formulations.building import ModelBuilder
from riskcard.paper.formulations.indexing import Places
from riskcard.paper.formulations.instance import Instance
from riskcard.paper.formulations.mip_model import Indices

Ties = Literal["library", "paper"]


def add_selection(builder: ModelBuilder, instance: Instance) -> Indices:
    """``alpha_j``: whether feature j is used; at most k of them."""
    alpha = builder.add("alpha", "binary", np.zeros(instance.low.size), 1.0)
    builder.constrain("at most k features", [(alpha[None, :], 1.0)], -np.inf, instance.k)
    return alpha


def add_weights(
    builder: ModelBuilder, name: str, alpha: Indices, low: ArrayLike, high: ArrayLike
) -> Indices:
    """Integer weights with ``low * alpha <= weight <= high * alpha``, which the paper counts once."""
    weight = builder.add(name, "integer", low, high)
    builder.constrain_between(
        f"{name} within alpha", [(weight, 1.0)], alpha, (0.0, low), (0.0, high), is_paired=True
    )
    return weight


def add_threshold(builder: ModelBuilder, instance: Instance) -> Indices:
    """``t_j`` between the smallest and the largest value of feature j."""
    return builder.add("t", "continuous", instance.x.min(axis=0), instance.x.max(axis=0))


def constrain_threshold(
    builder: ModelBuilder,
    instance: Instance,
    places: Places,
    b: Indices,
    t: Indices,
    ties: Ties = "library",
) -> None:
    """Tie b to t: ``b = 1`` at and below the threshold, ``b = 0`` above; one row per place.

    *paper*: ``x - (hi - lo) <= t - (hi - lo) b <= x``. With b = 1 this is ``t >= x`` and with b = 0
    it is ``t <= x``, so that a value at the threshold may be on either side, and equal values may
    be on different sides.

    *library*: ``x - M <= t - M b <= x - margin`` with ``M = max(x - lo, hi - x + margin)``. With
    b = 1 this is ``t >= x`` (and ``t <= x - margin + M``, which is at least hi); with b = 0 it is
    ``t <= x - margin < x`` (and ``t >= x - M``, which is at most lo). So b = 1 exactly when
    ``x <= t``, the library's rule, and equal values have equal b. Nothing is lost: the thresholds of
    ``[v, next value)`` all divide the rows in the same way, and v itself is always allowed. The
    smallest value has b = 1 because t is not below it. M differs from row to row and is never
    larger than it must be.
    """
    low, high = instance.x.min(axis=0)[places.feature], instance.x.max(axis=0)[places.feature]
    if ties == "paper":
        span, margin = high - low, np.zeros(places.value.size)
    elif ties == "library":
        margin = places.margin
        span = np.maximum(places.value - low, high - places.value + margin)
    else:
        raise ParameterError(f"ties is {ties!r}. Use 'library' or 'paper'.")
    builder.constrain(
        "threshold",
        [(t[places.feature], 1.0), (b.ravel(), -span)],
        places.value - span,
        places.value - margin,
    )


def add_product(
    builder: ModelBuilder,
    name: str,
    weight: Indices,
    b: Indices,
    bounds: tuple[Indices, Indices],
    is_complement: bool = False,
) -> Indices:
    """``weight * b``, or ``weight * (1 - b)``, by Fortet's four inequalities.

    Parameters
    ----------
    weight, b
        The two factors of each product, of the same size.
    bounds
        Smallest and largest value l and u of each weight.

    Notes
    -----
    With g = b or g = 1 - b the rows are ``l g <= product <= u g`` and
    ``weight - u (1 - g) <= product <= weight - l (1 - g)``. At g = 0 the first pair makes the product
    0 and the second holds as ``l <= weight <= u``; at g = 1 the second makes it the weight and the
    first holds. So the product is exact at every binary b.
    """
    low, high = (np.asarray(bound, dtype=np.float64) for bound in bounds)
    product = builder.add(name, "integer", low.reshape(b.shape), high.reshape(b.shape))
    offset, sign = (1.0, -1.0) if is_complement else (0.0, 1.0)
    flat, flat_b, flat_weight = product.ravel(), b.ravel(), weight.ravel()
    builder.constrain_between(
        f"{name} by b",
        [(flat, 1.0)],
        flat_b,
        (low * offset, low * sign),
        (high * offset, high * sign),
    )
    builder.constrain_between(
        f"{name} by weight",
        [(flat, 1.0), (flat_weight, -1.0)],
        flat_b,
        (-high * (1 - offset), high * sign),
        (-low * (1 - offset), low * sign),
    )
    return product
