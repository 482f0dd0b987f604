"""The table of chances and entropies that a proof file rests on, exact to its last digit.

Knot ``k`` is at the log-odds ``k / 2048``. Its chance is ``2**40 / (1 + exp(-k / 2048))``, rounded down, and
its entropy that of this rounded chance, times ``2**40``, rounded down.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from riskcard.arrays import Integers
from riskcard.kernels.proof.record.chances import BETWEEN, KNOT_DIGITS, ODDS_DIGITS

N_KNOTS = (32 << (ODDS_DIGITS - BETWEEN)) + 2
_PER_UNIT = 1 << (ODDS_DIGITS - BETWEEN)
#: Digits of the slow computation, and how near to a whole number the quick one is not trusted.
_DIGITS, _DOUBTFUL = 110, 0.01


@cache
def entropy_table() -> tuple[Integers, Integers]:
    """Chances and entropies at all knots.

    Ordinary floating point errs by less than a hundredth of the last digit; where that leaves
    doubt, long whole numbers decide.
    """
    z = np.arange(N_KNOTS) / _PER_UNIT
    scaled = 2.0**KNOT_DIGITS / (1.0 + np.exp(-z))
    chances = np.floor(scaled).astype(np.int64)
    for k in np.flatnonzero(np.abs(scaled - np.rint(scaled)) < _DOUBTFUL).tolist():
        chances[k] = _slow_chance(k)
    p = chances / 2.0**KNOT_DIGITS
    rest = (2**KNOT_DIGITS - chances) / 2.0**KNOT_DIGITS
    scaled = -(p * np.log1p(-rest) + rest * np.log(rest)) * 2.0**KNOT_DIGITS
    entropies = np.floor(scaled).astype(np.int64)
    for k in np.flatnonzero(np.abs(scaled - np.rint(scaled)) < _DOUBTFUL).tolist():
        entropies[k] = _slow_entropy(int(chances[k]))
    return chances, entropies


def _slow_chance(k: int) -> int:
    return (1 << (KNOT_DIGITS + _DIGITS)) // ((1 << _DIGITS) + _exp(k))


def _exp(k: int) -> int:
    """``exp(-k / 2048)`` times ``2**_DIGITS``, a little below."""
    x = (k << _DIGITS) // _PER_UNIT
    halvings = max(0, x.bit_length() - _DIGITS + 3)
    x >>= halvings
    total = term = 1 << _DIGITS
    n = 1
    while term:
        term = term * x // n >> _DIGITS
        total += term
        n += 1
    for _ in range(halvings):
        total = total * total >> _DIGITS
    return (1 << (2 * _DIGITS)) // total


def _slow_entropy(chance: int) -> int:
    whole = 1 << KNOT_DIGITS
    rest = whole - chance
    total = whole * _log(whole) - chance * _log(chance) - rest * _log(rest)
    return total >> _DIGITS


def _log(number: int) -> int:
    """The logarithm of a whole number of at least 1, times ``2**_DIGITS``."""
    e = number.bit_length() - 1
    return e * 2 * _atanh(1, 3) + 2 * _atanh(number - (1 << e), number + (1 << e))


def _atanh(above: int, below: int) -> int:
    x = (above << _DIGITS) // below
    square = x * x >> _DIGITS
    total, n = x, 3
    while x:
        x = x * square >> _DIGITS
        total += x // n
        n += 2
    return total


def log_of_ratio(above: int, below: int) -> tuple[int, int]:
    """The multiples of ``2**-32`` next to the logarithm of a ratio of whole numbers."""
    value = (_log(above) - _log(below)) >> (_DIGITS - ODDS_DIGITS)
    return value, value + 1


def rounded_up(number: float) -> int:
    """The least multiple of ``2**-32``, as a whole number, that is not below a number."""
    above, below = number.as_integer_ratio()
    return -(-(above << ODDS_DIGITS) // below)


def as_float(number: int) -> float:
    """A multiple of ``2**-32``, given as a whole number."""
    return math.ldexp(number, -ODDS_DIGITS)
