"""An explanation says what the card gives, and every change that it names is true."""

import json
import math
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from cards import heart_card, mass_card, risk_cards, values_of
from kind_cards import COUNTS, KINDS
from optional import pd
from riskcard import DataError, FeaturePoints, LevelPoints, RiskCard, RiskScoreClassifier
from riskcard.cli.main import main
from riskcard.model.origin.certificate import TrainingFacts
from riskcard.model.rows.explain import Explanation
from riskcard.model.rows.lookup import place_of
from riskcard.model.words.labels import Labels

pytestmark = pytest.mark.filterwarnings("ignore::riskcard.RiskcardWarning")


@st.composite
def cards_and_rows(draw):
    card = draw(risk_cards())
    rows = {}
    for feature in card.features:
        known = values_of(feature)
        guessed = [] if feature.usual is None else [None]
        if feature.usual is not None and isinstance(feature, LevelPoints):
            guessed.append("a level that no card has")
        rows[feature.name] = draw(st.sampled_from([*known, *guessed]))
    return card, rows


def columns(row):
    return {name: [value] for name, value in row.items()}


# --- what holds for every card and row ----------------------------------------------------------


@settings(max_examples=40)
@given(cards_and_rows())
def test_points_and_conditions_add_up_to_the_total_of_the_card(drawn):
    card, row = drawn
    why = card.explain(row)
    if card.features:
        assert why.total == card.total_points(columns(row))[0]
        assert why.risk == card.risk(columns(row))[0]
    assert why.base + sum(one.points for one in why.features) == why.total
    assert why.intercept + sum(one.points for one in why.conditions) == why.total
    assert all(one.holds == (one.points > 0) for one in why.conditions)


@settings(max_examples=40)
@given(cards_and_rows())
def test_every_change_gives_the_total_and_risk_that_it_says(drawn):
    card, row = drawn
    for change in card.explain(row).changes:
        changed = columns({**row, change.feature: change.new})
        assert card.total_points(changed)[0] == change.total
        assert card.risk(changed)[0] == change.risk
        assert change.points == change.total - card.total_points(columns(row))[0]
        assert change.points != 0


@settings(max_examples=40)
@given(cards_and_rows())
def test_a_row_without_changes_has_a_constant_card(drawn):
    card, row = drawn
    if card.explain(row).changes:
        return
    for feature in card.features:
        points = place_of(feature, row[feature.name]).points
        reached = {int(feature.points_of([value])[0]) for value in _ordinary(feature)}
        assert reached <= {points}


def _ordinary(feature):
    """Values in the bins or groups; a bin may hold nothing but special codes."""
    if isinstance(feature, LevelPoints):
        return feature.levels
    codes = {code for code, _ in feature.codes}
    return [value for value in values_of(feature) if value is not None and value not in codes]


@pytest.mark.slow
@settings(max_examples=150)
@given(cards_and_rows())
def test_no_other_change_of_one_value_is_nearer_than_the_nearest(drawn):
    """Against trying every bin, group and level of every feature, one at a time."""
    card, row = drawn
    why = card.explain(row)
    tried = []
    for feature in card.features:
        for value in _tried_values(feature):
            total = int(card.total_points(columns({**row, feature.name: value}))[0])
            if total != why.total:
                how_far = *_how_far(feature, row[feature.name], value), abs(total - why.total)
                tried.append((how_far, feature.name, total))
    if why.nearest is None:
        assert not tried
        return
    near = why.nearest
    size = math.inf if near.size is None else near.size
    nearest = (near.bins, pytest.approx(size, abs=1e-12), abs(near.points))
    assert min(tried)[0] == nearest
    # and every feature that can alter the total is named
    assert {one.feature for one in why.changes} == {name for _, name, _ in tried}


def _tried_values(feature):
    """Both ends of every bin and numbers inside, or every level; no codes."""
    if isinstance(feature, LevelPoints):
        return feature.levels
    found = {*_ordinary(feature), 0.0, 0.123}
    for cut in feature.cuts:
        steps = [cut]
        for towards in (-math.inf, math.inf):
            one = cut
            for _ in range(4):  # past a code at the end of a bin
                one = math.nextafter(one, towards)
                steps.append(one)
        found.update(steps)
    codes = {code for code, _ in feature.codes}
    return sorted(value for value in found - codes if math.isfinite(value))


def _how_far(feature, old, new):
    """Bins between two values, and for numbers their difference as a share of the cuts."""
    lines = [place_of(feature, value).line for value in (old, new)]
    is_apart = place_of(feature, old).is_guess or lines[0] >= len(feature.points)
    if isinstance(feature, LevelPoints):
        return (abs(lines[0] - lines[1]) if feature.is_ordered and not is_apart else 1), math.inf
    if is_apart:
        return 1, math.inf
    cuts = feature.cuts
    width = cuts[-1] - cuts[0] if len(cuts) > 1 else abs(cuts[0])
    change = abs(float(new) - float(old))
    size = change / width if width > 0 else change
    return abs(lines[0] - lines[1]), size if math.isfinite(size) else sys.float_info.max


@settings(max_examples=40)
@given(cards_and_rows())
def test_reasons_come_in_the_order_of_lost_points(drawn):
    card, row = drawn
    why = card.explain(row)
    lost = [one.lost for one in why.reasons]
    assert lost == sorted(lost, reverse=True)
    assert all(number > 0 for number in lost)
    assert min(4, sum(one.lost > 0 for one in why.features)) == len(lost)


@settings(max_examples=40)
@given(cards_and_rows())
def test_a_lost_point_raises_the_risk_whichever_way_the_total_runs(drawn):
    card, row = drawn
    why = card.explain(row)
    for one in why.features:
        here, there = card.log_odds_of_total([why.total, why.total - one.points + one.best])
        assert (here > there, here < there) == (one.lost > 0, one.lost < 0)
        assert one.best in feature_points(card, one.feature)
        log_odds = card.log_odds_of_total(feature_points(card, one.feature))
        assert min(log_odds) == card.log_odds_of_total(one.best)


def feature_points(card, name):
    return next(feature.points for feature in card.features if feature.name == name)


@settings(max_examples=40)
@given(cards_and_rows())
def test_every_explanation_can_be_shown_and_written_as_json(drawn):
    card, row = drawn
    why = card.explain(row)
    content = json.loads(json.dumps(why.to_dict(), allow_nan=False))
    assert content["total"] == why.total
    assert content["reasons"] == [one.feature for one in why.reasons]
    assert str(why.total) in str(why)
    assert why._repr_html_().startswith("<div")


# --- by hand ------------------------------------------------------------------------------------


def test_the_nearest_change_of_a_number_is_the_nearest_bin_with_other_points():
    card = RiskCard([FeaturePoints("age", [40, 50, 60, 80], [0, 2, 2, 2, 5])])
    down, up = card.explain({"age": 58}).changes
    assert (down.new, down.bins, down.points, down.place) == (40.0, 2, -2, "≤ 40")
    assert (up.new, up.bins, up.points) == (math.nextafter(80, math.inf), 2, 3)
    assert (down.size, up.size) == (18 / 40, pytest.approx(22 / 40))


def test_of_two_features_the_one_that_needs_the_smaller_share_of_its_cuts_is_nearer():
    card = RiskCard([FeaturePoints("big", [1000], [0, 1]), FeaturePoints("small", [1], [0, 1])])
    assert card.explain({"big": 900, "small": 0.8}).nearest.feature == "big"
    assert card.explain({"big": 700, "small": 0.8}).nearest.feature == "small"


def test_a_value_at_a_cut_is_below_it():
    why = RiskCard([FeaturePoints("age", [60], [0, 2])]).explain({"age": 60})
    assert why.features[0].place == "≤ 60"
    assert why.nearest.new == math.nextafter(60.0, math.inf)
    back = RiskCard([FeaturePoints("age", [60], [0, 2])]).explain({"age": 61})
    assert back.nearest.new == 60.0


def test_a_change_never_lands_on_a_special_code():
    card = RiskCard([FeaturePoints("age", [60], [0, 2], codes=[(60, 7)])])
    assert card.explain({"age": 61}).nearest.new == math.nextafter(60.0, -math.inf)


def test_levels_lead_to_every_other_group_and_ordered_levels_to_the_next_one():
    colour = LevelPoints("colour", [["red"], ["green"], ["blue"]], [0, 1, 3])
    changes = RiskCard([colour]).explain({"colour": "red"}).changes
    assert [(one.new, one.bins, one.points) for one in changes] == [("green", 1, 1), ("blue", 1, 3)]
    size = LevelPoints("size", [["low"], ["mid"], ["high"]], [0, 1, 3], is_ordered=True)
    changes = RiskCard([size]).explain({"size": "low"}).changes
    assert [(one.new, one.bins) for one in changes] == [("mid", 1)]


def test_missing_special_and_unseen_values_are_said():
    why = mass_card().explain({"age": -9, "shape": "zigzag", "density": None, "palpable": 1})
    age, shape, density, palpable = why.features
    assert (age.place, age.points, age.best, age.lost) == ("-9", 2, 0, 2)
    assert (shape.place, shape.is_guess) == ("unknown, as round, oval", True)
    assert (density.value, density.place, density.is_guess) == (None, "missing", False)
    assert (palpable.value, palpable.place) == (True, "yes")


def test_a_missing_value_may_be_better_than_every_bin():
    card = RiskCard([FeaturePoints("age", [60], [1, 2], missing=0)])
    why = card.explain({"age": None})
    assert why.features[0].lost == -1
    assert why.reasons == ()


def test_the_text_shows_points_reasons_and_changes():
    text = str(heart_card().explain({"age": 71, "pressure": 0.1}))
    assert text.splitlines()[0] == "Risk of death: 98.9 % (total 6)"
    assert "age               71      > 60 to <= 75        2      0             +2" in text
    assert "1. pressure is 0.1 (<= 0.125): +5" in text
    assert "1. pressure > 0.125 instead of 0.1: total 1 (-5), risk 62.2 %" in text
    assert text.isascii()


def test_names_are_escaped_in_html():
    card = RiskCard([FeaturePoints("<b>", [60], [0, 2])])
    assert "<b>" not in card.explain({"<b>": 3})._repr_html_()


# --- rows however they come ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "row",
    [
        {"age": 71, "pressure": 0.1},
        {"age": [71], "pressure": [0.1]},
        [1.0, 0.1, 71],
        (1.0, "0.1", 71),
        [[1.0, 0.1, 71]],
        np.array([1.0, 0.1, 71.0]),
        np.array([[1.0, 0.1, 71.0]]),
        pd.DataFrame({"pressure": [0.1], "age": [71]}),
        pd.DataFrame({"pressure": [0.1], "age": [71]}).iloc[0],
    ],
    ids=lambda row: type(row).__name__,
)
def test_one_row_comes_in_any_form(row):
    why = heart_card().explain(row)
    assert isinstance(why, Explanation)
    assert (why.total, why.features[0].value) == (6, 71)


def test_several_rows_and_missing_columns_are_refused():
    with pytest.raises(DataError, match="There are 2 rows, but one is explained at a time"):
        heart_card().explain({"age": [1, 2], "pressure": [0, 0]})
    with pytest.raises(DataError, match="needs column 'pressure'"):
        heart_card().explain({"age": 3})
    with pytest.raises(DataError, match="'age' is missing in row 0"):
        heart_card().explain({"age": None, "pressure": 0})


def test_a_classifier_explains_by_its_card(mixed):
    frame, y = mixed
    model = RiskScoreClassifier(max_terms=3).fit(frame, y)
    for place in range(20):
        why = model.explain(frame.iloc[place])
        assert why.total == model.total_points(frame.iloc[[place]])[0]
    with pytest.raises(NotFittedError):
        RiskScoreClassifier().explain(frame.iloc[0])


# --- the command --------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    card, data = tmp_path / "card.json", tmp_path / "data.csv"
    mass_card().save(card)
    data.write_text("age,shape,density,palpable\n70,oval,low,true\n,zigzag,?,0\n")
    return str(card), str(data)


def test_the_command_explains_the_row_that_it_is_asked_for(files, capsys):
    assert main(["explain", *files]) == 0
    assert "1. age is 70 (> 60): +3" in capsys.readouterr().out
    assert main(["explain", *files, "--row", "2", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert [one["place"] for one in content["features"]] == [
        "missing", "unknown, as round, oval", "missing", "no",
    ]  # fmt: skip
    assert content["total"] == 2


@pytest.mark.parametrize("row", ["0", "3"])
def test_a_row_that_is_not_there_is_refused(files, capsys, row):
    assert main(["explain", *files, "--row", row]) == 2
    assert f"--row is {row}, but" in capsys.readouterr().err


# --- languages ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", ["Merkmal", "Grundwert (für alle)", "Gründe, nach Punkten", "statt", "Summe"]),
        (
            "fr",
            ["Caractéristique", "Base (pour tous)", "Raisons, par points", "au lieu de", "risque"],
        ),
        (
            "es",
            ["Característica", "Base (para todos)", "Motivos, por puntos", "en lugar de", "riesgo"],
        ),
    ],
)
def test_an_explanation_speaks_the_language_of_the_card(language, words):
    card = RiskCard([FeaturePoints("bmi", [25.5], [0, 3], missing=1)], base=1)
    why = card.with_labels(Labels(language=language)).explain({"bmi": 31.5})
    shown = str(why)
    assert [word for word in words if word not in shown] == []
    english = ("Feature", "Against best", "Reasons", "instead of", "everyone", "31.5")
    for text in (shown, why._repr_html_(), why.to_markdown()):
        assert [word for word in english if word in text] == []
    assert why.to_dict().keys() == card.explain({"bmi": 31.5}).to_dict().keys()
    assert "labels" not in why.to_dict()


def test_a_guess_is_named_in_the_language_of_the_card():
    card = RiskCard([FeaturePoints("bmi", [25.5], [0, 3], usual=1)])
    why = card.with_labels(Labels(language="de")).explain({"bmi": None})
    assert why.features[0].place == "fehlt, wie > 25,5"


@pytest.mark.parametrize("kind", KINDS)
def test_other_outcomes_have_lowest_bins_and_not_best_ones(kind):
    card = replace(mass_card(), kind=kind)
    why = card.explain({"age": 70, "shape": "lobular", "density": "high", "palpable": False})
    assert "points above the lowest bin" in str(why)
    assert not re.search(r"\bbest\b|lower risk", str(why), re.IGNORECASE)
    lowest = card.explain({"age": 30, "shape": "round", "density": "high", "palpable": False})
    assert "every feature is in its lowest bin" in str(lowest)


def test_a_count_of_many_weighted_events_is_written_without_decimals():
    facts = TrainingFacts(rows=9, events=3, weight=9.0, event_weight=3.0)
    kind = replace(COUNTS, events=648166.09, exposed=12345678.9)
    card = replace(mass_card(), kind=kind, training=facts)
    assert "648,166 events in an exposure of 12,345,679 (" in " ".join(str(card).split())
