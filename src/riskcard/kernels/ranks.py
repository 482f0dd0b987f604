"""Ranks of many numbers by their digits, without comparisons, in time linear in the rows."""

import numpy as np

from riskcard.kernels.jit import kernel

#: Bits of a digit, digits of a number, and values of a digit.
BITS, N_DIGITS, N_VALUES = 8, 8, 256


@kernel
def rank_by_digits(keys, codes):
    """Rank floats by their bit patterns; returns a row of each distinct one, ascending.

    A radix sort: rows are put in the order of one digit after another, the last digit first, and
    rows with the same digit keep their order. Digits that all rows share are passed over.

    Parameters
    ----------
    keys
        The bits of each number as an unsigned integer, which are overwritten. Neither NaN nor -0.0
        may be among them.
    codes
        Receives the rank of each number among the distinct ones.
    """
    n_rows, other_keys = keys.size, np.empty(keys.size, np.uint64)
    rows, other_rows = np.empty(n_rows, np.int32), np.empty(n_rows, np.int32)
    places = np.zeros((N_DIGITS, N_VALUES), np.int64)
    one, sign, last = np.uint64(1), np.uint64(63), np.uint64(N_VALUES - 1)
    for row in range(n_rows):
        # the bits of negative numbers fall as the numbers rise, and come after all others
        key = ~keys[row] if (keys[row] >> sign) == one else keys[row] | (one << sign)
        keys[row], rows[row] = key, row
        for digit in range(N_DIGITS):
            places[digit, (key >> np.uint64(BITS * digit)) & last] += 1
    for digit in range(N_DIGITS):
        shift, place = np.uint64(BITS * digit), places[digit]
        if place[(keys[0] >> shift) & last] == n_rows:
            continue
        begin = 0
        for value in range(N_VALUES):
            count = place[value]
            place[value] = begin
            begin += count
        for index in range(n_rows):
            key = keys[index]
            value = (key >> shift) & last
            at = place[value]
            place[value] = at + 1
            other_keys[at], other_rows[at] = key, rows[index]
        keys, other_keys = other_keys, keys
        rows, other_rows = other_rows, rows
    code, firsts = -1, other_rows
    for index in range(n_rows):
        if index == 0 or keys[index] != keys[index - 1]:
            code += 1
            firsts[code] = rows[index]
        codes[rows[index]] = code
    return firsts[: code + 1]
