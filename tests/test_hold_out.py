"""Rows that are held out of a fit: drawn evenly, remembered by the card, judged once."""

import csv
import json
import re

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import riskcard
from optional import pd
from riskcard import DataError, ParameterError
from riskcard.cli.main import main
from riskcard.model.card import RiskCard
from riskcard.model.origin.held_out import draw_held_out
from riskcard.validation.facts import Rows

RNG = np.random.default_rng(1)
N = 240
AGE = RNG.integers(20, 90, N)
OUTCOME = np.where(RNG.random(N) < 1 / (1 + np.exp(-(AGE - 60) / 8)), "yes", "no")
FRAME = pd.DataFrame({"id": 1000 + np.arange(N), "age": AGE, "ward": RNG.choice(["a", "b"], N)})
FRAME = FRAME.assign(weight=RNG.integers(1, 4, N), outcome=OUTCOME)
FIT = ["--target", "outcome", "--drop", "weight", "-q"]


@pytest.fixture
def data(tmp_path):
    FRAME.to_csv(tmp_path / "data.csv", index=False)
    return str(tmp_path / "data.csv")


def fitted(tmp_path, data, *options, command="fit"):
    path = str(tmp_path / "card.json")
    assert main([command, data, *FIT, "-o", path, *options]) == 0
    return path


def validate(capsys, *words):
    assert main(["validate", *map(str, words)]) == 0
    return capsys.readouterr()


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            "Rows with the same 'id' were counted as independent. Where they are not, these intervals are",
        ),
        ("de", "Zeilen mit gleichem Wert von 'id' wurden als unabhängig gezählt."),
        ("fr", "Les lignes de même valeur de 'id' ont été comptées comme indépendantes."),
        ("es", "Las filas con el mismo valor de 'id' se contaron como independientes."),
    ],
)
def test_a_card_says_that_its_intervals_take_groups_for_independent_rows(tmp_path, language, words):
    FRAME.assign(id=np.arange(N) // 3).to_csv(tmp_path / "data.csv", index=False)
    data, options = str(tmp_path / "data.csv"), ["--hold-out", "30%", "--language", language]
    path = fitted(tmp_path, data, *options, "--groups", "id", "--max-terms", "1")
    card = RiskCard.load(path)
    assert words in " ".join(card.to_text().split())
    assert words in " ".join(card.to_html().replace("&#39;", "'").split())
    recalibrated = riskcard.recalibrate(card, FRAME[["age", "ward"]], OUTCOME, update="both")
    alone = RiskCard.load(fitted(tmp_path, data, *options, "--drop", "id", "--max-terms", "1"))
    for other in (recalibrated, alone):
        assert "'id'" not in other.to_text()


# --- drawing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("amount", "expected"), [(0.25, (10, 30)), (60, (15, 45)), (1, None)])
def test_both_classes_are_held_out_in_the_same_share(amount, expected):
    is_event = np.arange(160) % 4 == 0
    if expected is None:
        with pytest.raises(DataError, match="Of 40 rows with the event, 0 would be held out"):
            draw_held_out(is_event, amount, seed=0)
        return
    drawn = draw_held_out(is_event, amount, seed=0)
    assert (int(drawn[is_event].sum()), int(drawn[~is_event].sum())) == expected
    np.testing.assert_array_equal(drawn, draw_held_out(is_event, amount, seed=0))
    assert (drawn != draw_held_out(is_event, amount, seed=1)).any()


@pytest.mark.parametrize("amount", [0, -0.2, 160, 1000])
def test_an_amount_that_leaves_nothing_is_refused(amount):
    with pytest.raises(ParameterError, match="of 160 rows cannot be held out"):
        draw_held_out(np.arange(160) % 4 == 0, amount, seed=0)


def test_groups_are_held_out_as_a_whole_in_about_the_same_share():
    generator = np.random.default_rng(3)
    groups = np.repeat(np.arange(90), generator.integers(1, 9, 90))
    generator.shuffle(groups)
    is_event = generator.random(groups.size) < 0.1 + 0.2 * (groups % 2)
    drawn = draw_held_out(is_event, 0.3, 0, groups)
    assert not set(groups[drawn]) & set(groups[~drawn])
    assert drawn.mean() == pytest.approx(0.3, abs=0.03)
    assert is_event[drawn].mean() == pytest.approx(is_event.mean(), abs=0.06)
    assert (drawn != draw_held_out(is_event, 0.3, 1, groups)).any()
    # the draw goes by the rows, not by what the groups are called
    for names in (groups.astype(str), -groups, groups + 1000):
        np.testing.assert_array_equal(drawn, draw_held_out(is_event, 0.3, 0, names))


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (np.arange(10) // 5, "Of 5 rows with the event, 0 would be held out with whole groups"),
        (np.arange(9), "The groups have shape"),
    ],
)
def test_groups_that_cannot_be_divided_are_refused(groups, message):
    error = ParameterError if groups.size == 9 else DataError
    with pytest.raises(error, match=message):
        draw_held_out(np.arange(10) < 5, 0.5, 0, groups)


# --- the card -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["fit", "tune"])
def test_the_card_is_that_of_the_other_rows_and_remembers_what_was_held_out(
    tmp_path, data, command
):
    options = ["--max-terms", "2"]
    rows = str(tmp_path / "held_out.csv")
    path = fitted(
        tmp_path, data, "--hold-out", "25%", "--held-out", rows, *options, command=command
    )
    card = RiskCard.load(path)
    with open(rows, encoding="utf-8") as file:
        held_out = list(csv.DictReader(file))
    assert list(held_out[0]) == list(FRAME)
    assert card.recipe.held_out.rows == len(held_out) == 60
    assert card.recipe.held_out.events == sum(row["outcome"] == "yes" for row in held_out)
    rest = FRAME[~FRAME["id"].isin([int(row["id"]) for row in held_out])]
    assert len(rest) == 180
    rest.to_csv(tmp_path / "rest.csv", index=False)
    alone = RiskCard.load(fitted(tmp_path, str(tmp_path / "rest.csv"), *options, command=command))
    assert alone.features == card.features
    assert alone.recipe.rows_used == card.recipe.rows_used
    assert alone.recipe.held_out is None


def test_a_card_with_held_out_rows_is_itself_after_a_round_trip(tmp_path, data):
    card = RiskCard.load(fitted(tmp_path, data, "--hold-out", "40"))
    assert RiskCard.from_json(card.to_json()) == card
    assert card.certificate is not None


# --- groups -------------------------------------------------------------------------------------


@pytest.fixture
def visits(tmp_path):
    """Several rows per patient, in no order."""
    patients = np.repeat(np.arange(80), 3)
    frame = FRAME.drop(columns=["id"]).assign(patient=RNG.permutation(patients))
    frame.to_csv(tmp_path / "visits.csv", index=False)
    return str(tmp_path / "visits.csv")


@pytest.mark.parametrize("command", ["fit", "tune"])
def test_patients_are_held_out_whole_and_found_again(tmp_path, visits, capsys, command):
    rows = str(tmp_path / "held_out.csv")
    options = ["--hold-out", "30%", "--groups", "patient", "--held-out", rows, "--max-terms", "1"]
    path = fitted(tmp_path, visits, *options, command=command)
    whole, held_out = pd.read_csv(visits), pd.read_csv(rows)
    others = whole[~whole["patient"].isin(held_out["patient"])]
    assert len(held_out) + len(others) == len(whole)
    card = RiskCard.load(path)
    assert card.recipe.held_out.groups == "patient"
    assert card.training.rows == len(others)
    assert "patient" not in card.feature_names
    patients = held_out["patient"].nunique()
    for file in (visits, rows):
        found = validate(capsys, path, file).out
        assert "On the rows that were held out of the fit" in " ".join(found.split())
        # whoever is held out together is not independent
        assert f"in {patients} clusters by patient" in " ".join(found.split())
    assert "by ward" in " ".join(validate(capsys, path, visits, "--groups", "ward").out.split())
    columns = [name for name in whole if name != "patient"]
    whole[columns].to_csv(tmp_path / "without.csv", index=False)
    without = validate(capsys, path, tmp_path / "without.csv").out
    assert "the column 'patient' included" in " ".join(without.split())


@pytest.mark.parametrize("command", ["credit", "monitor", "recalibrate"])
def test_every_command_keeps_patients_together_as_the_validation_does(
    tmp_path, visits, capsys, command
):
    path = fitted(tmp_path, visits, "--hold-out", "30%", "--groups", "patient")
    capsys.readouterr()
    new = tmp_path / "new.csv"
    pd.read_csv(visits).assign(age=lambda rows: rows["age"] + 1).to_csv(new, index=False)
    assert main([command, path, str(new)]) == 0
    by_default = capsys.readouterr()
    assert main([command, path, str(new), "--groups", "patient"]) == 0
    asked_for = capsys.readouterr()
    assert by_default.out == asked_for.out
    assert "Rows with the same 'patient' belong together" in by_default.err
    assert "belong together" not in asked_for.err
    pd.read_csv(new).drop(columns=["patient"]).to_csv(new, index=False)
    assert main([command, path, str(new)]) == 0
    assert "belong together" not in capsys.readouterr().err


def test_python_finds_patients_that_were_held_out_too(tmp_path, visits):
    path = fitted(tmp_path, visits, "--hold-out", "30%", "--groups", "patient")
    card, frame = RiskCard.load(path), pd.read_csv(visits)
    found = riskcard.validate(card, frame, frame["outcome"], n_bootstraps=0).facts
    assert found.rows.origin is Rows.HELD_OUT
    assert found.evaluation.rows == card.recipe.held_out.rows
    assert found.rows.groups_column == "patient"
    without = riskcard.validate(card, frame[["age", "ward"]], frame["outcome"], n_bootstraps=0)
    assert without.facts.rows.origin is not Rows.HELD_OUT


def test_report_and_check_find_patients_that_were_held_out(tmp_path, visits, capsys):
    pytest.importorskip("matplotlib")
    path = fitted(tmp_path, visits, "--hold-out", "30%", "--groups", "patient", "--certify")
    rows = RiskCard.load(path).recipe.held_out.rows
    assert main(["check", path, visits]) == 0
    assert "values of the rows: as in training" in capsys.readouterr().out
    options = ["--cv", "0", "--n-bootstraps", "0", "-q", "-o", str(tmp_path / "report.json")]
    assert main(["report", path, visits, *options]) == 0
    said = f"{rows} of these rows were held out of the fit: the test rows."
    assert said in capsys.readouterr().err


def test_a_repeated_patient_is_named_with_what_keeps_it_together(tmp_path, visits, capsys):
    words = ["fit", visits, "--target", "outcome", "--drop", "weight", "--hold-out", "30%"]
    assert main(words) == 0
    assert "--groups 'patient' keeps them together" in capsys.readouterr().err
    assert main([*words, "--groups", "patient"]) == 0
    said = capsys.readouterr().err
    assert re.search(r"Held out: all rows of \d+ 'patient': \d+ rows", said)
    assert "in both parts" not in said


# --- validate -----------------------------------------------------------------------------------


def test_validate_judges_the_held_out_rows_alone_wherever_they_are(tmp_path, data, capsys):
    rows = str(tmp_path / "held_out.csv")
    path = fitted(tmp_path, data, "--hold-out", "30%", "--held-out", rows)
    found = [validate(capsys, path, file) for file in (data, rows)]
    whole, alone = (
        " ".join(one.out.split()).replace("; the other 168 rows of the table were left out", "")
        for one in found
    )
    assert whole == alone
    assert found[0].err == ""
    assert "On the rows that were held out of the fit: 72 rows" in found[0].out
    held_out = pd.read_csv(rows)
    card = RiskCard.load(path)
    area = roc_auc_score(held_out["outcome"] == "yes", card.risk(held_out))
    assert float(re.search(r"AUC +([\d.]+)", found[0].out)[1]) == pytest.approx(area, abs=5e-4)


def test_other_rows_are_judged_and_called_others(tmp_path, data, capsys):
    path = fitted(tmp_path, data, "--hold-out", "30%")
    others = tmp_path / "others.csv"
    FRAME.assign(age=FRAME["age"] + 1).to_csv(others, index=False)
    found = validate(capsys, path, others)
    assert "On rows that the card was not learned from: 240 rows" in found.out
    assert "These are not the 72 rows that were held out of the fit" in found.out
    FRAME.sample(frac=1, random_state=0).to_csv(others, index=False)  # the draw goes by the order
    assert "These are not the 72 rows" in validate(capsys, path, others).out


def test_training_rows_are_called_so(tmp_path, data, capsys):
    path = fitted(tmp_path, data)
    found = validate(capsys, path, data)
    assert "On the rows that the card was learned from" in found.out
    assert "This is not a validation" in found.out
    assert "An update" not in found.out
    assert "better than both acting" not in found.out


def test_weights_are_part_of_the_rows(tmp_path, data, capsys):
    path = str(tmp_path / "card.json")
    options = ["--target", "outcome", "--weights", "weight", "-q", "-o", path, "--hold-out", "30%"]
    assert main(["fit", data, *options]) == 0
    found = validate(capsys, path, data, "--weights", "weight")
    assert "On the rows that were held out of the fit" in found.out
    assert "cannot be told" in validate(capsys, path, data).out


def test_the_later_rows_are_held_out_and_found_in_the_file_that_has_them(tmp_path, data, capsys):
    held = str(tmp_path / "held.csv")
    options = ("--drop", "weight", "id", "--hold-out-from", "age=50", "--held-out", held)
    path = fitted(tmp_path, data, *options)
    kept = AGE < 50
    card = RiskCard.load(path)
    assert "age" not in card.feature_names
    assert card.training.rows == int(kept.sum())
    assert card.recipe.held_out.rows == int((~kept).sum())
    out = validate(capsys, path, held).out
    told = " ".join(out.split())
    assert f"On the rows that were held out of the fit: {(~kept).sum()} rows" in told
    told = " ".join(validate(capsys, path, data).out.split())
    assert (
        "later rows that were held out of the fit. For these, give the file that --held-out" in told
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--hold-out-from", "age=50", "--hold-out", "30%"], "so --hold-out has no place"),
        (["--hold-out-from", "age=50", "--groups", "ward"], "so --groups has no place"),
        (["--hold-out-from", "age=500"], "All rows are before the time"),
        (["--hold-out-from", "ward"], "named by --hold-out-from) has neither dates nor numbers"),
        (["--hold-out-from", "age=x"], "--hold-out-from: the column has numbers"),
        (["--hold-out-from", "outcome"], "--hold-out-from is 'outcome', which is the target"),
    ],
)
def test_later_rows_that_cannot_be_held_out_are_refused(data, capsys, options, message):
    assert main(["fit", data, *FIT, *options]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("fit", ["--held-out", "x.csv"], "--held-out has no effect without --hold-out"),
        ("fit", ["--hold-out", "100%"], "'100%' is not a share"),
        ("fit", ["--hold-out", "240"], "240 of 240 rows cannot be held out"),
        ("fit", ["--groups", "id"], "--groups has no effect without --hold-out"),
        ("tune", ["--hold-out", "10%", "--groups", "ward"], "with whole groups (2 of them)"),
    ],
)
def test_what_cannot_be_held_out_is_refused(data, capsys, command, options, message):
    assert main([command, data, *FIT, *options]) == 2
    assert message in capsys.readouterr().err


def test_a_report_takes_the_held_out_rows_for_test_rows(tmp_path, data, capsys):
    pytest.importorskip("matplotlib")
    path, page = fitted(tmp_path, data, "--hold-out", "30%"), tmp_path / "report.html"
    options = ["--cv", "0", "--n-bootstraps", "0", "-q", "-o", str(page)]
    assert main(["report", path, data, *options]) == 0
    assert "72 of these rows were held out of the fit: the test rows." in capsys.readouterr().err
    text = page.read_text(encoding="utf-8")
    assert "168 rows" in text
    assert "72" in text


def test_a_report_with_test_rows_distinguishes_training_and_held_out_rows(tmp_path, data, capsys):
    pytest.importorskip("matplotlib")
    rows, figures = str(tmp_path / "held_out.csv"), tmp_path / "report.json"
    path = fitted(tmp_path, data, "--hold-out", "30%", "--held-out", rows)
    options = ["--cv", "0", "--n-bootstraps", "0", "-q", "-o", str(figures)]
    found = []
    for test in ([], ["--test", rows], ["--test", data]):
        capsys.readouterr()
        assert main(["report", path, data, *test, *options]) == 0
        facts = json.loads(figures.read_text(encoding="utf-8"))
        found.append((facts["mode"]["origin"], facts["rows"], facts["test"]))
    assert found[0] == found[1] == found[2]
    assert found[0][0] == "training rows"
    said = capsys.readouterr().err
    assert "72 of these rows were held out of the fit: they are left out of the data." in said
    assert "The card was learned from 168 of the test rows: they are left out." in said


def test_check_leaves_out_what_was_held_out(tmp_path, data, capsys):
    path = fitted(tmp_path, data, "--hold-out", "30%", "--certify")
    assert main(["check", path, data]) == 0
    out = capsys.readouterr().out
    assert "pass         values of the rows: as in training" in out
    assert "pass         kind:" in out


@pytest.mark.parametrize("command", ["validate", "report"])
def test_a_column_that_the_card_does_not_use_need_not_be_readable(tmp_path, capsys, command):
    pytest.importorskip("matplotlib")
    noise = np.random.default_rng(2).integers(100, 999, N).astype(str)
    names = [str(tmp_path / name) for name in ("data.csv", "later.csv", "card.json", "page.html")]
    frame = FRAME[["age", "outcome"]].assign(noise=noise)
    frame.to_csv(names[0], index=False)
    frame[::-2].assign(noise=["<70", *noise[:119]]).to_csv(names[1], index=False)
    fit = ["fit", names[0], "--target", "outcome", "--max-terms", "1", "-q", "-o", names[2]]
    assert main(fit) == 0
    assert RiskCard.load(names[2]).features[0].name == "age"
    capsys.readouterr()
    assert main([command, names[2], names[1], "-o", names[3]]) == 0
    assert "a column that the card does not use cannot be read" in capsys.readouterr().err
