"""A card as ordered cases: what every export is written from, so that all of them mean the same."""

import enum
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from riskcard.data.levels import Label
from riskcard.errors import ParameterError
from riskcard.export.answers import Answers, answers_of
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature
from riskcard.model.lines import Line, LineKind


class Kind(enum.Enum):
    """What the values of a feature are."""

    NUMBER = "number"  # has cuts
    TEXT = "text"  # levels, all of them texts
    BOOLEAN = "boolean"  # levels; the numbers 0 and 1 mean them, too
    NUMERIC_LEVEL = "numeric level"  # levels, all of them numbers
    MIXED = "mixed"  # levels of several kinds: 1, "1" and True are three of them


class When(enum.Enum):
    """What a case asks of a value."""

    MISSING = "missing"  # there is none: null, not a number
    EQUAL = "equal"  # it is one of the values of the case
    UP_TO = "up to"  # it is a number up to the one value of the case, this included
    OTHERWISE = "otherwise"  # nothing: it is the last case


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a feature: the first whose condition holds gives the points.

    Attributes
    ----------
    when, values
        The condition: equal to one of the values, or up to the only one.
    points
        What it is worth; None when the card cannot score such a value.
    is_guess
        Training had no such value: the points are those of the usual bin.
    words
        The condition as a reader would say it.
    rows, events
        How many training rows it held, and how many of them had the event; None where the card does
        not know, and for values that training did not have.
    """

    when: When
    values: tuple[Label, ...]
    points: int | None
    is_guess: bool
    words: str
    rows: int | None = None
    events: int | None = None

    @property
    def counted(self) -> str:
        """The training rows in words, for a comment; empty where they are not known."""
        if self.rows is None or self.events is None:
            return ""
        rows = "1 training row" if self.rows == 1 else f"{self.rows} training rows"
        return f"{rows}, {'1 event' if self.events == 1 else f'{self.events} events'}"

    @property
    def cut(self) -> float:
        """The number up to which a value may be."""
        return float(self.values[0])


@dataclass(frozen=True, slots=True)
class FeatureCases:
    """The cases of one feature: the first is a missing value, the last is any other value.

    Attributes
    ----------
    name
        The column.
    kind
        What its values are. An infinite number cannot be scored, whatever the cases say.
    cases
        In the order in which they are asked.
    best
        The points of the bin or group with the lowest risk, from which reasons are counted.
    reason
        What the feature is named by when it is a reason: the text of the labels, or the column.
    heading
        What people call it, with its unit: the name of the labels, or the column.
    """

    name: str
    kind: Kind
    cases: tuple[Case, ...]
    best: int
    reason: str
    heading: str

    @property
    def missing(self) -> Case:
        """The case of a missing value."""
        return self.cases[0]

    @property
    def middle(self) -> tuple[Case, ...]:
        """The cases of known values: special codes and cuts, or groups of levels."""
        return self.cases[1:-1]

    @property
    def otherwise(self) -> Case:
        """The case of all other values: above the last cut, or a level never seen."""
        return self.cases[-1]

    @property
    def levels(self) -> tuple[Label, ...]:
        """All known levels; none for numbers."""
        if self.kind is Kind.NUMBER:
            return ()
        return tuple(level for case in self.middle for level in case.values)

    @property
    def points(self) -> tuple[int, ...]:
        """The points of all cases that have some."""
        return tuple(case.points for case in self.cases if case.points is not None)


@dataclass(frozen=True, slots=True)
class CardCases:
    """A card as cases: ``total = base + points``, and the linear predictor ``total / multiplier + offset``.

    Attributes
    ----------
    features
        One for each feature of the card, in its order.
    base, multiplier, offset
        As on the card.
    title
        Whose risk it is, in words on one line.
    higher_is_safer
        A higher total means a lower risk.
    answers
        What follows from the linear predictor, ``total / multiplier + offset``.
    """

    features: tuple[FeatureCases, ...]
    base: int
    multiplier: float
    offset: float
    title: str
    higher_is_safer: bool
    answers: Answers

    @property
    def is_yes_or_no(self) -> bool:
        """Whether the linear predictor is the log-odds of an event."""
        return self.answers.linear == "log_odds"

    def lost(self, feature: FeatureCases, points: int) -> int:
        """By how many points a bin is worse than the best one of its feature."""
        return feature.best - points if self.higher_is_safer else points - feature.best

    @property
    def widest_log_odds(self) -> float:
        """No log-odds, or other linear predictors, are farther from 0 than this."""
        ends = (self.base + sum(end(one.points) for one in self.features) for end in (min, max))
        return max(abs(total / self.multiplier + self.offset) for total in ends)


def cases_of(card: RiskCard) -> CardCases:
    """Describe a card as cases.

    Examples
    --------
    >>> from riskcard import FeaturePoints
    >>> card = RiskCard([FeaturePoints("age", [60], [0, 3], missing=1, codes=[(-9, 2)])])
    >>> for case in cases_of(card).features[0].cases:
    ...     print(case.words, case.points)
    missing 1
    -9 2
    <= 60 0
    > 60 3
    """
    return CardCases(
        features=tuple(_feature_cases(card, one) for one in card.features),
        base=card.base,
        multiplier=card.multiplier,
        offset=card.offset,
        title=_title(card),
        higher_is_safer=card.higher_is_safer,
        answers=answers_of(card),
    )


def _title(card: RiskCard) -> str:
    title = f"r{card.title[1:]}" + ("; a higher total is safer" if card.higher_is_safer else "")
    return "".join(sign if sign.isprintable() else " " for sign in title)


def _feature_cases(card: RiskCard, feature: CardFeature) -> FeatureCases:
    lines = card.lines_of(feature)
    usual = next((line.points for line in lines if line.is_usual), None)
    missing = Case(When.MISSING, (), usual, True, "missing")
    for line in lines:
        if line.kind is LineKind.MISSING:
            missing = _case(When.MISSING, (), line, "missing")
    codes = [_equal(line) for line in lines if line.kind is LineKind.CODE]
    ranges = [_up_to(line) for line in lines if line.kind is LineKind.RANGE]
    groups = [_equal(line) for line in lines if line.kind is LineKind.LEVELS]
    others = [Case(When.OTHERWISE, (), usual, True, "any other level")] if groups else []
    return FeatureCases(
        feature.name,
        _kind_of(feature),
        (missing, *codes, *ranges, *groups, *others),
        best=(max if card.higher_is_safer else min)(feature.points),
        reason=card.labels.of(feature.name).reason or feature.name,
        heading=card.labels.heading(feature.name),
    )


def _case(when: When, values: tuple[Label, ...], line: Line, words: str) -> Case:
    return Case(when, values, line.points, False, words, line.rows, line.events)


def _equal(line: Line) -> Case:
    return _case(When.EQUAL, line.values, line, line.label)


def _up_to(line: Line) -> Case:
    """A bin of numbers; whatever is above the last cut needs no comparison."""
    if line.high == math.inf:
        words = line.label if line.low > -math.inf else "any other number"
        return _case(When.OTHERWISE, (), line, words)
    words = line.label.replace("≤", "<=")
    return _case(When.UP_TO, (line.high,), line, words)


def _kind_of(feature: CardFeature) -> Kind:
    kinds = {_kind_of_level(level) for level in feature.levels} or {Kind.NUMBER}
    return kinds.pop() if len(kinds) == 1 else Kind.MIXED


def _kind_of_level(level: Label) -> Kind:
    if isinstance(level, bool):
        return Kind.BOOLEAN
    return Kind.TEXT if isinstance(level, str) else Kind.NUMERIC_LEVEL


# --- what exports ask for -----------------------------------------------------------------------


def cases_for(card: RiskCard, place: str, number: str) -> CardCases:
    """The cases of a card for a format in which a column has one type.

    Parameters
    ----------
    card
        The card; levels of several kinds are refused, and numbers that no float can hold.
    place, number
        What such a column and a number are called there, for error messages.
    """
    cases = cases_of(card)
    for feature in cases.features:
        if feature.kind is Kind.MIXED:
            listed = ", ".join(repr(level) for level in feature.levels[:5])
            raise ParameterError(
                f"The levels of {feature.name!r} are of several kinds ({listed}), but {place} has "
                "values of one kind. Make all of them texts, or export to Python or JavaScript."
            )
    require_exact_levels(cases, number)
    return cases


def require_exact_levels(cases: CardCases, where: str) -> None:
    """Refuse whole numbers as levels that no float can hold: they would be taken for others."""
    for feature in cases.features:
        for level in feature.levels:
            if isinstance(level, int) and not _is_exact(level):
                raise ParameterError(
                    f"The level {level} of {feature.name!r} has more digits than {where} can hold. "
                    "Make the levels texts, or export to Python."
                )


def _is_exact(level: int) -> bool:
    try:
        return float(level) == level
    except OverflowError:
        return False


def require_features(cases: CardCases, what: str) -> None:
    """Refuse a card that asks for nothing where an export needs an input."""
    if not cases.features:
        raise ParameterError(
            f"The card has no features: everyone has the same risk, and {what} needs an input. "
            "Export a card with features."
        )


def refuse_texts(cases: CardCases, forbidden: re.Pattern[str], fault: str) -> None:
    """Refuse names, levels and reasons in which a format cannot hold some character, by name of the fault."""
    for feature in cases.features:
        texts = {f"The name of the feature {feature.name!r}": feature.name}
        texts[f"The reason of {feature.name!r}"] = feature.reason
        texts |= {f"The level {one!r} of {feature.name!r}": str(one) for one in feature.levels}
        for what, text in texts.items():
            if forbidden.search(text):
                raise ParameterError(f"{what} has {fault}. Change it.")


def new_names(wanted: Sequence[str], taken: Iterable[str]) -> list[str]:
    """Names that differ from those taken and from each other, whatever their case.

    Examples
    --------
    >>> new_names(["total", "risk"], taken=["Risk"])
    ['total', 'risk_2']
    """
    used = {name.casefold() for name in taken}
    found = []
    for name in wanted:
        number, new = 1, name
        while new.casefold() in used:
            number += 1
            new = f"{name}_{number}"
        used.add(new.casefold())
        found.append(new)
    return found
