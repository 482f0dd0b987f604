"""Refusals and remarks on a file, which other rooms say in English, in the language that is spoken.

A sentence is recognised by the English text with its places; what fills them may be sentences as well.
What nobody knows stays in English, and is said to be: a screen reader then reads it as English.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from riskcard.formatting.speech import (
    NUMBER,
    Sentences,
    filled,
    in_figures,
    items_of,
    most_own_first,
    recognised,
    spoken_language,
)
from riskcard.studio.page_words import page_words

#: The beginnings of the names of these sentences among the words of the page.
_KINDS = ("refused_", "read_")
#: What stays as it is in the file, even if it looks like a number.
_CELL = ("read_such_as", "value")
#: What other rooms say where the page says it otherwise: without options of the command line, or in short.
_HEARD = {
    "refused_nothing_left": "No column of {file} is left to learn from. {reasons}",
    "refused_empty_sheet": "{file}, sheet {sheet} is empty. Name another sheet with --sheet.",
    "refused_not_table": "{file} is not a table. Give a CSV, Excel or Parquet file, or one of SPSS, Stata or SAS.",
    "refused_utf8": "{file} is UTF-8 text with errors ({place} cannot be read). Save it again as UTF-8, "
    "or name its encoding with --encoding, such as --encoding cp1252.",
    "refused_encoding": "{file} is neither UTF-8 nor Windows-1252 text ({place} cannot be read). Save it as "
    "UTF-8, or name its encoding with --encoding, such as --encoding cp1250.",
    "refused_moment_number": "--hold-out-from: the column has numbers, but {text} is none. Give a number after '='.",
    "refused_moment": "--hold-out-from: {text} is not a date that can be read in one way only. "
    "Write it as 2020-12-31.",
    "refused_no_times": "{file}, column {name} (named by --hold-out-from) has neither dates nor numbers, "
    "but texts such as {text}. Name a column with times.",
}


def told(text: str, own: Mapping[str, str] | None = None) -> tuple[str, bool]:
    """A refusal or a remark as the page says it, and whether it had to stay in English.

    Parameters
    ----------
    text
        As it was said in English.
    own
        A user's own texts in place of some of the page's.

    Examples
    --------
    >>> from riskcard.formatting.speech import speaking
    >>> with speaking("de"):
    ...     told("'x' is constant in the training rows. Choose another column.")
    ("'x' ist in den Trainingszeilen konstant. Wählen Sie eine andere Spalte.", False)
    """
    words = {**page_words(spoken_language()), **(own or {})}
    found = _said(text, words)
    return (text, spoken_language() != "en") if found is None else (found, False)


def told_lines(
    lines: Iterable[str], own: Mapping[str, str] | None = None
) -> list[dict[str, object]]:
    """Remarks for the page: the text of each, and whether it is in English."""
    return [dict(zip(("text", "is_english"), told(one, own), strict=True)) for one in lines]


def told_part(part: str, own: Mapping[str, str] | None = None) -> str:
    """What fills a place of a remark, as the page says it."""
    return _part(part, {**page_words(spoken_language()), **(own or {})})


def _said(text: str, words: Mapping[str, str]) -> str | None:
    """A sentence that is known, in other words; None where it is not."""
    body = text.strip().removesuffix(".")
    if (found := recognised(body, _heard())) is None:
        return None
    name, own = found
    parts = {place: _part(part, words) for place, part in own.items() if (name, place) != _CELL}
    said = filled(words[name], own | parts)
    return said.removesuffix(".") + text.strip()[len(body) :]


def _part(part: str, words: Mapping[str, str]) -> str:
    """What fills a place: a sentence, some in a list, something that the page says, a number, or a value as it is."""
    if (whole := _said(part, words)) is not None:
        return whole
    if NUMBER.fullmatch(part):
        return in_figures(part)
    if len(items := items_of(part)) > 1:
        return ", ".join(_said(one, words) or one for one in items)
    return words.get(_names().get(part, ""), part)


@cache
def _names() -> Mapping[str, str]:
    """From what the page says in English to its name."""
    return {text: name for name, text in page_words("en").items()}


@cache
def _heard() -> Sentences:
    """The English sentences without their last full stop."""
    own = [one for one in page_words("en").items() if one[0].startswith(_KINDS)]
    order = most_own_first([*own, *_HEARD.items()])
    return tuple((name, text.removesuffix(".")) for name, text in order)
