"""Rows that are alike in all conditions of a node become one row."""

import numpy as np

import riskcard.kernels.proof.supports.records as at
from riskcard.kernels.jit import bare_inner_kernel


@bare_inner_kernel
def merge_rows(begin, end, tables, family, slots, table, places, keys, codes_of, used):
    """Write the merged rows of ``begin .. end - 1`` as a table behind the last one.

    A code is replaced by the highest code that satisfies the same conditions of the node. Rows are
    looked up by a hash of their new codes, and compared code by code, so that different rows never
    become one. Chains without a condition of the node are not written: no node below has one.
    ``places`` (a power of two long), ``keys``, ``codes_of`` and ``used`` are scratch. Returns the
    numbers of rows and of chains.
    """
    codes, weights, first = tables.codes, tables.weights, family.first
    n_chains = first.size - 1
    target = tables.begins[table]
    n_used = 0
    for f in range(n_chains):
        base, last = first[f] + f, first[f + 1] + f
        code = last - base
        for v in range(last - base, -1, -1):
            c = first[f] + v
            # does the condition between this code and the next tell them apart?
            if v < last - base and (
                slots[at.RISING, c] != at.NOWHERE or slots[at.FALLING, c] != at.NOWHERE
            ):
                code = v
            codes_of[base + v] = code
        if code < last - base:
            used[n_used] = f
            n_used += 1
    n_rows = end - begin
    for r in range(n_rows):
        keys[r] = np.uint64(0x9E3779B97F4A7C15)
    factor = np.uint64(0x2545F4914F6CDD1D)
    for u in range(n_used):
        f = used[u]
        base = first[f] + f
        for r in range(n_rows):
            keys[r] = (keys[r] ^ np.uint64(codes_of[base + codes[f, begin + r]])) * factor
            keys[r] ^= keys[r] >> np.uint64(29)
    room = 64
    while room < 2 * n_rows:
        room *= 2
    mask = np.uint64(room - 1)
    for k in range(room):
        places[k] = -1
    n_new = 0
    for r in range(n_rows):
        k = keys[r] & mask
        while True:
            row = places[k]
            if row < 0:
                row = target + n_new
                places[k] = row
                n_new += 1
                for u in range(n_used):
                    f = used[u]
                    codes[f, row] = codes_of[first[f] + f + codes[f, begin + r]]
                weights[at.EVENT, row] = weights[at.EVENT, begin + r]
                weights[at.OTHER, row] = weights[at.OTHER, begin + r]
                break
            is_same = True
            for u in range(n_used):
                f = used[u]
                if codes[f, row] != codes_of[first[f] + f + codes[f, begin + r]]:
                    is_same = False
                    break
            if is_same:
                weights[at.EVENT, row] += weights[at.EVENT, begin + r]
                weights[at.OTHER, row] += weights[at.OTHER, begin + r]
                break
            k = (k + np.uint64(1)) & mask
    return n_new, n_used
