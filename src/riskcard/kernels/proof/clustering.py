"""Agglomerative clustering of sets of conditions, by the rows that a union leaves undecided."""

import numpy as np

from riskcard.kernels.jit import inner_kernel, kernel


@inner_kernel
def count_bits(word):
    """Number of set bits of a 64-bit word."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner_kernel
def undecided_of_union(some, every, a, b):
    """Rows on which the conditions of two sets, taken together, do not agree."""
    total = 0
    for word in range(some.shape[1]):
        total += count_bits((some[a, word] | some[b, word]) & ~(every[a, word] & every[b, word]))
    return total


@kernel
def cluster_sets(some, every, n_sets, children):
    """Merge sets pairwise until one is left.

    Parameters
    ----------
    some, every
        Bitsets (2 * n_sets - 1, words) of the rows for which some, and for which every, condition
        of a set holds; the first ``n_sets`` are given, the merged ones are written behind them.
    children
        (2 * n_sets - 1, 2), written: the two sets that were merged.
    """
    n_words = some.shape[1]
    is_alive = np.zeros(2 * n_sets - 1, dtype=np.bool_)
    nearest = np.zeros(2 * n_sets - 1, dtype=np.int64)
    distance = np.zeros(2 * n_sets - 1, dtype=np.int64)
    far = 64 * n_words + 1
    for a in range(n_sets):
        is_alive[a] = True
        distance[a] = far
        for b in range(a):
            d = undecided_of_union(some, every, a, b)
            if d < distance[a]:
                distance[a] = d
                nearest[a] = b
    for merged in range(n_sets, 2 * n_sets - 1):
        a = -1
        for c in range(merged):
            if is_alive[c] and distance[c] < far and (a < 0 or distance[c] < distance[a]):
                a = c
        b = nearest[a]
        children[merged, 0] = b
        children[merged, 1] = a
        for word in range(n_words):
            some[merged, word] = some[a, word] | some[b, word]
            every[merged, word] = every[a, word] & every[b, word]
        is_alive[a] = False
        is_alive[b] = False
        distance[merged] = far
        # each set knows its nearest among the sets numbered below it
        for c in range(merged):
            if not is_alive[c]:
                continue
            d = undecided_of_union(some, every, merged, c)
            if d < distance[merged]:
                distance[merged] = d
                nearest[merged] = c
            if distance[c] < far and (nearest[c] == a or nearest[c] == b):
                distance[c] = far
                for other in range(c):
                    if is_alive[other]:
                        d = undecided_of_union(some, every, c, other)
                        if d < distance[c]:
                            distance[c] = d
                            nearest[c] = other
        is_alive[merged] = True
