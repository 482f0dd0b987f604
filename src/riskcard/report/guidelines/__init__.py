"""Reporting guidelines item by item: what the page of a report answers, and what its author must."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from riskcard.formatting.speech import file_of, spoken_language
from riskcard.formatting.templates import asset
from riskcard.toml import parse_toml

#: The guidelines, in the order in which they are shown.
NAMES = ("tripod_ai", "probast_ai", "model_risk")


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a guideline.

    Attributes
    ----------
    number
        Its number there.
    topic
        What it is about, in our words.
    sections
        The sections of the page that help.
    page
        What they answer; empty where they answer nothing.
    ask
        What the author has to add; empty where the page is enough.
    """

    number: str
    topic: str
    sections: tuple[str, ...] = ()
    page: str = ""
    ask: str = ""


@dataclass(frozen=True, slots=True)
class Guideline:
    """A guideline: its title, a sentence about it, and its items."""

    title: str
    about: str
    items: tuple[Item, ...]


def guidelines() -> tuple[Guideline, ...]:
    """All guidelines, in the language that is spoken."""
    return _guidelines_in(file_of(spoken_language()))


@cache
def _guidelines_in(language: str) -> tuple[Guideline, ...]:
    return tuple(_read(name, language) for name in NAMES)


def _read(name: str, language: str) -> Guideline:
    """A guideline; in another language than English, its items have the sections of the English ones."""
    table = parse_toml(asset(f"report/guidelines/{name}.toml"))
    sections = [tuple(one.pop("sections", ())) for one in table["items"]]
    if language != "english":
        table = parse_toml(asset(f"report/guidelines/{language}/{name}.toml"))
    items = [
        Item(**one, sections=links) for one, links in zip(table["items"], sections, strict=True)
    ]
    return Guideline(table["title"], table["about"], tuple(items))
