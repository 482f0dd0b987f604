"""What rows came to, as it was given: a label, a time to an event, a count, a level or a number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues
from riskcard.data.target import read_target, read_weights
from riskcard.errors import DataError, ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import Counts, OrderedLevels, TimeToEvent, event_code
from riskcard.model.outcome_kinds import Numbers as NumberKind
from riskcard.outcomes.levels import level_order, read_levels, upper_half
from riskcard.outcomes.targets import (
    above_middle,
    read_counts,
    read_exposure,
    read_squarable,
    read_survival,
)

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RawOutcome:
    """What the rows came to.

    Attributes
    ----------
    labels
        Of each row: one of the classes of the card, or what was given where that is another.
    columns
        What rows have in addition to a label, by the names that their hash has: "time" with "entry" or
        "competing", "count" and "exposure", "level" (its place), or "number".
    fit
        The target and further arguments of ``fit`` that give these rows.
    """

    labels: NDArray[Any]
    columns: Mapping[str, Numbers] = field(default_factory=dict)
    fit: Mapping[str, Any] = field(default_factory=dict)

    @property
    def features(self) -> dict[str, FeatureValues]:
        """The further columns as the hash of rows takes them."""
        return {name: FeatureValues(one, None) for name, one in self.columns.items()}

    def take(self, rows: NDArray[np.bool_]) -> RawOutcome:
        """Some of the rows; only what is needed to work out exposures."""
        columns = {name: one[rows] for name, one in self.columns.items()}
        return replace(self, labels=self.labels[rows], columns=columns, fit={})


def read_outcome(
    card: RiskCard, y: Any, n_rows: int, further: Mapping[str, Any], sample_weight: Any = None
) -> RawOutcome:
    """Read the outcome of rows as the card knows it.

    Parameters
    ----------
    card
        A card of any kind.
    y
        Labels, events with times, or counts.
    n_rows
        Of the table.
    further
        "entry" or "exposure", where given.
    sample_weight
        One weight per row, as given: rows without weight do not say which numbers are high.
    """
    for name, kind in (("entry", TimeToEvent), ("exposure", Counts)):
        if further.get(name) is not None and not isinstance(card.kind, kind):
            raise ParameterError(
                f"{name} is given, but this card has no use for it: its outcome is of another kind. Leave it out."
            )
    if isinstance(card.kind, TimeToEvent):
        return _read_times(card, card.kind, y, n_rows, further.get("entry"))
    if isinstance(card.kind, Counts):
        counts, exposed = read_counts(y, n_rows), read_exposure(further.get("exposure"), n_rows)
        columns = {"count": counts, "exposure": exposed}
        return RawOutcome(_labels(card, counts > 0), columns, {"y": counts, "exposure": exposed})
    if isinstance(card.kind, OrderedLevels):
        order = None if card.recipe is None else card.recipe.parameters.get("levels")
        rows = read_levels(y, n_rows, level_order(y, card.kind.levels, order))
        columns = {"level": rows.codes.astype(np.float64)}
        given = np.array(rows.names, dtype=object)[rows.codes]
        return RawOutcome(_labels(card, upper_half(rows)), columns, {"y": given})
    if isinstance(card.kind, NumberKind):
        numbers = read_squarable(y, n_rows)
        is_high = above_middle(numbers, read_weights(sample_weight, n_rows))
        return RawOutcome(_labels(card, is_high), {"number": numbers}, {"y": numbers})
    labels = read_target(y, n_rows)
    return RawOutcome(labels, fit={"y": labels})


def require_learnable(card: RiskCard, outcome: RawOutcome, sample_weight: Any) -> None:
    """Refuse rows that no card of this kind can have been learned from: without a level, or with one number only."""
    why, is_kept = "", read_weights(sample_weight, outcome.labels.size) > 0
    if isinstance(card.kind, OrderedLevels):
        present = set(outcome.columns["level"][is_kept].tolist())
        absent = [name for place, name in enumerate(card.kind.levels) if place not in present]
        why = f"No row has the level {absent[0]!r} of the card" if absent else ""
    if isinstance(card.kind, NumberKind):
        numbers = outcome.columns["number"][is_kept]
        why = "" if np.ptp(numbers) > 0 else f"The target y is {numbers[0]:g} in every row"
    if why:
        raise DataError(
            f"{why}, so that these are not the rows that the card was learned from. Give those."
        )


def _read_times(card: RiskCard, kind: TimeToEvent, y: Any, n_rows: int, entry: Any) -> RawOutcome:
    """Events with times, or codes of events."""
    code = None if kind.competing is None else event_code(card.recipe)
    rows = read_survival(y, n_rows, entry, code).rows
    columns, codes = {"time": rows.time}, rows.is_event.astype(np.float64)
    if rows.is_competing is not None:
        columns["competing"] = rows.is_competing.astype(np.float64)
        assert code is not None
        codes = np.where(rows.is_event, code, np.where(rows.is_competing, 2 * code, 0)).astype(
            float
        )
    if rows.entry is not None:
        columns["entry"] = rows.entry
    fit = {"y": np.column_stack([codes, rows.time]), "entry": rows.entry}
    return RawOutcome(_labels(card, rows.is_event), columns, fit)


def _labels(card: RiskCard, is_event: NDArray[np.bool_]) -> NDArray[Any]:
    labels: NDArray[Any] = np.array(card.classes, dtype=object)[is_event.astype(int)]
    return labels
