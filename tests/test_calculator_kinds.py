"""Calculators of cards of other outcomes than yes or no: what they show, and in which words."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from cards import mass_card
from html_reader import read_html
from kind_cards import COMPETING, COUNTS, LEVELS, NUMBERS, TIMES
from riskcard.calculator.calculator_page import _ticks
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints
from riskcard.model.words.labels import words_of

CARDS = {kind: replace(mass_card(), kind=kind) for kind in (COUNTS, NUMBERS, LEVELS)}


def page_of(card: RiskCard) -> tuple[str, dict]:
    """The texts that a reader sees, in one, and the data of the script."""
    reader = read_html(card.to_calculator())
    return " ".join(reader.texts), json.loads(reader.scripts[0])


@pytest.mark.parametrize("kind", CARDS)
def test_no_page_speaks_of_risks_that_the_card_does_not_give(kind):
    texts, data = page_of(CARDS[kind])
    figure = kind.figures(0.0)[-1].heading
    assert figure in texts
    assert not re.search(r"\brisk", texts.replace(CARDS[kind].title, ""), re.IGNORECASE)
    spoken = ("possible_risk", "announcement", "unseen", "curve", "from_total_to_risk")
    for key in spoken:
        assert data["words"][key] == words_of("en")[f"{key}_value"] != words_of("en")[key]


@pytest.mark.parametrize("kind", [TIMES, COMPETING])
def test_pages_of_times_speak_of_risks(kind):
    texts, data = page_of(replace(mass_card(), kind=kind))
    assert "the risk is" in data["words"]["unseen"]
    assert "amount" not in data
    assert [one["hazard"] for one in data["horizons"]] == [0.0, 0.3, 1.7]
    assert "From total to risk" in texts


def test_the_table_has_every_total():
    for kind, card in CARDS.items():
        _, data = page_of(card)
        assert data["totals"] == card.reachable_totals()
        for total in (data["totals"][0], data["totals"][-1]):
            for text in [one.texts()[0] for one in kind.figures(card.linear_of_total(total))]:
                assert text in page_of(card)[0]


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.0, 0.0), (-3.2, 7.1), (1e-7, 2e-7), (5.0, 5.0), (0.3, 250.0), (-9e9, -8e9), (0.99, 1.01)],
)
def test_the_axis_holds_the_curve(low, high):
    ticks = _ticks(low, high)
    assert ticks[0] <= low <= high <= ticks[-1]
    assert 2 <= len(ticks) <= 8
    assert ticks == sorted(set(ticks))


def test_a_card_without_features_has_a_page():
    card = RiskCard([FeaturePoints("x", [], [0])], kind=NUMBERS)
    assert page_of(card)[1]["amount"]["ticks"]
