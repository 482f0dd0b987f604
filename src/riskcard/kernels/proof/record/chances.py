"""Chances as a proof file has them: whole numbers from log-odds by a table, and the bytes that say so.

Log-odds are multiples of ``2**-32``. Between two knots of the table, which lie ``2**-11`` apart, the chance
is interpolated, and its entropy taken from the chord. The entropy is concave, so its chord is below it:
the bound that rests on it is valid at every chance.
"""

from riskcard.kernels.jit import bare_inner_kernel

#: Binary digits of log-odds, and of chances and entropies at the knots of the table.
ODDS_DIGITS, KNOT_DIGITS = 32, 40
#: Digits of log-odds between two knots, and those of a chance.
BETWEEN = 21
CHANCE_DIGITS = KNOT_DIGITS + BETWEEN
#: Log-odds beyond this are cut off.
MOST_ODDS = (32 << ODDS_DIGITS) - 1
#: From a chance, or an entry of the table, to a number from 0 to 1.
CHANCE_UNIT = 2.0**-CHANCE_DIGITS
KNOT_UNIT = 2.0**-KNOT_DIGITS


@bare_inner_kernel
def chance_at(z, chances):
    """The chance of the event, as a whole number, at log-odds ``z``."""
    size = min(abs(z), MOST_ODDS)
    knot = size >> BETWEEN
    rest = size & ((1 << BETWEEN) - 1)
    one, two, three = chances[knot], chances[knot + 1], chances[knot + 2]
    bend = (three - 2 * two + one) * ((rest * (rest - (1 << BETWEEN))) >> BETWEEN) >> 1
    chance = (one << BETWEEN) + (two - one) * rest + bend
    chance = min(max(chance, one << BETWEEN), two << BETWEEN)
    return chance if z >= 0 else (1 << CHANCE_DIGITS) - chance


@bare_inner_kernel
def entropy_at(z, chance, chances, entropies):
    """A number from 0 to 1 below the entropy of the chance at log-odds ``z``, but for its rounding."""
    knot = min(abs(z), MOST_ODDS) >> BETWEEN
    own = chance if z >= 0 else (1 << CHANCE_DIGITS) - chance
    passed = (own - (chances[knot] << BETWEEN)) * CHANCE_UNIT
    step = (chances[knot + 1] - chances[knot]) * KNOT_UNIT
    entropy = entropies[knot] * KNOT_UNIT
    if step <= 0.0:
        return entropy
    return entropy + (entropies[knot + 1] - entropies[knot]) * KNOT_UNIT * (passed / step)


@bare_inner_kernel
def put_number(buffer, place, number):
    """Write a whole number of at least 0, seven digits per byte, the lowest first; returns the next place."""
    while number >= 128:
        buffer[place] = (number & 127) | 128
        number >>= 7
        place += 1
    buffer[place] = number
    return place + 1


@bare_inner_kernel
def put_signed(buffer, place, number):
    """Write a whole number of either sign: 0, -1, 1, -2, 2 and so on become 0, 1, 2, 3, 4."""
    return put_number(buffer, place, 2 * number if number >= 0 else -2 * number - 1)


@bare_inner_kernel
def rounded(number, digits):
    """The nearest multiple of ``2**-digits``, as a whole number."""
    scaled = number * float(1 << digits)
    return int(scaled + 0.5) if scaled >= 0.0 else -int(0.5 - scaled)
