"""What was read, in a few lines, before anything is learned from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues
from riskcard.data.first_look.identifiers import LeftOut
from riskcard.data.first_look.leaks import Leak, find_leaks
from riskcard.data.first_look.likely_codes import LikelyCode, find_likely_codes
from riskcard.data.first_look.rare_levels import FEW_ROWS, RareLevels, find_rare_levels
from riskcard.data.first_look.repeats import Repeat
from riskcard.data.first_look.similar_levels import SimilarLevels, find_similar_levels
from riskcard.data.levels import BOOLEAN
from riskcard.formatting.figures import count
from riskcard.formatting.numbers import format_number
from riskcard.formatting.percent import percent

#: Fewer rows of the rarer class than this for each term are few.
EVENTS_PER_TERM = 10
#: The most names in one line, and the most lines of remarks.
_MOST_NAMES, _MOST_REMARKS = 5, 12
_SINGULAR = {"numbers": "number", "categories": "category"}


@dataclass(frozen=True, slots=True)
class DataSummary:
    """What was read; ``print`` it.

    Attributes
    ----------
    rows, events
        Counts, without rows that are left out.
    outcome
        The name of the target; None where it has none.
    classes
        The labels: no event, event.
    kinds
        From the kind of columns, in words, to their number; constant ones are not counted.
    with_missing
        The number of columns with missing values.
    left_out
        Columns that are not used, and why.
    constant
        Columns that have one value only.
    leaks
        Columns that alone separate nearly all rows.
    similar
        Levels that differ only in case or spaces.
    rare
        Columns with many levels of a few rows each.
    codes
        Columns whose only negative numbers look like codes.
    repeats
        Columns that say whose rows these are, where one person or thing has several rows.
    notes
        What was done to the file, in sentences.
    max_terms
        The largest number of terms of the card; None where it is yet to be chosen.
    counts_events
        What is known is counted by events alone, as for hazards and rates: rows without the event may
        be few, or none.
    outcome_words
        What the outcome is, where it is not yes or no; ``events`` are then those, or the upper half.
    """

    rows: int
    events: int
    outcome: str | None
    classes: tuple[Any, Any]
    kinds: Mapping[str, int]
    with_missing: int
    left_out: tuple[LeftOut, ...] = ()
    constant: tuple[str, ...] = ()
    leaks: tuple[Leak, ...] = ()
    similar: tuple[SimilarLevels, ...] = ()
    rare: tuple[RareLevels, ...] = ()
    codes: tuple[LikelyCode, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    notes: tuple[str, ...] = ()
    max_terms: int | None = None
    counts_events: bool = False
    outcome_words: str | None = None

    def __str__(self) -> str:
        words = (lambda label: f"event={label!r}", "identifiers=None keeps them", "groups=")
        return "\n".join(self.lines(*words))

    def lines(self, choose_event: Callable[[Any], str], keep: str, group: str) -> list[str]:
        """One fact per line.

        Parameters
        ----------
        choose_event, keep, group
            How to choose the other event, to keep columns that are left out, and to name groups.
        """
        lines = [f"Outcome: {self.outcome_words}", f"Columns: {self._columns()}"]
        name = "" if self.outcome is None else f"{self.outcome} = "
        found = f"all {self.rows:,} rows"
        if self.events < self.rows:
            found = f"{self.events:,} of {self.rows:,} rows ({percent(self.events / self.rows)}); "
            found += f"{choose_event(self.classes[0])} reverses it"
        if self.outcome_words is None:
            lines[0] = f"Event: {name}{self.classes[1]}, {found}"
        reasons: dict[str, list[str]] = {}
        for one in self.left_out:
            reasons.setdefault(one.reason, []).append(one.name)
        for reason, names in reasons.items():
            lines.append(f"Left out: {listed(names)}, since {reason}; {keep}")
        if self.constant:
            lines.append(f"Constant, so of no use: {listed(self.constant)}")
        remarks = [*self.notes, *self._remarks(group)]
        if len(remarks) > _MOST_REMARKS:
            more = len(remarks) - _MOST_REMARKS + 1
            remarks = [*remarks[: _MOST_REMARKS - 1], f"and {more} more remarks"]
        lines += [remark.removesuffix(".") for remark in remarks]
        return ["What was read", *(f"  {line}" for line in lines)]

    def _columns(self) -> str:
        kinds = [
            f"{number} {_SINGULAR.get(kind, kind) if number == 1 else kind}"
            for kind, number in self.kinds.items()
            if number
        ]
        missing = f"; missing values in {self.with_missing}" if self.with_missing else ""
        return f"{', '.join(kinds) or 'none'}{missing}"

    def _remarks(self, group: str) -> list[str]:
        found = [
            f"{self.rows:,} rows have {one.values:,} values of {one.name!r}: rows of one are not "
            f"independent, so keep them together with {group} when a card is tuned or judged"
            for one in self.repeats
        ]
        found += [
            f"Levels of {one.name!r} differ only in case or spaces: {listed(one.levels)}. If they mean the same, "
            "write them in one way"
            for one in self.similar
        ]
        found += [
            f"{one.levels:,} levels of {one.name!r} have fewer than {FEW_ROWS} rows each ({one.rows:,} rows "
            "in all): too "
            "few to judge them one by one. Put similar ones together, or leave the column out"
            for one in self.rare
        ]
        found += [
            f"{one.name!r} is {' or '.join(map(format_number, one.codes))} in {count(one.rows, 'row')} and "
            "otherwise at least "
            f"{format_number(one.lowest)}. If that is a code rather than a number, declare it "
            "missing (--missing) or name it in a rule (codes)"
            for one in self.codes
        ]
        found += [
            f"{leak.name!r} alone separates nearly all rows (AUC {leak.area:.3f}): make sure that it is "
            "known before the outcome"
            for leak in self.leaks
        ]
        rarer = self.events
        if not self.counts_events:
            rarer = min(rarer, self.rows - self.events)
        what = "rows with the event" if rarer == self.events else "rows without the event"
        if self.outcome_words is not None and not self.counts_events:
            rarer, what = self.rows, "rows"
        terms = 3 if self.max_terms is None else self.max_terms
        if rarer < EVENTS_PER_TERM * terms:
            size = "" if self.max_terms is None else f" for {terms} term{'s' if terms > 1 else ''}"
            found.append(f"{rarer} {what}{size} are few: expect little of the card on new data")
        return found


def summarize(
    features: Mapping[str, FeatureValues],
    is_event: NDArray[np.bool_],
    classes: tuple[Any, Any],
    **known: Any,
) -> DataSummary:
    """Describe the rows that a card is to be learned from.

    Parameters
    ----------
    features
        From name to values and levels, without columns that are left out.
    is_event
        Which rows have the event.
    classes
        No event, event.
    known
        Further attributes of the summary.
    """
    kinds = dict.fromkeys(("numbers", "yes or no", "categories"), 0)
    constant, with_missing = [], 0
    for name, feature in features.items():
        is_missing = np.isnan(feature.values)
        if is_missing.all() or bool((feature.values == feature.values[0]).all()):
            constant.append(name)
            continue
        kinds[_kind_of(feature)] += 1
        with_missing += bool(is_missing.any())
    return DataSummary(
        rows=is_event.size,
        events=int(np.count_nonzero(is_event)),
        classes=classes,
        kinds=kinds,
        with_missing=with_missing,
        constant=tuple(constant),
        leaks=find_leaks(features, is_event),
        similar=find_similar_levels(features),
        rare=find_rare_levels(features),
        codes=find_likely_codes(features),
        **known,
    )


def listed(names: Sequence[str]) -> str:
    """The first names, in quotes."""
    return ", ".join(map(repr, names[:_MOST_NAMES])) + (
        f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    )


def _kind_of(feature: FeatureValues) -> str:
    if feature.levels is not None:
        return "yes or no" if feature.levels == BOOLEAN else "categories"
    values = feature.values
    is_zero_or_one = (values == 0) | (values == 1) | np.isnan(values)
    return "yes or no" if is_zero_or_one.all() else "numbers"
