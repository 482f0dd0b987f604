"""The target column: texts of a file to the two label values of a card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from riskcard.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["events_of", "find_classes"]

_TRUTH = {"true": True, "1": True, "false": False, "0": False}


def find_classes(texts: Sequence[str], target: str, positive: str | None = None) -> tuple[Any, Any]:
    """The two label values of a target: no event, event.

    Texts that are all numbers are numbers. The event is ``positive``, or else the larger number or
    the text that comes last in the alphabet.
    """
    distinct = set(texts)
    if len(distinct) > 2:
        distinct = {str(value) for value in map(_as_number, distinct)}  # "1" and "1.0" are one
    if len(distinct) > 2:
        examples = ", ".join(repr(text) for text in sorted(distinct)[:3])
        raise DataError(
            f"The target {target!r} has {len(distinct)} different values ({examples}, ...), but two "
            "are needed. Make a column that tells the event from the rest, or choose another target."
        )
    numbers = [_as_number(text) for text in distinct]
    is_numeric = not any(isinstance(number, str) for number in numbers)
    classes: list[Any] = sorted(set(numbers)) if is_numeric else sorted(distinct)
    if len(classes) == 1:
        raise DataError(
            f"The target {target!r} is {classes[0]!r} in all {len(texts)} rows. "
            "A card needs rows with and without the event."
        )
    if positive is None:
        return classes[0], classes[1]
    wanted = [label for label in classes if _is_same(positive, label)]
    if not wanted:
        raise DataError(
            f"--positive is {positive!r}, but the target {target!r} has the values {classes[0]!r} "
            f"and {classes[1]!r}. Give one of them."
        )
    other = classes[1] if wanted[0] == classes[0] else classes[0]
    return other, wanted[0]


def events_of(texts: Sequence[str], classes: tuple[Any, Any], target: str) -> NDArray[Any]:
    """Which rows have the event; every text must be one of the two classes."""
    import numpy as np

    meaning: dict[str, bool] = {}
    for text in set(texts):
        matches = [_is_same(text, label) for label in classes]
        if not any(matches):
            raise DataError(
                f"The target {target!r} has the value {text!r}, but the card knows {classes[0]!r} "
                f"and {classes[1]!r}. Correct the value, or give another column with --target."
            )
        meaning[text] = matches[1]
    return np.array([meaning[text] for text in texts], dtype=bool)


def _as_number(text: str) -> int | float | str:
    """A whole number, a number, or the text itself; 1.0 is the whole number 1."""
    try:
        number = float("text" if "_" in text else text)
    except ValueError:
        return text
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _is_same(text: str, label: Any) -> bool:
    if isinstance(label, str):
        return text == label
    if isinstance(label, bool):
        return _TRUTH.get(text.lower()) is label
    return _as_number(text) == label
