"""When work has to end: at a moment of the clock, or as soon as the user asks for it."""

from __future__ import annotations

import math
import time
from threading import Event


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
    def after(cls, seconds: float | None) -> Deadline:
        """A number of seconds from now; None for never."""
        return cls() if seconds is None else cls(time.perf_counter() + seconds)

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

    def part(self, share: float) -> Deadline:
        """An earlier deadline, after a share of the time that is left."""
        return Deadline(time.perf_counter() + share * self.seconds_left, self._interrupt)
