"""Calculators of cards of other outcomes than yes or no in a browser: every total gives what the card gives."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from test_calculator_browser import ENTER, answer_to, open_page  # noqa: F401

from cards import mass_card
from kind_cards import KINDS
from riskcard.calculator.questions import questions_of
from riskcard.model.outcome_kinds import Numbers

SHOWN = "return document.getElementById('risk').textContent;"
CHOOSE = """
const choice = document.getElementById("horizon");
choice.value = arguments[0];
choice.dispatchEvent(new Event("change", { bubbles: true }));
return [document.getElementById("risk").dataset.risk, document.getElementById("risk").textContent];
"""
WIDE = replace(mass_card(), kind=Numbers(mean=-2e6, deviation=2e6), multiplier=-1e-6, offset=1.5e6)


@pytest.mark.parametrize("card", [*(replace(mass_card(), kind=one) for one in KINDS), WIDE])
def test_a_page_gives_what_the_card_gives(browser, open_page, card):  # noqa: F811
    open_page(card.to_calculator())
    questions = questions_of(card)
    for row in (
        [50, "round", "low", True],
        [70, "lobular", "high", False],
        [30, "oval", None, True],
    ):
        values = {feature.name: [one] for feature, one in zip(card.features, row, strict=True)}
        entered = [answer_to(q, value) for q, value in zip(questions, row, strict=True)]
        ((total, exact, words, _),) = browser.execute_script(ENTER, [entered])
        assert int(total) == card.total_points(values)[0]
        figures = card.kind.figures(card.linear_of_total(int(total)))
        figures = [one for one in figures if one.name != "relative_hazard"]
        for place, one in enumerate(figures):
            if len(figures) > 1:
                exact, words = browser.execute_script(CHOOSE, str(place))
            assert math.isclose(float(exact), float(one.values.ravel()[0]), rel_tol=1e-12)
            assert words.replace("−", "-") == one.texts()[0]
        if len(figures) > 1:
            browser.execute_script(CHOOSE, "0")
