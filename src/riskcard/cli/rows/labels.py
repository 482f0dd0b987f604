"""Match texts of a file with known values: the two labels of a target, the levels of a card."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from riskcard.data.files.wanted_columns import as_number
from riskcard.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from riskcard.data.columns import FeatureValues
    from riskcard.data.levels import Label

_TRUTH = {"true": True, "1": True, "false": False, "0": False}


def find_classes(
    column: FeatureValues, target: str, event: str | None = None, *, has_times: bool = False
) -> tuple[Any, Any]:
    """The two label values of a target: no event, event.

    Texts become numbers if all of them are. Where the event is neither given nor known from the
    labels, a sentence asks for it. Where rows have times, all of them may have the event.
    """
    distinct = set(texts_of(column))
    if len(distinct) > 2:
        distinct = {str(value) for value in map(as_number, distinct)}  # "1" and "1.0" are one
    if len(distinct) > 2:
        examples = [*map(repr, sorted(distinct)[:3]), *["..."][: len(distinct) - 3]]
        raise DataError(
            f"The target {target!r} has {len(distinct)} different values ({', '.join(examples)}), but a "
            "card needs two. Make a column with the event and the rest, or choose another target. 'riskcard "
            "fit' also takes ordered levels, numbers and counts (--outcome), and competing events (--competing)."
        )
    numbers = [as_number(text) for text in distinct]
    is_numeric = not any(isinstance(number, str) for number in numbers)
    classes: list[Any] = sorted(set(numbers)) if is_numeric else sorted(distinct)
    if len(classes) == 1 and has_times:
        return _opposite(classes[0], target, event), classes[0]
    if len(classes) == 1:
        raise DataError(
            f"The target {target!r} is {classes[0]!r} in all {len(column.values)} rows. "
            "A card needs rows with and without the event."
        )
    from riskcard.data.first_look.event_words import find_event
    from riskcard.data.target import which_event

    two = classes[0], classes[1]
    if event is None:
        place = find_event(two)
        if place is None:
            ways = " or ".join(map(choosing, two))
            raise DataError(f"{which_event(two, target)} Give it with {ways}.")
        return two[1 - place], two[place]
    wanted = [label for label in two if _is_same(event, label)]
    if not wanted:
        raise DataError(
            f"--event is {event!r}, but the target {target!r} has the values {two[0]!r} "
            f"and {two[1]!r}. Give one of them."
        )
    return (two[1] if wanted[0] == two[0] else two[0]), wanted[0]


def choosing(label: Any) -> str:
    """The option that chooses a label as the event, as a shell takes it."""
    text = str(label)
    # what begins with a minus sign would be taken for an option
    return f"--event{'=' if text.startswith('-') else ' '}{shlex.quote(text)}"


def _opposite(label: Any, target: str, event: str | None) -> Any:
    """A label for no event where every row has the event; a sentence asks whether it is the event."""
    known = {1: 0, "true": "false", "True": "False", "TRUE": "FALSE"}
    if event is None and label not in known:
        raise DataError(
            f"The target {target!r} is {label!r} in all rows. If that is the event, give it with "
            f"{choosing(label)}; otherwise no row has the event, and there is nothing to learn from."
        )
    if event is not None and not _is_same(event, label):
        raise DataError(
            f"--event is {event!r}, but the target {target!r} is {label!r} in all rows. No row has the "
            "event, so there is nothing to learn from."
        )
    return known.get(label, f"not {label}" if isinstance(label, str) else int(label == 0))


def events_of(column: FeatureValues, classes: tuple[Any, Any], target: str) -> NDArray[Any]:
    """Which rows have the event; a text that is neither class is refused."""
    import numpy as np

    is_event = []
    for text in texts_of(column):
        matches = [_is_same(text, label) for label in classes]
        if not any(matches):
            raise DataError(
                f"The target {target!r} has the value {text!r}, but the card knows {classes[0]!r} "
                f"and {classes[1]!r}. Correct the value, or give another column with --target."
            )
        is_event.append(matches[1])
    return np.array(is_event, dtype=bool)[column.codes()]


def with_known_levels(column: FeatureValues, known: Sequence[Label]) -> NDArray[Any]:
    """The texts of a column as levels of a card, None where missing; other texts are kept."""
    import numpy as np

    names: list[Label | None] = []
    for text in texts_of(column):
        same = [level for level in known if _is_same(text, level)]
        names.append(same[0] if same else text)
    return np.array([*names, None], dtype=object)[column.codes()]


def texts_of(column: FeatureValues) -> list[str]:
    """The different texts of a column that was read as texts."""
    return [] if column.levels is None else [str(name) for name in column.levels.names]


def _is_same(text: str, label: Any) -> bool:
    if isinstance(label, str):
        return text == label
    if isinstance(label, bool):
        return _TRUTH.get(text.lower()) is label
    return bool(as_number(text) == label)
