"""Shares of many conditions at once, within the convex hull of all cards.

Nothing here needs to be exact: the bound of `riskcard.search.proof.hull` holds for any shares.
"""

import numpy as np

from riskcard.kernels.jit import kernel

#: Passes over all conditions between two changes of the charges.
PASSES_A_CHARGE = 5


@kernel
def fit_shares(
    hessian, gradient, values, owners, caps, charges, stiffness, least_gain, most_passes
):
    """Minimise a quadratic model over shares that are at least 0 and add up to at most their caps.

    Coordinate descent on the augmented Lagrangian: where the shares of an owner are more than its
    cap, or it has a charge, each is charged for the excess, and the charge follows the excess.

    Parameters
    ----------
    hessian, gradient
        The model at ``values``.
    values
        The offset, which is free, and the shares.
    owners
        The owner of each value; that of the offset is not used.
    caps, charges
        For each owner, the most that its shares may add up to, and what a share is charged; the
        charges are changed.
    stiffness
        How fast a charge follows the excess.
    least_gain
        Stop when a pass lowers the model by at most this.
    most_passes
        Stop after this many passes.

    Returns
    -------
    array
        What to add to the values.
    """
    n_values = values.size
    moves, slopes, excess = np.zeros(n_values), gradient.copy(), -caps
    for j in range(1, n_values):
        excess[owners[j]] += values[j]
    for n_passes in range(most_passes):
        gain = 0.0
        for j in range(n_values):
            own = owners[j]
            curve = hessian[j, j]
            slope = slopes[j]
            lowest = -values[j] - moves[j]
            if j == 0:
                lowest = -1e300
            else:
                charge = charges[own] + stiffness * excess[own]
                if charge > 0.0:
                    slope += charge
                    curve += stiffness
            step = max(lowest, -slope / curve)
            if step != 0.0:
                moves[j] += step
                gain -= slope * step + 0.5 * curve * step * step
                if j > 0:
                    excess[own] += step
                line = hessian[j]
                for i in range(n_values):
                    slopes[i] += line[i] * step
        if (n_passes + 1) % PASSES_A_CHARGE == 0:
            for own in range(caps.size):
                charges[own] = max(0.0, charges[own] + stiffness * excess[own])
            if gain <= least_gain:
                break
    return moves
