"""When work has to end: at a moment of the clock, or as soon as the user asks for it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from threading import Event
from typing import TypeVar

Item = TypeVar("Item")


#: Items of a loop between two looks at the clock.
ITEMS_BETWEEN_LOOKS = 256


class OutOfTime(Exception):
    """The deadline has passed before there was anything to show."""


class Deadline:
    """The moment after which no new step begins.

    Parameters
    ----------
    moment
        A value of ``time.perf_counter()``; infinite for no limit.
    interrupt
        Set when the user has asked to stop; None where nobody can.
    """

    def __init__(self, moment: float = math.inf, interrupt: Event | None = None) -> None:
        self.moment, self._interrupt = moment, interrupt

    @classmethod
    def after(cls, seconds: float | None, interrupt: Event | None = None) -> Deadline:
        """A number of seconds from now; None for never."""
        moment = math.inf if seconds is None else time.perf_counter() + seconds
        return cls(moment, interrupt)

    def earlier(self, moment: float) -> Deadline:
        """The same, but at that moment at the latest."""
        return Deadline(min(self.moment, moment), self._interrupt)

    @property
    def is_interrupted(self) -> bool:
        """The user has asked to stop."""
        return self._interrupt is not None and self._interrupt.is_set()

    @property
    def seconds_left(self) -> float:
        """Never below 0; infinite where there is no limit."""
        return 0.0 if self.is_interrupted else max(0.0, self.moment - time.perf_counter())

    def is_over(self) -> bool:
        """Whether to stop now."""
        return self.seconds_left <= 0.0

    def watch(self, items: Iterable[Item], often: int = ITEMS_BETWEEN_LOOKS) -> Iterator[Item]:
        """The items; a long loop over them ends with `OutOfTime` when the deadline has passed.

        The clock is looked at before every ``often``-th of them, but never before the first.
        """
        for count, item in enumerate(items):
            if count > 0 and count % often == 0 and self.is_over():
                raise OutOfTime
            yield item

    def require_no_interrupt(self) -> None:
        """Stop if the user has asked for it, where there is nothing to show yet."""
        if self.is_interrupted:
            raise KeyboardInterrupt

    def until(self, moment: float) -> Deadline:
        """Another moment; the user may still ask to stop."""
        return Deadline(moment, self._interrupt)

    def part(self, share: float) -> Deadline:
        """An earlier deadline, after a share of the time that is left."""
        return Deadline(time.perf_counter() + share * self.seconds_left, self._interrupt)
