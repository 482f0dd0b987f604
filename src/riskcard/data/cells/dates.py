"""Dates as people write them, and as numbers: days since 1 January 1970, or years."""

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_EPOCH = datetime.datetime(1970, 1, 1)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TIME = r"(?:(?:[T ]|, ?)\s*(?P<time>\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?)\s*(?P<half>[AaPp]\.?[Mm]\.?)?)?"
_ZONE = r"\s*(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?"
_ISO = re.compile(
    rf"(?P<year>\d{{4}})(?P<s>[-/.])(?P<month>\d\d?)(?P=s)(?P<day>\d\d?){_TIME}{_ZONE}"
)
_POINTS = re.compile(rf"(?P<day>\d\d?)\. ?(?P<month>\d\d?)\. ?(?P<year>\d{{4}}|\d\d){_TIME}")
_SLASHES = re.compile(
    rf"(?P<one>\d\d?)(?P<s>[/-])(?P<two>\d\d?)(?P=s)(?P<year>\d{{4}}|\d\d){_TIME}"
)
_WORDS = re.compile(
    rf"(?P<day>\d\d?)[- .]*(?P<word>{'|'.join(_MONTHS)})[a-z]*[- .]*(?P<year>\d{{4}}|\d\d){_TIME}",
    re.IGNORECASE,
)
#: A month of a year that may be one of a date of birth or of a contract; 12/3456 is a number of something else.
_MONTH_OF_YEAR = (
    re.compile(r"(?P<month>\d\d?)[/-](?P<year>(?:18|19|20|21)\d\d)"),
    re.compile(r"(?P<year>(?:18|19|20|21)\d\d)[/-](?P<month>\d\d)"),
)
_TIME_OF_DAY = re.compile(r"\d{1,2}:[0-5]\d(:[0-5]\d(\.\d+)?)?( ?[AaPp]\.?[Mm]\.?)?")


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A text that looks like a date.

    Attributes
    ----------
    by_order
        The moment, by what comes first, "day" or "month"; both where the text cannot be
        misunderstood. Empty where the year has only two digits.
    """

    by_order: Mapping[str, datetime.datetime]


def read_date(text: str) -> WrittenDate | None:
    """The date that a text is; None if it is not one.

    Examples
    --------
    >>> sorted(read_date("3/4/2020").by_order), sorted(read_date("31/12/2020").by_order)
    (['day', 'month'], ['day'])
    >>> read_date("07/2020").by_order["day"]  # the first day of the month
    datetime.datetime(2020, 7, 1, 0, 0)
    """
    for pattern in (_ISO, _POINTS, _WORDS, *_MONTH_OF_YEAR):
        if found := pattern.fullmatch(text):
            parts = found.groupdict()
            month = parts.get("month") or 1 + _MONTHS.index(parts["word"].lower())
            moment = _moment(parts, int(month), int(parts.get("day", 1)))
            return (
                None if moment is None else _dated(parts, dict.fromkeys(("day", "month"), moment))
            )
    if found := _SLASHES.fullmatch(text):
        parts = found.groupdict()
        one, two = int(parts["one"]), int(parts["two"])
        both = {"day": _moment(parts, two, one), "month": _moment(parts, one, two)}
        known = {order: moment for order, moment in both.items() if moment is not None}
        return _dated(parts, known) if known else None
    return None


def _dated(parts: Mapping[str, str], by_order: Mapping[str, datetime.datetime]) -> WrittenDate:
    return WrittenDate(by_order if len(parts["year"]) == 4 else {})


def _moment(parts: Mapping[str, str], month: int, day: int) -> datetime.datetime | None:
    try:
        moment = datetime.datetime(int(parts["year"]), month, day)
        if not parts.get("time"):
            return moment
        hour, minute, *second = parts["time"].replace(",", ".").split(":")
        hours = int(hour)
        if half := (parts["half"] or "").lower():
            if not 1 <= hours <= 12:
                return None
            hours = hours % 12 + 12 * half.startswith("p")
        if hours > 23 or int(minute) > 59:
            return None
        moment += datetime.timedelta(
            hours=hours, minutes=int(minute), seconds=float(second[0]) if second else 0.0
        )
        return moment - _offset(parts.get("zone"))
    except (ValueError, OverflowError):
        return None


def _offset(zone: str | None) -> datetime.timedelta:
    """How much later than UTC a zone such as +02:00 is."""
    if not zone or zone in ("Z", "UTC"):
        return datetime.timedelta(0)
    digits = zone[1:].replace(":", "").ljust(4, "0")
    size = datetime.timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -size if zone[0] == "-" else size


def is_time_of_day(text: str) -> bool:
    """A text such as 08:30."""
    return _TIME_OF_DAY.fullmatch(text) is not None


def possible_orders(dates: Sequence[WrittenDate | None]) -> set[str]:
    """What may come first in the dates of a column, so that all of them exist."""
    known = [date.by_order.keys() for date in dates if date is not None and date.by_order]
    return {"day", "month"}.intersection(*known)


def as_number(moment: datetime.datetime, unit: str) -> float:
    """A moment in days since 1 January 1970, or in years.

    Examples
    --------
    >>> noon = datetime.datetime(1970, 1, 3, 12)
    >>> as_number(noon, "days"), as_number(datetime.datetime(2021, 7, 2, 12), "years")
    (2.5, 2021.5)
    """
    day = datetime.timedelta(days=1)
    if unit == "days":
        return (moment - _EPOCH) / day
    start, end = datetime.datetime(moment.year, 1, 1), datetime.datetime(moment.year, 12, 31)
    return moment.year + (moment - start) / (end - start + day)
