"""The command line with numbers, counts, ordered levels and competing events."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from riskcard import RiskCard, RiskScoreRegressor
from riskcard.cli.main import main

FEATURES = ["--columns", "age", "size", "--max-terms", "2"]


LEVELS = ["--target", "grade", "--outcome", "levels", "--levels", "mild", "severe", "worst"]
COMPETING = ["--target", "state", "--event", "relapse", "--competing", "dead", "--time", "days"]


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    n_rows = 160
    X = rng.normal(50, 10, size=(n_rows, 2)).round(1)
    cost = (100 + 60 * (X[:, 0] > 52) + rng.normal(0, 30, n_rows)).round(1)
    grade = np.array(["mild", "severe", "worst"])[np.digitize(cost, [110, 160])]
    stage = np.digitize(cost, [110, 160]) + 9  # 9, 10, 11: not in the order of texts
    years = rng.uniform(0.5, 2.0, n_rows).round(2)
    visits = rng.poisson(years * np.abs(cost) / 100)
    days = rng.exponential(np.where(X[:, 0] > 52, 20, 40)).round(1) + 0.1
    state = rng.choice(["alive", "relapse", "dead"], n_rows)
    path = tmp_path / "rows.csv"
    lines = ["age,size,cost,grade,stage,years,visits,days,state"]
    columns = zip(*X.T, cost, grade, stage, years, visits, days, state, strict=True)
    lines += [",".join(map(str, row)) for row in columns]
    path.write_text("\n".join(lines) + "\n")
    return path


def run(capsys, *arguments):
    code = main([str(one) for one in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def fit(capsys, data, tmp_path, *options):
    path = tmp_path / "card.json"
    code, out, err = run(capsys, "fit", data, *FEATURES, *options, "--certify", "-o", path)
    assert code == 0, err
    return path, out, err


def predicted(capsys, card, data):
    code, out, _ = run(capsys, "predict", card, data, "--digits", "all")
    assert code == 0
    return list(csv.DictReader(io.StringIO(out)))


def test_a_number_gives_the_card_of_python(data, tmp_path, capsys):
    path, out, err = fit(capsys, data, tmp_path, "--target", "cost", "--outcome", "number")
    assert "Outcome: cost, a number from" in err
    assert "Expected cost" in out
    rows = list(csv.DictReader(io.StringIO(data.read_text())))
    X = np.array([[float(row["age"]), float(row["size"])] for row in rows])
    y = np.array([float(row["cost"]) for row in rows])
    model = RiskScoreRegressor(2, loss="squared_error", certify=True).fit(X, y)
    card = RiskCard.load(path)
    assert [one.cuts for one in card.features] == [one.cuts for one in model.card_.features]
    found = [float(row["expected"]) for row in predicted(capsys, path, data)]
    assert found == pytest.approx(model.predict(X))
    code, out, _ = run(capsys, "explain", path, data, "--row", "1")
    assert code == 0
    assert "Expected cost:" in out


def test_a_count_gives_rates_per_exposure(data, tmp_path, capsys):
    options = ["--target", "visits", "--outcome", "count", "--exposure", "years"]
    path, out, err = fit(capsys, data, tmp_path, *options)
    assert "Rate of visits per unit of years" in out
    assert "events in 160 rows" in err
    card = RiskCard.load(path)
    assert card.kind.exposure == "years"
    assert {"total", "rate", "remarks"} == set(predicted(capsys, path, data)[0])


def test_levels_are_in_the_order_that_is_given_or_of_numbers(data, tmp_path, capsys):
    names = ["--levels", "mild", "severe", "worst"]
    path, out, err = fit(capsys, data, tmp_path, "--target", "grade", "--outcome", "levels", *names)
    assert "levels in order: mild (" in err
    assert "severe or higher" in out
    card = RiskCard.load(path)
    assert card.kind.levels == ("mild", "severe", "worst")
    assert {"at_least_severe", "at_least_worst"} < set(predicted(capsys, path, data)[0])
    path, _, _ = fit(capsys, data, tmp_path, "--target", "stage", "--outcome", "levels")
    other = RiskCard.load(path)
    assert other.kind.levels == ("9", "10", "11")
    assert other.features == card.features
    assert other.kind.hazards == pytest.approx(card.kind.hazards)


def test_competing_events_are_named_on_the_card(data, tmp_path, capsys):
    options = ["--target", "state", "--event", "relapse", "--competing", "dead", "--time", "days"]
    path, out, err = fit(capsys, data, tmp_path, *options, "--horizon", "10", "20")
    assert "competing events in" in err
    assert "where state = dead may" in " ".join(out.split())
    card = RiskCard.load(path)
    assert card.kind.competing == "state = dead"
    assert card.certificate is not None
    row = predicted(capsys, path, data)[0]
    assert 0 < float(row["risk_by_10"]) < float(row["risk_by_20"]) < 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "grade", "--outcome", "number"], "is not a number"),
        (["--target", "grade", "--outcome", "levels"], "whose order is not known"),
        (
            ["--target", "grade", "--outcome", "levels", "--levels", "mild", "severe"],
            "'worst', which",
        ),
        (["--target", "grade"], "('mild', 'severe', 'worst'), but a card needs two."),
        (["--target", "state", "--event", "dead", "--time", "days"], "events (--competing)"),
        (["--target", "visits", "--exposure", "years"], "no effect without --outcome count"),
        (["--target", "grade", "--levels", "mild"], "no effect without --outcome levels"),
        (["--target", "state", "--competing", "dead"], "no effect without --time"),
        (["--target", "state", "--time", "days", "--competing", "dead"], "needs --event"),
        (
            ["--target", "state", "--event", "relapse", "--time", "days", "--competing", "gone"],
            "--competing names 'gone'",
        ),
        (
            ["--target", "state", "--event", "dead", "--time", "days", "--competing", "dead"],
            "named by --event and by --competing",
        ),
        (["--target", "cost", "--outcome", "number", "--time", "days"], "cannot be used together"),
        (
            ["--target", "cost", "--outcome", "number", "--hold-out", "0.2"],
            "is for outcomes of yes or no",
        ),
        (
            ["--target", "cost", "--outcome", "number", "--proof", "p"],
            "is for outcomes of yes or no",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(data, capsys, options, message):
    certify = ["--certify"] if "--proof" in options else []
    code, _, err = run(capsys, "fit", data, *FEATURES, *options, *certify, "-q")
    assert code == 2
    assert message in err


STAGES = ["--target", "stage", "--outcome", "levels"]
NUMBERS = ["--target", "cost", "--outcome", "number"]


@pytest.mark.parametrize("options", [LEVELS, STAGES, NUMBERS, COMPETING])
def test_every_kind_of_card_passes_its_audit(data, tmp_path, capsys, options):
    path, _, _ = fit(capsys, data, tmp_path, *options)
    code, out, err = run(capsys, "check", path, data)
    assert code == 0, out + err
    assert "as in training, by the hash in the recipe" in out
    assert "found no other card" in out or "no card was below it" in out
    # other rows are told
    rows = data.read_text().splitlines()
    data.write_text("\n".join([rows[0], *reversed(rows[1:-1])]))
    code, out, _ = run(capsys, "check", path, data)
    assert code == 1
    assert "not those of training" in out


def test_competing_events_are_validated(data, tmp_path, capsys):
    path, _, _ = fit(capsys, data, tmp_path, *COMPETING)
    code, out, err = run(capsys, "validate", path, data, "--horizon", "20")
    assert code == 0, err
    assert "Aalen and Johansen's estimate is" in " ".join(out.split())
    assert "state = dead came first" in " ".join(out.split())


COUNTED = ["--target", "visits", "--outcome", "count", "--exposure", "years"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (LEVELS, "concordance index is"),
        (STAGES, "At 10 or higher"),
        (NUMBERS, "of the variance of these rows"),
        (COUNTED, "Rate per unit of years"),
    ],
)
def test_every_kind_of_card_is_validated(data, tmp_path, capsys, options, words):
    path, _, _ = fit(capsys, data, tmp_path, *options)
    facts = tmp_path / "facts.json"
    code, out, err = run(capsys, "validate", path, data, "--json", facts)
    assert code == 0, err
    assert words in " ".join(out.split())
    assert json.loads(facts.read_text())["rows"] == 160
    for option in ("--horizon", "--flag-from"):
        code, _, err = run(capsys, "validate", path, data, option, "0.2")
        assert code == 2
        assert "Leave it out" in err


def test_a_count_below_0_is_named_by_its_column_and_row(data, capsys):
    header, first, *others = data.read_text().splitlines()
    cells = dict(zip(header.split(","), first.split(","), strict=True)) | {"visits": "-2"}
    data.write_text("\n".join([header, ",".join(cells.values()), *others]) + "\n")
    code, _, err = run(capsys, "fit", data, "--target", "visits", "--outcome", "count", "--quiet")
    assert code == 2
    assert "column 'visits': the count of row 1 is -2, which is negative" in err


def test_a_price_of_levels_is_refused_by_the_kind_of_the_card(data, tmp_path, capsys):
    path, _, _ = fit(capsys, data, tmp_path, *LEVELS)
    code, _, err = run(capsys, "price", path, data)
    assert code == 2
    assert "Prices are for outcomes of yes or no, but this card gives probabilities" in err


def test_values_that_a_card_does_not_know_are_named(data, tmp_path, capsys):
    path, _, _ = fit(capsys, data, tmp_path, *LEVELS)
    data.write_text(data.read_text().replace("worst", "unknown"))
    code, _, err = run(capsys, "check", path, data)
    assert code == 2
    assert "'unknown', but the card knows the levels 'mild', 'severe', 'worst'" in err
    path, _, _ = fit(capsys, data, tmp_path, *COMPETING)
    data.write_text(data.read_text().replace("dead", "gone"))
    code, _, err = run(capsys, "check", path, data)
    assert code == 2
    assert "has no value that is state = dead" in err


EVERY = {
    "levels": (LEVELS, "Mean log-loss on the held-out rows", "log-loss, mean per row"),
    "numbers": (NUMBERS, "Mean squared error on the held-out rows", "variance explained"),
    "counts": (COUNTED, "Poisson deviance per event on the", "deviance explained"),
    "competing": (COMPETING, "Poisson deviance per event on the", "concordance index"),
}


@pytest.mark.parametrize("kind", EVERY)
def test_every_kind_of_card_is_tuned_resampled_reported_and_recalibrated(
    data, tmp_path, capsys, kind
):
    options, heading, figure = EVERY[kind]
    card = tmp_path / "card.json"
    tune = ["tune", data, *FEATURES, *options, "--cv", "3", "--repeats", "1", "-o", card]
    code, out, err = run(capsys, *tune)
    assert code == 0, err
    assert out.startswith(heading)
    size = RiskCard.load(card).recipe.parameters["max_terms"]
    fitted = ["fit", data, *FEATURES[:3], *options, "--max-terms", size, "-q", "-o"]
    code, _, err = run(capsys, *fitted, tmp_path / "fitted.json")
    assert code == 0, err
    assert RiskCard.load(card).kind == RiskCard.load(tmp_path / "fitted.json").kind
    code, out, err = run(
        capsys, "stability", data, *FEATURES, *options, "--n-bootstraps", "3", "-q"
    )
    assert code == 0, err
    assert figure in out
    pytest.importorskip("matplotlib")
    page = tmp_path / "page.html"
    quick = ["--cv", "3", "--repeats", "1", "--n-bootstraps", "2", "-o", page]
    code, _, err = run(capsys, "report", card, data, *quick)
    assert code == 0, err
    assert figure in page.read_text()
    assert "learned from, by the hash in its recipe" in page.read_text()
    new = tmp_path / "new.json"
    arguments = ["recalibrate", card, data, "--update", "offset", "-o", new]
    code, out, err = run(capsys, *arguments)
    assert code == 0, err
    assert "the rows support the update 'none'" in " ".join(err.split())
    assert "fitted to 160 rows" in " ".join(out.split())
    assert RiskCard.load(new).certificate is None


def test_repeated_fits_refuse_options_of_other_outcomes(data, capsys):
    for more, message in (
        (["--scoring", "roc_auc"], "--scoring is for outcomes of yes or no: with --outcome"),
        (["--hold-out", "20%"], "--hold-out is for outcomes of yes or no"),
    ):
        code, _, err = run(capsys, "tune", data, *FEATURES, *NUMBERS, *more)
        assert code == 2
        assert message in err
    code, _, err = run(capsys, "stability", data, *FEATURES, *NUMBERS, "--cv", "3")
    assert code == 2
    assert "which fits with --outcome cannot do" in err
