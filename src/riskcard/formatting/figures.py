"""Figures as pages write them: counts, shares, decimals, intervals."""

import math
from decimal import ROUND_HALF_EVEN, Decimal

from riskcard.formatting.numbers import minus
from riskcard.formatting.percent import percent
from riskcard.formatting.speech import in_figures, say


def count(number: int, noun: str) -> str:
    """A number and what is counted: "1 row", "2,000 rows"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def share(part: float, digits: int = 1) -> str:
    """A share in per cent."""
    return say("in_percent", number=plain(100 * part, digits))


def percentage(risk: float) -> str:
    """A risk in per cent, never a rounded 0 or 100."""
    return say("in_percent", number=in_figures(percent(risk).removesuffix(" %")))


def amount(number: float, form: str = ",") -> str:
    """A number of rows, events or the like, by a form such as ``",.1f"``."""
    return in_figures(format(number, form))


def plain(number: float, digits: int = 3) -> str:
    """A figure, with a true minus sign; in words when there is none.

    What a float leaves over in its last digits does not decide how half a digit is rounded: 65 of 200 rows are
    32 % in whole per cent, in whichever order their shares were added up.

    Examples
    --------
    >>> plain(32.5, 0), plain(32.500000000000004, 0), plain(32.499999999999996, 0)
    ('32', '32', '32')
    """
    if math.isnan(number):
        return say("no_figure")
    if math.isinf(number):
        return say("infinite_figure")
    text = f"{float(f'{number:.13g}'):.{digits}f}"
    return in_figures(text.lstrip("-") if float(text) == 0 else minus(text))


def with_interval(number: float, interval: tuple[float, float] | None, digits: int = 3) -> str:
    """A figure with its interval in brackets."""
    if interval is None:
        return plain(number, digits)
    low, high = (plain(end, digits) for end in interval)
    # a line ends before the brackets, where there is no room, and not within them
    return f"{plain(number, digits)} {_in_brackets(low, high)}"


def share_with_interval(part: float, interval: tuple[float, float] | None, digits: int = 1) -> str:
    """A share in per cent with its interval in brackets; empty where there is none."""
    if math.isnan(part):
        return ""
    if interval is None:
        return share(part, digits)
    low, high = (plain(100 * end, digits) for end in interval)
    return f"{share(part, digits)} {_in_brackets(low, high)}"


def _in_brackets(low: str, high: str) -> str:
    return say("interval_range", low=low, high=high).replace(" ", "\u00a0")


def loss_words(number: float, loss: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """A loss, or a bound on one, in a unit that may be of any size, in English figures.

    Parameters
    ----------
    number
        What is written.
    loss
        That of the card, which says how many digits tell the two apart.
    rounding
        ``ROUND_FLOOR`` for a bound: rounding it up would claim what was not proven.

    Examples
    --------
    >>> from decimal import ROUND_FLOOR
    >>> loss_words(12.34567, 12.34567), loss_words(12.34567, 12.35, ROUND_FLOOR)
    ('12.3457', '12.3456')
    >>> loss_words(2.95176123e26, 2.95177e26, ROUND_FLOOR), loss_words(3e-20, 3e-20)
    ('2.951761e+26', '3.000000e-20')
    >>> loss_words(1.7645e-7, 1.9606e-7, ROUND_FLOOR)
    '0.00000017645'
    """
    loss = max(loss, 1e-9 * abs(number))  # a certificate may contradict itself
    if number == 0 or 1e-8 <= loss < 1e12:
        quantum = Decimal(1).scaleb(-_decimal_places(loss))
        return format(Decimal(repr(number)).quantize(quantum, rounding=rounding), "f")
    quantum = Decimal(1).scaleb(Decimal(repr(loss)).adjusted() - 6)
    return f"{Decimal(repr(number)).quantize(quantum, rounding=rounding):.6e}"


def _decimal_places(loss: float) -> int:
    """Four decimals, more when the loss is small, never fewer."""
    if loss <= 0:
        return 4
    return min(12, max(4, 4 - Decimal(repr(loss)).adjusted()))
