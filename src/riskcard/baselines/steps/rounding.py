"""From real points to whole points: nearest, at random, or one after another by the loss.

Every function returns whole-number vectors, one row each, that lie between the floor and the ceiling
of the real points, and so within any whole-number bounds that the real points respect.
"""

from dataclasses import dataclass

import numpy as np

from riskcard.baselines.steps.columns import Floats, Integers
from riskcard.logistic import log_loss


@dataclass(frozen=True, slots=True)
class RealCard:
    """A card whose points are still real: ``log-odds = matrix @ points / multiplier + offset``.

    Attributes
    ----------
    matrix
        Shape (rows, points); a column of ones represents the base where that must be an integer too.
    points
        Real points.
    """

    matrix: Floats
    labels: Floats
    weights: Floats
    points: Floats
    multiplier: float
    offset: float

    def loss(self, points: Floats) -> float:
        """The loss with other points at the same scale."""
        log_odds = self.matrix @ points / self.multiplier + self.offset
        return log_loss(log_odds, self.labels, self.weights)


def round_nearest(card: RealCard) -> Integers:
    """Each number to the nearest whole one, halves up: one vector."""
    return np.floor(card.points + 0.5).astype(np.int64)[None, :]


def round_at_random(card: RealCard, rng: np.random.Generator, n_draws: int) -> Integers:
    """Up with a probability equal to the fraction, else down, each number for itself.

    The expected value of every number is the real one (Chevaleyre, Koriche and Zucker 2013).
    Returns ``n_draws`` vectors; the first ones are the same whatever their number.
    """
    floor = np.floor(card.points)
    chance = rng.random((n_draws, card.points.size))
    return (floor + (chance < card.points - floor)).astype(np.int64)


def round_sequentially(card: RealCard) -> Integers:
    """Of all numbers not yet whole, and both directions, the one step that leaves the smallest loss.

    Then the next, until all are whole (Ustun and Rudin 2019). The numbers that are still real stay
    as they are: nothing is refitted in between. The loss may rise or fall with a step; with
    one number to round the result is the better one of the two neighbours. One vector.
    """
    points = card.points.copy()
    while True:
        open_places = np.flatnonzero(points != np.floor(points)).tolist()
        if not open_places:
            return points.astype(np.int64)[None, :]
        steps = [(place, side) for place in open_places for side in _sides(points[place])]
        losses = [card.loss(_replaced(points, place, side)) for place, side in steps]
        place, side = steps[int(np.argmin(losses))]
        points[place] = side


def round_in_random_order(card: RealCard, rng: np.random.Generator, n_draws: int) -> Integers:
    """One number after another in random order, each to the side that leaves the smaller loss.

    The numbers that are still real stay as they are. Returns ``n_draws`` vectors.
    """
    drawn = np.empty((n_draws, card.points.size), dtype=np.int64)
    for draw in range(n_draws):
        points = card.points.copy()
        for place in rng.permutation(points.size).tolist():
            if points[place] != np.floor(points[place]):
                sides = _sides(points[place])
                losses = [card.loss(_replaced(points, place, side)) for side in sides]
                points[place] = sides[int(np.argmin(losses))]
        drawn[draw] = points
    return drawn


def _sides(value: float) -> tuple[float, float]:
    return float(np.floor(value)), float(np.ceil(value))


def _replaced(points: Floats, place: int, value: float) -> Floats:
    changed = points.copy()
    changed[place] = value
    return changed
