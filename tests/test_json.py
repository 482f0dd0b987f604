"""A card that is read back is the card that was written, and nothing else passes for one."""

import json
import os
import stat

import numpy as np
import pytest
from hypothesis import given

from cards import heart_card, mass_card, risk_cards
from riskcard.errors import FormatError
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints


@given(risk_cards())
def test_reading_back_gives_the_same_card(card):
    again = RiskCard.from_json(card.to_json())
    assert again == card
    assert again.to_json() == card.to_json()
    assert [type(label) for label in again.classes] == [type(label) for label in card.classes]


@pytest.mark.parametrize("classes", [(0, 1), (0.0, 1.0), (False, True), ("0", "1"), ("nein", "jä")])
def test_classes_keep_their_type(classes):
    again = RiskCard.from_json(heart_card(classes=classes).to_json())
    assert again.classes == classes
    assert [type(label) for label in again.classes] == [type(label) for label in classes]


def test_levels_keep_their_type_and_missing_values_and_codes_their_points():
    groups = (("1", "jä"), (1, 2.0), (True,), (False, "true"))
    feature = LevelPoints("x", groups, (0, 1, 2, 3), missing=-1, usual=2, is_ordered=True)
    card = RiskCard([feature, *mass_card().features])
    again = RiskCard.from_json(card.to_json())
    assert again == card
    kinds = [type(level) for level in again.features[0].levels]
    assert kinds == [str, str, int, float, bool, bool, str]
    assert again.features[1].codes == ((-9.0, 2),)
    assert again.total_points([[None, None, "oval", None, True]]) == [-1 + 1 + 0 + 1 + 1]


def test_a_saved_card_predicts_the_same(tmp_path):
    card = RiskCard([FeaturePoints("a", [0.1 + 0.2], [0, 1])], multiplier=1 / 3, offset=-np.pi)
    card.save(tmp_path / "card.json")
    rows = [[0.3], [0.1 + 0.2], [0.30000000000000010]]
    again = RiskCard.load(tmp_path / "card.json")
    assert again == card
    assert again.risk(rows).tolist() == card.risk(rows).tolist()


FACTS = json.loads(heart_card().to_json())["training"]


def changed(**changes) -> str:
    content = json.loads(heart_card().to_json())
    content.update(changes)
    return json.dumps(content)


def without(key: str) -> str:
    content = json.loads(heart_card().to_json())
    del content[key]
    return json.dumps(content)


def with_certificate(**changes) -> str:
    content = json.loads(heart_card().to_json())
    return changed(certificate={**content["certificate"], **changes})


UNCOUNTED: dict = {"rows": [], "events": [], "too_few": []}


def feature(**changes) -> list:
    plain = {"cuts": [1.0], "points": [0, 1], "missing": None, "codes": [], "usual": None}
    plain["training_range"] = None
    return [{"name": "age", **plain, **UNCOUNTED, **changes}]


def levels(**changes) -> list:
    plain = {"groups": [["a"], ["b", 1]], "points": [0, 1], "missing": None, "usual": None}
    return [{"name": "age", **plain, "is_ordered": False, **UNCOUNTED, **changes}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ('{"format": "riskcard",', r"not valid JSON .* in line 1"),
        ("[1, 2]", "JSON but not a card"),
        ("3", "JSON but not a card"),
        ('{"format": "other"}', "JSON but not a card"),
        (changed(format_version=10), r"format version 10, but .* Install a newer riskcard"),
        (changed(format_version=7), r"version 7, which was written before .* Fit the card again"),
        (changed(format_version="1"), "never existed"),
        (changed(format_version=True), "never existed"),
        (changed(format_version=0), "never existed"),
        (without("offset"), 'no "offset"'),
        (changed(colour="red"), 'unknown entry "colour"'),
        (changed(base=1.0), r"base is 1\.0"),
        (changed(base=None), "base is None"),
        (changed(multiplier=0), "multiplier is 0. Use a positive or a negative"),
        (changed(multiplier="1"), "multiplier is '1'. Use a finite number"),
        (changed(offset=10**400), "offset is a number of more than 30 digits"),
        (changed(offset=0).replace('"offset": 0', '"offset": NaN'), "contains NaN"),
        (changed(offset=0).replace('"offset": 0', '"offset": 1e999'), "offset is inf"),
        (changed(outcome=3), '"outcome" is 3. It must be a text'),
        (changed(riskcard_version=3), '"riskcard_version" is 3'),
        (changed(classes=[1, 1]), "two different values"),
        (changed(classes="ab"), "\"classes\" is 'ab'. It must be a list"),
        (changed(classes=[None, 1]), "class None"),
        (changed(feature_names=[1, 2]), "must be a text"),
        (changed(feature_names=["age", "age", "pressure"]), "'age' twice"),
        (changed(features={}), '"features" is {}. It must be a list'),
        (changed(features=["age"]), "must be an object"),
        (changed(features=feature() * 2), "'age' twice"),
        (changed(features=feature(name="unknown")), "'unknown' is used but not among"),
        (changed(features=feature(name=7)), "A feature is named 7"),
        (changed(features=feature(cuts=[2, 1], points=[0, 1, 2])), "ascending"),
        (changed(features=feature(cuts=["1"])), "A cut of 'age' is '1'"),
        (changed(features=feature(cuts=[True])), "A cut of 'age' is True"),
        (changed(features=feature(points=[0, 1.5])), r"1\.5\. Use a whole number"),
        (changed(features=feature(points=[0])), "points for 1 bins"),
        (changed(features=feature(colour=3)), 'unknown entry "colour"'),
        (changed(features=feature(missing=1.5)), r"missing 'age' is 1\.5"),
        (
            changed(features=feature(training_range={"lowest": 0, "highest": 1, "is_whole": 1})),
            '"is_whole" is 1. It must be a boolean',
        ),
        (changed(features=feature(training_range=[0, 1])), "must be an object"),
        (changed(features=feature(usual=2)), "usual of 'age' is 2, but it has 2 bins"),
        (changed(features=feature(codes=[[-9, 1]])), "a code is .* must be an object"),
        (changed(features=feature(codes=[{"value": -9}])), 'a code has no "points"'),
        (
            changed(features=feature(codes=[{"value": "a", "points": 1}])),
            "special value of 'age' is 'a'",
        ),
        (changed(features=levels(cuts=[])), 'unknown entry "cuts"'),
        (changed(features=levels(groups="ab")), "\"groups\" is 'ab'"),
        (changed(features=levels(groups=["a", "b"])), "A group of 'age' is 'a'. Give a list"),
        (changed(features=levels(groups=[{"a": 1}, ["b"]])), "A group of 'age' is {'a': 1}"),
        (changed(features=levels(groups=[["a"], [None]])), "level of 'age' is None, which is"),
        (changed(features=levels(groups=[["a"], [[]]])), r"level of 'age' is \[\]"),
        (changed(features=levels(groups=[["a"], ["a"]])), "'a' of 'age' is listed twice"),
        (changed(features=levels(points=[0])), "2 groups of levels and points for 1"),
        (changed(features=levels(is_ordered=0)), '"is_ordered" is 0'),
        (changed(features=levels(name=1)), "A feature is named 1"),
        (changed(training=[]), '"training" is \\[\\]'),
        (changed(training={"rows": 1}), 'no "event_weight"'),
        (
            changed(training={**FACTS, "totals": [None]}),
            'an entry of "totals" is None. It must be an object',
        ),
        (
            changed(training={**FACTS, "rows": -1}),
            "rows is -1",
        ),
        (with_certificate(status="perfect"), "status is 'perfect'"),
        (with_certificate(loss="low"), "loss is 'low'"),
        (with_certificate(notes="none"), '"notes" is'),
        (with_certificate(rules=[1]), 'entry of "rules" is 1'),
        (with_certificate(is_grid_full=1), '"is_grid_full" is 1'),
        (with_certificate(extra=1), 'unknown entry "extra"'),
        ('{"format": "riskcard", "format": "riskcard"}', '"format" occurs twice'),
        ("[" * 100_000, "is not a valid card|not valid JSON"),
    ],
)
def test_what_is_not_a_card_is_refused(text, message):
    with pytest.raises(FormatError, match=message) as caught:
        RiskCard.from_json(text)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(FormatError, match=r"There is no file .*none\.json"):
        RiskCard.load(tmp_path / "none.json")
    (tmp_path / "binary.json").write_bytes(b"\x80\x81\x00")
    with pytest.raises(FormatError, match=r"binary\.json' is not a card: it is not a text file"):
        RiskCard.load(tmp_path / "binary.json")
    with pytest.raises(FormatError, match="cannot be read"):
        RiskCard.load(tmp_path)
    (tmp_path / "future.json").write_text(changed(format_version=10))
    with pytest.raises(FormatError, match=r"future\.json' has format version 10"):
        RiskCard.load(tmp_path / "future.json")


def test_a_byte_order_mark_is_accepted(tmp_path):
    path = tmp_path / "card.json"
    path.write_text(heart_card().to_json(), encoding="utf-8-sig")
    assert RiskCard.load(path) == heart_card()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "card.json"
    path.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(FormatError, match=r"card\.json' cannot be written: No space left"):
        heart_card().save(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["card.json"]


def test_writing_keeps_permissions_and_follows_links(tmp_path):
    path, link = tmp_path / "card.json", tmp_path / "link.json"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    heart_card().save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert RiskCard.load(path) == heart_card()


@pytest.mark.parametrize(
    ("place", "message"), [("", "is a folder"), ("none/card.json", "does not exist. Create it")]
)
def test_places_that_cannot_be_written_are_refused(tmp_path, place, message):
    with pytest.raises(FormatError, match=message):
        heart_card().save(tmp_path / place)
