"""Sums by bin: the one pass over the rows that every scan of candidate cuts starts with.

Rows have a key (their cell or score, and their label), and each key has a line of values. The sums
of ``weight * values[key]`` over the rows of a bin are found in one of two ways: row by row, or,
when rows outnumber the pairs of bin and key, by counting the weight of each pair first, so that the
wide addition is done once per pair.
"""

import numpy as np

from riskcard.kernels.jit import bare_inner_kernel


@bare_inner_kernel
def clear_lines(sums, n_lines, width):
    """Set the first lines to 0."""
    for line in range(n_lines):
        total = sums[line]
        for j in range(width):
            total[j] = 0.0


@bare_inner_kernel
def add_pairs(counts, n_bins, values, sums, first):
    """Add ``weight * values[key]`` for every pair of bin and key, into lines from ``first`` on."""
    n_keys, width = values.shape
    for line in range(n_bins):
        total = sums[first + line]
        for key in range(n_keys):
            weight = counts[line * n_keys + key]
            if weight != 0.0:
                value = values[key]
                for j in range(width):
                    total[j] += weight * value[j]


@bare_inner_kernel
def sum_by_bin(column, keys, weights, values, low, shift, n_bins, sums, counts):
    """Sum ``weight * values[key]`` over the rows of each bin of one column, into ``sums``.

    Bin 0 holds the codes below ``low``, bin ``b`` the codes from ``low + ((b - 1) << shift)``, the
    last bin everything above. ``counts`` is scratch for the weights of pairs.
    """
    n_keys, width = values.shape
    is_paired = 3 * column.size + n_bins * n_keys * width < column.size * width
    clear_lines(sums, n_bins, width)
    if is_paired:
        for pair in range(n_bins * n_keys):
            counts[pair] = 0.0
    for row in range(column.size):
        line = min(max(column[row] - low + (1 << shift), 0) >> shift, n_bins - 1)
        if is_paired:
            counts[line * n_keys + keys[row]] += weights[row]
        else:
            # views of lines, so that the loop becomes vector code
            total, value, weight = sums[line], values[keys[row]], weights[row]
            for j in range(width):
                total[j] += weight * value[j]
    if is_paired:
        add_pairs(counts, n_bins, values, sums, np.int64(0))


@bare_inner_kernel
def sum_by_code(column, keys, weights, values, n_codes, sums, counts, uncommon):
    """Sum ``weight * values[key]`` over the rows of each code, into the second line and on.

    Where few rows have another code than the most common one, only these are looked at. Returns
    whether the common code was left out. This is `sum_by_bin` with bins of one code, without what
    finding a bin costs for each row.
    """
    n_keys, width = values.shape
    clear_lines(sums, n_codes + 1, width)
    by_pair = 3 * column.size + n_codes * n_keys * width
    n_wide = uncommon.size if uncommon.size > 0 else column.size
    if n_wide * width <= by_pair:
        for index in range(n_wide):
            row = uncommon[index] if uncommon.size > 0 else index
            total, value, weight = sums[column[row] + 1], values[keys[row]], weights[row]
            for j in range(width):
                total[j] += weight * value[j]
        return uncommon.size > 0
    for pair in range(n_codes * n_keys):
        counts[pair] = 0.0
    for row in range(column.size):
        counts[column[row] * n_keys + keys[row]] += weights[row]
    add_pairs(counts, n_codes, values, sums, np.int64(1))
    return False
