"""What rows came to, as it was given: a label, a time to an event, or a count; and their exposure by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.columns import FeatureValues
from riskcard.data.target import read_target
from riskcard.errors import ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import Counts, TimeToEvent
from riskcard.outcomes.targets import read_counts, read_exposure, read_survival

#: Comparisons of rows with times that are made at once.
COMPARED_AT_ONCE = 4_000_000

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RawOutcome:
    """What the rows came to.

    Attributes
    ----------
    labels
        Of each row: one of the classes of the card, or what was given where that is another.
    columns
        What rows have in addition to a label, by the names that their hash has: "time" and "entry", or "count"
        and "exposure".
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


def read_outcome(card: RiskCard, y: Any, n_rows: int, further: Mapping[str, Any]) -> RawOutcome:
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
    """
    for name, kind in (("entry", TimeToEvent), ("exposure", Counts)):
        if further.get(name) is not None and not isinstance(card.kind, kind):
            raise ParameterError(
                f"{name} is given, but this card has no use for it: its outcome is of another kind. Leave it out."
            )
    if isinstance(card.kind, TimeToEvent):
        rows = read_survival(y, n_rows, further.get("entry")).rows
        columns = {"time": rows.time}
        if rows.entry is not None:
            columns["entry"] = rows.entry
        fit = {"y": np.column_stack([rows.is_event, rows.time]), "entry": rows.entry}
        return RawOutcome(_labels(card, rows.is_event), columns, fit)
    if isinstance(card.kind, Counts):
        counts, exposed = read_counts(y, n_rows), read_exposure(further.get("exposure"), n_rows)
        columns = {"count": counts, "exposure": exposed}
        return RawOutcome(_labels(card, counts > 0), columns, {"y": counts, "exposure": exposed})
    labels = read_target(y, n_rows)
    return RawOutcome(labels, fit={"y": labels})


def _labels(card: RiskCard, is_event: NDArray[np.bool_]) -> NDArray[Any]:
    labels: NDArray[Any] = np.array(card.classes, dtype=object)[is_event.astype(int)]
    return labels


# --- exposures ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HandRates:
    """Exposure and events of each row, times its weight.

    Attributes
    ----------
    exposure, events
        Of each row; the exposure is in a unit in which the average rate is 1.
    log_unit
        What a logarithm of a rate on the card is above that of the rate in this unit; 0 for hazards.
    """

    exposure: Numbers
    events: Numbers
    log_unit: float

    def with_pseudo_rows(self, average: float, smooth: float, rates: Numbers) -> HandRates:
        """The same with pseudo-observations, which are shares of the exposure of each row.

        Parameters
        ----------
        average, smooth
            The shares with the average rate, which is 1, and with the smooth one.
        rates
            The smooth rate of each row.
        """
        return replace(
            self,
            exposure=self.exposure * (1 + average + smooth),
            events=self.events + self.exposure * (average + smooth * rates),
        )

    def loss(self, linear: Numbers) -> float:
        """Half the Poisson deviance at the logarithms of rates that a card gives: row by row."""
        expected = self.exposure * np.exp(linear - self.log_unit)
        happened = self.events > 0
        surplus = self.events[happened] * np.log(self.events[happened] / expected[happened])
        return math.fsum(expected) - math.fsum(self.events) + math.fsum(surplus)


def rates_by_hand(
    card: RiskCard, outcome: RawOutcome, is_event: NDArray[np.bool_], weights: Numbers
) -> HandRates:
    """Exposure and events of rows, from times or from counts."""
    if isinstance(card.kind, Counts):
        counts, exposed = outcome.columns["count"], outcome.columns["exposure"]
        n_events, whole = math.fsum(weights * counts), math.fsum(weights * exposed)
        exposure = weights * exposed * (n_events / whole)
        return HandRates(exposure, weights * counts, math.log(n_events) - math.log(whole))
    moments, hazards = hazards_by_hand(outcome, is_event, weights)
    exposure = _hazard_until(moments, hazards, outcome.columns["time"])
    if "entry" in outcome.columns:
        entry = outcome.columns["entry"]
        exposure = exposure - np.where(entry > 0, _hazard_until(moments, hazards, entry), 0.0)
    return HandRates(weights * exposure, weights * is_event, 0.0)


def hazards_by_hand(
    outcome: RawOutcome,
    is_event: NDArray[np.bool_],
    weights: Numbers,
    relative: Numbers | float = 1.0,
) -> tuple[Numbers, Numbers]:
    """The times with events, and the cumulative hazard at each: of Nelson and Aalen, or Breslow's.

    Every time is compared with every row. At each the hazard rises by the weight of the rows that have the event
    then, divided by the weight, times the relative hazard, of those that are at risk.

    Parameters
    ----------
    outcome
        Times, and entries where rows came late.
    is_event, weights
        Of each row.
    relative
        The relative hazard of each row; 1 for Nelson and Aalen's.
    """
    time = outcome.columns["time"]
    entry = outcome.columns.get("entry", np.zeros(time.size))
    moments, steps = np.unique(time[is_event]), []
    for begin in range(0, moments.size, size := max(1, COMPARED_AT_ONCE // time.size)):
        moment = moments[begin : begin + size, None]
        is_there = (time >= moment) & ((entry < moment) | (entry == 0))
        has_event = (time == moment) & is_event
        steps.append((has_event @ weights) / (is_there @ (weights * relative)))
    return moments, np.cumsum(np.concatenate(steps))


def _hazard_until(moments: Numbers, hazards: Numbers, times: Numbers) -> Numbers:
    """The cumulative hazard up to each of some times, these included."""
    found: Numbers = np.concatenate([[0.0], hazards])[np.searchsorted(moments, times, side="right")]
    return found
