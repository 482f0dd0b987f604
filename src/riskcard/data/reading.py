"""How the cells of a file are read: what the user asks for, and what was found in training."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from riskcard.checks import set_fields
from riskcard.errors import ParameterError

#: Between the whole part of a number and the rest.
DECIMAL_MARKS = {"point": ".", "comma": ","}
#: What dates can be turned into.
DATE_UNITS = ("days", "years")
#: What comes first in 3/4/2020.
DATE_ORDERS = ("day", "month")


@dataclass(frozen=True, slots=True)
class Reading:
    """How cells are read. A card keeps it, so that other files are read as the training file was.

    Attributes
    ----------
    missing
        Further words that mean a missing value.
    not_missing
        Words that are values, although they usually mean a missing one.
    decimal
        "point" or "comma": the decimal mark, which matters where the cells of a column could be
        read both ways. A card has it if its file had commas, or the form of the file suggested
        another mark; otherwise it is None.
    dates
        None: columns of dates are left out. "days": days since 1 January 1970. "years": calendar
        years, so that 2 July 2021 is 2021.5.
    date_orders
        For columns with dates such as 3/4/2020: "day" or "month", which comes first.
    signs
        For columns of amounts and percentages: the sign that the numbers were written with.
    """

    missing: tuple[str, ...] = ()
    not_missing: tuple[str, ...] = ()
    decimal: str | None = None
    dates: str | None = None
    date_orders: Mapping[str, str] = field(default_factory=dict, hash=False)
    signs: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in ("missing", "not_missing"):
            words = getattr(self, name)
            if not isinstance(words, (list, tuple)) or not all(isinstance(w, str) for w in words):
                raise _wrong(name, words, "a list of words")
            set_fields(self, **{name: tuple(words)})
        _require("decimal", self.decimal, (None, *DECIMAL_MARKS))
        _require("dates", self.dates, (None, *DATE_UNITS))
        for name in ("date_orders", "signs"):
            by_column = getattr(self, name)
            if not isinstance(by_column, Mapping):
                raise _wrong(name, by_column, "an object with one entry per column")
            for value in by_column.values():
                _require(f"An entry of {name}", value, DATE_ORDERS if name == "date_orders" else ())
            set_fields(self, **{name: dict(by_column)})


def _require(name: str, value: Any, known: tuple[Any, ...]) -> None:
    """One of the known values; any text if none is known."""
    if value not in known if known else not isinstance(value, str):
        listed = " or ".join("null" if one is None else repr(one) for one in known) or "a text"
        raise _wrong(name, value, listed)


def _wrong(name: str, value: Any, expected: str) -> ParameterError:
    return ParameterError(f"{name} of the reading is {value!r}. It must be {expected}.")
