"""What a card gives where its outcome is not yes or no: risks by horizons, or rates."""

from __future__ import annotations

import bisect
import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.checks import finite_number, set_fields, set_numbers
from riskcard.errors import ParameterError


@dataclass(frozen=True, slots=True)
class TimeToEvent:
    """An event that comes after some time, or not yet: the card gives the risk by a horizon.

    ``exp(total / multiplier + offset)`` is the *relative hazard*. Its average is 1 over the time that
    training rows were at risk: weighted by exposure, Nelson and Aalen's cumulative hazard over that time,
    pseudo-observations included. The baseline is Breslow's estimate of the cumulative hazard of someone
    whose relative hazard is 1. The risk by a horizon is ``1 - exp(-baseline(horizon) * relative hazard)``.

    Attributes
    ----------
    time
        What the times are called, such as "days".
    horizons
        The times by which the card shows the risk, ascending.
    times, hazards
        The times at which the baseline steps up, ascending, and its value from each of them on.
    last
        The longest time that a training row was followed; later, nothing is known.
    """

    time: str
    horizons: tuple[float, ...]
    times: tuple[float, ...]
    hazards: tuple[float, ...]
    last: float

    def __post_init__(self) -> None:
        numbers = {
            name: tuple(finite_number(f"An entry of {name}", one) for one in getattr(self, name))
            for name in ("horizons", "times", "hazards")
        }
        set_fields(self, **numbers, time=str(self.time), last=finite_number("last", self.last))
        if len(self.times) != len(self.hazards):
            raise ParameterError(
                f"The baseline has {len(self.times)} times and {len(self.hazards)} hazards. Give as many."
            )
        for name in ("times", "hazards", "horizons"):
            own = getattr(self, name)
            is_rising = all(before < after for before, after in itertools.pairwise(own))
            if not is_rising or (own and own[0] < 0):
                raise ParameterError(f"{name} are not ascending from 0 on. Sort them.")
        if not self.horizons:
            raise ParameterError("There is no horizon. Give at least one.")
        for horizon in self.horizons:
            self.require_known(horizon)

    def require_known(self, horizon: float) -> None:
        """Refuse a horizon by which nobody was followed, or that is not positive."""
        if not (0 < horizon <= self.last):
            raise ParameterError(
                f"The horizon is {horizon:g}. Training rows were followed up to {self.time} = "
                f"{self.last:g}; use a positive number up to that."
            )

    def baseline(self, time: float) -> float:
        """The cumulative hazard up to a time of someone whose relative hazard is 1."""
        place = bisect.bisect_right(self.times, time)
        return self.hazards[place - 1] if place else 0.0

    def risk_by(self, horizon: float, relative: Any) -> NDArray[np.float64]:
        """The risk that the event has come by a horizon, for relative hazards."""
        self.require_known(horizon)
        return -np.expm1(-self.baseline(horizon) * np.asarray(relative, dtype=np.float64))

    def horizon_words(self, horizon: float) -> str:
        """A horizon as it is written on a card, such as "days 365"."""
        return f"{self.time} {horizon:g}"


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of events: the card gives the rate, ``exp(total / multiplier + offset)``.

    Attributes
    ----------
    exposure
        What the rate is per unit of; None where every row counts as one unit.
    events, exposed
        The events and the exposure of all training rows, times their weights.
    """

    exposure: str | None
    events: float
    exposed: float

    def __post_init__(self) -> None:
        set_fields(self, exposure=None if self.exposure is None else str(self.exposure))
        set_numbers(self, finite_number, "events", "exposed")
        if self.events <= 0 or self.exposed <= 0:
            raise ParameterError(
                f"There are {self.events:g} events in an exposure of {self.exposed:g}. Both are positive."
            )

    @property
    def unit(self) -> str:
        """What the rate is per, in words."""
        return "row" if self.exposure is None else f"unit of {self.exposure}"


#: What an outcome may be other than yes or no.
OutcomeKind = TimeToEvent | Counts
#: Their names in files.
KIND_NAMES: dict[str, type[TimeToEvent] | type[Counts]] = {
    "time_to_event": TimeToEvent,
    "counts": Counts,
}


def name_of_kind(kind: OutcomeKind | None) -> str:
    """The name of a kind of outcome in files; "binary" for yes or no."""
    if kind is None:
        return "binary"
    return next(name for name, known in KIND_NAMES.items() if isinstance(kind, known))


def what_it_gives(kind: OutcomeKind) -> str:
    """What a card of a kind gives, in words for those who ask it for something else."""
    if isinstance(kind, Counts):
        return f"a rate per {kind.unit}"
    return f"risks by horizons of {kind.time}"


def relative(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """The exponential of linear predictors, within the range of floats."""
    return np.exp(np.clip(linear, -700.0, math.log(np.finfo(np.float64).max) - 1))
