"""What the calculator asks: one question for each feature of a card, with the rows that light up."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from riskcard.calculator.wording import FeatureWords, PageWords
from riskcard.data.levels import Label
from riskcard.formatting.numbers import format_number
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.lines import show_level

#: Up to so many choices stand side by side; more of them are a list to open.
_MOST_BUTTONS = 7
#: The word for a missing value in the address of the page; a level of that name is in quotes.
_MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Row:
    """A condition of the card and its points."""

    label: str
    points: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A level, a special value or "missing", which can be chosen.

    Attributes
    ----------
    key
        What it is called in the address of the page.
    label
        In words.
    row
        The condition that holds then.
    """

    key: str
    label: str
    row: int


@dataclass(frozen=True, slots=True)
class Question:
    """How one feature is asked for.

    Attributes
    ----------
    kind
        "number", "buttons", "list", or "none" where every answer has the same points.
    feature
        The name of the column.
    words
        How it is called here, its unit, its help and its limits.
    rows
        The conditions: bins or groups first, then special values, then missing.
    cuts
        The cuts of a number.
    choices
        For a number its special values and "missing"; otherwise all levels, and "missing".
    """

    kind: str
    feature: str
    words: FeatureWords
    rows: tuple[Row, ...]
    cuts: tuple[float, ...] = ()
    choices: tuple[Choice, ...] = ()

    @property
    def name(self) -> str:
        """The feature in words."""
        return self.feature if self.words.name is None else self.words.name

    def as_data(self) -> dict[str, Any]:
        """What the script of the page needs."""
        return {
            "kind": self.kind,
            "feature": self.feature,
            "name": self.name,
            "points": [row.points for row in self.rows],
            "labels": [row.label for row in self.rows],
            "cuts": list(self.cuts),
            "choices": [
                {"key": one.key, "label": one.label, "row": one.row} for one in self.choices
            ],
            "lowest": self.words.lowest,
            "highest": self.words.highest,
        }


def questions_of(card: RiskCard, words: PageWords) -> tuple[Question, ...]:
    """The questions of a card, in its order."""
    return tuple(
        _about_levels(feature, words)
        if isinstance(feature, LevelPoints)
        else _about_number(feature, words)
        for feature in card.features
    )


def known_levels(card: RiskCard) -> dict[str, tuple[str, ...]]:
    """The features of a card, and the levels of each as the card shows them; none for a number."""
    return {
        feature.name: tuple(map(show_level, feature.levels))
        if isinstance(feature, LevelPoints)
        else ()
        for feature in card.features
    }


def _about_number(feature: FeaturePoints, words: PageWords) -> Question:
    labels = _bin_labels(feature, words)
    rows = [Row(label, points) for label, points in zip(labels, feature.points, strict=True)]
    choices = []
    for value, points in feature.codes:
        text = format_number(value)
        choices.append(Choice(text, words.number(text), len(rows)))
        rows.append(Row(words.number(text), points))
    if feature.missing is not None:
        choices.append(Choice(_MISSING, words.say("missing"), len(rows)))
        rows.append(Row(words.say("missing"), feature.missing))
    own = words.features.get(feature.name, FeatureWords())
    kind = "number" if len(rows) > 1 else "none"
    return Question(kind, feature.name, own, tuple(rows), feature.cuts, tuple(choices))


def _bin_labels(feature: FeaturePoints, words: PageWords) -> list[str]:
    cuts = [words.number(format_number(cut)) for cut in feature.cuts]
    if not cuts:
        key = "any_value" if feature.missing is None else "not_missing"
        return [words.say("any_other_value" if feature.codes else key)]
    between = [words.say("between", low=low, high=high) for low, high in pairwise(cuts)]
    return [words.say("at_most", cut=cuts[0]), *between, words.say("above", cut=cuts[-1])]


def _about_levels(feature: LevelPoints, words: PageWords) -> Question:
    own = words.features.get(feature.name, FeatureWords())
    rows: list[Row] = []
    choices: list[Choice] = []
    for group, points in zip(feature.groups, feature.points, strict=True):
        named = [_level_words(level, feature, own, words) for level in group]
        choices += [
            Choice(show_level(level), name, len(rows))
            for level, name in zip(group, named, strict=True)
        ]
        rows.append(Row(words.words["separator"].join(named), points))
    if len(choices) >= _MOST_BUTTONS and not feature.is_ordered:
        choices.sort(key=lambda choice: choice.label.casefold())
    if feature.missing is not None:
        choices.append(Choice(_MISSING, words.say("missing"), len(rows)))
        rows.append(Row(words.say("missing"), feature.missing))
    kind = "buttons" if len(choices) <= _MOST_BUTTONS else "list"
    kind = "none" if len(rows) == 1 else kind
    return Question(kind, feature.name, own, tuple(rows), choices=tuple(choices))


def _level_words(level: Label, feature: LevelPoints, own: FeatureWords, words: PageWords) -> str:
    """A level as people call it; booleans are yes and no where nothing else is."""
    shown = show_level(level)
    if shown in own.levels:
        return own.levels[shown]
    if all(isinstance(one, bool) for one in feature.levels):
        return words.say("yes" if level else "no")
    return words.number(shown) if isinstance(level, (int, float)) else shown
