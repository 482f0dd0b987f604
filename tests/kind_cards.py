"""Cards of other outcomes than yes or no for tests of exports: odd names, every kind of feature."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cards import mass_card
from export_rows import odd_card
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import Counts, Numbers, OrderedLevels, TimeToEvent

TIMES = TimeToEvent(
    time='days "since"',
    horizons=(0.5, 365.0, 1825.0),
    times=(30.0, 365.0, 1000.0),
    hazards=(0.01, 0.3, 1.7),
    last=2000.0,
)
COUNTS = Counts(exposure="patient years", events=31.0, exposed=250.5)
COMPETING = replace(TIMES, competing="state = dead")
LEVELS = OrderedLevels(('no "pain"', "some, or ½", "</script>", "worst"), (2.5, 0.8, 0.03))
NUMBERS = Numbers(mean=1234.5, deviation=0.5)
KINDS = (TIMES, COUNTS, COMPETING, LEVELS, NUMBERS)


def kind_cards() -> list[RiskCard]:
    """The cards; by the first horizon nobody has had the event."""
    plain = [replace(one, classes=(0, 1)) for one in (mass_card(), odd_card())]
    wild = replace(odd_card(), multiplier=0.01)  # hazards beyond what an exponential holds
    return [replace(one, kind=kind) for one in (*plain, wild) for kind in KINDS]


def numbers_of(card: RiskCard, total: int) -> dict[str, float]:
    """What a card gives for a total, by the names of columns."""
    figures = card.kind.figures(card.linear_of_total(total))
    return {one.name: float(np.ravel(one.values)[0]) for one in figures}


def assert_as_card(card: RiskCard, total: int, found: dict[str, float]) -> None:
    """The numbers of an export are those of the card, up to rounding."""
    expected = numbers_of(card, total)
    assert list(found) == list(expected)
    for name, one in expected.items():
        # beyond the range of exponentials all say that it is very large, or all but nothing
        if 1e-300 < abs(one) < 1e300:
            assert np.isclose(found[name], one, rtol=1e-12, atol=1e-15), (name, total)
        else:
            assert found[name] > 1e299 if one > 1 else found[name] < 1e-299, (name, total)
