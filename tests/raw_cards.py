"""Cards by what they give to raw values: an oracle that knows no columns, conditions or atoms.

A feature gives points to its values: to numbers in order, to special values next to them (missing is
one), or to levels. How many terms that takes follows from the points alone, see ``n_terms_of_numbers``
and ``n_terms_of_levels``.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

Points = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RawFeature:
    """Values of a feature, how many of them (the last) are special, and which each row has.

    ``steps`` are the least and the most that crossing a cut upwards may add; one term on special
    values or levels is worth at most the larger of the two.
    """

    n_values: int
    n_specials: int
    is_nominal: bool
    rows: tuple[int, ...]
    steps: tuple[int, int]


def points_and_terms(feature: RawFeature, max_terms: int) -> dict[Points, int]:
    """All points that values can get with a number of terms, the lowest 0, and the least terms."""
    most = max(abs(step) for step in feature.steps)
    found = {}
    for points in itertools.product(range(max_terms * most + 1), repeat=feature.n_values):
        if min(points) > 0:
            continue
        if feature.is_nominal or feature.n_values == feature.n_specials:
            n_terms = n_terms_of_levels(points, most)
        else:
            n_numbers = feature.n_values - feature.n_specials
            n_terms = n_terms_of_numbers(points[:n_numbers], points[n_numbers:], feature.steps)
        if n_terms is not None and n_terms <= max_terms:
            found[points] = n_terms
    return found


def n_terms_of_numbers(numbers: Points, specials: Points, steps: tuple[int, int]) -> int | None:
    """One term for each cut where the points change, and those for special values; None: never."""
    changes = [after - before for before, after in itertools.pairwise(numbers) if after != before]
    if any(not steps[0] <= change <= steps[1] for change in changes):
        return None
    beside = _n_terms_of_specials(set(numbers), specials, max(abs(step) for step in steps))
    return None if beside is None else len(changes) + beside


def _n_terms_of_specials(bins: Collection[int], specials: Points, most: int) -> int | None:
    """Terms that special values take in addition to bins with these points; None: more than three, or never."""
    return _points_of_specials(frozenset(bins), len(specials), most).get(specials)


@cache
def _points_of_specials(bins: frozenset[int], n_specials: int, most: int) -> dict[Points, int]:
    """All points that special values can get with up to three terms of their own, and how many.

    Of two terms, one is within the other or they have no value in common. Values that share a term
    are on the same side of every cut, so they start from the points of the same bin.
    """
    values, jumps = range(n_specials), [jump for jump in range(-most, most + 1) if jump != 0]
    sets = [set(own) for size in values for own in itertools.combinations(values, size + 1)]
    found: dict[Points, int] = {}
    for n_terms in range(4):
        for chosen in itertools.combinations(sets, n_terms):
            if any(a & b and not (a <= b or b <= a) for a, b in itertools.combinations(chosen, 2)):
                continue
            for homes in itertools.product(sorted(bins), repeat=n_specials):
                if any(len({homes[value] for value in own}) > 1 for own in chosen):
                    continue
                for worth in itertools.product(jumps, repeat=n_terms):
                    added = list(zip(chosen, worth, strict=True))
                    points = tuple(
                        homes[value] + sum(jump for own, jump in added if value in own)
                        for value in values
                    )
                    found.setdefault(points, n_terms)
    return found


def n_terms_of_levels(points: Points, most: int) -> int | None:
    """Terms that groups of levels take, up to three; None for more.

    Groups in the order of their points take one term from each to the next, if no step is too
    large. Otherwise three groups may still be three steps away from nothing in between.
    """
    different = sorted(set(points))
    if all(after - before <= most for before, after in itertools.pairwise(different)):
        return len(different) - 1 if len(different) <= 4 else None
    has_three_groups = len(points) >= 3 and len(different) <= 3
    return 3 if has_three_groups and _hubs(different, most) else None


def _is_near(places: Collection[int], points: int, most: int) -> bool:
    return any(0 < abs(points - place) <= most for place in places)


def _hubs(points: Sequence[int], most: int) -> list[int]:
    """Numbers of points that are one step from each of these."""
    return [
        hub
        for hub in range(min(points) - most, max(points) + most + 1)
        if all(0 < abs(own - hub) <= most for own in points)
    ]


def best_loss(
    features: Sequence[RawFeature],
    labels: np.ndarray,
    weights: np.ndarray,
    max_terms: int,
    multiplier: float,
) -> float:
    """The least loss of any card with a number of terms, with a given multiplier and a whole base.

    At a base for which all log-odds are above those of the base rate, a lower one is better, and
    the other way round; so only bases between are tried.
    """
    offers = []  # for each feature: points of the rows, and terms
    for feature in features:
        found = points_and_terms(feature, max_terms)
        by_row = np.array(list(found))[:, list(feature.rows)]
        offers.append((by_row, np.array(list(found.values()))))
    rate = np.log(weights[labels > 0].sum() / weights[labels < 0].sum())
    best = np.inf
    for counts in itertools.product(range(max_terms + 1), repeat=len(features)):
        if sum(counts) > max_terms:
            continue
        scores = np.zeros((1, labels.size), dtype=int)
        for count, (by_row, terms) in zip(counts, offers, strict=True):
            own = by_row[terms == count]
            scores = (scores[:, None, :] + own[None, :, :]).reshape(-1, labels.size)
        largest = int(scores.max(initial=0))
        for base in range(int(multiplier * rate) - largest - 2, int(multiplier * rate) + 3):
            log_odds = (scores + base) / multiplier
            losses = np.logaddexp(0.0, -labels * log_odds) @ weights
            best = min(best, float(losses.min(initial=np.inf)))
    return best
