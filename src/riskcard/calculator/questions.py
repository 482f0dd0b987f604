"""What the calculator asks: one question per feature of a card, with the rows that light up."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from riskcard.data.levels import Label
from riskcard.formatting.numbers import format_number, minus
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature
from riskcard.model.lines import Line, show_level
from riskcard.model.value_range import ValueRange
from riskcard.model.words.labels import FeatureLabel, Labels

#: Up to this many choices are buttons; more of them are a list to open.
_MOST_BUTTONS = 7
#: The word for a missing value in the address of the page; a level of that name is in quotes.
_MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Row:
    """A condition of the card, its points, and how many training rows and events it held."""

    label: str
    points: int
    rows: int | None = None
    events: int | None = None


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
    name
        What it is called.
    label
        Its unit, its help and its limits.
    rows
        The conditions: bins or groups first, then special values, then missing.
    cuts
        The cuts of a number.
    seen
        The numbers in training; others get a remark.
    choices
        For a number its special values and "missing"; otherwise all levels, and "missing".
    best
        The points of the bin or group with the lowest risk, from which reasons are counted.
    reason
        What the feature is named by when it is a reason.
    """

    kind: str
    feature: str
    name: str
    label: FeatureLabel
    rows: tuple[Row, ...]
    cuts: tuple[float, ...] = ()
    seen: ValueRange | None = None
    choices: tuple[Choice, ...] = ()
    best: int = 0
    reason: str = ""

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
            "seen": None if self.seen is None else [self.seen.lowest, self.seen.highest],
            "lowest": self.label.lowest,
            "highest": self.label.highest,
            "best": self.best,
            "reason": self.reason,
        }


def questions_of(card: RiskCard) -> tuple[Question, ...]:
    """The questions of a card, in its order."""
    best = max if card.higher_is_safer else min
    return tuple(
        replace(_question(one, card.labels), best=best(one.points)) for one in card.features
    )


def _question(feature: CardFeature, labels: Labels) -> Question:
    lines = labels.lines(feature)
    rows = tuple(
        Row(_line_words(line, labels), line.points, line.rows, line.events) for line in lines
    )
    is_answer = any(line.phrase in ("no", "yes") for line in lines)
    choices = [
        Choice(format_number(line.first), line.label, place)
        for place, line in enumerate(lines)
        if line.phrase in ("no", "yes")
    ]
    choices += [
        Choice(show_level(value), _shown(words, value), place)
        for place, line in enumerate(lines)
        for value, words in zip(line.values, line.value_labels, strict=bool(line.values))
    ]
    if len(choices) >= _MOST_BUTTONS and not feature.is_ordered:
        choices.sort(key=lambda choice: choice.label.casefold())
    if feature.missing is not None:
        choices.append(Choice(_MISSING, labels.say("missing"), len(lines) - 1))
    kind = "number"
    if feature.levels or is_answer:
        kind = "buttons" if len(choices) <= _MOST_BUTTONS else "list"
    kind = kind if len(rows) > 1 else "none"
    return Question(
        kind=kind,
        feature=feature.name,
        name=labels.name(feature.name),
        label=labels.of(feature.name),
        rows=rows,
        cuts=feature.cuts,
        seen=feature.training_range,
        choices=tuple(choices),
        reason=labels.reason(feature.name),
    )


def _line_words(line: Line, labels: Labels) -> str:
    """The condition of a line as the page calls it."""
    if not line.values:
        return minus(line.label)
    named = map(_shown, line.value_labels, line.values)
    return labels.say("separator").join(named)


def _shown(words: str, value: Label) -> str:
    """A value in words, with a true minus sign where it is a number."""
    return words if isinstance(value, str) else minus(words)
