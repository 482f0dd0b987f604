"""What a card gives where its outcome is not yes or no: risks by horizons, rates, levels or numbers."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from riskcard.checks import finite_number, set_fields, set_numbers
from riskcard.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing that a card gives, for one or several totals.

    Attributes
    ----------
    name
        Of a column, such as "risk_by_365".
    heading
        On a card.
    words
        In a sentence, ``{}`` being the value.
    values
        One per total.
    decimals
        None where three digits are enough.
    is_share
        Whether it is a probability.
    """

    name: str
    heading: str
    words: str
    values: NDArray[np.float64]
    decimals: int | None = None
    is_share: bool = False

    def texts(self) -> list[str]:
        """The values as they are printed."""
        from riskcard.formatting.percent import percent

        numbers = np.atleast_1d(self.values).tolist()
        if self.is_share:
            return [percent(one) for one in numbers]
        if self.decimals is None:
            return [f"{one:.3g}" for one in numbers]
        return [f"{one:,.{self.decimals}f}" for one in numbers]


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
    competing
        What happens to some rows first, so that the event cannot come, in words; None where nothing does.
        Hazards are then those of the subdistribution, and risks cumulative incidences (Fine and Gray).
    """

    time: str
    horizons: tuple[float, ...]
    times: tuple[float, ...]
    hazards: tuple[float, ...]
    last: float
    competing: str | None = None

    #: Whether rows have the event or not.
    has_events: ClassVar[bool] = True

    def __post_init__(self) -> None:
        numbers = {
            name: tuple(finite_number(f"An entry of {name}", one) for one in getattr(self, name))
            for name in ("horizons", "times", "hazards")
        }
        competing = None if self.competing is None else str(self.competing)
        last = finite_number("last", self.last)
        set_fields(self, **numbers, time=str(self.time), last=last, competing=competing)
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

    def figures(self, linear: Any, horizons: Sequence[float] | None = None) -> list[Figure]:
        """Risks by horizons, those of the card or others, and relative hazards."""
        ratios = relative(np.asarray(linear, dtype=np.float64))
        found = [
            Figure(
                f"risk_by_{one:g}",
                f"Risk by {self.horizon_words(one)}",
                f"{{}} by {self.horizon_words(one)}",
                self.risk_by(one, ratios),
                is_share=True,
            )
            for one in horizons or self.horizons
        ]
        name = "relative_hazard"
        return [*found, Figure(name, "Relative hazard", "relative hazard {}", ratios)]

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

    #: Rows are counted, and not those with an event.
    has_events: ClassVar[bool] = False

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

    def figures(self, linear: Any) -> list[Figure]:
        """The rate."""
        rates = relative(np.asarray(linear, dtype=np.float64))
        return [Figure("rate", f"Rate per {self.unit}", f"{{}} per {self.unit}", rates)]


@dataclass(frozen=True, slots=True)
class OrderedLevels:
    """One of several levels in order: the card gives the probability of each level or a higher one.

    ``exp(total / multiplier + offset)`` is the *relative hazard* of McCullagh's proportional hazards, of
    someone who comes down from the highest level and stops at one. The probability of a level or a higher
    one is ``1 - exp(-hazard * relative hazard)``, a complementary log-log link.

    Attributes
    ----------
    levels
        Their names, from the lowest to the highest.
    hazards
        The cumulative hazard down to each level but the lowest, of someone whose relative hazard is 1:
        descending.
    """

    levels: tuple[str, ...]
    hazards: tuple[float, ...]

    has_events: ClassVar[bool] = False

    def __post_init__(self) -> None:
        hazards = tuple(finite_number("An entry of hazards", one) for one in self.hazards)
        set_fields(self, levels=tuple(map(str, self.levels)), hazards=hazards)
        if len(self.levels) < 2 or len(set(self.levels)) < len(self.levels):
            raise ParameterError(
                f"levels has {list(self.levels)!r}. Give two names or more, all of them different."
            )
        if len(self.hazards) != len(self.levels) - 1:
            raise ParameterError(
                f"There are {len(self.levels)} levels and {len(self.hazards)} hazards. Give one hazard for "
                "each level but the lowest."
            )
        is_falling = all(before > after for before, after in itertools.pairwise(self.hazards))
        if not is_falling or self.hazards[-1] <= 0:
            raise ParameterError("hazards are not descending and positive. Sort them.")

    def at_least(self, linear: Any) -> NDArray[np.float64]:
        """The probability of each level but the lowest, or a higher one: totals by levels."""
        ratios = relative(np.atleast_1d(np.asarray(linear, dtype=np.float64)))
        shares: NDArray[np.float64] = -np.expm1(-np.outer(ratios, self.hazards))
        return shares

    def probabilities(self, linear: Any) -> NDArray[np.float64]:
        """The probability of each level: totals by levels."""
        shares = self.at_least(linear)
        ends = np.ones((len(shares), 1)), np.zeros((len(shares), 1))
        return -np.diff(np.hstack([ends[0], shares, ends[1]]), axis=1)

    def figures(self, linear: Any) -> list[Figure]:
        """The probability of each level or a higher one; of the highest that level alone."""
        shares = self.at_least(linear)
        phrases = [f"{level} or higher" for level in self.levels[1:-1]] + [self.levels[-1]]
        return [
            Figure(f"at_least_{level}", phrase, f"{{}} {phrase}", shares[:, place], is_share=True)
            for place, (level, phrase) in enumerate(zip(self.levels[1:], phrases, strict=True))
        ]


@dataclass(frozen=True, slots=True)
class Numbers:
    """A number: the card gives the expected one, ``total / multiplier + offset``.

    Attributes
    ----------
    mean, deviation
        The mean of the training rows, and their standard deviation.
    """

    mean: float
    deviation: float

    has_events: ClassVar[bool] = False

    def __post_init__(self) -> None:
        set_numbers(self, finite_number, "mean", "deviation")
        if self.deviation <= 0:
            raise ParameterError(f"The deviation is {self.deviation:g}. Use a positive number.")

    def figures(self, linear: Any) -> list[Figure]:
        """The expected number, with as many decimals as tell hundredths of a deviation apart."""
        decimals = min(max(0, 1 - math.floor(math.log10(self.deviation))), 15)
        values = np.asarray(linear, dtype=np.float64)
        return [Figure("expected", "Expected value", "{}", values, decimals)]


#: What an outcome may be other than yes or no.
OutcomeKind = TimeToEvent | Counts | OrderedLevels | Numbers
#: Their names in files.
KIND_NAMES: dict[str, type[TimeToEvent | Counts | OrderedLevels | Numbers]] = {
    "time_to_event": TimeToEvent,
    "counts": Counts,
    "ordered_levels": OrderedLevels,
    "numbers": Numbers,
}


def name_of_kind(kind: OutcomeKind | None) -> str:
    """The name of a kind of outcome in files; "binary" for yes or no."""
    if kind is None:
        return "binary"
    return next(name for name, known in KIND_NAMES.items() if isinstance(kind, known))


def event_code(recipe: Any) -> Any:
    """The code of the event where other events compete: that of the recipe, and 1 where there is none."""
    return 1 if recipe is None else recipe.parameters.get("event_of_interest", 1)


def is_plain_rate(kind: OutcomeKind) -> bool:
    """Whether a kind is the time to an event that nothing competes with, or counts."""
    return isinstance(kind, Counts) or (isinstance(kind, TimeToEvent) and kind.competing is None)


def what_it_gives(kind: OutcomeKind) -> str:
    """What a card of a kind gives, in words for those who ask it for something else."""
    if isinstance(kind, Counts):
        return f"a rate per {kind.unit}"
    if isinstance(kind, OrderedLevels):
        return "probabilities of ordered levels"
    if isinstance(kind, Numbers):
        return "an expected value"
    competing = "" if kind.competing is None else " with competing events"
    return f"risks by horizons of {kind.time}{competing}"


def relative(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """The exponential of linear predictors, within the range of floats."""
    return np.exp(np.clip(linear, -700.0, math.log(np.finfo(np.float64).max) - 1))
