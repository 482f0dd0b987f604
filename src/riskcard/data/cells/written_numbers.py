"""Numbers as people write them: decimal commas, thousands separators, currency and per cent signs.

Whether a comma is a decimal mark or separates thousands cannot be told from "1,234" alone. So every
text is read both ways, and a column decides: it is read in the way in which all of its cells are
numbers, and where both ways are possible, by what else is known of the file.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

POINT, COMMA = "point", "comma"

_CODES = (
    "AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|ILS|INR|JPY|KRW|MXN|NOK|NZD|PLN|RON|RUB|SEK|SGD|"
    "THB|TRY|USD|ZAR|US\\$|Fr\\.|kr|zł|Kč|Ft"
)
#: Signs of currencies, and their codes.
_CURRENCY = f"[$¢-¥฿₠-⃏﷼]|(?:{_CODES})"
_GROUPS = r"[ _'’\u00a0\u2007\u2009\u202f{other}]"
_NUMBER = re.compile(
    rf"(?P<open>\()?\s*(?P<minus>[+\-−]?)\s*(?P<before>{_CURRENCY})?\s*(?P<minus_too>[+\-−]?)"
    r"(?P<digits>[.,]?\d(?:[\d.,_'’\u00a0\u2007\u2009\u202f ]*[\d.,])?)(?P<power>[eE][+-]?\d+)?"
    rf"\s*(?P<after>{_CURRENCY}|%)?\s*(?P<close>\))?"
)


def _digits(mark: str, other: str) -> re.Pattern[str]:
    """Digits with a decimal mark, in groups of three or not."""
    groups = _GROUPS.format(other=re.escape(other))
    whole = rf"[1-9]\d{{0,2}}(?P<sign>{groups})\d{{3}}(?:(?P=sign)\d{{3}})*|\d*"
    return re.compile(rf"(?P<whole>{whole})(?:{re.escape(mark)}(?P<rest>\d*))?")


_DIGITS = {POINT: _digits(".", ","), COMMA: _digits(",", ".")}
#: Lakhs and crores, as in 12,34,567.8: a group of three after groups of two.
_LAKHS = re.compile(r"(?P<whole>[1-9]\d?(?P<sign>,)(?:\d{2},)+\d{3})(?:\.(?P<rest>\d*))?")
_ONE_COMMA = re.compile(r"(-?)([0-9]+),([0-9]+)")
_IN_DOUBT = re.compile(r"[1-9]\d{0,2}([.,])\d{3}")


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A text that is a number in some way of writing.

    Attributes
    ----------
    point, comma
        What it is if the decimal mark is a point, or a comma; None if that is no number.
    sign
        A currency or "%"; empty if there is none.
    """

    point: float | None
    comma: float | None
    sign: str = ""


def read_number(text: str) -> WrittenNumber | None:
    """The number that a text is; None if it is not one.

    Examples
    --------
    >>> read_number("$1,234")
    WrittenNumber(point=1234.0, comma=1.234, sign='$')
    >>> read_number("-1.234,5 EUR")
    WrittenNumber(point=None, comma=-1234.5, sign='EUR')
    >>> read_number("12,34,567")
    WrittenNumber(point=1234567.0, comma=None, sign='')
    """
    found = _NUMBER.fullmatch(text)
    if found is None or (found["open"] is None) != (found["close"] is None):
        return None
    minus = (found["minus"] or "") + found["minus_too"]
    signs = [sign for sign in (found["before"], found["after"]) if sign]
    if len(minus) > 1 or len(signs) > 1 or (found["open"] and minus):
        return None
    factor = -1.0 if found["open"] or minus in ("-", "−") else 1.0
    values: list[float | None] = []
    for mark, pattern in _DIGITS.items():
        digits = pattern.fullmatch(found["digits"])
        if digits is None and mark == POINT:
            digits = _LAKHS.fullmatch(found["digits"])
        if digits is None or (digits["sign"] and found["power"]):
            values.append(None)
            continue
        whole = re.sub(r"\D", "", digits["whole"])
        values.append(
            factor * float(f"{whole or '0'}.{digits['rest'] or '0'}{found['power'] or ''}")
        )
    if values == [None, None]:
        return None
    return WrittenNumber(values[0], values[1], signs[0] if signs else "")


def is_in_doubt(text: str) -> bool:
    """Digits such as 1.234, which may be more than a thousand or little more than one."""
    found = _NUMBER.fullmatch(text)
    if found is None or found["power"]:
        return False
    return _IN_DOUBT.fullmatch(found["digits"]) is not None


@dataclass(frozen=True, slots=True)
class WrittenColumn:
    """The different texts of a column, none of them missing, read as numbers.

    Attributes
    ----------
    numbers
        For each text the number; None where it is none.
    """

    numbers: Sequence[WrittenNumber | None]

    def values(self, mark: str) -> list[float | None]:
        """What the texts are with one decimal mark."""
        return [None if one is None else getattr(one, mark) for one in self.numbers]

    def count(self, mark: str) -> int:
        """How many texts are numbers with one decimal mark."""
        return sum(value is not None for value in self.values(mark))

    @property
    def mark(self) -> str | None:
        """The decimal mark that makes the most texts numbers; None if both do and it matters."""
        n_point, n_comma = self.count(POINT), self.count(COMMA)
        if n_point != n_comma:
            return POINT if n_point > n_comma else COMMA
        return POINT if self.values(POINT) == self.values(COMMA) else None

    @property
    def evidence(self) -> str | None:
        """The decimal mark that the column proves the file to have, if it does."""
        n_point, n_comma = self.count(POINT), self.count(COMMA)
        is_all = max(n_point, n_comma) == len(self.numbers) > min(n_point, n_comma)
        return self.mark if is_all else None


def read_numbers(texts: Sequence[str]) -> WrittenColumn:
    """Read the different texts of a column."""
    return WrittenColumn([_plain_number(text) or read_number(text) for text in texts])


def _with_comma(text: str) -> WrittenNumber | None:
    """Digits with one comma: the usual case of decimal commas, without a long pattern."""
    found = _ONE_COMMA.fullmatch(text)
    if found is None:
        return None
    minus, whole, rest = found.groups()
    is_thousands = len(rest) == 3 and len(whole) <= 3 and whole[0] != "0"
    point = float(f"{minus}{whole}{rest}") if is_thousands else None
    return WrittenNumber(point, float(f"{minus}{whole}.{rest}"))


def _plain_number(text: str) -> WrittenNumber | None:
    """What Python takes for a number, infinity included, or would with another decimal mark."""
    if "," in text:
        return _with_comma(text)
    if "_" in text or is_in_doubt(text):
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    if math.isnan(number):
        return None
    is_whole = "." not in text
    return WrittenNumber(number, number if is_whole else None)
