"""Names, texts and numbers as SQL writes them, each such that the database reads the same value."""

import math

from riskcard.data.levels import Label
from riskcard.formatting.numbers import format_number

#: PostgreSQL truncates longer names.
_LONGEST_NAME = 63

#: Whole numbers up to this are the same in every number type.
_WHOLE = 2**53

#: SQLite before 3.43 reads a decimal by a division in extended precision, exact for this many
#: places and digits: half a unit of the 64-bit quotient is less than the distance of m / 10**4 to
#: the middle between two floats, since that is at least 2**-53 / 5**4 of the power of two below it.
_SAFE_PLACES, _SAFE_DIGITS = 4, 15


def quoted_name(name: str) -> str:
    """A name in double quotes.

    Examples
    --------
    >>> quoted_name('5" pipe')
    '"5"" pipe"'
    """
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """A text in single quotes; no other character has a meaning in it."""
    return "'" + text.replace("'", "''") + "'"


def literal(level: Label, dialect: str) -> str:
    """A level: a text, a boolean or a number.

    SQLite has no booleans but 0 and 1, and its words TRUE and FALSE mean a column of that name
    where the table has one.
    """
    if isinstance(level, bool):
        return str(int(level)) if dialect == "sqlite" else str(level).upper()
    return quoted_text(level) if isinstance(level, str) else number_literal(level)


def number_literal(value: float) -> str:
    """A number; a fraction with an exponent, since a decimal point alone can mean a decimal type.

    Examples
    --------
    >>> number_literal(60.0), number_literal(0.1), number_literal(-1e300)
    ('60', '0.1E0', '-1E+300')
    """
    if value == int(value) and abs(value) < _WHOLE:
        return str(int(value))
    text = format_number(value).replace("e", "E")
    return text if "E" in text else f"{text}E0"


def exact_number(value: float) -> str:
    """A number for SQLite, some versions of which read long decimals as a neighbouring float.

    Where that could happen it is written as whole number times or divided by powers of two, none of
    which is rounded.

    Examples
    --------
    >>> exact_number(0.125), exact_number(0.123456)
    ('0.125', '(8895942329546431 / CAST(72057594037927936 AS REAL)) /* 0.123456 */')
    """
    text = format_number(value)
    if value == int(value) and abs(value) < _WHOLE:
        return str(int(value))
    digits, _, places = text.lstrip("-").partition(".")
    is_safe = (
        "e" not in text and len(places) <= _SAFE_PLACES and len(digits + places) <= _SAFE_DIGITS
    )
    if is_safe:
        return text
    mantissa, exponent = math.frexp(value)
    whole, exponent = int(mantissa * 2**53), exponent - 53
    while whole % 2 == 0:
        whole, exponent = whole // 2, exponent + 1
    sign = "*" if exponent > 0 else "/"
    steps = "".join(f" {sign} CAST({2**power} AS REAL)" for power in _chunks(abs(exponent)))
    return f"({whole}{steps}) /* {text} */"


def _chunks(power: int, largest: int = 62) -> list[int]:
    """A power of two as a product of powers that a 64-bit integer can hold."""
    full, rest = divmod(power, largest)
    return [largest] * full + ([rest] if rest else [])


def short_name(name: str, ending: str) -> str:
    """A name with an ending, short enough for every database."""
    room = _LONGEST_NAME - 3 - len(ending.encode())  # 3 for a number that makes it unique
    return name.encode()[:room].decode(errors="ignore") + ending
