"""What many cards of the same procedure have in common, feature by feature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature
from riskcard.model.lines import LineKind

#: The lower and the upper end of a spread, as shares of the resamples.
LOW, HIGH = 0.05, 0.95


@dataclass(frozen=True, slots=True)
class Spread:
    """The 5, 50 and 95 % quantiles of some numbers, each of them one of the numbers."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, numbers: Iterable[float]) -> Spread | None:
        """The spread of some numbers; None when there are none."""
        found = list(numbers)
        if not found:
            return None
        return cls(*np.quantile(found, [LOW, 0.5, HIGH], method="inverted_cdf").tolist())


@dataclass(frozen=True, slots=True)
class FeatureStability:
    """One feature over all resamples; spreads are over those whose card uses it.

    Attributes
    ----------
    name
        The feature.
    share
        Share of the resamples whose card uses it.
    is_on_card
        The card of all rows uses it.
    cuts
        Spread of each of its cuts, the lowest first, over the cards with the most common number of
        cuts; empty for a categorical feature.
    mean_cuts
        Mean number of its cuts, or of its groups of levels minus one, on a card that uses it.
    points
        Spread of its highest points minus its lowest.
    log_odds
        The same in log-odds, where cards of different scales can be compared.
    rises
        Share of the cards that use it in which the last bin has more points than the first; None
        for levels without an order.
    values
        Spread of the points of each level, and of a missing value or a special code.
    """

    name: str
    share: float
    is_on_card: bool
    cuts: tuple[Spread, ...] = ()
    mean_cuts: float = 0.0
    points: Spread | None = None
    log_odds: Spread | None = None
    rises: float | None = None
    values: tuple[tuple[str, Spread], ...] = ()


def summarise_features(card: RiskCard, cards: Sequence[RiskCard]) -> tuple[FeatureStability, ...]:
    """Summarise every feature of the table, those that enter most often first."""
    on_card = {feature.name for feature in card.features}
    found = [_summarise(name, name in on_card, cards) for name in card.feature_names]
    return tuple(sorted(found, key=lambda one: (-one.share, not one.is_on_card)))


def _summarise(name: str, is_on_card: bool, cards: Sequence[RiskCard]) -> FeatureStability:
    used = [
        (feature, card.multiplier)
        for card in cards
        for feature in card.features
        if feature.name == name
    ]
    if not used:
        return FeatureStability(name, 0.0, is_on_card)
    features = [feature for feature, _ in used]
    rises = [feature.points[-1] > feature.points[0] for feature in features if feature.is_ordered]
    return FeatureStability(
        name,
        len(used) / len(cards),
        is_on_card,
        cuts=_summarise_cuts([feature.cuts for feature in features]),
        mean_cuts=sum(len(feature.points) - 1 for feature in features) / len(used),
        points=Spread.of(_range(feature) for feature in features),
        log_odds=Spread.of(_range(feature) / multiplier for feature, multiplier in used),
        rises=sum(rises) / len(rises) if rises else None,
        values=_summarise_values(features),
    )


def _summarise_cuts(cuts: Sequence[Sequence[float]]) -> tuple[Spread, ...]:
    """The spread of the first cut, the second and so on; of all cuts together it would be of none."""
    numbers = Counter(len(own) for own in cuts)
    usual = min(numbers, key=lambda number: (-numbers[number], number))
    chosen = [own for own in cuts if len(own) == usual]
    spreads = (Spread.of(own) for own in zip(*chosen, strict=True))
    return tuple(spread for spread in spreads if spread is not None)


def _summarise_values(features: Sequence[CardFeature]) -> tuple[tuple[str, Spread], ...]:
    """Points of levels, codes and missing values, over the cards that have them."""
    seen: dict[str, list[int]] = {}
    for feature in features:
        for value, points in _special_points(feature):
            seen.setdefault(value, []).append(points)
    spreads = ((value, Spread.of(points)) for value, points in seen.items())
    # missing values come last, whichever card had them first
    kept = sorted(spreads, key=lambda pair: pair[0] == "missing")
    return tuple((value, spread) for value, spread in kept if spread is not None)


def _special_points(feature: CardFeature) -> Iterator[tuple[str, int]]:
    lowest = min(feature.possible_points)
    for line in feature.lines():
        labels = ("missing",) if line.kind is LineKind.MISSING else line.value_labels
        yield from ((label, line.points - lowest) for label in labels)


def _range(feature: CardFeature) -> int:
    return max(feature.possible_points) - min(feature.possible_points)
