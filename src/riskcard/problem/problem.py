"""The problem: which cards are allowed, and on which rows they are judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from riskcard.arrays import Booleans, Integers
from riskcard.checks import LOG_ODDS_LIMIT, is_number, whole_number
from riskcard.errors import ParameterError
from riskcard.problem.ranked_data import RankedData
from riskcard.problem.restrictions import Restrictions, no_restrictions

#: The limit on a term's log-odds for "auto": odds times 1,000. Steeper terms are rarely credible,
#: predict new data worse, and make proofs weak.
USUAL_LIMIT = math.log(1000.0)
#: A limit from here on rarely binds.
DISTANT_LIMIT = 6.0
#: The smallest limit that a user may set: terms that change the odds by one per cent.
LEAST_LIMIT = 0.01


@dataclass(frozen=True, slots=True)
class Scale:
    """How a score becomes log-odds: ``(base + score) / multiplier + offset``.

    ``fixed``: the multiplier is given, the base is an integer, the offset is 0 (multiplier 1 is the
    paper's problem). ``multiplier``: the multiplier is chosen, the base is an integer, the offset
    is 0. ``calibrated``: multiplier and offset are chosen real numbers, the base is 0. Where the
    multiplier is chosen, no term may move the log-odds by more than ``limit``.
    """

    kind: Literal["fixed", "multiplier", "calibrated"]
    multiplier: float = 1.0
    limit: float = LOG_ODDS_LIMIT

    @property
    def is_free(self) -> bool:
        """Whether multiplier and offset are chosen freely, within a limit that rarely binds."""
        return self.kind == "calibrated" and self.limit >= DISTANT_LIMIT

    @classmethod
    def parse(cls, scale: float | str, max_log_odds: float | str | None = None) -> Scale:
        """Read the user's ``scale``: a positive number, "multiplier" or "calibrated"."""
        limit = _checked_limit(max_log_odds)
        if scale == "multiplier":
            return cls("multiplier", limit=limit)
        if scale == "calibrated":
            return cls("calibrated", limit=limit)
        try:
            value = float(scale)
        except (TypeError, ValueError):
            value = float("nan")
        if isinstance(scale, bool) or not (0 < value < float("inf")):
            raise ParameterError(
                f"scale is {scale!r}. Use a positive number (the multiplier; 1 is the paper's "
                "problem), 'multiplier' or 'calibrated'."
            )
        if max_log_odds not in (None, "auto"):
            raise ParameterError(
                f"max_log_odds is {max_log_odds!r} and scale is {scale!r}. With a given multiplier "
                "max_points is the limit of a term: leave max_log_odds out, or choose the scale "
                "'calibrated' or 'multiplier'."
            )
        return cls("fixed", value)


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a card may be."""

    max_terms: int
    max_features: int
    max_cuts_per_feature: int


@dataclass(frozen=True, slots=True)
class Problem:
    """The only input of any solver.

    A card is a set of terms (column, cut, jump): a row gets ``jump`` more points when condition
    ``cut`` of the column holds for it; for a plain number, when its value is at or below the cut.
    Terms of one card have distinct (column, cut) pairs. Jumps are integers in ``jump_low[v] ..
    jump_high[v]`` with ``jump_low <= 0 <= jump_high``; a column that must not be used has both at
    0. A card has all terms that are ``kept``, with their jumps.
    """

    data: RankedData
    limits: Limits
    scale: Scale
    jump_low: Integers
    jump_high: Integers
    restrictions: Restrictions = None  # type: ignore[assignment]
    kept: tuple[tuple[int, int, int], ...] = ()

    def __post_init__(self) -> None:
        if self.restrictions is None:
            plain = no_restrictions(self.data, self.limits.max_cuts_per_feature)
            object.__setattr__(self, "restrictions", plain)

    @property
    def max_points(self) -> int:
        """The largest jump, in absolute value, that any feature allows."""
        return int(max(self.jump_high.max(initial=0), -self.jump_low.min(initial=0)))

    @property
    def is_usable(self) -> Booleans:
        """Which columns have a condition that may be on a card."""
        open_cuts = np.array([not closed.all() for closed in self.restrictions.is_closed])
        return open_cuts & ((self.jump_low < 0) | (self.jump_high > 0))

    @property
    def n_conditions(self) -> int:
        """How many conditions a card may choose from."""
        pairs = zip(self.restrictions.is_closed, self.is_usable, strict=True)
        return sum(int((~closed).sum()) for closed, is_usable in pairs if is_usable)

    def without(self, closed: Sequence[Booleans]) -> Problem:
        """The problem without some conditions, those marked for each column."""
        pairs = zip(self.restrictions.is_closed, closed, strict=True)
        is_closed = tuple(before | more for before, more in pairs)
        return replace(self, restrictions=replace(self.restrictions, is_closed=is_closed))


def make_problem(
    data: RankedData,
    max_terms: int = 5,
    max_features: int | None = None,
    max_cuts_per_feature: int | None = None,
    max_points: int = 5,
    scale: float | str = "calibrated",
    max_log_odds: float | str | None = None,
) -> Problem:
    """Build a problem from the user's parameters; None means no limit of that kind.

    ``max_log_odds="auto"`` is the usual limit where the multiplier is chosen.
    """
    n_terms, n_points = (
        whole_number("max_terms", max_terms, 1),
        whole_number("max_points", max_points, 1),
    )
    n_features = n_terms if max_features is None else whole_number("max_features", max_features, 1)
    n_cuts = n_terms
    if max_cuts_per_feature is not None:
        n_cuts = whole_number("max_cuts_per_feature", max_cuts_per_feature, 1)
    limits = Limits(n_terms, min(n_features, n_terms, data.n_features), min(n_cuts, n_terms))
    jump = np.full(data.n_columns, n_points, dtype=np.int64)
    return Problem(data, limits, Scale.parse(scale, max_log_odds), -jump, jump)


def _checked_limit(value: Any) -> float:
    if value is None:
        return LOG_ODDS_LIMIT
    if isinstance(value, str) and value == "auto":
        return USUAL_LIMIT
    if not is_number(value) or not LEAST_LIMIT <= value <= LOG_ODDS_LIMIT:
        raise ParameterError(
            f"max_log_odds is {value!r}. Use a number from {LEAST_LIMIT:g} to {LOG_ODDS_LIMIT:g} "
            "(2.3 lets a term multiply the odds by 10 at most), 'auto' for 1,000 times, or None "
            f"for {LOG_ODDS_LIMIT:g}."
        )
    return float(value)
