"""A report knows which rows it is about, repeats the card's own recipe, and says only what they show."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

from riskcard import (
    DataError,
    Regularization,
    RiskCard,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    improve,
    make_report,
    recalibrate,
    to_credit_points,
)
from riskcard.cli.main import main
from riskcard.evaluation.calibration import calibration_of
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.linearisation import Linearised
from riskcard.evaluation.outcomes import Outcomes
from riskcard.model.origin.recipe import RowOrigin
from riskcard.report.judgement import level_words, price_words
from riskcard.report.refits.procedure import procedure_of
from riskcard.report.refits.repeated import combined
from riskcard.report.report_page import render_report, render_section

pytestmark = pytest.mark.slow

pytest.importorskip("matplotlib")

QUICK = {"cv": 2, "repeats": 1, "n_bootstraps": 5, "time_limit": None}
NONE = {"cv": 0, "n_bootstraps": 0}


def rows(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(2)
    return X, (X[:, 0] + rng.normal(size=n_rows) > 0).astype(int)


@pytest.fixture(scope="module")
def own():
    return rows(160, seed=1)


@pytest.fixture(scope="module")
def other():
    return rows(120, seed=2)


@pytest.fixture(scope="module")
def card(own):
    return RiskScoreClassifier(2).fit(*own).card_


def section(name: str, facts) -> str:
    return " ".join(render_section(name, facts).split())


def write(path, X, y, **more) -> str:
    columns = {f"x{place}": X[:, place].tolist() for place in range(X.shape[1])} | more
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*columns, "ill"])
        writer.writerows(zip(*columns.values(), y.tolist(), strict=True))
    return str(path)


# --- other rows ---------------------------------------------------------------------------------


def test_on_other_rows_the_card_is_judged_as_it_is_and_no_new_card_is_mentioned(card, other):
    facts = make_report(card, *other, **QUICK).facts
    assert facts.mode.origin is RowOrigin.OTHER
    assert (facts.validation, facts.stability, facts.audit) == (None, None, None)
    page = " ".join(render_report(facts).split())
    for words in (
        "refitted cards",
        "Held out",
        "orrected</th>",
        "of the resamples",
        "What a card costs",
    ):
        assert words not in page
    area = facts.rows.evaluation.roc.area
    assert f"<b>{area:.3f}</b>" in page
    assert "These are not the rows that the card was learned from." in page


def test_as_many_rows_and_events_elsewhere_are_other_rows(card, own):
    X, y = own
    facts = make_report(card, X + 0.005, y, **NONE).facts
    assert facts.mode.origin is RowOrigin.OTHER
    assert facts.mode.failures == ()


def test_training_rows_are_known_in_any_order(card, own):
    X, y = own
    order = np.random.default_rng(0).permutation(len(y))
    facts = make_report(card, X[order], y[order], **NONE).facts
    assert facts.mode.origin is RowOrigin.TRAINING
    assert facts.audit is not None


# --- test rows ----------------------------------------------------------------------------------


def test_test_rows_that_are_training_rows_are_refused(card, own):
    with pytest.raises(DataError, match="The test rows are the rows that the card was learned"):
        make_report(card, *own, test=own, **NONE)


def test_test_rows_that_overlap_training_rows_are_refused_and_counted(card, own, other):
    X, y = (np.concatenate([ours[:30], theirs]) for ours, theirs in zip(own, other, strict=True))
    with pytest.raises(DataError, match="30 of the 150 test rows are among the rows"):
        make_report(card, *own, test=(X, y), **NONE)


def test_rows_that_are_equal_by_chance_are_only_noted():
    rng = np.random.default_rng(3)
    X = rng.integers(3, size=(200, 2)).astype(float)
    y = (X[:, 0] + rng.normal(size=200) > 1).astype(int)
    model = RiskScoreClassifier(1).fit(X[:120], y[:120])
    facts = make_report(model, X[:120], y[:120], test=(X[120:], y[120:]), **NONE).facts
    assert any("equal training rows in all features" in note for note in facts.notes)


def test_the_command_refuses_the_training_file_as_test_file(card, own, other, tmp_path, capsys):
    data, new = write(tmp_path / "d.csv", *own), write(tmp_path / "n.csv", *other)
    path, out = str(tmp_path / "card.json"), tmp_path / "r.html"
    assert main(["fit", data, "--target", "ill", "--max-terms", "2", "-q", "-o", path]) == 0
    words = ["report", path, data, "-o", str(out), "--cv", "0", "--n-bootstraps", "0", "-q"]
    capsys.readouterr()
    assert main([*words, "--test", data]) == 2
    assert "The test rows are the rows that the card was learned from" in capsys.readouterr().err
    assert not out.exists()
    assert main([*words, "--test", new]) == 0


# --- what contradicts the card ------------------------------------------------------------------


def test_an_edited_card_fails_on_the_page_and_by_the_exit_code(own, tmp_path, capsys):
    data, path, out = write(tmp_path / "d.csv", *own), tmp_path / "card.json", tmp_path / "r.html"
    assert main(["fit", data, "--target", "ill", "--max-terms", "2", "-q", "-o", str(path)]) == 0
    content = json.loads(path.read_text(encoding="utf-8"))
    feature = content["features"][0]
    feature["points"] = [2 * points for points in feature["points"]]
    path.write_text(json.dumps(content), encoding="utf-8")
    capsys.readouterr()
    assert main(["report", str(path), data, "-o", str(out), "-q"]) == 1
    assert "FAIL  The card was changed after it was fitted" in capsys.readouterr().err
    page = out.read_text(encoding="utf-8")
    assert "The card is not judged" in page
    assert "best of its kind" not in page
    assert "AUC" not in page


def test_a_claimed_loss_that_the_rows_do_not_have_fails(card, own):
    forged = replace(
        card,
        certificate=replace(card.certificate, loss=card.certificate.loss / 2, bound=0.0),
        recipe=replace(card.recipe, digest=""),
    )
    facts = make_report(forged, *own, **QUICK).facts
    assert facts.mode.origin is RowOrigin.TRAINING
    assert any("loss" in failure for failure in facts.mode.failures)
    assert (facts.validation, facts.stability) == (None, None)
    assert "No verdict" in section("proof", facts)


def test_forgotten_weights_are_asked_for_and_nothing_is_judged(own):
    X, y = own
    weights = 1.0 + np.arange(len(y)) % 3
    weighted = RiskScoreClassifier(2).fit(X, y, sample_weight=weights).card_
    facts = make_report(weighted, X, y, **QUICK).facts
    assert facts.mode.origin is RowOrigin.UNKNOWN
    assert "learned from rows with weights" in facts.mode.reason
    (failure,) = facts.mode.failures
    assert "The card was learned with weights: give them" in failure
    assert make_report(weighted, X, y, sample_weight=weights, **NONE).facts.mode.failures == ()


# --- cards with another scale -------------------------------------------------------------------


def test_a_recalibrated_card_says_what_was_estimated_where(card, own, other):
    new = recalibrate(card, *other, update="offset")
    facts = make_report(new, *other, **QUICK).facts
    assert (facts.mode.origin, facts.mode.is_scale_fitted) == (RowOrigin.OTHER, True)
    assert "was estimated on these rows" in section("glance", facts)
    assert "calibration slope" not in section("glance", facts)
    assert "The risks were fitted to these rows" in section("calibration", facts)
    facts = make_report(new, *own, **QUICK).facts
    assert (facts.mode.origin, facts.mode.is_scale_fitted) == (RowOrigin.TRAINING, False)
    assert "learned from these rows, its scale from others" in section("glance", facts)
    assert (facts.validation, facts.stability) == (None, None)


def test_a_card_recalibrated_on_its_own_rows_has_no_price(card, own):
    facts = make_report(recalibrate(card, *own, update="offset"), *own, **QUICK).facts
    assert facts.is_training
    assert 'id="price"' not in render_report(facts)
    assert any("recalibrated after it was learned" in note for note in facts.notes)


def test_a_card_with_credit_points_knows_its_training_rows(card, own, other):
    credit = to_credit_points(card).card
    assert make_report(credit, *own, **NONE).facts.mode.origin is RowOrigin.TRAINING
    assert make_report(credit, *other, **NONE).facts.mode.origin is RowOrigin.OTHER


# --- the card's own recipe ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"regularization": None},
        {"regularization": Regularization(grid=3)},
        {"class_weight": "balanced"},
        {"max_points": 2, "scale": 2.0},
    ],
)
def test_a_saved_card_is_validated_as_its_classifier_is(own, settings):
    model = RiskScoreClassifier(2, **settings).fit(*own)
    saved = RiskCard.from_json(model.card_.to_json())
    by_model, by_card = (make_report(one, *own, **QUICK).facts for one in (model, saved))
    first, second = (one.validation.methods[0].evaluation for one in (by_model, by_card))
    assert (first.roc.area, first.log_loss) == (second.roc.area, second.log_loss)
    assert by_model.stability.corrected == by_card.stability.corrected


def test_the_choice_of_the_size_is_repeated_too(own):
    model = RiskScoreClassifierCV(max_terms=3, cv=3, repeats=1).fit(*own)
    procedure = procedure_of(RiskCard.from_json(model.card_.to_json()))
    again = procedure.estimator
    assert isinstance(again, RiskScoreClassifierCV)
    assert (again.max_terms, again.cv, again.repeats, procedure.note) == (3, 3, 1, "")
    facts = make_report(model.card_, *own, cv=2, repeats=1, n_bootstraps=0).facts
    assert "and its size" in section("discrimination", facts)


def test_what_cannot_be_repeated_is_said(own, card):
    X, y = own
    pairs = [(np.arange(80), np.arange(80, 160)), (np.arange(80, 160), np.arange(80))]
    model = RiskScoreClassifierCV(max_terms=2, cv=pairs, rule="best").fit(X, y)
    kept = procedure_of(model.card_)
    assert isinstance(kept.estimator, RiskScoreClassifier)
    assert "the refits keep the size" in kept.note
    assert procedure_of(improve(card, X, y)).estimator is None


# --- several divisions --------------------------------------------------------------------------


def test_the_variance_over_divisions_has_both_parts_and_does_not_shrink():
    parts = [Linearised(0.7, np.array([0.03, 0.04])), Linearised(0.8, np.array([0.05]))]
    found = combined(parts)
    assert found.value == pytest.approx(0.75)
    assert found.variance == pytest.approx(0.05**2 + 0.05**2)
    same = combined([parts[0]] * 10)
    assert same.variance == pytest.approx(parts[0].variance)


def test_copies_of_a_row_do_not_narrow_the_intervals(own):
    model = RiskScoreClassifier(1).fit(*own)
    once, often = (
        make_report(model, *own, cv=2, repeats=n, n_bootstraps=0, time_limit=None).facts
        for n in (1, 4)
    )
    assert (once.validation.repeats, often.validation.repeats) == (1, 4)
    widths = [
        high - low
        for low, high in (
            facts.validation.methods[0].evaluation.roc.interval for facts in (once, often)
        )
    ]
    assert widths[1] > 0.9 * widths[0]
    assert "2 folds, 4 times over" in section("discrimination", often)


def test_the_time_limit_decides_how_often_folds_are_drawn(own):
    model = RiskScoreClassifier(1).fit(*own)
    facts = make_report(model, *own, cv=2, n_bootstraps=0, time_limit=0).facts
    assert facts.validation.repeats == 1
    assert any("Folds were drawn once instead of 5 times" in note for note in facts.notes)


def test_sites_are_listed_and_later_rows_are_judged_alone(own):
    X, y = own
    model = RiskScoreClassifier(1).fit(X, y)
    sites = np.array(["Ulm", "Aalen"])[np.arange(len(y)) % 2]
    facts = make_report(model, X, y, sites=sites, n_bootstraps=0).facts
    assert [(one.name, one.rows) for one in facts.validation.sites] == [("Aalen", 80), ("Ulm", 80)]
    refit = RiskScoreClassifier(1).fit(X[sites == "Ulm"], y[sites == "Ulm"])
    expected = Outcomes(
        refit.predict_proba(X[sites == "Aalen"])[:, 1], y[sites == "Aalen"] == 1, np.ones(80)
    )
    found = facts.validation.sites[0].evaluation.calibration
    assert found.ratio == pytest.approx(calibration_of(expected).ratio)
    assert "<td>Aalen</td>" in section("discrimination", facts)
    later = np.arange(len(y)) >= 100
    facts = make_report(model, X, y, time_split=later, n_bootstraps=0).facts
    assert facts.validation.methods[0].evaluation.rows == 60
    assert "Temporal validation" in section("done", facts)


# --- sentences ----------------------------------------------------------------------------------


def test_the_slope_on_own_rows_has_no_sentence(card, own):
    facts = make_report(card, *own, **NONE).facts
    text = section("calibration", facts)
    assert "too extreme" not in text
    assert "too cautious" not in text
    assert "calibration slope" not in section("glance", facts)


def test_risks_that_are_too_high_on_average_are_a_caution(card, other):
    wrong = replace(card, offset=card.offset + 1.5, certificate=None, recipe=None)
    facts = make_report(wrong, *other, **NONE).facts
    ratio = facts.rows.evaluation.calibration.ratio
    words = f"risks are too high on average: they expect {100 * (ratio - 1):.0f} % more events"
    assert words in section("glance", facts)
    assert words in section("calibration", facts)


def test_words_on_calibration_need_an_interval_that_supports_them(card, other):
    found = make_report(card, *other, **NONE).facts.rows.evaluation.calibration
    unsure = replace(found, slope=0.86, slope_interval=(0.66, 1.05 + 0.1))
    assert "too few to tell" in unsure.slope_in_words
    assert "nothing follows" in replace(unsure, slope_interval=None).slope_in_words
    assert (
        level_words(replace(found, expected=150.0, observed=100.0, ratio_interval=(0.9, 2.5))) == ""
    )


@pytest.mark.parametrize(
    ("auc", "log_loss", "words"),
    [
        ((0.03, (0.01, 0.05)), (-0.02, (-0.03, -0.01)), "predicts better here"),
        ((0.03, (-0.01, 0.07)), (-0.02, (-0.03, -0.01)), "predicts better here"),
        ((-0.01, (-0.05, 0.04)), (0.0, (-0.02, 0.02)), "up to 0.040 lower"),
        ((-0.03, (-0.05, -0.01)), (0.02, (0.01, 0.03)), "the card predicts better here than both"),
    ],
)
def test_the_price_is_stated_with_its_uncertainty(card, own, auc, log_loss, words):
    validation = make_report(card, *own, cv=2, repeats=1, n_bootstraps=0).facts.validation
    first, *others = validation.methods
    changed = [
        replace(one, against_card=replace(one.against_card, auc=Figure(*auc), log_loss=Figure(*log_loss)))
        for one in others
    ]  # fmt: skip
    both = price_words(replace(validation, methods=(first, *changed)))
    words = words.replace("predicts", "predict") if "both" not in words else words
    assert words in both[-1]
    assert "costs nothing" not in " ".join(both)


def test_few_events_per_candidate_condition_lead_to_cross_validation(card, own):
    facts = make_report(card, *own, **QUICK).facts
    data = facts.rows.data
    grid = card.recipe.resolved["grid"]
    assert data.conditions == sum(min(grid, np.unique(x).size - 1) for x in own[0].T)
    fewest = min(data.events, data.rows - data.events)
    assert facts.events_per_condition == pytest.approx(fewest / data.conditions)
    few = replace(facts, rows=replace(facts.rows, data=replace(data, conditions=10 * fewest)))
    assert "0.1 rows of the rarer outcome per candidate condition" in section("done", few)
    assert "Go by the held-out figures" in section("glance", few)
    for changes in ({"conditions": 1}, {"rows": 10_000, "events": 200, "conditions": 100_000}):
        many = replace(facts, rows=replace(facts.rows, data=replace(data, **changes)))
        assert "Go by the held-out figures" not in section("glance", many)


# --- what a report says was done ---------------------------------------------------------------


@pytest.mark.parametrize("least", [None, 20])
def test_a_report_says_where_rare_missing_values_counted_as_typical_ones(least):
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = (x + rng.normal(size=200) > 0).astype(int)
    x[:3] = np.nan
    parts = Regularization.only(min_line_rows=least)
    model = RiskScoreClassifier(1, regularization=parts).fit(x[:, None], y)
    facts = make_report(model, x[:, None], y, **NONE).facts
    done = section("done", facts)
    assert ("nothing was imputed" in done) == (least is None)
    assert ("with fewer than 20 missing values it counted as a typical value" in done) == bool(
        least
    )
