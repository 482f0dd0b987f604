"""Sums by bin: the one pass over the rows that every scan of candidate cuts starts with."""

from __future__ import annotations

import numpy as np

from riskcard.kernels.jit import bare_inner_kernel


@bare_inner_kernel
def sum_by_bin(column, keys, weights, values, low, shift, n_bins, sums, counts, skipped):
    """Sum ``weight * values[key]`` over the rows of each bin of one feature, into ``sums``.

    Bin 0 holds the codes below ``low``, bin ``b`` the codes from ``low + ((b - 1) << shift)``, the
    last bin everything above. When rows outnumber the pairs of bin and key, they are first counted
    by pair into ``counts``, so that the wide addition is done once a pair. Otherwise rows
    with the code ``skipped`` are left out.
    """
    n_keys, width = values.shape
    is_paired = 3 * column.size + n_bins * n_keys * width < column.size * width
    for line in range(n_bins):
        for j in range(width):
            sums[line, j] = 0.0
    if is_paired:
        for pair in range(n_bins * n_keys):
            counts[pair] = 0.0
    left_out = np.int64(-1) if is_paired else skipped
    for row in range(column.size):
        if column[row] == left_out:
            continue
        line = min(max(column[row] - low + (1 << shift), 0) >> shift, n_bins - 1)
        if is_paired:
            counts[line * n_keys + keys[row]] += weights[row]
        else:
            # views of lines, so that the loop becomes vector code
            total, value, weight = sums[line], values[keys[row]], weights[row]
            for j in range(width):
                total[j] += weight * value[j]
    if is_paired:
        for line in range(n_bins):
            total = sums[line]
            for key in range(n_keys):
                weight = counts[line * n_keys + key]
                if weight != 0.0:
                    value = values[key]
                    for j in range(width):
                        total[j] += weight * value[j]
