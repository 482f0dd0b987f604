"""Rows of one group are never divided, sites and later rows are judged by cards of the others."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from riskcard import (
    DataError,
    ParameterError,
    RiskCard,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    bootstrap_card,
)
from riskcard.cli.main import main
from riskcard.data.columns import FeatureValues
from riskcard.data.first_look.repeats import find_repeats
from riskcard.estimators.cross_validation.division import Division, read_division

PATIENTS, VISITS = 60, 8


def visits(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Visits of patients whose features and outcome are noise, nearly the same at every visit."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(PATIENTS), VISITS)
    X = rng.normal(size=(PATIENTS, 6))[patient] + 0.05 * rng.normal(size=(patient.size, 6))
    return X, rng.integers(2, size=PATIENTS)[patient], patient


def write(path, columns: dict[str, object]) -> str:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return str(path)


@pytest.fixture
def table(tmp_path):
    """Three hospitals, two years, patients with two rows each; the outcome follows age."""
    rng = np.random.default_rng(1)
    n_rows = 180
    age = rng.integers(30, 90, size=n_rows)
    columns = {
        "patient": np.arange(n_rows) // 2,
        "hospital": np.array(["North", "South", "West"])[np.arange(n_rows) % 3],
        "day": [f"{2019 + row // 120}-{1 + row % 12:02}-15" for row in range(n_rows)],
        "age": age,
        "dose": rng.random(n_rows).round(2),
        "ill": (rng.random(n_rows) < np.where(age > 60, 0.8, 0.2)).astype(int),
    }
    return write(tmp_path / "rows.csv", columns), columns


def run(capsys, *words: object) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


# --- splits and draws ---------------------------------------------------------------------------


def test_groups_are_never_divided_between_folds():
    _, y, patient = visits()
    splits = read_division(y.size, groups=patient).one_pass(y == 1, 5, seed=3)
    assert len(splits) == 5
    assert sorted(np.concatenate([judged for _, judged in splits])) == list(range(y.size))
    for fitted, judged in splits:
        assert not set(patient[fitted]) & set(patient[judged])


def test_each_site_is_judged_once_by_all_others():
    sites = np.array(["b", "a", "c", "a", "b", "c"])
    division = read_division(6, sites=sites)
    splits = division.one_pass(np.array([True, False] * 3), 5, seed=0)
    assert [sites[judged].tolist() for _, judged in splits] == [["a"] * 2, ["b"] * 2, ["c"] * 2]
    assert all(len(fitted) == 4 for fitted, _ in splits)
    assert division.site_names == ("a", "b", "c")


def test_a_group_that_is_judged_is_not_learned_from_even_where_it_has_rows_before():
    is_later = np.array([False, False, False, True, True])
    division = read_division(5, groups=[1, 2, 3, 1, 4], time_split=is_later)
    ((fitted, judged),) = division.one_pass(np.array([True, False, True, False, True]), 5, seed=0)
    assert (fitted.tolist(), judged.tolist()) == ([1, 2], [3, 4])


def test_a_resample_has_whole_groups_as_often_as_they_are_drawn():
    groups = np.array([2, 0, 2, 1, 0, 2])
    division = read_division(6, groups=groups)
    for seed in range(20):
        drawn = division.draw(np.random.default_rng(seed), np.arange(6))
        copies = np.bincount(drawn, minlength=6)
        for group in range(3):
            assert len(set(copies[groups == group])) == 1
        assert sum(copies[groups == group][0] for group in range(3)) == 3


def test_without_groups_a_resample_is_that_of_single_rows():
    drawn = Division().draw(np.random.default_rng(5), np.arange(9))
    assert drawn.tolist() == np.random.default_rng(5).integers(9, size=9).tolist()


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"groups": [1, 2]}, ParameterError, "groups has shape"),
        ({"groups": [1, None, 2]}, DataError, "groups is missing in row 1"),
        ({"sites": [1.0, np.nan, 2.0]}, DataError, "sites is missing in row 1"),
        ({"sites": ["a"] * 3}, DataError, "the same value in sites"),
        ({"time_split": [0, 1, 1]}, ParameterError, "one boolean for each of the 3 rows"),
        ({"time_split": [True] * 3}, DataError, "All rows are after"),
        ({"time_split": [False] * 3}, DataError, "All rows are before"),
        ({"sites": [1, 2, 2], "time_split": [True, False, True]}, ParameterError, "not by both"),
    ],
)
def test_what_divides_nothing_is_refused(given, error, message):
    with pytest.raises(error, match=message):
        read_division(3, **given)


# --- noise --------------------------------------------------------------------------------------


def held_out_area(**given: object) -> float:
    pytest.importorskip("matplotlib")
    from riskcard import make_report

    X, y, _ = visits()
    model = RiskScoreClassifier(5).fit(X, y)
    facts = make_report(model, X, y, n_bootstraps=0, **given).facts
    return facts.validation.methods[0].evaluation.roc.area


@pytest.mark.slow
def test_noise_with_many_visits_looks_like_noise_if_patients_stay_together():
    assert held_out_area() > 0.7  # every patient is known from his other visits
    assert abs(held_out_area(groups=visits()[2]) - 0.5) < 0.1


def test_the_bootstrap_of_whole_groups_sees_through_noise():
    X, y, patient = visits()
    procedure = RiskScoreClassifier(3)
    alone, together = (
        bootstrap_card(procedure, X, y, n_bootstraps=10, groups=groups)
        for groups in (None, patient)
    )
    assert alone.apparent == together.apparent
    assert together.optimism.auc > alone.optimism.auc + 0.05
    assert "10 bootstrap resamples of whole groups" in str(together)


# --- stability ----------------------------------------------------------------------------------


def test_stability_by_site_refits_without_each_site_and_judges_it():
    rng = np.random.default_rng(2)
    X, sites = rng.normal(size=(150, 3)), np.arange(150) % 3
    y = (X[:, 0] + rng.normal(size=150) > 0).astype(int)
    found = bootstrap_card(RiskScoreClassifier(1), X, y, sites=sites)
    assert len(found.cards) == 3
    for site, card, own, judged in zip(
        range(3), found.cards, found.on_resamples, found.on_rows, strict=True
    ):
        model = RiskScoreClassifier(1).fit(X[sites != site], y[sites != site])
        assert card.features == model.card_.features
        from riskcard.evaluation.measures import measure

        for rows, figures in ((sites != site, own), (sites == site, judged)):
            log_odds = model.decision_function(X[rows])
            assert figures == measure(log_odds, y[rows] == 1, np.ones(rows.sum()))
    assert "3 sites, each left out once" in str(found)


def test_a_site_without_events_has_no_figures_but_a_card():
    rng = np.random.default_rng(2)
    X, sites = rng.normal(size=(150, 2)), np.arange(150) % 3
    y = ((X[:, 0] > 0) & (sites > 0)).astype(int)
    found = bootstrap_card(RiskScoreClassifier(1), X, y, sites=sites)
    assert len(found.cards) == 3
    assert np.isnan(found.on_rows[0].auc)
    assert np.isfinite(found.optimism.auc)


def test_with_a_time_split_early_rows_are_resampled_and_later_rows_judged():
    rng = np.random.default_rng(3)
    X, later = rng.normal(size=(120, 2)), np.arange(120) >= 80
    y = (np.where(later, -X[:, 0], X[:, 0]) > 0).astype(int)  # the world has changed
    found = bootstrap_card(RiskScoreClassifier(1), X, y, n_bootstraps=5, time_split=later)
    assert found.apparent.auc > 0.9
    assert all(one.auc < 0.2 for one in found.on_rows)


# --- the commands -------------------------------------------------------------------------------


def test_the_columns_that_divide_rows_are_not_features(table, tmp_path, capsys):
    path = tmp_path / "card.json"
    words = ["--target", "ill", "--max-terms", 1, "--cv", 3, "--repeats", 1, "-o", path]
    for more in (["--groups", "patient", "--sites", "hospital"],
                 ["--groups", "patient", "--time-split", "day=2020-01-01"]):  # fmt: skip
        assert run(capsys, "tune", table[0], *words, *more)[0] == 0
        names = RiskCard.load(path).feature_names
        assert {"age", "dose"} <= set(names)
        assert not {more[1], more[3].partition("=")[0]} & set(names)


@pytest.mark.parametrize(
    ("words", "n_splits", "n_judged"),
    [
        (["--sites", "hospital"], 3, 180),
        (["--time-split", "day=2020-01-01"], 4, 60),
        (["--time-split", "day"], 4, None),
        (["--time-split", "patient=60"], 4, 60),
    ],
)
def test_tune_judges_sites_and_later_rows(table, capsys, monkeypatch, words, n_splits, n_judged):
    folds = []
    honest = RiskScoreClassifierCV._split

    def noting(self, *rows):
        folds.extend(honest(self, *rows))
        return folds

    monkeypatch.setattr(RiskScoreClassifierCV, "_split", noting)
    options = ["--target", "ill", "--max-terms", 1, "--cv", 4, "--repeats", 1, "--columns", "age"]
    assert run(capsys, "tune", table[0], *options, *words)[0] == 0
    assert len(folds) == n_splits
    judged = np.concatenate([one for _, one in folds])
    assert len(set(judged)) == len(judged) == (n_judged or len(judged))
    if words[0] == "--time-split":
        days = np.array(table[1]["day"])
        assert len({tuple(fitted) for fitted, _ in folds}) == 1
        assert max(days[folds[0][0]]) < min(days[judged])
        assert 0.25 < len(judged) / len(days) < 0.35


def test_a_size_chosen_by_sites_can_be_chosen_again_from_the_recipe(table, tmp_path, capsys):
    path = tmp_path / "card.json"
    words = ["--target", "ill", "--columns", "age", "dose", "--max-terms", 2, "-o", path]
    assert run(capsys, "tune", table[0], *words, "--sites", "hospital")[0] == 0
    card, columns = RiskCard.load(path), table[1]
    again = RiskScoreClassifierCV.from_recipe(card.recipe)
    again.fit(np.column_stack([columns["age"], columns["dose"]]), columns["ill"],
              groups=columns["hospital"])  # fmt: skip
    assert [one.points for one in again.card_.features] == [one.points for one in card.features]


def test_stability_takes_the_same_options(table, capsys):
    words = ["--target", "ill", "--columns", "age", "--max-terms", 1, "--n-bootstraps", 5]
    for more, title in (
        (["--groups", "patient"], "5 bootstrap resamples of whole groups"),
        (["--sites", "hospital"], "3 sites, each left out once"),
        (["--time-split", "day"], "5 bootstrap resamples of the earlier rows"),
    ):
        code, out, _ = run(capsys, "stability", table[0], *words, *more)
        assert code == 0
        assert title in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--sites", "hospitl"],
            "no column 'hospitl' (named by --sites). Did you mean 'hospital'?",
        ),
        (["--sites", "ill"], "--sites is 'ill', which is the target"),
        (["--sites", "hospital", "--time-split", "day"], "by sites or by time, not by both"),
        (["--time-split", "hospital"], "has neither dates nor numbers"),
        (["--time-split", "day=soon"], "'soon' is not a date"),
        (["--time-split", "day=2031-01-01"], "All rows are before"),
        (["--time-split", "dose=high"], "the column has numbers, but 'high' is none"),
    ],
)
def test_the_commands_say_what_cannot_be_done(table, capsys, words, message):
    code, out, err = run(capsys, "tune", table[0], "--target", "ill", "--max-terms", 1, *words)
    assert (code, out) == (2, "")
    assert message in err.splitlines()[-1]


# --- a remark -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["patient", "PatientID", "patient_no", "MRN", "subject id", "Customer-Number"]
)
def test_a_column_that_names_whose_rows_these_are_is_recognised(name):
    numbers = FeatureValues(np.repeat(np.arange(30.0), 3), None)
    assert [one.values for one in find_repeats({name: numbers})] == [30]
    assert find_repeats({name: FeatureValues(np.arange(90.0), None)}) == ()  # all differ
    assert find_repeats({name: FeatureValues(np.arange(90.0) % 2, None)}) == ()  # yes and no


@pytest.mark.parametrize(
    "name", ["age", "patient age", "client_income", "id", "hospital", "users_online"]
)
def test_other_columns_are_not(name):
    assert find_repeats({name: FeatureValues(np.repeat(np.arange(30.0), 3), None)}) == ()


def test_a_fit_remarks_on_rows_of_one_patient_until_groups_are_named(table, capsys):
    words = ["--target", "ill", "--columns", "patient", "age", "--max-terms", 1]
    _, _, err = run(capsys, "fit", table[0], *words)
    assert "180 rows have 90 values of 'patient': rows of one are not independent" in err
    assert "--groups COLUMN" in err
    _, _, err = run(capsys, "tune", table[0], *words, "--groups", "patient")
    assert "not independent" not in err


@pytest.mark.slow
def test_a_report_remarks_on_them_too(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    X, y, patient = visits()
    columns = {f"x{place}": X[:, place].tolist() for place in range(6)}
    data = write(tmp_path / "visits.csv", {"patient": patient, **columns, "ill": y})
    card, out = tmp_path / "card.json", tmp_path / "report.html"
    fit = ["fit", data, "--target", "ill", "--drop", "patient", "--max-terms", 1, "-q", "-o", card]
    assert run(capsys, *fit)[0] == 0
    words = ["report", card, data, "--cv", 0, "--n-bootstraps", 0, "-q", "-o", out]
    remark = "Several rows have the same value of 'patient' (60 different ones)"
    assert remark in run(capsys, *words)[2]
    assert "Several rows have the same value" in out.read_text(encoding="utf-8")
    assert remark not in run(capsys, *words, "--groups", "patient")[2]
