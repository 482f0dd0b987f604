"""The command line with times to an event: fit, show, predict, explain, calculator, and refusals."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from optional import find
from riskcard import RiskCard, RiskScoreRegressor, RiskScoreSurvival, validate_survival
from riskcard.calculator.calculator_page import render_calculator
from riskcard.cli.main import main
from survival_rows import draw_rows, structured


@pytest.fixture
def data(tmp_path):
    X, y, entry = draw_rows(150)
    path = tmp_path / "rows.csv"
    lines = ["age,marker,size,days,died,since"]
    for row, (event, time), start in zip(X, y, entry, strict=True):
        cells = [*map(str, row), f"{time:g}", "yes" if event else "no", f"{start:g}"]
        lines.append(",".join(cells))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def card_file(data, tmp_path):
    path = tmp_path / "card.json"
    options = ["--target", "died", "--time", "days", "--horizon", "10", "30", "--max-terms", "3"]
    options += ["--drop", "since"]
    assert main(["fit", str(data), *options, "--certify", "-q", "-o", str(path)]) == 0
    return path


def run(capsys, *arguments):
    code = main([str(one) for one in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_fit_gives_the_card_of_python_and_prints_horizons(data, card_file, capsys):
    X, y, _ = draw_rows(150)
    frame = find("pandas").DataFrame(X, columns=["age", "marker", "size"])
    model = RiskScoreSurvival(3, horizons=[10, 30], certify=True, identifiers=None)
    expected = model.fit(frame, structured(y)).card_
    card = RiskCard.load(card_file)
    assert card.features == expected.features
    assert card.kind == expected.kind
    assert card.certificate.loss == pytest.approx(expected.certificate.loss)
    code, out, _ = run(capsys, "show", card_file)
    assert code == 0
    assert out.startswith("Risk of died by days 10 and 30\n")


def test_late_entry_changes_the_baseline(data, card_file, tmp_path, capsys):
    path = tmp_path / "late.json"
    options = ["--target", "died", "--time", "days", "--entry", "since", "--horizon", "10"]
    assert run(capsys, "fit", data, *options, "-q", "-o", path)[0] == 0
    assert "since" not in RiskCard.load(path).feature_names
    assert RiskCard.load(path).kind.hazards != RiskCard.load(card_file).kind.hazards


def test_predict_writes_the_risk_by_each_horizon(data, card_file, capsys):
    card = RiskCard.load(card_file)
    code, out, _ = run(capsys, "predict", card_file, data, "--digits", "all")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == ["total", "risk_by_10", "risk_by_30", "relative_hazard", "remarks"]
    totals = np.array([int(row["total"]) for row in rows])
    found = np.array([float(row["risk_by_30"]) for row in rows])
    assert found == pytest.approx(card.risk_by_of_total(totals, 30))
    _, out, _ = run(capsys, "predict", card_file, data, "--horizon", "20")
    assert out.startswith("total,risk_by_20,relative_hazard,remarks\n")
    code, _, err = run(capsys, "predict", card_file, data, "--threshold", "0.5")
    assert code == 2
    assert "--bands and --threshold are for outcomes of yes or no" in err
    code, _, err = run(capsys, "predict", card_file, data, "--horizon", "9999")
    assert code == 2
    assert "followed up to days" in err


def test_explain_says_the_risk_by_each_horizon(data, card_file, capsys):
    code, out, _ = run(capsys, "explain", card_file, data, "--row", "1")
    assert code == 0
    assert re.match(r"Risk of died: .* % by days 10, .* % by days 30; relative hazard", out)
    _, out, _ = run(capsys, "explain", card_file, data, "--row", "1", "--json")
    why = json.loads(out)
    assert why["risk"] is None
    assert "by days 10" in why["outlook"]


def test_the_calculator_chooses_between_horizons_and_computes_as_the_card(
    card_file, tmp_path, capsys
):
    page = tmp_path / "page.html"
    assert run(capsys, "calculator", card_file, "-o", page)[0] == 0
    card, text = RiskCard.load(card_file), page.read_text(encoding="utf-8")
    assert re.findall(r"<option[^>]*>(Risk by [^<]*)<", text) == [
        "Risk by days 10",
        "Risk by days 30",
    ]
    data = json.loads(re.search(r'id="data">(.*?)</script>', text).group(1))
    for place, horizon in enumerate((10, 30)):
        for total in card.reachable_totals():
            linear = total / data["multiplier"] + data["offset"]
            risk = 1 - np.exp(-data["horizons"][place]["hazard"] * np.exp(linear))
            assert risk == pytest.approx(card.risk_by_of_total(total, horizon))
    assert data["observed"] == []


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_script_of_the_calculator_has_that_risk(card_file, tmp_path, capsys):
    page = tmp_path / "page.html"
    run(capsys, "calculator", card_file, "-o", page)
    text = page.read_text(encoding="utf-8")
    data = re.search(r'id="data">(.*?)</script>', text).group(1)
    body = re.search(r"const horizon = .*?\n  }\n", text, re.DOTALL).group(0)
    program = f"""
    const data = {data};
    const find = () => ({{ value: "1" }});
    {body}
    console.log(JSON.stringify(data.totals.map(riskOf)));
    """
    done = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
    card = RiskCard.load(card_file)
    totals = json.loads(data)["totals"]
    assert json.loads(done.stdout) == pytest.approx(card.risk_by_of_total(totals, 30))


def test_validate_judges_by_horizons(data, card_file, tmp_path, capsys):
    X, y, entry = draw_rows(150)
    named = find("pandas").DataFrame(X, columns=["age", "marker", "size"])
    card = RiskCard.load(card_file)
    code, out, _ = run(capsys, "validate", card_file, data, "--json", tmp_path / "found.json")
    assert code == 0
    expected = validate_survival(card, named, y)
    assert out == f"{expected}\n"
    assert json.loads((tmp_path / "found.json").read_text()) == expected.to_dict()
    _, out, _ = run(capsys, "validate", card_file, data, "--entry", "since", "--horizon", "20")
    assert out == f"{validate_survival(card, named, y, entry=entry, horizons=20)}\n"
    code, _, err = run(capsys, "validate", card_file, data, "--risk-groups", "0.1")
    assert code == 2
    assert "--risk-groups is for outcomes of yes or no" in err
    code, _, err = run(capsys, "validate", card_file, data, "--time", "weeks")
    assert code == 2
    assert "weeks" in err


def test_what_is_for_yes_or_no_is_refused_with_one_sentence(data, card_file, tmp_path, capsys):
    for arguments in (
        ["export", card_file, "-o", tmp_path / "card.pmml"],
        ["monitor", card_file, data],
        ["verify", card_file, data, data],
        ["credit", card_file, data],
        ["bins", data, "--target", "died", "--card", card_file],
    ):
        code, out, err = run_or_exit(capsys, *arguments)
        assert code == 2, (arguments, out, err)
        assert len(err.strip().splitlines()) == 1, err
        assert "yes or no" in err, err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["card.json", "rows.csv"]


def run_or_exit(capsys, *arguments):
    try:
        return run(capsys, *arguments)
    except SystemExit as end:
        out, err = capsys.readouterr()
        return end.code, out, err


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (["--horizon", "10"], "--horizon has no effect without --time"),
        (["--entry", "since"], "--entry has no effect without --time"),
        (["--time", "days", "--scale", "1"], "--scale is for outcomes of yes or no"),
        (["--time", "days", "--class-weight", "balanced"], "--class-weight is for outcomes"),
        (["--time", "days", "--limit-groups", "sex"], "--limit-groups is for outcomes"),
        (["--time", "days", "--language", "de"], "yes or no speak English only"),
        (["--time", "died"], "'died' is named twice"),
        (["--time", "days", "--horizon", "9999"], "Use positive numbers up to"),
        (["--time", "weeks"], "weeks"),
    ],
)
def test_options_that_do_not_go_together_are_refused(data, options, match, capsys):
    code, _, err = run(capsys, "fit", data, "--target", "died", *options, "-q")
    assert code == 2
    assert match in err


def test_a_card_of_counts_predicts_rates_and_has_a_calculator(tmp_path, capsys):
    X, y, _ = draw_rows(100)
    card = RiskScoreRegressor(2).fit(X[:, :2], y[:, 1]).card_
    card.save(tmp_path / "card.json")
    rows = "\n".join(["x0,x1", *(f"{a},{b}" for a, b, _ in X[:5])])
    (tmp_path / "rows.csv").write_text(rows + "\n")
    code, out, _ = run(capsys, "predict", tmp_path / "card.json", tmp_path / "rows.csv")
    assert code == 0
    assert out.startswith("total,rate,remarks\n")
    code, _, _ = run(capsys, "calculator", tmp_path / "card.json", "-o", tmp_path / "c.html")
    assert code == 0
    assert "Rate per row" in (tmp_path / "c.html").read_text(encoding="utf-8")


def rewrite(path, **columns):
    """The file with some columns changed: each is a function of the text."""
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    for name, change in columns.items():
        for place, row in enumerate(rows):
            row[name] = change(place, row[name])
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


FIT = ("--target", "died", "--time", "days", "--drop", "since", "--max-terms", "2")


@pytest.mark.parametrize(
    ("value", "options", "classes"),
    [("1", [], (0, 1)), ("True", [], ("False", "True")), ("dead", ["--event", "dead"], None)],
)
def test_every_row_may_have_the_event_at_some_time(data, tmp_path, capsys, value, options, classes):
    rewrite(data, died=lambda _, old: value)
    path = tmp_path / "card.json"
    code, _, err = run(capsys, "fit", data, *FIT, *options, "-o", path)
    assert code == 0, err
    assert f"Event: died = {value}, all 150 rows\n" in err
    assert RiskCard.load(path).classes == (classes or ("not dead", "dead"))
    assert run(capsys, "validate", path, data)[0] == 0


def test_a_single_value_that_may_not_be_the_event_is_asked_about(data, capsys):
    rewrite(data, died=lambda _, old: "dead")
    code, _, err = run(capsys, "fit", data, *FIT)
    assert code == 2
    assert "is 'dead' in all rows. If that is the event, give it with --event dead" in err
    code, _, err = run(capsys, "fit", data, *FIT, "--event", "alive")
    assert code == 2
    assert "--event is 'alive', but the target 'died' is 'dead' in all rows" in err


def test_rows_without_the_event_are_not_called_few(data, capsys):
    rewrite(data, died=lambda place, _: "no" if place < 5 else "yes")
    _, _, err = run(capsys, "fit", data, *FIT)
    assert "145 of 150 rows" in err
    assert "are few" not in err


def test_a_wrong_time_is_named_by_its_row_counted_from_1(data, card_file, capsys):
    rewrite(data, days=lambda place, old: "-3" if place == 5 else old)
    expected = "column 'days': the time of row 6 is -3, which is negative"
    for arguments in (["fit", data, *FIT], ["validate", card_file, data]):
        code, _, err = run(capsys, *arguments)
        assert code == 2
        assert expected in err


def test_a_wrong_entry_is_named_by_its_row_counted_from_1(data, capsys):
    rewrite(data, since=lambda place, old: "999" if place == 2 else old)
    options = ["--target", "died", "--time", "days", "--entry", "since"]
    code, _, err = run(capsys, "fit", data, *options)
    assert code == 2
    assert "column 'since': the entry of row 3 is 999, which is not before the time" in err


def test_show_writes_a_page(card_file, tmp_path, capsys):
    code, _, err = run(capsys, "show", card_file, "--html", tmp_path / "card.html")
    assert code == 0, err
    page = (tmp_path / "card.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<title>Risk of died by days 10 and 30</title>" in page
    assert RiskCard.load(card_file)._repr_html_().strip() in page


def test_such_cards_speak_english_wholly(card_file, tmp_path, capsys):
    for arguments in (["show"], ["calculator", "-o", tmp_path / "page.html"]):
        code, _, err = run(capsys, *arguments, card_file, "--language", "de")
        assert code == 2
        assert (
            "--language is 'de', but cards of outcomes other than yes or no speak English only"
            in err
        )
    card = RiskCard.load(card_file)
    german = replace(card, labels=replace(card.labels, language="de"))
    assert str(german) == str(card)
    assert german._repr_html_() == card._repr_html_()
    assert render_calculator(german) == render_calculator(card)


def test_rows_without_any_event_cannot_be_judged_by(data, card_file, capsys):
    rewrite(data, died=lambda *_: "no")
    code, _, err = run(capsys, "validate", card_file, data)
    assert code == 2
    assert "No row has the event, so there is nothing to learn from or to judge by" in err


def test_times_that_are_all_0_are_refused_as_such(data, capsys):
    rewrite(data, days=lambda *_: "0")
    for options in ([], ["--horizon", "10"]):
        code, _, err = run(capsys, "fit", data, *FIT, *options)
        assert code == 2
        assert "Every time is 0. Give the time that each row was followed." in err
