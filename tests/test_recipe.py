"""A recipe says how a card was made, knows its rows again, and notices an edited card."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from hashlib import blake2b

import numpy as np
import pytest

from optional import pa, pd, pl
from riskcard import (
    CardRules,
    FeatureRule,
    FormatError,
    ParameterError,
    Regularization,
    RiskCard,
    RiskcardWarning,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    find_pool,
    improve,
    recalibrate,
    to_credit_points,
)
from riskcard.baselines.unit_weights import UnitWeightsClassifier
from riskcard.cli.main import main
from riskcard.data.columns import FeatureValues
from riskcard.data.features import read_features
from riskcard.data.levels import Levels
from riskcard.data.row_hash import CHUNK, hash_choices, hash_rows
from riskcard.model.origin.recipe import Recipe, RowOrigin, matches

CHANGED = "The card was changed after it was fitted"


@pytest.fixture(scope="module")
def table():
    """Whole and real numbers, missing values, texts and booleans."""
    rng = np.random.default_rng(5)
    n = 200
    age, dose = rng.integers(20, 90, n), rng.normal(size=n).round(2)
    dose[rng.random(n) < 0.1] = np.nan
    frame = pd.DataFrame(
        {
            "age": age,
            "dose": dose,
            "shape": rng.choice(["round", "oval", "flat"], n),
            "smokes": rng.random(n) < 0.3,
        }
    )
    y = (0.05 * (age - 55) + frame["smokes"] + rng.logistic(size=n) > 0).astype(int)
    return frame, y.to_numpy()


@pytest.fixture(scope="module")
def card(table):
    return RiskScoreClassifier(3, certify=True).fit(*table).card_


def hash_of(X, y, weights=None) -> str:
    return hash_rows(
        columns_of(X), np.asarray(y) == 1, np.ones(len(y)) if weights is None else weights
    )


def columns_of(X):
    found = read_features(X)
    return {
        name: FeatureValues(found.values[:, f], found.levels[f])
        for f, name in enumerate(found.names)
    }


# --- hashes of rows -----------------------------------------------------------------------------


def test_order_of_rows_and_columns_does_not_matter_and_every_cell_does(table):
    X, y = table
    order = np.random.default_rng(0).permutation(len(y))
    mine = hash_of(X, y)
    assert hash_of(X.iloc[order][X.columns[::-1]], y[order]) == mine
    others = {
        "a row twice": (pd.concat([X, X[:1]]), np.append(y, y[0])),
        "a row less": (X[1:], y[1:]),
        "another label": (X, np.where(np.arange(len(y)) == 7, 1 - y, y)),
        "another number": (X.assign(age=X["age"] + (np.arange(len(y)) == 7)), y),
        "another level": (X.assign(shape=X["shape"].where(np.arange(len(y)) != 7, "new")), y),
        "another name": (X.rename(columns={"age": "years"}), y),
        "two columns swapped": (X.rename(columns={"age": "dose", "dose": "age"}), y),
        "one missing value more": (X.assign(dose=X["dose"].where(np.arange(len(y)) != 8)), y),
    }
    hashes = {what: hash_of(*rows) for what, rows in others.items()}
    assert len({mine, *hashes.values()}) == len(others) + 1
    assert hash_of(X, y, np.full(len(y), 2.0)) != mine


def test_zeros_and_missing_values_are_of_one_kind():
    y = [0, 1, 0]
    assert hash_of([[0.0], [1], [2]], y) == hash_of([[-0.0], [1], [2]], y)
    other_nan = np.array([0x7FF8000000000001, 0xFFF8000000000000, 0], dtype=np.uint64).view(float)
    assert np.isnan(other_nan[:2]).all()
    assert hash_of(other_nan[:, None], y) == hash_of([[np.nan], [np.nan], [0.0]], y)


def test_levels_are_told_apart_by_type_and_not_by_their_order():
    y, codes = np.array([True, False, True]), np.array([0.0, 1.0, np.nan])

    def hash_with(*names):
        return hash_rows({"x": FeatureValues(codes, Levels(names))}, y, np.ones(3))

    assert len({hash_with(*names) for names in (("1", "2"), (1, 2), (True, 2), ("a", "b"))}) == 4
    assert hash_with(1, 2) == hash_with(1.0, 2.0)
    turned = FeatureValues(np.array([1.0, 0.0, np.nan]), Levels(("b", "a")))
    assert hash_rows({"x": turned}, y, np.ones(3)) == hash_with("a", "b")


def mix(x: int) -> int:
    """The finaliser of splitmix64 in plain Python."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = ((x ^ (x >> shift)) * factor) % 2**64
    return x ^ (x >> 31)


def test_the_hash_of_known_rows_is_that_of_plain_arithmetic_on_every_machine():
    features = {
        "age": FeatureValues(np.array([61.0, np.nan, -0.0]), None),
        "shape": FeatureValues(np.array([0.0, 1.0, np.nan]), Levels(("oval", "röund"))),
    }
    found = hash_rows(features, np.array([True, False, True]), np.array([1.0, 0.5, 2.0]))
    missing = 0x7FF8000000000000
    cells = {
        "feature age": [*struct.unpack("<Q", struct.pack("<d", 61.0)), missing, 0],
        "feature shape": [
            int.from_bytes(blake2b(f"text {word}".encode(), digest_size=8).digest(), "little")
            for word in ("oval", "röund")
        ]
        + [missing],
        "event": list(struct.unpack("<3Q", struct.pack("<3d", 1.0, 0.0, 1.0))),
        "weight": list(struct.unpack("<3Q", struct.pack("<3d", 1.0, 0.5, 2.0))),
    }
    sums = []
    for lane in (0, 1):
        keys = {
            name: int.from_bytes(
                blake2b(name.encode(), digest_size=16).digest()[8 * lane :][:8], "little"
            )
            for name in cells
        }
        rows = [sum(mix(cells[name][row] ^ keys[name]) for name in cells) for row in range(3)]
        sums.append(sum(mix(row % 2**64) for row in rows) % 2**64)
    assert found == f"{sums[0]:016x}{sums[1]:016x}" == "064436e8ce07a0164f9169f2d8bef8c2"


def test_rows_beyond_a_chunk_count_too():
    values = np.arange(2 * CHUNK + 3.0)
    y = values % 3 == 0
    mine = hash_rows({"x": FeatureValues(values, None)}, y, np.ones(values.size))
    turned = hash_rows({"x": FeatureValues(values[::-1], None)}, y[::-1], np.ones(values.size))
    changed = np.where(values == values.max(), -1.0, values)
    assert mine == turned
    assert mine != hash_rows({"x": FeatureValues(changed, None)}, y, np.ones(values.size))


def test_a_choice_of_features_has_the_hash_of_a_table_without_the_others(table):
    frame, y = table
    features, weights = columns_of(frame), np.ones(len(y))
    names = list(features)
    choices = [[], names[2:], [names[1], names[0]], names]
    wanted = [hash_rows({name: features[name] for name in own}, y == 1, weights) for own in choices]
    assert hash_choices(features, choices, y == 1, weights) == wanted
    assert len(set(wanted)) == len(choices)


def test_tables_and_files_of_every_kind_have_the_same_hashes(table, tmp_path):
    X, y = table
    mine = RiskScoreClassifier(2).fit(X, y).card_.recipe
    arrow = pa.Table.from_pandas(X, preserve_index=False)
    tables = [pl.from_pandas(X), arrow, X.convert_dtypes(), X.astype({"shape": "category"})]
    recipes = [RiskScoreClassifier(2).fit(one, y).card_.recipe for one in tables]
    X.assign(ill=np.where(y == 1, "yes", "no")).to_csv(tmp_path / "rows.csv", index=False)
    out = str(tmp_path / "card.json")
    fit = ["fit", str(tmp_path / "rows.csv"), "--target", "ill", "--max-terms", "2", "-q"]
    assert main([*fit, "-o", out]) == 0
    recipes.append(RiskCard.load(out).recipe)
    assert {(one.rows_used, one.rows_all) for one in recipes} == {(mine.rows_used, mine.rows_all)}


# --- what a recipe says -------------------------------------------------------------------------


def test_all_parameters_are_stored_with_what_auto_became(table):
    X, y = table
    rules = CardRules({"age": FeatureRule(direction="rises")}, min_bin_rows="auto")
    model = RiskScoreClassifier(3, regularization="auto", rules=rules).fit(X, y)
    recipe = model.card_.recipe
    assert recipe.method == "RiskScoreClassifier"
    assert recipe.parameters.keys() == model.get_params().keys()
    assert recipe.parameters["regularization"] == "auto"
    assert recipe.parameters["rules"]["min_bin_rows"] == "auto"
    resolved = recipe.resolved
    assert resolved["grid"] == 9
    assert resolved["pseudo_rows"] == model.card_.certificate.pseudo_rows > 0
    assert (resolved["min_bin_rows"], resolved["min_bin_events"]) == (10, 0)
    assert resolved["max_log_odds"] == pytest.approx(np.log(1000))
    assert resolved["shortlist"] == model.card_.certificate.shortlist > 0
    assert resolved["grid"] == model.card_.certificate.grid


def test_weights_and_class_weights_are_recorded_as_given(table):
    X, y = table
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    plain = RiskScoreClassifier(1).fit(X, y).card_.recipe
    both = RiskScoreClassifier(1, class_weight={0: 1, 1: 2.5}).fit(X, y, weights).card_.recipe
    assert (plain.is_weighted, plain.parameters["class_weight"]) == (False, None)
    assert (both.is_weighted, both.parameters["class_weight"]) == (True, [[0, 1], [1, 2.5]])
    kept = weights > 0
    assert both.rows_all == hash_of(X[kept], y[kept], weights[kept].astype(float))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"regularization": Regularization(grid=20, pseudo_rows=0.1)},
        {"regularization": "auto", "class_weight": "balanced", "scale": "multiplier"},
        {"class_weight": {0: 1.0, 1: 3.0}, "scale": 2, "max_log_odds": "auto"},
        {"random_state": None, "max_features": 2},
        {"random_state": np.random.RandomState(3), "n_jobs": 2},
        {"rules": CardRules({"age": FeatureRule(use="must", cuts=[40, 60])}, min_gain=0.5)},
    ],
)
def test_the_recipe_of_a_saved_card_gives_the_same_card_again(table, settings):
    X, y = table
    first = RiskScoreClassifier(3, **settings).fit(X, y).card_
    recipe = RiskCard.from_json(first.to_json()).recipe
    again = RiskScoreClassifier.from_recipe(recipe).fit(X, y).card_
    for name in ("features", "base", "multiplier", "offset", "training"):
        assert getattr(again, name) == getattr(first, name)
    assert again.certificate.loss == first.certificate.loss
    assert replace(again.recipe, digest="") == replace(recipe, digest="")


def test_rules_of_a_file_are_part_of_the_recipe(table, tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text('min_bin_rows = 20\n[features.age]\ndirection = "rises"\n')
    recipe = RiskScoreClassifier(1, rules=path).fit(*table).card_.recipe
    path.unlink()
    meant = CardRules({"age": FeatureRule(direction="rises")}, min_bin_rows=20)
    assert RiskScoreClassifier.from_recipe(recipe).rules == meant


def test_a_size_chosen_by_cross_validation_is_chosen_again(table):
    X, y = table
    own = RiskScoreClassifier(max_points=3, random_state=2)
    first = RiskScoreClassifierCV(own, max_terms=3, cv=3, rule="best").fit(X, y)
    recipe = first.card_.recipe
    assert recipe.method == "RiskScoreClassifierCV"
    assert recipe.parameters["max_terms"] == max(first.n_terms_, 1)
    again = RiskScoreClassifierCV.from_recipe(recipe).fit(X, y)
    assert again.card_.features == first.card_.features
    assert again.cv_results_["mean_test_score"].tolist() == (
        first.cv_results_["mean_test_score"].tolist()
    )
    by_hand = RiskScoreClassifierCV(
        max_terms=1, cv=[(np.arange(100), np.arange(100, 200))], rule="best"
    )
    nameless = RiskScoreClassifierCV(
        max_terms=1, cv=2, scoring=lambda model, X, y: model.score(X, y), rule="best"
    )
    for model in (by_hand, nameless):
        with pytest.raises(ParameterError, match="does not suffice"):
            RiskScoreClassifierCV.from_recipe(model.fit(X, y).card_.recipe)


def test_improved_cards_cards_of_pools_and_baselines_say_what_made_them(table, card):
    X, y = table
    improved = improve(card, X, y, max_changes=2).recipe
    assert (improved.method, improved.further["max_changes"]) == ("improve", 2)
    pool = find_pool(RiskScoreClassifier(1), X, y, tolerance=0.1, size=5)
    assert {one.recipe.method for one in pool} == {"find_pool"}
    assert pool[0].recipe.further == {"tolerance": 0.1, "size": 5}
    baseline = UnitWeightsClassifier(2).fit(X[["age"]], y).card_.recipe
    assert (baseline.method, baseline.parameters["grid"]) == ("UnitWeightsClassifier", 9)
    with pytest.raises(ParameterError, match="made by UnitWeightsClassifier"):
        RiskScoreClassifier.from_recipe(baseline)


# --- whose rows are these? ----------------------------------------------------------------------


def test_rows_are_recognised_in_any_order_and_without_unused_columns(table, card):
    X, y = table
    order = np.random.default_rng(2).permutation(len(y))
    columns, is_event = columns_of(X.iloc[order]), y[order] == 1
    assert matches(card, columns, is_event) is RowOrigin.TRAINING
    used = {feature.name: columns[feature.name] for feature in card.features}
    assert len(used) < len(columns)
    assert matches(card, used, is_event) is RowOrigin.TRAINING
    assert matches(card, used, is_event, np.ones(len(y))) is RowOrigin.TRAINING
    assert matches(card, used, ~is_event) is RowOrigin.OTHER
    assert matches(card, columns_of(X[:150]), y[:150] == 1) is RowOrigin.OTHER
    assert matches(card, {}, is_event) is RowOrigin.UNKNOWN
    assert matches(replace(card, recipe=None), columns, is_event) is RowOrigin.UNKNOWN
    unused = next(name for name in X.columns if name not in used)
    shuffled = columns_of(X.assign(**{unused: X[unused].to_numpy()[::-1]}))
    assert matches(card, shuffled, y == 1) is RowOrigin.UNKNOWN


def test_weights_must_be_given_again(table):
    X, y = table
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    card = RiskScoreClassifier(2).fit(X, y, sample_weight=weights).card_
    assert matches(card, columns_of(X), y == 1, weights) is RowOrigin.TRAINING
    assert matches(card, columns_of(X), y == 1, weights + 1) is RowOrigin.OTHER
    assert matches(card, columns_of(X), y == 1) is RowOrigin.UNKNOWN


def test_an_empty_card_needs_all_columns():
    X, y = pd.DataFrame({"a": [1.0] * 4, "b": [2.0] * 4}), np.array([0, 1, 1, 1])
    card = RiskScoreClassifier(1).fit(X, y).card_
    assert card.features == ()
    assert matches(card, columns_of(X), y == 1) is RowOrigin.TRAINING
    assert matches(card, columns_of(X[["a"]]), y == 1) is RowOrigin.UNKNOWN


# --- edited cards -------------------------------------------------------------------------------


def test_a_saved_card_is_read_back_with_certificate_and_recipe(card, recwarn):
    again = RiskCard.from_json(card.to_json())
    assert again == card
    assert again.recipe == card.recipe
    assert again.certificate is not None
    assert not recwarn.list


@pytest.mark.parametrize(
    "edit",
    [
        lambda content: content["features"][0]["points"].__setitem__(0, 7),
        lambda content: content.update(base=content["base"] + 1),
        lambda content: content.update(multiplier=2 * content["multiplier"]),
        lambda content: content.update(offset=content["offset"] + 0.1),
        lambda content: content["certificate"].update(loss=1.0),
        lambda content: content["certificate"].update(bound=0.5),
        lambda content: content["certificate"].update(max_terms=9),
        lambda content: content["recipe"]["parameters"].update(max_terms=9),
        lambda content: content["recipe"].update(rows_used="0" * 32),
    ],
)
def test_an_edited_file_loses_its_certificate(card, edit):
    content = json.loads(card.to_json())
    edit(content)
    with pytest.warns(RiskcardWarning, match=CHANGED):
        edited = RiskCard.from_json(json.dumps(content))
    assert (edited.certificate, edited.recipe) == (None, None)
    assert edited.training == card.training


def test_other_names_and_labels_do_not_count_as_an_edit(card, recwarn):
    renamed = replace(card, outcome="death", classes=("no", "yes"))
    assert RiskCard.from_json(renamed.to_json()).certificate == card.certificate
    assert not recwarn.list


def test_a_card_that_is_changed_in_python_loses_its_certificate(card):
    with pytest.warns(RiskcardWarning, match=CHANGED):
        changed = replace(card, base=card.base + 1)
    assert (changed.certificate, changed.recipe) == (None, None)
    with pytest.warns(RiskcardWarning, match=CHANGED):
        replace(card, certificate=replace(card.certificate, bound=0.0))


def test_cards_with_a_new_scale_keep_their_origin_without_a_warning(table, card, recwarn):
    X, y = table
    new, credit = recalibrate(card, X, y, update="offset"), to_credit_points(card).card
    for one in (new, credit, RiskCard.from_json(new.to_json())):
        assert one.certificate is None
        assert one.recipe.rows_all == card.recipe.rows_all
        assert matches(one, columns_of(X), y == 1) is RowOrigin.TRAINING
    assert (credit.recipe.scale_rows, new.recipe.scale_rows) == ("", card.recipe.rows_used)
    assert (
        recalibrate(card, X[1:], y[1:], update="offset").recipe.scale_rows != card.recipe.rows_used
    )
    assert not recwarn.list


def test_a_recalibrated_card_that_is_edited_loses_its_recipe(table, card):
    content = json.loads(recalibrate(card, *table, update="offset").to_json())
    content["base"] += 1
    assert RiskCard.from_json(json.dumps(content)).recipe is None


def test_a_recipe_without_digest_or_with_other_entries_is_refused(card):
    content = json.loads(card.to_json())
    for change, message in (
        ({"digest": ""}, '"digest" of the recipe is empty'),
        ({"method": 3}, "method of the recipe is 3. It must be a text"),
        ({"is_weighted": 0}, "is_weighted of the recipe is 0"),
        ({"parameters": []}, r"parameters of the recipe is \[\]"),
        ({"extra": 1}, 'unknown entry "extra"'),
    ):
        text = json.dumps({**content, "recipe": {**content["recipe"], **change}})
        with pytest.raises(FormatError, match=message):
            RiskCard.from_json(text)
    with pytest.raises(ParameterError, match="further of the recipe is not plain JSON"):
        Recipe("fit", {}, {}, {"cv": object()}, False, "", "")


def test_the_command_check_fails_loudly_for_an_edited_card(table, card, tmp_path, capsys):
    X, y = table
    path, data = tmp_path / "card.json", tmp_path / "rows.csv"
    X.assign(ill=y).to_csv(data, index=False)
    asked = ["check", str(path), str(data), "--target", "ill"]
    card.save(path)
    assert main(asked) == 0
    content = json.loads(path.read_text())
    content["features"][0]["points"][0] += 1
    path.write_text(json.dumps(content))
    assert main(asked) == 1
    out = capsys.readouterr().out
    assert f"FAIL         digest: {CHANGED}" in out
    assert out.endswith("The card is not what it claims.\n")
