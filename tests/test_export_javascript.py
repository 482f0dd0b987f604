"""What the JavaScript of a card must not contain; Node runs it in tests_all."""

import pytest

from cards import heart_card
from riskcard.errors import ParameterError
from riskcard.export.javascript import card_to_javascript
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import LevelPoints
from riskcard.version import __version__


@pytest.mark.parametrize("form", ["module", "script"])
def test_no_level_or_name_ends_a_script_in_a_page(form):
    text = "</script><!--"
    card = RiskCard([LevelPoints(text, [[text]], [1])], outcome=text, classes=("a", text))
    assert "</" not in card_to_javascript(card, form)


def test_line_breaks_in_the_title_do_not_end_the_comment():
    text = card_to_javascript(heart_card(outcome="a\nb\u2028c", classes=("x", "y\r")))
    assert text.splitlines()[:2] == [
        "// risk of a b c = y ",
        f"// written by riskcard {__version__}",
    ]


def test_levels_that_javascript_numbers_cannot_hold_are_refused():
    with pytest.raises(ParameterError, match="has more digits than a number in JavaScript"):
        card_to_javascript(RiskCard([LevelPoints("x", [[2**53 + 1]], [1])]))


def test_an_unknown_form_is_refused():
    with pytest.raises(ParameterError, match="no form 'amd' here"):
        card_to_javascript(heart_card(), "amd")
