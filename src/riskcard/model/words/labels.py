"""The words of a card: title, event, names, units, levels, and what a page says; all replaceable."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from riskcard.formatting.numbers import format_number
from riskcard.formatting.speech import file_of, filled, speaking
from riskcard.model.lines import PHRASES, Line, show_level

if TYPE_CHECKING:
    from riskcard.data.levels import Label
    from riskcard.model.feature_points import CardFeature


@cache
def words_of(language: str) -> Mapping[str, str]:
    """Every text of card and calculator by its name; in English for a language that is not known.

    Examples
    --------
    >>> words_of("de")["risk"], words_of("de-AT")["risk"], words_of("xx")["risk"]
    ('Risiko', 'Risiko', 'Risk')
    """
    from riskcard.formatting.templates import asset

    file = file_of(language)
    phrases = PHRASES if file == "english" else {}
    return {**phrases, **json.loads(asset(f"model/words/{file}.json"))}


@dataclass(frozen=True, slots=True)
class FeatureLabel:
    """What people call one feature.

    Attributes
    ----------
    name, unit, help
        Shown in place of the column's name, behind it, and below it in the calculator.
    lowest, highest
        The calculator refuses values beyond these, except special values.
    levels
        From a level, a special value or a whole number as the card shows it to the words for it.
    reason
        What is written to a person whom the feature costs points, such as a refused applicant.
    code, code_system, code_unit
        The clinical code of the feature, such as that of a laboratory test, the address of the system of codes
        it is from, and the unit that values have there, for exports to clinical systems.
    """

    name: str | None = None
    unit: str = ""
    help: str = ""
    lowest: float | None = None
    highest: float | None = None
    levels: Mapping[str, str] = field(default_factory=dict, hash=False)
    reason: str = ""
    code: str = ""
    code_system: str = ""
    code_unit: str = ""


@dataclass(frozen=True, slots=True)
class Labels:
    """What people read in place of the names of a table; what is left out stays as it is.

    Attributes
    ----------
    title
        The heading; by default "Risk of" and the event.
    event
        What the event is, in words.
    language, direction
        The language of the words: "en", "de", "fr" or "es"; in any other, the words are English
        unless they are given. The direction of the calculator's text: "ltr" or "rtl".
    facts
        Sentences on training and proof in the calculator; by default those of the card.
    caution
        The last sentence of the calculator; by default that a risk is an estimate.
    features
        By the names of the columns.
    words
        Texts in place of those of the language, by their names.
    """

    title: str | None = None
    event: str | None = None
    language: str = "en"
    direction: str = "ltr"
    facts: tuple[str, ...] | None = None
    caution: str | None = None
    features: Mapping[str, FeatureLabel] = field(default_factory=dict, hash=False)
    words: Mapping[str, str] = field(default_factory=dict, hash=False)

    def say(self, key: str, **parts: str) -> str:
        """A text with its placeholders filled in; values are inserted as they are."""
        text = self.words.get(key, "") or words_of(self.language)[key]
        return filled(text, parts)

    def spoken(self) -> AbstractContextManager[None]:
        """Within this context, sentences and figures of a page are in this language."""
        signs = {f"{key}_sign": self.words.get(key, "") for key in ("decimal", "thousands")}
        return speaking(self.language, signs | dict(self.words))

    def of(self, feature: str) -> FeatureLabel:
        """The label of a feature; an empty one where there is none."""
        return self.features.get(feature, FeatureLabel())

    def name(self, feature: str) -> str:
        """What a feature is called."""
        found = self.of(feature).name
        return feature if found is None else found

    def reason(self, feature: str) -> str:
        """The reason that a feature is named by: its text, or what the feature is called."""
        return self.of(feature).reason or self.name(feature)

    def heading(self, feature: str) -> str:
        """What a feature is called, with its unit."""
        unit = self.of(feature).unit
        return f"{self.name(feature)} ({unit})" if unit else self.name(feature)

    def number(self, text: str) -> str:
        """A number with the decimal mark of the language."""
        return text.replace(".", self.say("decimal"))

    def count(self, number: int) -> str:
        """A whole number with the thousands separator of the language."""
        return f"{number:,}".replace(",", self.say("thousands"))

    def lines(self, feature: CardFeature) -> tuple[Line, ...]:
        """The lines of a feature as these labels call them."""
        return tuple(
            replace(
                line,
                named=tuple(self.value(feature, value) for value in line.values)
                or (self._condition(feature, line),),
            )
            for line in feature.lines()
        )

    def value(self, feature: CardFeature, value: Label | None) -> str:
        """A value in words: by its label; booleans, and numbers 0 and 1, as yes and no."""
        if value is None:
            return self.say("missing")
        shown, own = show_level(value), self.of(feature.name).levels
        if shown in own:
            return own[shown]
        seen = feature.training_range
        is_boolean = isinstance(value, bool) and all(
            isinstance(one, bool) for one in feature.levels
        )
        if is_boolean or (seen is not None and seen.is_yes_or_no and value in (0, 1)):
            return self.say("yes" if value else "no")
        return shown if isinstance(value, str) else self.number(shown)

    def _condition(self, feature: CardFeature, line: Line) -> str:
        """The condition of a line without values."""
        own = self.of(feature.name).levels
        if line.phrase in ("no", "yes", "just") and (key := format_number(line.first)) in own:
            return own[key]
        ends = ("low", "high", "first", "last")
        shown = {end: self.number(format_number(getattr(line, end))) for end in ends}
        return self.say(line.phrase, **shown)
