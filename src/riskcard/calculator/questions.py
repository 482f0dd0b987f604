"""What the calculator asks: one question per feature of a card, with the rows that light up."""

from dataclasses import asdict, dataclass
from typing import Any

from riskcard.calculator.wording import FeatureWords, PageWords
from riskcard.data.levels import Label
from riskcard.formatting.numbers import format_number
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature
from riskcard.model.lines import Line, show_level

#: Up to this many choices are buttons; more of them are a list to open.
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
            "choices": [asdict(one) for one in self.choices],
            "lowest": self.words.lowest,
            "highest": self.words.highest,
        }


def questions_of(card: RiskCard, words: PageWords) -> tuple[Question, ...]:
    """The questions of a card, in its order."""
    return tuple(_question(feature, words) for feature in card.features)


def known_levels(card: RiskCard) -> dict[str, tuple[str, ...]]:
    """The features of a card, and the levels of each as the card shows them; none for a number."""
    return {feature.name: tuple(map(show_level, feature.levels)) for feature in card.features}


def _question(feature: CardFeature, words: PageWords) -> Question:
    own = words.features.get(feature.name, FeatureWords())
    lines = feature.lines()
    rows = tuple(Row(_line_words(line, feature, words), line.points) for line in lines)
    choices = [
        Choice(show_level(value), _value_words(value, feature, words), place)
        for place, line in enumerate(lines)
        for value in line.values
    ]
    if len(choices) >= _MOST_BUTTONS and not feature.is_ordered:
        choices.sort(key=lambda choice: choice.label.casefold())
    if feature.missing is not None:
        choices.append(Choice(_MISSING, words.say("missing"), len(lines) - 1))
    kind = "number"
    if feature.levels:
        kind = "buttons" if len(choices) <= _MOST_BUTTONS else "list"
    kind = kind if len(rows) > 1 else "none"
    return Question(kind, feature.name, own, rows, feature.cuts, tuple(choices))


def _line_words(line: Line, feature: CardFeature, words: PageWords) -> str:
    """The condition of a line as the page calls it."""
    if line.values:
        named = (_value_words(value, feature, words) for value in line.values)
        return words.words["separator"].join(named)
    ends = ("low", "high", "first", "last")
    shown = {end: words.number(format_number(getattr(line, end))) for end in ends}
    cut = shown["high" if line.phrase == "at_most" else "low"]
    return words.say(line.phrase, cut=cut, **shown)


def _value_words(value: Label, feature: CardFeature, words: PageWords) -> str:
    """A level or a code as people call it; booleans are yes and no where nothing else is."""
    shown = show_level(value)
    own = words.features.get(feature.name, FeatureWords())
    if shown in own.levels:
        return own.levels[shown]
    if isinstance(value, bool) and all(isinstance(one, bool) for one in feature.levels):
        return words.say("yes" if value else "no")
    return shown if isinstance(value, str) else words.number(shown)
