"""Why a row has its risk: the points of each feature, the reasons, and what would change it."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from riskcard.data.levels import Label
from riskcard.data.rows_to_score import take_columns
from riskcard.errors import DataError
from riskcard.formatting.numbers import readable_number
from riskcard.formatting.percent import percent
from riskcard.formatting.speech import say
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature
from riskcard.model.rows.lookup import Move, Place, moves_from, place_of
from riskcard.model.terms import Term
from riskcard.model.words.labels import Labels

Value = Label | None

#: The largest number of reasons given for a risk: more than four do not help an applicant.
MOST_REASONS = 4


@dataclass(frozen=True, slots=True)
class FeatureReason:
    """What one feature of a row is worth.

    Attributes
    ----------
    feature, name
        The column, and what the labels of the card call it.
    value, shown
        The value of the row, and the same in words; None when it is missing.
    place
        The line of the card that applies, in words: a range, some levels, "missing".
    points
        The points of that line.
    best
        The points of the bin or group of the feature with the lowest risk: the fewest points, or
        the most where a higher total is safer.
    lost
        How many points worse the line is than the best one; negative where a missing value is better
        than any bin.
    is_guess
        The card has no line for the value, which got the points of the usual bin.
    reason
        The text that the labels of the card give for the feature as a reason; empty without one.
    """

    feature: str
    name: str
    value: Value
    shown: str
    place: str
    points: int
    best: int
    lost: int
    is_guess: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of the card that gives points: in words, whether it holds, its points here."""

    words: str
    holds: bool
    points: int


@dataclass(frozen=True, slots=True)
class Change:
    """Another value of one feature, and what the card says then.

    Attributes
    ----------
    feature, name
        The column, and what the labels of the card call it.
    old, new
        The value of the row, and one with other points: the nearest number, or the first level of
        another group.
    place
        The line of the card that would apply, in words.
    bins
        How many bins away it is; 1 for the other groups of a category.
    size
        By how much a number changes, as a share of the distance between the outer cuts (of the cut
        itself, when there is only one); None where there is no number.
    points
        By how much the total changes.
    total, risk
        What the row would have; the risk is None where the outcome is not yes or no.
    outlook
        What the card gives in place of one risk, in words; empty for an outcome of yes or no.
    """

    feature: str
    name: str
    old: Value
    new: Value
    place: str
    bins: int
    size: float | None
    points: int
    total: int
    risk: float | None
    outlook: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One row on a card; ``print`` it.

    Attributes
    ----------
    title
        Which risk it is, in words.
    features
        One entry per feature, in the order of the card.
    base
        Points that everyone has.
    conditions
        The card as conditions, which with ``intercept`` add up to the total as well.
    intercept
        Points in addition to those of the conditions.
    total, risk
        What the card gives the row; the risk is None where the outcome is not yes or no.
    outlook
        What such a card gives in its place, in words: risks by horizons, or a rate.
    changes
        Other values of one feature that alter the total, nearest first: for a number the nearest
        bins on either side, for a category the other groups.
    higher_is_safer
        A higher total means a lower risk.
    labels
        The words of the card, in whose language the explanation is printed.
    """

    title: str
    features: tuple[FeatureReason, ...]
    base: int
    conditions: tuple[Condition, ...]
    intercept: int
    total: int
    risk: float | None
    changes: tuple[Change, ...]
    higher_is_safer: bool = False
    labels: Labels = field(default_factory=Labels, repr=False)
    outlook: str = ""

    @property
    def outcome_words(self) -> str:
        """The risk, or what the card gives in its place."""
        return percent(self.risk) if self.risk is not None else self.outlook

    @property
    def reasons(self) -> tuple[FeatureReason, ...]:
        """At most four features that raise the risk above that of their best bin, worst first."""
        found = [one for one in self.features if one.lost > 0]
        return tuple(sorted(found, key=lambda one: -one.lost)[:MOST_REASONS])

    @property
    def reason_texts(self) -> tuple[str, ...]:
        """The reasons as they are written to a person: their texts, or the names of the features."""
        return tuple(one.reason or one.name for one in self.reasons)

    @property
    def nearest(self) -> Change | None:
        """The nearest change of one value that alters the total; None when there is none."""
        return self.changes[0] if self.changes else None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dicts, lists, texts and numbers, ready for JSON."""
        content = asdict(self)
        del content["labels"]
        content["reasons"] = [one.feature for one in self.reasons]
        content["reason_texts"] = list(self.reason_texts)
        content["nearest"] = None if self.nearest is None else asdict(self.nearest)
        if self.risk is not None:  # then there is nothing in its place
            nearest = [content["nearest"]] if content["nearest"] else []
            for part in (content, *content["changes"], *nearest):
                del part["outlook"]
        lists = {key: list(content[key]) for key in ("features", "conditions", "changes")}
        return content | lists

    def __str__(self) -> str:
        from riskcard.card.explanation_text import explanation_as_text

        return explanation_as_text(self)

    def to_markdown(self) -> str:
        """Points and reasons as Markdown, for systems that show it."""
        from riskcard.card.explanation_text import explanation_as_markdown

        return explanation_as_markdown(self)

    def _repr_html_(self) -> str:
        from riskcard.card.explanation_text import explanation_as_html

        return explanation_as_html(self)


def explain_row(card: RiskCard, row: Any) -> Explanation:
    """Say why a row has its risk on a card.

    Parameters
    ----------
    card
        The card.
    row
        One row: a mapping from name to value, a row of a pandas frame, a frame or a 2-D array of
        one row, or a sequence of values that follows ``card.feature_names``.

    Examples
    --------
    >>> from riskcard import FeaturePoints, RiskCard
    >>> card = RiskCard([FeaturePoints("age", [60, 75], [0, 2, 3])], base=-1)
    >>> why = card.explain({"age": 71})
    >>> why.total, why.reasons[0].place, why.nearest.new
    (1, '> 60 to ≤ 75', 75.00000000000001)
    """
    values, terms = _values_of(card, row), card.terms
    places = [(one, place_of(one, values[one.name])) for one in card.features]
    total = card.base + sum(place.points for _, place in places)
    standing = {feature.name: place.standing for feature, place in places}
    changes = (
        _change(card, feature, place, move, total)
        for feature, place in places
        for move in moves_from(feature, place)
    )
    return Explanation(
        title=card.title,
        features=tuple(_reason(card, *one) for one in places),
        base=card.base,
        conditions=tuple(_condition(term, standing[term.feature]) for term in terms),
        intercept=card.intercept_of(terms),
        total=total,
        risk=_risk(card, total),
        changes=tuple(sorted(changes, key=_distance)),
        higher_is_safer=card.higher_is_safer,
        labels=card.labels,
        outlook=outlook_of(card, total),
    )


def _risk(card: RiskCard, total: int) -> float | None:
    return float(card.risk_of_total(total)) if card.kind is None else None


def outlook_of(card: RiskCard, total: int) -> str:
    """What a card gives a total in place of one risk, in words; empty for an outcome of yes or no."""
    kind = card.kind
    if kind is None:
        return ""
    figures = kind.figures(card.linear_of_total(total))
    phrases = [one.words.format(*one.texts()) for one in figures]
    shares = [phrase for one, phrase in zip(figures, phrases, strict=True) if one.is_share]
    others = [phrase for one, phrase in zip(figures, phrases, strict=True) if not one.is_share]
    return "; ".join(filter(None, [", ".join(shares), *others]))


def _reason(card: RiskCard, feature: CardFeature, place: Place) -> FeatureReason:
    words = card.lines_of(feature)[place.line].label
    if place.is_guess:
        known = "explain_missing_as" if place.value is None else "explain_unknown_as"
        with card.labels.spoken():
            words = say(known, place=words)
    best = max(feature.points) if card.higher_is_safer else min(feature.points)
    return FeatureReason(
        feature=feature.name,
        name=card.labels.name(feature.name),
        value=place.value,
        shown=_shown(card, feature, place),
        place=words,
        points=place.points,
        best=best,
        lost=best - place.points if card.higher_is_safer else place.points - best,
        is_guess=place.is_guess,
        reason=card.labels.of(feature.name).reason,
    )


def _shown(card: RiskCard, feature: CardFeature, place: Place) -> str:
    """The value in words; a number with few digits, on the same side of every cut."""
    value = place.value
    if value is not None and not feature.levels:
        value = float(readable_number(float(value), feature.cuts))
    return card.labels.value(feature, value)


def _condition(term: Term, value: Value) -> Condition:
    """A one-sided term, seen from the side that gives points."""
    words, points = str(term).rpartition(": ")[0], term.points_of(value)
    return Condition(words, points > 0, points)


def _change(card: RiskCard, feature: CardFeature, place: Place, move: Move, total: int) -> Change:
    new_total = total + move.points
    return Change(
        feature=feature.name,
        name=card.labels.name(feature.name),
        old=place.value,
        new=move.value,
        place=card.lines_of(feature)[move.line].label,
        bins=move.bins,
        size=move.size,
        points=move.points,
        total=new_total,
        risk=_risk(card, new_total),
        outlook=outlook_of(card, new_total),
    )


def _distance(change: Change) -> tuple[int, float, int]:
    return change.bins, math.inf if change.size is None else change.size, abs(change.points)


def _values_of(card: RiskCard, row: Any) -> dict[str, Any]:
    """The values of the features used, from one row however it comes."""
    names, used = card.feature_names, [feature.name for feature in card.features]
    if hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:  # a row of a pandas frame
        row = row.to_dict()
    is_named = isinstance(row, Mapping) or hasattr(row, "columns") or hasattr(row, "column_names")
    if not is_named and _is_flat(row):
        row = [list(row)]
    n_rows, columns = take_columns(row, names, used)
    if used and n_rows != 1:
        raise DataError(
            f"There are {n_rows} rows, but one is explained at a time. Give one of them, such as "
            "X.iloc[3] or a mapping from name to value."
        )
    return {name: column[0] for name, column in columns.items()}


def _is_flat(row: Any) -> bool:
    """A sequence of values, not of rows."""
    if hasattr(row, "ndim"):
        return bool(row.ndim == 1)
    return not any(isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) for value in row)
