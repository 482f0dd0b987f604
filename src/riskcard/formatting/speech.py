"""The language of a page: its sentences by their names, in the language that is spoken at the moment.

English is spoken unless a page is made within ``speaking``. ``words/`` has the sentences of each language;
headings and the front of a card are in ``model/words``.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

#: The languages that riskcard speaks, and how the files of each are called.
LANGUAGES = {"en": "english", "de": "german", "fr": "french", "es": "spanish"}
#: A place in a text that is filled in; a translation may change the order.
PLACE = re.compile(r"\{(\w+)\}")
#: Names of sentences that cards store and other rooms write in English; they are found by their text.
_STORED = "stored_"
#: A number in English figures.
NUMBER = re.compile(r"[-−+]?[\d,]*\d(\.\d+)?(e[-+]\d+)?")
#: A name or text as Python quotes it, and what fills a place: such names as a whole, and an apostrophe within a word.
_QUOTED = r"(?<!\w)(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
_FILLING = rf"(?:{_QUOTED}|(?<=\w)'|[^'\"])+?"
#: Sentences with their names.
Sentences = tuple[tuple[str, str], ...]

_spoken: ContextVar[tuple[str, Mapping[str, str]]] = ContextVar("_spoken", default=("en", {}))


@cache
def sentences_of(language: str) -> Mapping[str, str]:
    """Every sentence of a report by its name; in English for a language that is not known.

    Examples
    --------
    >>> sentences_of("de")["section_card"], sentences_of("xx")["section_card"]
    ('Die Karte', 'The card')
    """
    from riskcard.formatting.templates import asset

    name, found = file_of(language), dict[str, str]()
    for room in ("", "credit/"):
        found |= json.loads(asset(f"formatting/words/{room}{name}.json"))
    return found


def file_of(language: str) -> str:
    """How the files of a language are called; those of English where it is not known."""
    return LANGUAGES.get(language.split("-")[0], "english")


@contextmanager
def speaking(language: str, own: Mapping[str, str] | None = None) -> Iterator[None]:
    """Sentences and figures are in a language meanwhile, with a user's own texts in place of some."""
    token = _spoken.set((language, own or {}))
    try:
        yield
    finally:
        _spoken.reset(token)


def spoken_language() -> str:
    """The code of the language that is spoken."""
    return _spoken.get()[0]


def say(name: str, /, **parts: str) -> str:
    """A sentence with its places filled in.

    Examples
    --------
    >>> say("rows_many", number="2,000")
    '2,000 rows'
    """
    language, own = _spoken.get()
    return filled(own.get(name, "") or sentences_of(language)[name], parts)


def filled(text: str, parts: Mapping[str, str]) -> str:
    """A text with its places filled in; values are inserted as they are."""
    return PLACE.sub(lambda place: parts.get(place[1], place[0]), text)


def counted(number: int, noun: str) -> str:
    """A number and what is counted: "1 row", "2,000 rows"."""
    return say(f"{noun}_{'one' if number == 1 else 'many'}", number=in_figures(f"{number:,}"))


def in_figures(number: str) -> str:
    """A number in English figures with the signs of the language for decimals and thousands.

    Examples
    --------
    >>> with speaking("de"):
    ...     in_figures("1,234.5")
    '1.234,5'
    """
    signs = {ord(","): say("thousands_sign"), ord("."): say("decimal_sign")}
    return number.translate(signs)


def sentence_case(text: str) -> str:
    """A text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def now_in_words() -> str:
    """Day and time, in UTC."""
    now = datetime.datetime.now(datetime.timezone.utc)
    month = say("months").split(", ")[now.month - 1]
    return say("date", day=f"{now:%d}", month=month, year=f"{now:%Y}", time=f"{now:%H:%M}")


# --- sentences that were written in English ------------------------------------------------------


def translated(text: str) -> str:
    """A sentence that a card stores, or an audit gives, in the language that is spoken.

    It is recognised by the English sentence with its places; what nobody knows stays as it is.

    Examples
    --------
    >>> with speaking("de"):
    ...     translated("at most 3 terms"), translated("something else")
    ('höchstens 3 Terme', 'something else')
    """
    if _spoken.get()[0] == "en":
        return text
    numbers = text.split(", ")
    if all(map(NUMBER.fullmatch, numbers)):
        return say("between_items").join(map(in_figures, numbers))
    if (found := recognised(text, _stored())) is None:
        return text
    name, parts = found
    return say(name, **{place: translated(part) for place, part in parts.items()})


@cache
def _stored() -> Sentences:
    """The English sentences that cards store and other rooms write."""
    texts = sentences_of("en")
    return most_own_first(one for one in texts.items() if one[0].startswith(_STORED))


def most_own_first(sentences: Iterable[tuple[str, str]]) -> Sentences:
    """Sentences with their names, those with the most letters of their own first."""
    return tuple(sorted(sentences, key=lambda one: -len(PLACE.sub("", one[1]))))


def recognised(text: str, sentences: Sentences) -> tuple[str, dict[str, str]] | None:
    """The name of the first sentence that a text is, and what fills its places; None where it is none of them.

    What is in quotes fills one place as a whole, whatever words are in it: columns may be called "age at diagnosis".
    Only where quotes do not come in pairs may a place have a part of them.

    Examples
    --------
    >>> recognised("a cut of 'age at birth' at 50", (("cut", "a cut of {name} at {cut}"),))
    ('cut', {'name': "'age at birth'", 'cut': '50'})
    """
    is_paired = re.fullmatch(_FILLING, text, re.DOTALL) is not None
    for name, sentence in sentences:
        for filling in (_FILLING,) if is_paired else (_FILLING, ".+?"):
            if (found := _pattern_of(sentence, filling).fullmatch(text)) is not None:
                return name, found.groupdict()
    return None


@cache
def _pattern_of(text: str, filling: str) -> re.Pattern[str]:
    """What recognises a text, whose places are filled in a way."""
    pieces = PLACE.split(text)  # literal, place, literal, place, ..., literal
    return re.compile(
        "".join(
            f"(?P<{one}>{filling})" if place % 2 else re.escape(one)
            for place, one in enumerate(pieces)
        ),
        re.DOTALL,
    )


def items_of(text: str) -> list[str]:
    """The items of a list with commas; those within quotes divide nothing.

    Examples
    --------
    >>> items_of("'age, in years', 3 more")
    ["'age, in years'", '3 more']
    """
    commas = [found for found in re.finditer(f"{_QUOTED}|, ", text) if found[0] == ", "]
    starts, ends = [found.end() for found in commas], [found.start() for found in commas]
    return [text[start:end] for start, end in zip([0, *starts], [*ends, len(text)], strict=True)]
