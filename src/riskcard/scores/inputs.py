"""Where a score finds its items: in columns of the user's table, by name, by a comparison or by levels."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from riskcard.errors import ParameterError
from riskcard.model.feature_points import CardFeature, FeaturePoints, LevelPoints

if TYPE_CHECKING:
    from riskcard.data.levels import Label
    from riskcard.scores.published import Item

_CONDITION = re.compile(r"(?P<column>.+?)\s*(?P<sign>>=|<=|>|<|=)\s*(?P<value>.+)")


@dataclass(frozen=True, slots=True)
class Input:
    """One item's place in a table.

    Attributes
    ----------
    column
        The column.
    sign, value
        A comparison that makes a condition of it, such as ``>=`` and "140", or ``=`` and "yes/no"; empty
        where the column is the item itself.
    """

    column: str
    sign: str = ""
    value: str = ""


def read_input(text: str) -> Input:
    """Read what a user writes for an item: COLUMN, "COLUMN >= NUMBER", or "COLUMN = YES/NO".

    Examples
    --------
    >>> read_input("sbp > 140"), read_input("sex = F/M").value
    (Input(column='sbp', sign='>', value='140'), 'F/M')
    """
    found = _CONDITION.fullmatch(text.strip())
    return Input(text.strip()) if found is None else Input(**found.groupdict())


def feature_of(item: Item, source: Input, *, is_whole: bool, missing: int | None) -> CardFeature:
    """The points of an item on the user's column.

    Parameters
    ----------
    item
        The item of the score.
    source
        Where its values are.
    is_whole
        All values of the column are whole numbers: "from 75" is then printed as "> 74".
    missing
        Points of a missing value; None where there must be none.
    """
    if not item.is_condition:
        if source.sign:
            raise ParameterError(
                f"The item {item.name!r} is a number, but it is given as {source.column!r} "
                f"{source.sign} {source.value!r}. Give the column alone."
            )
        cuts = [_below(start, is_whole=is_whole) for start in item.starts] or item.above
        return FeaturePoints(source.column, tuple(cuts), item.points, missing=missing)
    if not source.sign:
        return LevelPoints(source.column, ((False,), (True,)), item.points, missing=missing)
    if source.sign == "=":
        yes, no = _levels(item.name, source.value)
        return LevelPoints(source.column, (no, yes), item.points, missing=missing)
    number = _number(source.value)
    if number is None:
        raise ParameterError(
            f"The item {item.name!r} compares {source.column!r} with {source.value!r}, which is no "
            "number. Compare with a number, or write COLUMN=YES/NO for levels."
        )
    cut = _below(number, is_whole=is_whole) if source.sign in (">=", "<") else number
    points = item.points if source.sign[0] == ">" else item.points[::-1]
    return FeaturePoints(source.column, (cut,), points, missing=missing)


def _below(start: float, *, is_whole: bool) -> float:
    """The cut with ``value > cut`` for exactly the values of at least ``start``."""
    if is_whole:
        return math.ceil(start) - 1.0
    return math.nextafter(start, -math.inf)


def _levels(name: str, text: str) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    sides = [tuple(map(_level, side.split(","))) for side in text.split("/")]
    if len(sides) != 2:
        raise ParameterError(
            f"The levels of the item {name!r} are {text!r}. Write those where it holds, a slash, and all "
            "others, such as sex=female/male; separate several by commas."
        )
    return sides[0], sides[1]


def _level(text: str) -> Label:
    number = _number(text)
    if number is None:
        return text.strip()
    return int(number) if number == int(number) else number


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
