"""The lowest loss of all cards of a kind, told by raw values: what a certificate's own words mean.

A card gives points to the values of each feature (``raw_cards``). The rules are read from the raw
values too; nothing here knows columns, conditions or codes.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from oracle.scale_fits import Cells, fit_calibrated, fit_slope, losses
from raw_cards import Points, RawFeature, points_and_terms


@dataclass(frozen=True, slots=True)
class RuledFeature:
    """A feature and what its rules allow.

    ``cuts`` are the places where points may change between neighbouring numbers: ``i`` is between
    the values ``i`` and ``i + 1``.
    """

    raw: RawFeature
    cuts: frozenset[int]
    use: str = "may"
    most_terms: int = 9
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Kind:
    """The limits of a card. ``scale`` is "calibrated", "multiplier" or a number."""

    max_terms: int
    max_features: int
    max_points: int
    scale: float | str
    max_log_odds: float = 30.0
    budget: float = np.inf
    groups: tuple[tuple[frozenset[int], int], ...] = ()
    least: tuple[int, int] = (1, 0)
    charge: float = 0.0


@dataclass(frozen=True, slots=True)
class Offer:
    """Points for the values of a feature, the terms they take, and the largest jump of a term."""

    points: Points
    n_terms: int
    jump: int


def offers_of(feature: RuledFeature, kind: Kind, is_event: np.ndarray) -> list[Offer]:
    """All that a feature may give to its values, each with the fewest terms and smallest jumps."""
    raw, most = feature.raw, min(kind.max_terms, feature.most_terms)
    nothing = Offer((0,) * raw.n_values, 0, 0)
    if feature.use == "never":
        return [nothing]
    found: dict[tuple[Points, int], Offer] = {}
    for jump in range(1, kind.max_points + 1):
        steps = max(raw.steps[0], -jump), min(raw.steps[1], jump)
        stepped = replace(raw, steps=steps)
        for points, n_terms in points_and_terms(stepped, most).items():
            is_at_cuts = n_terms > 0 and _cuts_of(points, raw) <= feature.cuts
            if is_at_cuts and _has_rows(points, stepped, is_event, kind.least):
                found.setdefault((points, n_terms), Offer(points, n_terms, jump))
    return [*([] if feature.use == "must" else [nothing]), *found.values()]


def _n_numbers(raw: RawFeature) -> int:
    return 0 if raw.is_nominal else raw.n_values - raw.n_specials


def _cuts_of(points: Points, raw: RawFeature) -> set[int]:
    numbers = points[: _n_numbers(raw)]
    return {place for place, (a, b) in enumerate(itertools.pairwise(numbers)) if a != b}


def _has_rows(
    points: Points, raw: RawFeature, is_event: np.ndarray, least: tuple[int, int]
) -> bool:
    """Whether every bin has enough rows and events, and every group that special values make.

    Special values may be in the group of any bin of their points, which they do not make larger.
    """
    if least == (1, 0):
        return True
    rows = np.bincount(raw.rows, minlength=raw.n_values)
    events = np.bincount(raw.rows, is_event, raw.n_values)
    n_numbers, cuts = _n_numbers(raw), _cuts_of(points, raw)
    bin_of = np.cumsum([0, *(place in cuts for place in range(n_numbers - 1))][:n_numbers])
    homes = []
    if not _are_large(bin_of, rows[:n_numbers], events[:n_numbers], least):
        return False
    if raw.is_nominal and _is_far(points, max(map(abs, raw.steps))):
        # three groups, each one step from nothing in between; two of them may have the same points
        return any(
            len(set(zip(chosen, points, strict=True))) == 3 == len(set(chosen))
            and _are_large(np.array(chosen), rows, events, least)
            for chosen in itertools.product(range(3), repeat=raw.n_values)
        )
    for value in range(n_numbers, raw.n_values):
        alike = sorted({int(bin_of[i]) for i in range(n_numbers) if points[i] == points[value]})
        homes.append(alike or [100 + points[value]])  # those with points of their own: by points
    for chosen in itertools.product(*homes):
        if _are_large(np.array([*bin_of, *chosen], dtype=int), rows, events, least):
            return True
    return False


def _is_far(points: Points, most: int) -> bool:
    return any(b - a > most for a, b in itertools.pairwise(sorted(set(points))))


def _are_large(
    place: np.ndarray, rows: np.ndarray, events: np.ndarray, least: tuple[int, int]
) -> bool:
    return all(
        rows[place == one].sum() >= least[0] and events[place == one].sum() >= least[1]
        for one in np.unique(place)
    )


def cards_of(
    features: Sequence[RuledFeature], kind: Kind, is_event: np.ndarray
) -> list[tuple[Offer, ...]]:
    """Every card, as one offer of each feature."""
    cards: list[tuple[Offer, ...]] = [()]
    for feature in features:
        offers = offers_of(feature, kind, is_event)
        cards = [
            (*card, offer)
            for card in cards
            for offer in offers
            if sum(one.n_terms for one in card) + offer.n_terms <= kind.max_terms
        ]
    return [card for card in cards if _is_allowed(card, features, kind)]


def _is_allowed(card: Sequence[Offer], features: Sequence[RuledFeature], kind: Kind) -> bool:
    used = [place for place, offer in enumerate(card) if offer.n_terms]
    return (
        len(used) <= kind.max_features
        and sum(features[place].cost for place in used) <= kind.budget
        and all(len(members & set(used)) <= most for members, most in kind.groups)
    )


def objectives_of(
    cards: Sequence[Sequence[Offer]],
    features: Sequence[RuledFeature],
    kind: Kind,
    of_event: np.ndarray,
    of_others: np.ndarray,
) -> np.ndarray:
    """The least loss of each card, whatever its scale, and the charge of its terms."""
    scores = np.zeros((len(cards), of_event.size), dtype=np.int64)
    for place, feature in enumerate(features):
        by_value = np.array([card[place].points for card in cards])
        scores += by_value[:, list(feature.raw.rows)]
    jumps = np.array([max(offer.jump for offer in card) for card in cards])
    charges = kind.charge * np.array([sum(offer.n_terms for offer in card) for card in cards])
    cells = Cells(np.zeros((0, of_event.size), dtype=np.int32), of_event, of_others)
    return _best_losses(cells, scores, jumps, kind) + charges


def _best_losses(cells: Cells, scores: np.ndarray, jumps: np.ndarray, kind: Kind) -> np.ndarray:
    rate = cells.base_rate_log_odds
    flat = losses(cells, np.full((1, cells.positive.size), rate))[0]
    if not isinstance(kind.scale, str):
        center, largest = kind.scale * rate, int(scores.max(initial=0))
        found = np.full(len(scores), np.inf)
        for base in range(int(np.floor(center)) - largest, int(np.ceil(center)) + 1):
            found = np.minimum(found, losses(cells, (scores + base) / kind.scale))
        return found
    caps = kind.max_log_odds / np.maximum(jumps, 1)
    slope, offset, found = fit_calibrated(cells, scores, caps)
    if kind.scale == "multiplier":
        found, at = np.full(len(scores), np.inf), np.flatnonzero(slope > 0)
        nearest = np.floor(offset[at] / slope[at]).astype(np.int64)
        for base in (nearest - 1, nearest, nearest + 1, nearest + 2):
            own = (scores[at] + base[:, None]).astype(np.float64)
            fitted = fit_slope(cells, own, caps[at])
            loss = losses(cells, fitted[:, None] * own)
            found[at] = np.minimum(found[at], np.where(fitted > 0, loss, np.inf))
    # with an ever smaller slope a card comes as close to the empty one as one likes
    return np.minimum(found, flat)
