"""Ordered levels as times: how far a row comes down from the highest level before it stops.

Someone who comes down from the highest level passes it or stops there, then the next, down to the lowest,
where everyone stops who is left. McCullagh's proportional hazards (JRSS B 42, 1980) say that the
probability to stop at a level, of those who come to it, is ``1 - exp(-D r)``: ``D > 0`` belongs to the level,
and ``r = exp(z)`` to the row. So a higher ``z`` stops earlier, which is a higher level, and the probability
of a level or a higher one is ``1 - exp(-H r)`` with ``H`` the sum of the ``D`` down to it.

A row loses ``D r`` at each level that it passes and ``-log(1 - exp(-D r))`` where it stops. With ``D`` as
they are where all rows have ``r = 1``, the Poisson loss ``e r - d z`` takes the place of this likelihood: ``d``
says whether the row stops above the lowest level, and ``e`` is the sum of the ``D`` that it passes plus, where
it stops, ``1 - D / (exp(D) - 1)``, which is about half of that ``D``. What is passed is exact. Where a row
stops, the slope at ``z = 0`` of both losses is ``-D / (exp(D) - 1)``, so that they agree to the first order,
and the second derivatives differ by about ``D**2 / 12``. Card and proof are about this Poisson loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.data.frames import column_names
from riskcard.data.raw_columns import read_raw, rows_in_words
from riskcard.errors import DataError, ParameterError

#: Halvings of the interval of the logarithm of a hazard: to the last digits.
HALVINGS = 80
#: Halvings of the interval of slopes, and the largest logarithm of a ratio there.
SLOPE_HALVINGS, LARGEST = 40, 600.0
#: Between these is the logarithm of every hazard.
LOWEST, HIGHEST = -40.0, 40.0
#: Below this the next term of the series of ``_at_stop``, ``D**6 / 30240``, is less than rounding.
SMALL_STEP = 1e-2


@dataclass(frozen=True, slots=True)
class LevelRows:
    """The level of each row.

    Attributes
    ----------
    names
        The levels from the lowest to the highest, as they are in the data.
    codes
        The place of each row's level.
    """

    names: tuple[Any, ...]
    codes: Integers

    @property
    def absent(self) -> list[Any]:
        """The levels that no row has."""
        present = set(self.codes.tolist())
        return [name for place, name in enumerate(self.names) if place not in present]

    def take(self, rows: Any) -> LevelRows:
        """Some of the rows; the levels stay what they are."""
        return LevelRows(self.names, self.codes[rows])

    def steps(self, weights: Floats, ratios: Floats | None = None) -> Floats:
        """``D`` of each level but the lowest, with the highest likelihood for given ``r``; 1 for all if None.

        The levels have nothing to do with each other. The derivative by the ``D`` of one is the sum of ``r``
        over the rows that pass it, less that of ``r / (exp(D r) - 1)`` over those that stop there: it rises
        with ``D``, and its sign is found by halving.
        """
        found = np.empty(len(self.names) - 1)
        ratios = np.ones(self.codes.size) if ratios is None else ratios
        for level in range(1, len(self.names)):
            stops = self.codes == level
            passed = float(np.sum((weights * ratios)[self.codes < level]))
            own, weight = ratios[stops], weights[stops]
            low, high = LOWEST, HIGHEST
            for _ in range(HALVINGS):
                middle = (low + high) / 2
                with np.errstate(over="ignore"):
                    stopped = float(np.sum(weight * own / np.expm1(np.exp(middle) * own)))
                low, high = (low, middle) if passed > stopped else (middle, high)
            found[level - 1] = np.exp(low)
        return found

    def hazards(self, weights: Floats, ratios: Floats | None = None) -> Floats:
        """``H`` of each level but the lowest: the sums of ``D`` from the highest level down."""
        sums: Floats = np.cumsum(self.steps(weights, ratios)[::-1])[::-1]
        return sums

    def loss(self, weights: Floats, linear: Floats, steps: Floats) -> float:
        """The negative log-likelihood: ``D r`` where a row passes, ``-log(1 - exp(-D r))`` where it stops."""
        ratios, whole = np.exp(linear), 0.0
        for level, step in enumerate(steps.tolist(), start=1):
            stops, passes = self.codes == level, self.codes < level
            whole += step * float(weights[passes] @ ratios[passes])
            # the smallest number keeps the logarithm finite where a card says that it cannot be
            share = np.maximum(-np.expm1(-step * ratios[stops]), np.finfo(float).tiny)
            whole -= float(weights[stops] @ np.log(share))
        return whole

    def best_slope(self, weights: Floats, linear: Floats, most: float) -> float:
        """The factor of ``z``, from 0 to ``most``, with the highest likelihood at the best hazards of levels.

        The loss ``exp(log D + z) - log(1 - exp(-exp(log D + z)))`` of passing and of stopping is convex in ``log D
        + z``, so it is jointly convex in the slope and the ``log D``, and still convex in the slope where these
        are the best ones. Its derivative there is that at fixed ``D``, and the sign of that is found by halving.
        """
        if not np.ptp(linear) > 0:
            return 0.0
        # a card has few totals, so that many rows are alike
        pairs, place = np.unique(np.column_stack([linear, self.codes]), axis=0, return_inverse=True)
        alike = LevelRows(self.names, pairs[:, 1].astype(np.int64))
        weight = np.bincount(place.ravel(), weights).astype(np.float64)
        away = pairs[:, 0] - float(np.average(linear, weights=weights))
        low, high = 0.0, most
        for _ in range(SLOPE_HALVINGS):
            middle = (low + high) / 2
            is_rising = alike._rise(weight, away, middle) > 0
            low, high = (low, middle) if is_rising else (middle, high)
        return low

    def _rise(self, weights: Floats, away: Floats, slope: float) -> float:
        """The derivative of the loss by the slope, at the best hazards."""
        ratios, rise = np.exp(np.clip(slope * away, -LARGEST, LARGEST)), 0.0
        for level, step in enumerate(self.steps(weights, ratios).tolist(), start=1):
            stops, passes = self.codes == level, self.codes < level
            hazard = np.maximum(step * ratios, np.finfo(float).tiny)
            rise += float((weights * away)[passes] @ hazard[passes])
            with np.errstate(over="ignore"):
                share = hazard[stops] / np.expm1(hazard[stops])
            rise -= float((weights * away)[stops] @ share)
        return rise

    def exposure(self, weights: Floats) -> Floats:
        """``e`` of each row; weight times exposure adds up to the weight of the rows above the lowest level.

        The derivatives by the ``D`` are 0 at ``r = 1``, so what is passed, ``sum of D``, is over all rows the
        same as the sum of ``D / (exp(D) - 1)`` where they stop, which the rest of ``e`` makes up to 1.
        """
        steps = self.steps(weights)
        down_to = np.concatenate([np.cumsum(steps[::-1])[::-1], [0.0]])
        at_stop = np.concatenate([[0.0], _at_stop(steps)])
        found: Floats = down_to[self.codes] + at_stop[self.codes]
        return found


def _at_stop(steps: Floats) -> Floats:
    """``1 - D / (exp(D) - 1)``; for small ``D`` by its series, because the difference loses its digits."""
    series = steps / 2 - steps**2 / 12 + steps**4 / 720
    found: Floats = np.where(steps < SMALL_STEP, series, 1.0 - steps / np.expm1(steps))
    return found


def read_levels(y: Any, n_rows: int, order: Any = None) -> LevelRows:
    """The level of each row.

    Parameters
    ----------
    y
        Numbers, or texts with an order.
    n_rows
        Of the table.
    order
        The levels from the lowest to the highest; None for that of an ordered category, or of numbers.

    Examples
    --------
    >>> read_levels(["mild", "severe", "mild"], 3, ["mild", "severe"]).codes.tolist()
    [0, 1, 0]
    """
    names = column_names(y)
    column = y if names is None else y[names[0]]
    values = np.asarray(read_raw(column).as_array(), dtype=object).ravel()
    if values.size != n_rows:
        raise DataError(
            f"The target y has {values.size} values, but X has {n_rows} rows. Give one per row."
        )
    is_missing = np.array([one is None or one != one for one in values])
    if is_missing.any():
        raise DataError(
            f"The target y is missing in {rows_in_words(is_missing)}. Leave these rows out."
        )
    levels = _order_of(column, values) if order is None else tuple(order)
    if len(levels) < 2 or len(set(levels)) < len(levels):
        raise ParameterError(
            f"levels is {list(levels)!r}. Give two levels or more, all of them different, from the lowest to "
            "the highest."
        )
    places = {level: place for place, level in enumerate(levels)}
    is_unknown = np.array([one not in places for one in values])
    if is_unknown.any():
        raise DataError(
            f"The target y is {values[is_unknown][0]!r} in {rows_in_words(is_unknown)}, which is none of the "
            f"levels {list(levels)!r}. Correct these rows, or name all levels."
        )
    return LevelRows(levels, np.array([places[one] for one in values], dtype=np.int64))


def level_in_words(level: Any) -> str:
    """A level as it is printed.

    Examples
    --------
    >>> level_in_words(2.0), level_in_words("mild")
    ('2', 'mild')
    """
    is_number = isinstance(level, (int, float, np.number)) and not isinstance(level, bool)
    return f"{level:g}" if is_number else str(level)


def level_order(y: Any, names: tuple[str, ...], order: Any = None) -> Any:
    """The order of the levels of a card for rows: that given, or that of the card, in the values of the rows.

    Examples
    --------
    >>> level_order([3.0, 1.0], ("1", "2", "3"))
    [1.0, '2', 3.0]
    """
    if order is not None:
        return order
    columns = column_names(y)
    given = read_raw(y if columns is None else y[columns[0]]).as_array()
    values = np.asarray(given, dtype=object).ravel().tolist()
    known = {level_in_words(one): one for one in values if one is not None and one == one}
    if unknown := [one for one in known if one not in names]:
        raise DataError(
            f"The target y has the level {unknown[0]!r}, but the card knows the levels "
            f"{', '.join(map(repr, names))}. Correct such rows, or leave them out."
        )
    return [known.get(one, one) for one in names]


def upper_half(rows: LevelRows) -> Booleans:
    """Whether each row is in the upper levels, divided as evenly as levels are."""
    shares = [float(np.mean(rows.codes >= level)) for level in range(1, len(rows.names))]
    level = 1 + int(np.argmin(np.abs(np.array(shares) - 0.5)))
    is_upper: Booleans = rows.codes >= level
    return is_upper


def require_all_levels(rows: LevelRows) -> None:
    """Refuse levels that no row has: nothing can be learned of them."""
    if empty := rows.absent:
        raise DataError(
            f"No row has the level {empty[0]!r}. Leave it out of the levels, or join it with its neighbour."
        )


def _order_of(column: Any, values: Any) -> tuple[Any, ...]:
    """The order that the data have by themselves."""
    dtype: Any = getattr(column, "dtype", None)
    if getattr(dtype, "ordered", False):
        present = set(values)
        return tuple(one for one in dtype.categories if one in present)
    distinct = list(dict.fromkeys(values))
    if any(isinstance(one, str) for one in distinct):
        raise ParameterError(
            f"The target y has texts such as {distinct[0]!r}, whose order is not known. Give levels, from the "
            "lowest to the highest."
        )
    return tuple(sorted(distinct))
