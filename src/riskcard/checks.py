"""Numbers that come from outside: converted to plain Python ones, or refused."""

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

from riskcard.errors import ParameterError

#: Points beyond this are a mistake; below it no sum of points can overflow.
LARGEST_POINTS = 1_000_000_000

#: With a free scale no term may move the log-odds by more than this, even if the user has no limit.
#: Without one separable data have no optimum: the loss falls for ever as the scale grows.
LOG_ODDS_LIMIT = 30.0


def finite_number(what: str, value: Any) -> float:
    """A float from any kind of number that is finite."""
    if is_number(value):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise ParameterError(f"{what} is {_short(value)}. Use a finite number.")


def whole_number(what: str, value: Any, least: int = 0) -> int:
    """An int from any kind of integer that is not too small."""
    if not is_whole(value) or value < least:
        raise ParameterError(f"{what} is {_short(value)}. Use a whole number of at least {least}.")
    return int(value)


def whole_points(what: str, value: Any) -> int:
    """An int from any kind of integer that can be points."""
    if not is_whole(value) or abs(int(value)) > LARGEST_POINTS:
        raise ParameterError(
            f"{what} is {_short(value)}. Use a whole number of at most {LARGEST_POINTS:,}."
        )
    return int(value)


def set_fields(record: object, **values: Any) -> None:
    """Give fields of a frozen record their checked values, while the record is being made."""
    for name, value in values.items():
        object.__setattr__(record, name, value)


def set_numbers(record: object, check: Callable[[str, Any], float], *names: str) -> None:
    """Check fields that are numbers, such as by ``whole_number``, while the record is being made."""
    set_fields(record, **{name: check(name, getattr(record, name)) for name in names})


def is_number(value: Any) -> bool:
    """An int or a float, of Python or numpy; True and False are not numbers."""
    return isinstance(value, (int, float, Real)) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """An int, of Python or numpy; True and False are not numbers."""
    return isinstance(value, (int, Integral)) and not isinstance(value, bool)


def _short(value: Any) -> str:
    """The value as it can be shown in one sentence."""
    is_huge = isinstance(value, int) and abs(value) >= 10**30
    text = "a number of more than 30 digits" if is_huge else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
