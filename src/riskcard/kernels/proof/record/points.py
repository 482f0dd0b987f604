"""The whole points of a leaf, written down: which prefixes, bases and boxes no card below the cutoff has.

All conditions are chosen. With the first points given and the others real, or with points and base
between whole numbers, a card's log-odds are a sum of *variables* times numbers that are known in every
cell, and each variable lies in an interval. `close_design` is the rule that a checker repeats: for any
chances, the loss is at least the sum of their entropies plus, for each variable, the smaller of its ends
times its slope.
"""

import math
from typing import NamedTuple

import numpy as np

import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import inner_kernel, kernel
from riskcard.kernels.proof.layout import NewtonScratch
from riskcard.kernels.proof.leaf import SCALE, fit_design
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
from riskcard.kernels.proof.record.closing import FEWEST_DIGITS, MARGIN, MORE_DIGITS

#: What `write_points` and `write_boxes` return in place of a number of bytes.
NO_ROOM, NOT_CLOSED = -1, -2
#: The bytes of a prefix or box.
OPEN_POINTS, CLOSED_POINTS = 0, 1
#: A fit goes on until its bound is above the cutoff by this part: room for rounding.
ABOVE = 1.0 + 5e-8
#: Most whole numbers that are tried as a base on either side.
MOST_BASES = 10_000
#: A tail is closed only if its slope has the sign that is needed: all bases up, or down, are covered.
ALL_BELOW, ONE_BASE, ALL_ABOVE = -1, 0, 1


class Leaf(NamedTuple):
    """The cells of a leaf, and room for one regression on them."""

    holds: np.ndarray  # (cells, conditions) 1.0 where a condition holds
    cells: np.ndarray  # (2, cells) weights with and without the event
    design: np.ndarray  # (cells, variables)
    box: np.ndarray  # (2, variables)
    w: np.ndarray  # (variables,)
    whole: np.ndarray  # (variables,) the same as whole numbers
    scratch: NewtonScratch


@inner_kernel
def new_leaf(holds, cells):
    """Room for a leaf."""
    n_cells, n_columns = holds.shape
    n = n_columns + 1
    scratch = NewtonScratch(
        np.zeros(n), np.zeros((n, n)), np.zeros(n), np.zeros((n + 1, n)), np.zeros(n)
    )
    return Leaf(
        holds, cells, np.zeros((n_cells, n)), np.zeros((2, n)), np.zeros(n),
        np.zeros(n, dtype=np.int64), scratch,
    )  # fmt: skip


@inner_kernel
def bound_of_whole(leaf, n_variables, digits, rules):
    """The bound at the rounded coefficients, lowered for rounding; and the sum of slopes, and its size."""
    shift = ODDS_DIGITS - digits
    gains = leaf.scratch.gradient
    for v in range(n_variables):
        gains[v] = 0.0
    bound, total, size = 0.0, 0.0, 0.0
    for c in range(leaf.design.shape[0]):
        z = 0
        for v in range(n_variables):
            z += int(leaf.design[c, v]) * leaf.whole[v]
        z <<= shift
        chance = chance_at(z, rules.chances)
        one = leaf.cells[at.OTHER, c] * (chance * CHANCE_UNIT)
        two = leaf.cells[at.EVENT, c] * (((1 << CHANCE_DIGITS) - chance) * CHANCE_UNIT)
        weight = leaf.cells[at.EVENT, c] + leaf.cells[at.OTHER, c]
        bound += weight * entropy_at(z, chance, rules.chances, rules.entropies)
        total += one - two
        size += one + two
        for v in range(n_variables):
            gains[v] += (one - two) * leaf.design[c, v]
    ways = bound
    for v in range(n_variables):
        low, high = leaf.box[at.LEAST, v], leaf.box[at.MOST, v]
        bound += min(low * gains[v], high * gains[v])
        most = 1.0
        for c in range(leaf.design.shape[0]):
            most = max(most, abs(leaf.design[c, v]))
        ways += size * most * max(abs(low), abs(high))
    return bound - 4.0 * MARGIN * ways, total, size


@inner_kernel
def close_design(leaf, n_variables, rules, tail):
    """Fit, and find the fewest digits that close; -1 if none do. The result is in ``leaf.whole``."""
    fit_design(
        n_variables, leaf.design, leaf.cells, leaf.box, leaf.w, rules.cutoff * ABOVE, leaf.scratch
    )
    digits = FEWEST_DIGITS
    while digits <= ODDS_DIGITS:
        for v in range(n_variables):
            leaf.whole[v] = rounded(leaf.w[v], digits)
        bound, total, size = bound_of_whole(leaf, n_variables, digits, rules)
        is_right = tail * total >= MARGIN * size if tail != ONE_BASE else True
        if bound >= rules.cutoff and is_right:
            return digits
        digits += MORE_DIGITS
    return -1


@inner_kernel
def put_coefficients(leaf, n_variables, digits, buffer, place):
    """Write rounded coefficients: digits, then the numbers."""
    place = put_number(buffer, place, digits)
    for v in range(n_variables):
        place = put_signed(buffer, place, leaf.whole[v])
    return place


@inner_kernel
def set_prefix(leaf, e, n_fixed, step, rules):
    """Variables: offset, scale of the points that are given, the other steps; how many there are."""
    n_columns = leaf.holds.shape[1]
    n_variables = 2 + n_columns - n_fixed
    largest = 1
    for j in range(n_fixed):
        largest = max(largest, e[j])
    leaf.box[at.LEAST, at.OFFSET] = rules.lowest_rate - n_columns * step
    leaf.box[at.MOST, at.OFFSET] = rules.highest_rate
    leaf.box[at.LEAST, SCALE] = 0.0
    leaf.box[at.MOST, SCALE] = step / largest
    leaf.w[at.OFFSET] = 0.0
    leaf.w[SCALE] = 0.5 / largest
    for c in range(leaf.holds.shape[0]):
        leaf.design[c, at.OFFSET] = 1.0
        leaf.design[c, SCALE] = 0.0
        for j in range(n_fixed):
            leaf.design[c, SCALE] += e[j] * leaf.holds[c, j]
        for j in range(n_fixed, n_columns):
            leaf.design[c, 2 + j - n_fixed] = leaf.holds[c, j]
    for v in range(2, n_variables):
        leaf.box[at.LEAST, v] = 0.0
        leaf.box[at.MOST, v] = step
        leaf.w[v] = 0.5
    return n_variables


@inner_kernel
def close_base(leaf, points, base, tail, start, step, rules):
    """Close a whole base, or all from it on, for given points: the scale is the only variable."""
    largest = 1
    for j in range(points.size):
        largest = max(largest, points[j])
    for c in range(leaf.holds.shape[0]):
        leaf.design[c, 0] = base
        for j in range(points.size):
            leaf.design[c, 0] += points[j] * leaf.holds[c, j]
    leaf.box[at.LEAST, 0] = 0.0
    leaf.box[at.MOST, 0] = step / largest
    leaf.w[0] = start
    return close_design(leaf, np.int64(1), rules, tail)


@inner_kernel
def put_bases(leaf, points, step, rules, buffer, place):
    """Write how all whole bases of given points are closed; the fit with any base is in ``leaf.w``."""
    start, one = leaf.w[SCALE], np.int64(1)
    if start <= 0.0 or abs(leaf.w[at.OFFSET] / start) > 1e9:
        return NOT_CLOSED
    middle = math.floor(leaf.w[at.OFFSET] / start)
    first = last = middle + MOST_BASES
    for base in range(middle, middle - MOST_BASES, -1):
        if close_base(leaf, points, base, ALL_BELOW, start, step, rules) >= 0:
            first = base
            break
    for base in range(middle + 1, middle + MOST_BASES):
        if close_base(leaf, points, base, ALL_ABOVE, start, step, rules) >= 0:
            last = base
            break
    if first > middle or last > middle + MOST_BASES - 1:
        return NOT_CLOSED
    place = put_signed(buffer, place, first)
    place = put_number(buffer, place, last - first - 1)
    for base in range(first, last + 1):
        if place + 64 > buffer.size:
            return NO_ROOM
        tail = ALL_BELOW if base == first else ALL_ABOVE if base == last else ONE_BASE
        digits = close_base(leaf, points, base, tail, start, step, rules)
        if digits < 0:
            return NOT_CLOSED
        place = put_coefficients(leaf, one, digits, buffer, place)
    return place


@kernel
def write_points(holds, cells, most, step, is_integer_base, rules, buffer):
    """Write the whole points of a leaf with a free scale; returns the number of bytes.

    Parameters
    ----------
    holds, cells
        (cells, conditions) where a condition holds; (2, cells) weights with and without the event.
    most
        (conditions,) the most points of each; the fewest is 1.
    step
        The most that one condition may add to the log-odds.
    """
    leaf = new_leaf(holds, cells)
    n_columns = holds.shape[1]
    e = np.zeros(n_columns, dtype=np.int64)
    place, depth = 0, 0
    while depth >= 0:
        e[depth] += 1
        if e[depth] > most[depth]:
            e[depth] = 0
            depth -= 1
            continue
        if place + 64 + 10 * n_columns > buffer.size:
            return NO_ROOM
        n_variables = set_prefix(leaf, e, depth + 1, step, rules)
        digits = close_design(leaf, n_variables, rules, ONE_BASE)
        buffer[place] = CLOSED_POINTS if digits >= 0 else OPEN_POINTS
        place += 1
        if digits >= 0:
            place = put_coefficients(leaf, n_variables, digits, buffer, place)
        elif depth + 1 < n_columns:
            depth += 1
        elif is_integer_base:
            place = put_bases(leaf, e, step, rules, buffer, place)
            if place < 0:
                return place
        else:
            return NOT_CLOSED
    return place


@inner_kernel
def choose_split(leaf, low, high, unit):
    """The variable that is furthest from a whole number of points, and the last of its left half."""
    best, where = -1, 0
    furthest = -1.0
    for v in range(low.size):
        if high[v] > low[v]:
            points = leaf.w[v] / unit
            value = abs(points - math.floor(points + 0.5))
            if value > furthest:
                furthest = value
                best = v
                where = int(max(min(math.floor(points), high[v] - 1), low[v]))
    return best, where


@kernel
def write_boxes(holds, cells, lows, highs, unit, rules, buffer):
    """Write the whole points and bases of a leaf with a given unit; returns the number of bytes.

    Parameters
    ----------
    lows, highs
        (depth, conditions + 1) room for boxes; the first has the least and most base, then points.
    unit
        A point in log-odds.
    """
    leaf = new_leaf(holds, cells)
    n_variables = lows.shape[1]
    fine = float(1 << ODDS_DIGITS)
    for c in range(holds.shape[0]):
        leaf.design[c, 0] = 1.0
        for j in range(n_variables - 1):
            leaf.design[c, j + 1] = holds[c, j]
    place, n_open = 0, 1
    while n_open > 0:
        if place + 64 + 10 * n_variables > buffer.size or n_open + 1 >= lows.shape[0]:
            return NO_ROOM
        n_open -= 1
        low, high = lows[n_open], highs[n_open]
        for v in range(n_variables):
            leaf.box[at.LEAST, v] = (math.floor(low[v] * unit * fine) - 1.0) / fine
            leaf.box[at.MOST, v] = (math.ceil(high[v] * unit * fine) + 1.0) / fine
            leaf.w[v] = 0.5 * (low[v] + high[v]) * unit
        digits = close_design(leaf, np.int64(n_variables), rules, ONE_BASE)
        buffer[place] = CLOSED_POINTS if digits >= 0 else OPEN_POINTS
        place += 1
        if digits >= 0:
            place = put_coefficients(leaf, n_variables, digits, buffer, place)
            continue
        which, where = choose_split(leaf, low, high, unit)
        if which < 0:
            return NOT_CLOSED
        place = put_number(buffer, place, which)
        place = put_number(buffer, place, where - low[which])
        # the right half below, the left half on top
        for v in range(n_variables):
            lows[n_open + 1, v] = low[v]
            highs[n_open + 1, v] = high[v]
        highs[n_open + 1, which] = where
        lows[n_open, which] = where + 1
        n_open += 2
    return place
