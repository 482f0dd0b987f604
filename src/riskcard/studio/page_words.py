"""The words of the page in each language, and a user's own in place of some."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from riskcard.errors import FormatError
from riskcard.formatting.speech import LANGUAGES, PLACE, file_of
from riskcard.formatting.spelling import nearest_name
from riskcard.formatting.templates import asset

#: What each language calls itself.
NAMES_OF_LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}


@cache
def page_words(language: str) -> Mapping[str, str]:
    """Every text of the page by its name.

    Examples
    --------
    >>> page_words("de")["undo"], page_words("fr")["undo"]
    ('Rückgängig', 'Annuler')
    """
    found: dict[str, str] = json.loads(asset(f"studio/words/{file_of(language)}.json"))
    return found


def load_own_words(path: str) -> dict[str, str]:
    """A user's file of texts by their names, such as a part of ``studio/words/english.json``."""
    try:
        content: Any = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FormatError(
            f"{path!r} is no file of words ({error}). Give JSON with texts by their names."
        ) from None
    if not isinstance(content, dict) or not all(isinstance(one, str) for one in content.values()):
        raise FormatError(f"{path!r} is no file of words. Give JSON with texts by their names.")
    english = page_words("en")
    for name, text in content.items():
        if name not in english:
            advice = nearest_name(name, sorted(english), "texts")
            raise FormatError(f"{path!r} has {name!r}, which the page does not say. {advice}")
        unknown = sorted(set(PLACE.findall(text)) - set(PLACE.findall(english[name])))
        if unknown:
            raise FormatError(
                f"{path!r}: {name!r} has the place {{{unknown[0]}}}, for which there is no value. Remove it."
            )
    return content


def is_spoken(language: str) -> bool:
    """Whether the page has words of a language."""
    return language in LANGUAGES
