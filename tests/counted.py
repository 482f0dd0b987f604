"""Cards that know how often each of their totals occurred, for tests of what is shown."""

from dataclasses import replace

import numpy as np

from cards import mass_card
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints
from riskcard.model.origin.certificate import TrainingFacts
from riskcard.model.totals import TotalCount, count_totals

__all__ = ["counted", "many_totals", "odd_card"]

#: A name with whatever could be taken for markup somewhere.
ODD = "a<b>&\"c'`|*_#$%\\{}~^[x](y) <script>alert(1)</script> ${z} é≥"


def counted(
    card: RiskCard | None = None, seed: int = 0, weight: float = 1.0, has_intervals: bool = True
) -> RiskCard:
    """A card with counts of random totals that it can reach, and intervals around their risks."""
    card = mass_card() if card is None else card
    generator = np.random.default_rng(seed)
    reachable = card.reachable_totals()
    totals = generator.choice(reachable, size=500)
    is_event = generator.random(500) < card.risk_of_total(totals)
    weights = np.full(500, weight)
    counts = count_totals(totals, is_event, weights, reachable)
    if has_intervals:
        counts = tuple(replace(one, interval=interval_of(card, one)) for one in counts)
    facts = TrainingFacts(
        rows=500,
        events=int(is_event.sum()),
        weight=500 * weight,
        event_weight=float(is_event.sum() * weight),
        totals=counts,
        is_weighted=weight != 1,
    )
    return replace(card, training=facts)


def interval_of(card: RiskCard, count: TotalCount) -> tuple[float, float]:
    """From half of the lowest risk of a count to half way from its highest risk to 1."""
    low, high = card.risk_of_total([count.low, count.high]).tolist()
    return low / 2, (1 + high) / 2


def many_totals(n_features: int = 6) -> RiskCard:
    """A card with a power of two of different totals."""
    return RiskCard(
        [FeaturePoints(f"f{i}", [1], [0, 2**i]) for i in range(n_features)],
        base=-30,
        multiplier=6,
    )


def odd_card() -> RiskCard:
    """A card whose names, levels and labels are full of markup."""
    first, second, third, *others = mass_card().features
    return replace(
        mass_card(),
        features=(
            replace(first, name=ODD),
            replace(second, groups=((ODD, "-->"), ("</script>", "\\end{table}"))),
            replace(third, name="line\nbreak\tand tab"),
            *others,
        ),
        feature_names=(),
        outcome=ODD,
        classes=("no", ODD),
    )
