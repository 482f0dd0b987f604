"""Every word of the calculator: English by default, all of them replaceable from one file."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from riskcard.checks import finite_number
from riskcard.data.files.csv_text import read_bytes
from riskcard.errors import FormatError, ParameterError
from riskcard.formatting.percent import percent
from riskcard.formatting.spelling import nearest_name
from riskcard.formatting.templates import asset

#: Texts in braces are filled in; a translation may leave them out or change their order.
ENGLISH: dict[str, str] = json.loads(asset("calculator/templates/english.json"))

_PLACE = re.compile(r"\{(\w+)\}")
_TOP = ("language", "direction", "title", "facts", "words", "features")
_OF_FEATURE = ("name", "unit", "help", "lowest", "highest", "levels")


@dataclass(frozen=True, slots=True)
class FeatureWords:
    """How one feature is asked for.

    Attributes
    ----------
    name, unit, help
        Shown in place of the column's name, behind the field and below it.
    lowest, highest
        Values beyond these are refused; special codes are not.
    levels
        From the level as the card shows it to the words for it.
    """

    name: str | None = None
    unit: str = ""
    help: str = ""
    lowest: float | None = None
    highest: float | None = None
    levels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageWords:
    """All words of a page.

    Attributes
    ----------
    language, direction
        Such as "en", and "ltr" or "rtl".
    title
        The heading; by default whose risk the card gives.
    facts
        Sentences on training and proof; by default those of the card.
    words
        The texts by their names.
    features
        How features are asked for, by the names of their columns.
    """

    language: str = "en"
    direction: str = "ltr"
    title: str | None = None
    facts: tuple[str, ...] | None = None
    words: Mapping[str, str] = field(default_factory=lambda: dict(ENGLISH))
    features: Mapping[str, FeatureWords] = field(default_factory=dict)

    def say(self, key: str, **parts: str) -> str:
        """A text with its places filled in; values are inserted as they are."""
        return _PLACE.sub(lambda place: parts.get(place[1], place[0]), self.words[key])

    def number(self, text: str) -> str:
        """A number as it is written here: with a true minus sign and the decimal sign."""
        return text.replace("-", "−").replace(".", self.words["decimal"])

    def percent(self, *shares: float, is_counted: bool = False) -> str:
        """A risk as people read it here, or a range of risks.

        Parameters
        ----------
        shares
            One or two numbers from 0 to 1.
        is_counted
            The share was counted, so that it may be all or nothing; a risk never is.
        """
        low, high = (self._in_hundred(share, is_counted) for share in (shares[0], shares[-1]))
        number = low if low == high else self.say("range", low=low, high=high)
        return self.say("percent", number=number)

    def _in_hundred(self, share: float, is_counted: bool) -> str:
        if is_counted and share in (0, 1):
            return f"{100 * share:.0f}"
        text = percent(share).removesuffix(" %")
        for sign, key in (("< ", "below"), ("> ", "beyond")):
            if text.startswith(sign):
                return self.say(key, number=self.number(text.removeprefix(sign)))
        return self.number(text)


def load_words(path: str | Path, features: Mapping[str, tuple[str, ...]]) -> PageWords:
    """Read the words of a page from a JSON file; what it leaves out stays English.

    Parameters
    ----------
    path
        The file.
    features
        The features of the card, and the levels of each as the card shows them.
    """
    source = repr(str(path))
    try:
        content = json.loads(read_bytes(path, "a file of words").decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise FormatError(
            f"{source} is not valid JSON ({error.msg} in line {error.lineno}). Correct it there."
        ) from None
    except (UnicodeDecodeError, RecursionError):
        raise FormatError(f"{source} is not a JSON file of words. Give such a file.") from None
    try:
        return _words_from(content, features)
    except ParameterError as error:
        raise FormatError(f"{source}: {error}") from None


def _words_from(content: Any, features: Mapping[str, tuple[str, ...]]) -> PageWords:
    _require_keys("the file", content, _TOP)
    direction = content.get("direction", "ltr")
    if direction not in ("ltr", "rtl"):
        raise ParameterError(f'"direction" is {direction!r}. Use "ltr" or "rtl".')
    facts, title = content.get("facts"), content.get("title")
    if facts is not None:
        if not isinstance(facts, list):
            raise ParameterError('"facts" is not a list. Give a list of sentences.')
        facts = tuple(_text('a sentence of "facts"', fact) for fact in facts)
    entries = content.get("features", {})
    _require_keys('"features"', entries, tuple(features))
    return PageWords(
        language=_text('"language"', content.get("language", "en")),
        direction=direction,
        title=None if title is None else _text('"title"', title),
        facts=facts,
        words=ENGLISH | _texts_from(content.get("words", {})),
        features={name: _feature_from(name, entries[name], features[name]) for name in entries},
    )


def _texts_from(entries: Any) -> dict[str, str]:
    _require_keys('"words"', entries, tuple(ENGLISH))
    for key, text in entries.items():
        known = set(_PLACE.findall(ENGLISH[key]))
        unknown = sorted(set(_PLACE.findall(_text(f'"{key}"', text))) - known)
        if unknown:
            advice = f"Use {', '.join(f'{{{name}}}' for name in sorted(known))}." if known else ""
            raise ParameterError(
                f'"{key}" has the place {{{unknown[0]}}}, for which there is no value. {advice}'
            )
    if entries.get("decimal", ".") not in (".", ","):
        raise ParameterError(f'"decimal" is {entries["decimal"]!r}. Use "." or ",".')
    return dict(entries)


def _feature_from(name: str, entry: Any, levels: tuple[str, ...]) -> FeatureWords:
    what = f"the entry of {name!r}"
    _require_keys(what, entry, _OF_FEATURE)
    given = {key: value for key, value in entry.items() if value is not None and key != "levels"}
    checks = {"lowest": finite_number, "highest": finite_number}
    found: dict[str, Any] = {
        key: checks.get(key, _text)(f'"{key}" of {name!r}', value) for key, value in given.items()
    }
    limits = [found[key] for key in checks if key in found]
    if limits and levels:
        raise ParameterError(f"{name!r} is a category and has no lowest or highest value.")
    if limits != sorted(limits):
        raise ParameterError(f"The lowest value of {name!r} is above the highest.")
    named = entry.get("levels", {})
    _require_keys(f"the levels of {name!r}", named, levels)
    for level, text in named.items():
        _text(f"the level {level!r} of {name!r}", text)
    return FeatureWords(**found, levels=dict(named))


def _require_keys(what: str, entries: Any, known: tuple[str, ...]) -> None:
    if not isinstance(entries, dict):
        raise ParameterError(f"{what} is {entries!r}. It must be an object.")
    for key in entries:
        if key not in known:
            advice = nearest_name(key, known, "entries", "Remove it.")
            raise ParameterError(f"{what} has the unknown entry {key!r}. {advice}")


def _text(what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ParameterError(f"{what} is {value!r}. It must be a text.")
    return value
