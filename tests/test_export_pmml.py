"""What PMML refuses, and how it is written; two evaluators run it in tests_all."""

from xml.etree import ElementTree

import pytest

from cards import heart_card, mass_card
from export_rows import mixed_card, odd_card
from riskcard.errors import ParameterError
from riskcard.export.pmml import card_to_pmml
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.words.labels import FeatureLabel, Labels

PREFIX = "{http://www.dmg.org/PMML-4_4}"


def test_odd_names_and_levels_are_read_back():
    card = odd_card()
    card = RiskCard([*card.features, LevelPoints("a\r\n\tb", [["c\r", "d\n\t "]], [1])])
    root = ElementTree.fromstring(card_to_pmml(card).encode())
    names = [field.get("name") for field in root.iter(f"{PREFIX}DataField")]
    assert names == [feature.name for feature in card.features]
    values = {one.get("value") for one in root.iter(f"{PREFIX}SimplePredicate")}
    texts = [level for one in card.features for level in getattr(one, "levels", ())]
    assert {level for level in texts if isinstance(level, str)} <= values


def test_there_are_no_more_reasons_than_features():
    root = ElementTree.fromstring(card_to_pmml(mass_card(), reasons=9))
    outputs = [field.get("name") for field in root.iter(f"{PREFIX}OutputField")]
    assert outputs == ["total", "log_odds", "risk", *(f"reason_{rank}" for rank in range(1, 5))]


@pytest.mark.parametrize(
    ("card", "words"),
    [
        (heart_card(features=()), "The card has no features.*PMML needs an input"),
        (mixed_card(), "levels of 'x' are of several kinds"),
        (RiskCard([LevelPoints("x", [["a\x01"]], [1])]), "has a control character"),
        (RiskCard([FeaturePoints("x\ufffe", [], [1])]), "has a control character"),
        (RiskCard([LevelPoints("x", [[2**53 + 1]], [1])]), "has more digits than"),
    ],
)
def test_what_pmml_cannot_say_is_refused(card, words):
    with pytest.raises(ParameterError, match=words):
        card_to_pmml(card)


def test_a_number_of_reasons_is_a_whole_number():
    with pytest.raises(ParameterError, match="reasons is -1"):
        card_to_pmml(mass_card(), reasons=-1)


def test_fields_are_shown_by_their_labels_and_called_by_their_columns():
    label = FeatureLabel(name='Age "at\x07 last" & now', unit="years")
    labels = Labels(features={"a": label})
    plain = RiskCard([FeaturePoints("a", [1.0], [0, 2]), FeaturePoints("b", [1.0], [0, 1])])
    fields = ElementTree.fromstring(card_to_pmml(plain.with_labels(labels))).iter(
        f"{PREFIX}DataField"
    )
    shown = {field.get("name"): field.get("displayName") for field in fields}
    assert shown == {"a": 'Age "at  last" & now (years)', "b": None}
