"""Which of two labels is the event, where numbers or words say so; never their place in the alphabet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from riskcard.checks import is_number
from riskcard.toml import parse_toml


def find_event(classes: Sequence[Any]) -> int | None:
    """The position of the event among two labels; None where that cannot be known.

    Known are False and True, 0 and a positive number, -1 and 1, words of one entry of
    ``event_words.toml``, and a label next to the same with a negation, as "relapse" and "no relapse".

    Examples
    --------
    >>> find_event(["died", "survived"]), find_event(["No relapse", "Relapse"]), find_event([0, 1])
    (0, 1, 1)
    >>> find_event(["left", "right"]) is None, find_event([1, 2]) is None
    (True, True)
    """
    if all(isinstance(label, bool) for label in classes):
        return list(classes).index(True)
    if all(is_number(label) for label in classes):
        low, high = sorted(classes)
        is_known = (low == 0 and high > 0) or (low == -1 and high == 1)
        return list(classes).index(high) if is_known else None
    if not all(isinstance(label, str) for label in classes):
        return None
    words = [" ".join(label.casefold().split()) for label in classes]
    found = [i for i in (0, 1) if _is_event(words[i], words[1 - i])]
    return found[0] if len(found) == 1 else None


def _is_event(word: str, other: str) -> bool:
    """Whether one word is known as an event and the other as its opposite."""
    pairs, negations = _known_words()
    if any(word in events and other in opposites for events, opposites in pairs):
        return True
    is_opposite = any(_negated(word, other, negation) for negation in negations)
    is_negated = any(_negated(other, word, negation) for negation in negations)
    # "survived" is the opposite of an event, so "not survived" is one
    if is_opposite:
        return any(other in opposites for _, opposites in pairs)
    return is_negated and not any(word in opposites for _, opposites in pairs)


def _negated(word: str, other: str, negation: str) -> bool:
    """Whether a word is the other with a negation before it: "no relapse", "non-case", "nonevent"."""
    joints = ("", " ", "-", "_") if negation == "non" else (" ", "-", "_")
    return any(word == f"{negation}{joint}{other}" for joint in joints)


@cache
def _known_words() -> tuple[list[tuple[frozenset[str], frozenset[str]]], tuple[str, ...]]:
    """Events and opposites of each entry, and the negations."""
    path = Path(__file__).with_name("event_words.toml")
    content = parse_toml(path.read_text(encoding="utf-8"))
    pairs = [
        tuple(frozenset(word.casefold() for word in entry[key]) for key in ("event", "opposite"))
        for entry in content["pairs"]
    ]
    return [(events, opposites) for events, opposites in pairs], tuple(content["negations"])
