"""Do the chances of a model close a node? The rule that a checker of the proof file repeats.

Claim: for any chances ``p`` of the rows, no card of a node has a loss below

    sum of (e + o) H(p) + min(A g, B g) + for each slot  k * min(0, least of R(c) G(c)),

see claims 10 and 11 of ``docs/proofs.md``. Here ``p`` comes from whole log-odds and a table, and all that
is rounded is rounded so that the bound gets lower. The sums are made in floating point, of numbers that
are whole numbers in a checker; the result is lowered by more than their rounding.
"""

import math
from typing import NamedTuple

import numpy as np

import riskcard.kernels.proof.hull.layout as hull
import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import bare_inner_kernel
from riskcard.kernels.proof.record.chances import (
    CHANCE_DIGITS,
    CHANCE_UNIT,
    ODDS_DIGITS,
    chance_at,
    entropy_at,
    put_number,
    put_signed,
    rounded,
)

#: The bound is lowered by this part of the sizes of its summands, for rounding.
MARGIN, MARGIN_PER_ROW = 1e-12, 2.0**-51
#: Binary digits with which a model is tried, few first.
FEWEST_DIGITS, MORE_DIGITS = 8, 6
#: A model gives few different log-odds to many rows: so many of them are remembered, by a hash of the log-odds.
KNOWN_DIGITS, HASH_FACTOR = 10, 7046029254386353131
#: What is remembered.
RISK, REST, ENTROPY = 0, 1, 2
#: No log-odds.
UNKNOWN = -(1 << 63)


class Rules(NamedTuple):
    """What a proof file says of the problem: all that its checker rounds is rounded here."""

    reach: np.ndarray  # (sides,) multiples of 2**-32, rounded up
    steepest: float  # the largest reach of a side that has conditions
    lowest_rate: float  # around the log-odds of the base rate
    highest_rate: float
    cutoff: float  # the bound that is proven
    chances: np.ndarray  # the tables of `chances`
    entropies: np.ndarray


class Closing(NamedTuple):
    """What one walk writes while it closes nodes."""

    z: np.ndarray  # (patterns,) log-odds
    slopes: np.ndarray  # (patterns,)
    by_code: np.ndarray  # (codes,)
    thetas: np.ndarray  # (columns,) whole numbers
    offset: np.ndarray  # (1,)
    known: np.ndarray  # (places,) log-odds, or UNKNOWN
    found: np.ndarray  # (places, 3) their RISK, REST and ENTROPY


def empty_closing(n_rows: int, n_codes: int, n_columns: int) -> Closing:
    """Room for models with so many columns."""
    return Closing(
        z=np.zeros(n_rows, dtype=np.int64),
        slopes=np.zeros(n_rows),
        by_code=np.zeros(n_codes + 1),
        thetas=np.zeros(n_columns + 1, dtype=np.int64),
        offset=np.zeros(1, dtype=np.int64),
        known=np.full(1 << KNOWN_DIGITS, UNKNOWN),
        found=np.zeros((1 << KNOWN_DIGITS, 3)),
    )


@bare_inner_kernel
def set_model(nodes, index, closing, digits):
    """Round the model of a node to multiples of ``2**-digits``."""
    closing.offset[0] = rounded(nodes.offsets[index], digits)
    for c in range(nodes.n_columns[index]):
        closing.thetas[c] = rounded(nodes.thetas[index, c], digits)


@bare_inner_kernel
def find_log_odds(patterns, nodes, index, closing, digits):
    """Write the log-odds of all rows under the rounded model."""
    shift = ODDS_DIGITS - digits
    z = closing.z
    for row in range(z.size):
        z[row] = closing.offset[0] << shift
    for c in range(nodes.n_columns[index]):
        side = int(nodes.columns[index, c, hull.COLUMN_SIDE])
        cut = nodes.columns[index, c, hull.COLUMN_CUT]
        step = closing.thetas[c] << shift
        codes = patterns.codes[side >> 1]
        if side & 1:
            for row in range(z.size):
                z[row] += step if codes[row] > cut else 0
        else:
            for row in range(z.size):
                z[row] += step if codes[row] <= cut else 0


@bare_inner_kernel
def look_up(z, rules, closing):
    """Where in ``closing.found`` chance and entropy at log-odds ``z`` are."""
    place = ((z * HASH_FACTOR) >> (64 - KNOWN_DIGITS)) & ((1 << KNOWN_DIGITS) - 1)
    if closing.known[place] != z:
        chance = chance_at(z, rules.chances)
        closing.known[place] = z
        closing.found[place, RISK] = chance * CHANCE_UNIT
        closing.found[place, REST] = ((1 << CHANCE_DIGITS) - chance) * CHANCE_UNIT
        closing.found[place, ENTROPY] = entropy_at(z, chance, rules.chances, rules.entropies)
    return place


@bare_inner_kernel
def add_up_slopes(patterns, closing, column):
    """Write the sum of the slopes of the rows at or below each cut of a column."""
    n_codes = patterns.n_codes[column]
    codes = patterns.codes[column]
    for code in range(n_codes):
        closing.by_code[code] = 0.0
    for row in range(codes.size):
        closing.by_code[codes[row]] += closing.slopes[row]
    for code in range(1, n_codes):
        closing.by_code[code] += closing.by_code[code - 1]


@bare_inner_kernel
def least_gain(closing, side, low, high, total):
    """The least sum of slopes over the rows of a condition, of all cuts of an interval; at most 0."""
    least = 0.0
    for cut in range(low, high + 1):
        own = closing.by_code[cut]
        least = min(least, total - own if side & 1 else own)
    return least


@bare_inner_kernel
def bound_at_chances(patterns, nodes, index, rules, closing):
    """The bound of the node at the log-odds in ``closing.z``, lowered for rounding."""
    n_rows = closing.z.size
    bound = 0.0
    total = 0.0
    size = 0.0
    for row in range(n_rows):
        found = closing.found[look_up(closing.z[row], rules, closing)]
        one = patterns.others[row] * found[RISK]
        two = patterns.events[row] * found[REST]
        bound += (patterns.events[row] + patterns.others[row]) * found[ENTROPY]
        closing.slopes[row] = one - two
        total += one - two
        size += one + two
    furthest = 0.0
    entropy = bound
    for slot in range(nodes.counts[index]):
        record = nodes.slots[index, slot]
        count = int(record[at.MULTIPLICITY])
        if count == 0:
            continue
        if slot == hull.LIST:
            furthest += count * rules.steepest
            least = 0.0
            last = -1
            for s in range(patterns.sides.size):
                side = int(patterns.sides[s])
                if (nodes.excluded[index, side >> 6] >> np.uint64(side & 63)) & np.uint64(1):
                    continue
                # both sides of a column share its sums
                if side >> 1 != last:
                    last = side >> 1
                    add_up_slopes(patterns, closing, last)
                high = int(patterns.n_codes[last]) - 2
                own = least_gain(closing, side, 0, high, total)
                least = min(least, own * rules.reach[side])
        else:
            side = int(record[at.SIDE])
            furthest += count * rules.reach[side]
            low, high = int(record[at.LOW]), int(record[at.HIGH])
            add_up_slopes(patterns, closing, side >> 1)
            least = least_gain(closing, side, low, high, total) * rules.reach[side]
        bound += count * least
    lowest = rules.lowest_rate - furthest
    bound += min(total * lowest, total * rules.highest_rate)
    ways = furthest + max(abs(lowest), abs(rules.highest_rate))
    return bound - (MARGIN + MARGIN_PER_ROW * n_rows) * (entropy + size * ways)


@bare_inner_kernel
def close_node(patterns, nodes, index, rules, closing):
    """The fewest digits at which the model closes the node, as it is left in ``closing``; -1 if none do."""
    slack = nodes.bounds[index] / rules.cutoff - 1.0
    digits = FEWEST_DIGITS
    while digits < ODDS_DIGITS and slack < 0.3 * math.exp2(-float(digits)):
        digits += MORE_DIGITS
    while digits <= ODDS_DIGITS:
        set_model(nodes, index, closing, digits)
        find_log_odds(patterns, nodes, index, closing, digits)
        if bound_at_chances(patterns, nodes, index, rules, closing) >= rules.cutoff:
            return digits
        digits += MORE_DIGITS
    return -1


@bare_inner_kernel
def put_model(nodes, index, closing, digits, buffer, place):
    """Write a rounded model: digits, offset, and the columns that are not 0."""
    place = put_number(buffer, place, digits)
    place = put_signed(buffer, place, closing.offset[0])
    count = 0
    for c in range(nodes.n_columns[index]):
        count += closing.thetas[c] > 0
    place = put_number(buffer, place, count)
    for c in range(nodes.n_columns[index]):
        if closing.thetas[c] > 0:
            place = put_number(buffer, place, int(nodes.columns[index, c, hull.COLUMN_SIDE]))
            place = put_number(buffer, place, int(nodes.columns[index, c, hull.COLUMN_CUT]))
            place = put_number(buffer, place, closing.thetas[c])
    return place
