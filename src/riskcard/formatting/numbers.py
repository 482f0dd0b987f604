"""How numbers are written, and the shortest number between two data values, for cuts."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_DOWN, Decimal, localcontext

#: Digits that hold any sum of two floats exactly: from 1e308 down to halves of 5e-324.
_EXACT_DIGITS = 700

#: Numbers in this range are written without an exponent.
_PLAIN_RANGE = 1e-7, 1e15


def choose_cut(below: float, above: float) -> float:
    """Choose the number of ``[below, above)`` that has the fewest digits.

    Multiples of ever smaller powers of ten are tried; the first power that has one strictly between
    the two values gives the one nearest to the middle. When that would need more decimal places
    than ``below`` has itself, ``below`` is the cut: a value at the cut counts as below it.

    Parameters
    ----------
    below, above
        Two neighbouring data values, ``below < above``.

    Returns
    -------
    float
        ``below <= cut < above``, and ``float(format_number(cut)) == cut``.

    Examples
    --------
    >>> choose_cut(58.0, 63.0), choose_cut(60.0, 61.0), choose_cut(0.1234, 0.1291)
    (60.0, 60.0, 0.126)
    """
    below, above = float(below) + 0.0, float(above) + 0.0  # + 0.0 turns -0.0 into 0.0
    if below < 0 < above:
        return 0.0
    with localcontext() as context:
        context.prec = _EXACT_DIGITS
        low, high = _shortest_decimal(below), _shortest_decimal(above)
        cut = float(_roundest_between(low, high))
    # Between neighbouring floats a decimal can round to either end; the lower end always divides.
    return cut if below <= cut < above else below


def format_number(value: float) -> str:
    """Write a number with the fewest digits that read back as the same float.

    Examples
    --------
    >>> format_number(60.0), format_number(0.00001), format_number(1e300)
    ('60', '0.00001', '1e+300')
    """
    value = float(value) + 0.0
    if value == 0:
        return "0"
    if not _PLAIN_RANGE[0] <= abs(value) < _PLAIN_RANGE[1]:
        return repr(value).removesuffix(".0")
    text = format(_shortest_decimal(value), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def readable_number(value: float, cuts: Sequence[float] = ()) -> str:
    """Write a number with six digits, or more where it would otherwise cross a cut.

    Digits before the decimal point and two after it are never rounded away.

    Examples
    --------
    >>> readable_number(817.1804065554977), readable_number(60.0000000001, [60.0])
    ('817.18', '60.0000000001')
    """
    if not math.isfinite(value):
        return format_number(value)
    place = bisect_left(cuts, value)
    before_point = len(str(int(abs(value))))
    for digits in range(max(6, before_point + 2), 17):
        rounded = float(f"{value:.{digits}g}")
        if bisect_left(cuts, rounded) == place:
            return format_number(rounded)
    return format_number(value)


def readable_amount(value: float, digits: int = 6) -> str:
    """Write an amount with separators and at most so many digits; those before the point are all there.

    Examples
    --------
    >>> readable_amount(648166.09), readable_amount(1206.52), readable_amount(12345678.9), readable_amount(0.0123)
    ('648,166', '1,206.52', '12,345,679', '0.0123')
    """
    if value and not _PLAIN_RANGE[0] <= abs(value) < _PLAIN_RANGE[1]:
        return f"{value:.{digits}g}"
    whole = math.floor(math.log10(abs(value))) + 1 if value else 1
    text = f"{value:,.{max(0, digits - whole)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def minus(number: float | str) -> str:
    """A number with a true minus sign."""
    return str(number).replace("-", "−")


def _shortest_decimal(value: float) -> Decimal:
    """The shortest decimal that reads back as ``value``: what a person would write."""
    return Decimal(repr(value))


def _decimal_places(value: Decimal) -> int:
    exponent = value.normalize().as_tuple().exponent
    return max(0, -int(exponent))


def _roundest_between(low: Decimal, high: Decimal) -> Decimal:
    """The roundest number strictly between two of one sign, or ``low`` when that is as short."""
    places_allowed = _decimal_places(low)
    middle = (low + high) / 2
    exponent = max(abs(low), abs(high)).adjusted()
    while exponent >= -places_allowed:
        step = Decimal(1).scaleb(exponent)
        first = (low / step).to_integral_value(ROUND_FLOOR) + 1
        last = (high / step).to_integral_value(ROUND_CEILING) - 1
        if first <= last:
            nearest = (middle / step).to_integral_value(ROUND_HALF_DOWN)
            return min(max(nearest, first), last) * step
        exponent -= 1
    return low
