"""``riskcard fit`` on real tables: which columns, which rules, which parameters."""

import csv
import inspect
from dataclasses import replace

import numpy as np
import pytest

from cards import heart_card
from riskcard import (
    CardRules,
    FeatureRule,
    LevelPoints,
    Regularization,
    RiskCard,
    RiskScoreClassifier,
)
from riskcard.cli.learning.fit import classifier_of, given
from riskcard.cli.main import main
from riskcard.cli.parser import make_parser
from riskcard.cli.rows.training import read_training

PARAMETERS = inspect.signature(RiskScoreClassifier).parameters


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def patients(n_rows=120):
    """Rows with numbers, texts, booleans, codes and missing values, whose outcome follows them."""
    random = np.random.default_rng(1)
    rows = []
    for number in range(n_rows):
        age = int(random.integers(30, 90))
        shape = str(random.choice(["round", "oval", "irregular"]))
        smokes = bool(random.integers(2))
        logit = 1.5 * (age > 60) + 2.0 * (shape == "irregular") + smokes - 2.0
        rows.append(
            {
                "id": f"patient {number}",
                "age": "" if random.random() < 0.2 else age,
                "shape": "NA" if random.random() < 0.1 else shape,
                "smokes": smokes,
                "ward": int(random.integers(1, 4)),
                "outcome": "ill" if random.random() < 1 / (1 + np.exp(-logit)) else "well",
            }
        )
    return rows


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "patients.csv", patients())


@pytest.fixture
def plain(tmp_path):
    """The same without missing values and texts."""
    rows = [
        {"age": row["age"] or 50, "ward": row["ward"], "outcome": row["outcome"]}
        for row in patients()
    ]
    return write_csv(tmp_path / "plain.csv", rows)


def options_of(data, *argv):
    command = ["fit", data, "--target", "outcome", *map(str, argv)]
    return make_parser().parse_args(command)


def training_of(data, *argv):
    return read_training(options_of(data, *argv))


def run(capsys, *argv):
    code = main([str(word) for word in argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


# --- the columns --------------------------------------------------------------------------------


def test_columns_are_what_their_cells_say(data):
    training = training_of(data, "--event", "ill")
    levels = {name: training.table.features[name].levels for name in training.table.column_names}
    assert levels["age"] is None
    assert levels["shape"].names == ("irregular", "oval", "round")
    assert levels["smokes"].names == (False, True)
    assert levels["ward"] is None
    assert training.classes == ("well", "ill")
    expected = [row["outcome"] == "ill" for row in patients()]
    assert training.is_event.tolist() == expected
    assert training.weights is None
    assert training.rules is None


def test_texts_that_identify_rows_are_left_out_and_named(data, capsys):
    assert "id" not in training_of(data).table.column_names
    assert "Left out: 'id', since most rows have a text of their own;" in capsys.readouterr().err
    assert "id" in training_of(data, "--categorical", "id").table.column_names
    assert "Left out" not in capsys.readouterr().err


def test_a_table_of_identifiers_only_is_refused(tmp_path, capsys):
    rows = [{"id": f"p{i}", "outcome": i % 2} for i in range(30)]
    data = write_csv(tmp_path / "ids.csv", rows)
    code, _, err = run(capsys, "fit", data, "--target", "outcome")
    assert code == 2
    assert "every column looks like an identifier ('id')" in err


def test_numbers_can_be_called_categories_and_words_missing(data):
    training = training_of(data, "--categorical", "ward", "--missing", "oval", "3")
    assert training.table.features["ward"].levels.names == (1, 2)
    assert training.table.features["shape"].levels.names == ("irregular", "round")


def test_a_column_that_is_always_missing_is_mentioned(tmp_path, capsys):
    rows = [{**row, "empty": ""} for row in patients()]
    training_of(write_csv(tmp_path / "t.csv", rows), "--drop", "id")
    assert capsys.readouterr().err.count("\n  Constant, so of no use: 'empty'\n") == 1


def test_a_column_with_one_value_and_missing_values_is_not_constant(tmp_path, capsys):
    rows = [{"asked": "yes" if i % 3 else "", "outcome": i % 2} for i in range(30)]
    training_of(write_csv(tmp_path / "t.csv", rows))
    assert "Constant" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("n_rows", "options", "is_told"),
    [
        (40, ("--lowest-loss",), True),
        (40, (), False),
        (40, ("--lowest-loss", "--pseudo-rows", "auto"), False),
        (40, ("--lowest-loss", "--quiet"), False),
        (1001, ("--lowest-loss",), False),
    ],
)
def test_who_wants_the_lowest_loss_on_few_rows_is_told_what_it_costs(
    n_rows, options, is_told, tmp_path, capsys
):
    rows = [{"age": (7 * i) % 41, "outcome": i % 2} for i in range(n_rows)]
    data = write_csv(tmp_path / "t.csv", rows)
    code, _, err = run(capsys, "fit", data, "--target", "outcome", "--max-terms", "1", *options)
    assert code == 0
    assert ("Only 40 rows: without --lowest-loss, cards" in err) == is_told


# --- rules --------------------------------------------------------------------------------------

RULES = "feature,direction,use,cost\nage,rises,must,2\nward,,never,\nid,,,1\n"


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules.csv"
    path.write_text(RULES)
    return path


def test_rules_are_read_and_cut_down_to_the_columns_that_are_used(data, rules):
    training = training_of(data, "--rules", rules, "--budget", 5, "--drop", "ward")
    rule = FeatureRule(direction="rises", use="must", cost=2)
    assert training.rules == CardRules({"age": rule}, budget=5)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (
            ("age,", "agee,"),
            [],
            "rules name 'agee', but no feature has that name. Did you mean 'age",
        ),
        (("rises", "up"), [], "line 2: direction is 'up'"),
        (("", ""), ["--drop", "age"], "'age' must be used by the rules, but is not among"),
        (("", ""), ["--budget", "1"], "'age' must be used and cost 2, but the budget is 1"),
    ],
)
def test_rules_that_do_not_fit_are_refused_with_their_file(
    data, rules, capsys, change, options, message
):
    rules.write_text(RULES.replace(*change))
    code, _, err = run(capsys, "fit", data, "--target", "outcome", "--rules", rules, *options)
    assert code == 2
    assert "rules.csv'" in err
    assert message in err


# --- parameters ---------------------------------------------------------------------------------


def test_options_that_are_not_given_have_the_defaults_of_the_classifier(data):
    model = classifier_of(options_of(data), training_of(data))
    assert (
        model.get_params()
        == RiskScoreClassifier(verbose=True, event="ill", identifiers=None).get_params()
    )


@pytest.mark.parametrize(
    ("option", "value", "name", "expected"),
    [
        ("--max-terms", "3", "max_terms", 3),
        ("--max-log-odds", "none", "max_log_odds", None),
        ("--max-log-odds", "2.5", "max_log_odds", 2.5),
        ("--scale", "multiplier", "scale", "multiplier"),
        ("--scale", "2", "scale", 2.0),
        ("--time-limit", "none", "time_limit", None),
        ("--gap", "1%", "gap", 0.01),
        ("--n-jobs", "2", "n_jobs", 2),
        ("--random-state", "5", "random_state", 5),
        ("--class-weight", "balanced", "class_weight", "balanced"),
        ("--pseudo-rows", "none", "regularization", Regularization(pseudo_rows=None)),
        ("--pseudo-rows", "5%", "regularization", Regularization(pseudo_rows=0.05)),
        ("--grid", "auto", "regularization", Regularization()),
        ("--shortlist", "12", "regularization", Regularization(shortlist=12)),
        ("--min-bin-rows", "20", "rules", CardRules(min_bin_rows=20)),
        ("--min-bin-rows", "5%", "rules", CardRules(min_bin_rows=0.05)),
        ("--min-bin-rows", "auto", "rules", CardRules(min_bin_rows="auto")),
        ("--min-bin-events", "0.02", "rules", CardRules(min_bin_events=0.02)),
        ("--min-gain", "1.5", "rules", CardRules(min_gain=1.5)),
        ("--round-cuts", "1%", "rules", CardRules(round_cuts=0.01)),
    ],
)
def test_options_become_parameters_of_their_name(data, option, value, name, expected):
    options = options_of(data, option, value)
    found = classifier_of(options, read_training(options)).get_params()[name]
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("option", "value", "group", "expected"),
    [
        ("--max-changes", "2", "improve", {"max_changes": 2}),
        ("--max-changes", "none", "improve", {"max_changes": None}),
        ("--pool-size", "10", "pool", {"size": 10}),
        ("--pool-tolerance", "2%", "pool", {"tolerance": 0.02}),
    ],
)
def test_options_become_parameters_of_functions(data, option, value, group, expected):
    assert given(options_of(data, option, value), group) == expected


def test_a_part_of_automatic_regularization_can_be_changed(data):
    options = options_of(data, "--grid", 20, "--shortlist", "none")
    model = classifier_of(options, training_of(data))
    assert model.regularization == Regularization(grid=20, shortlist=None)


def test_the_lowest_loss_is_regularised_by_nothing_but_what_is_given(data):
    training = training_of(data)
    assert classifier_of(options_of(data, "--lowest-loss"), training).regularization is None
    model = classifier_of(options_of(data, "--lowest-loss", "--grid", 20), training)
    assert model.regularization == Regularization.only(grid=20)


def test_a_card_to_start_from_must_be_about_the_same_event(tmp_path, data, capsys):
    path = tmp_path / "start.json"
    replace(heart_card(), classes=("ill", "well")).save(path)
    options = ["--target", "outcome", "--event", "ill", "--improve", path]
    code, _, err = run(capsys, "fit", data, *options)
    assert code == 2
    assert "the event 'well' against 'ill', but the target has 'ill' against 'well'" in err


# --- cards --------------------------------------------------------------------------------------


def test_a_table_as_it_comes_gives_a_card_that_scores_and_is_checked(tmp_path, data, capsys):
    path = tmp_path / "card.json"
    fit = ["fit", data, "--target", "outcome", "--event", "ill", "--max-terms", 4, "-o", path]
    assert run(capsys, *fit)[0] == 0
    card = RiskCard.load(path)
    assert any(isinstance(one, LevelPoints) and one.name == "shape" for one in card.features)
    code, out, err = run(capsys, "predict", path, data)
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 121
    code, out, _ = run(capsys, "check", path, data)
    assert code == 0, out


def test_parquet_gives_the_same_card(tmp_path, data, capsys):
    pandas = pytest.importorskip("pandas")
    pandas.read_csv(data).to_parquet(tmp_path / "t.parquet")
    cards = []
    for number, source in enumerate([data, tmp_path / "t.parquet"]):
        path = tmp_path / f"{number}.json"
        options = ["--target", "outcome", "-o", path, "-q", "--max-terms", 4, "--drop", "id"]
        assert run(capsys, "fit", source, *options)[0] == 0
        cards.append(RiskCard.load(path))
        for other in (data, tmp_path / "t.parquet"):
            assert run(capsys, "check", path, other)[0] == 0
    assert cards[0].features == cards[1].features


@pytest.mark.filterwarnings("default::riskcard.RiskcardWarning")  # as in a process of its own
def test_new_levels_and_new_missing_values_are_scored_with_a_remark(tmp_path, data, capsys):
    path = tmp_path / "card.json"
    options = ["--target", "outcome", "-o", path, "-q", "--columns", "shape", "smokes"]
    assert run(capsys, "fit", data, *options)[0] == 0
    rows = [{"shape": "square", "smokes": ""}, {"shape": "", "smokes": "TRUE"}]
    new = write_csv(tmp_path / "new.csv", rows)
    code, out, err = run(capsys, "predict", path, new)
    assert code == 0
    assert len(out.splitlines()) == 3
    assert "shape is square, which training did not have" in out
    assert "smokes is missing, as never in training" in out
    assert "1 of 2 rows has values that training did not have" in err


def test_a_card_keeps_the_rules_of_the_file(tmp_path, data, rules, capsys):
    path = tmp_path / "card.json"
    options = ["--target", "outcome", "--event", "ill", "--rules", rules, "-o", path, "-q"]
    code, _, err = run(capsys, "fit", data, *options)
    assert code == 0, err
    by_name = {one.name: one for one in RiskCard.load(path).features}
    assert "ward" not in by_name
    points = by_name["age"].points
    assert list(points) == sorted(points)


def test_balanced_classes_are_known_to_the_card(tmp_path, plain, capsys):
    path = tmp_path / "card.json"
    options = ["--target", "outcome", "-o", path, "-q", "--class-weight", "balanced"]
    assert run(capsys, "fit", plain, *options)[0] == 0
    card = RiskCard.load(path)
    training, weights = card.training, card.certificate.class_weights
    assert training.event_weight == training.events
    no_events = training.rows - training.events
    assert weights.event * training.events == pytest.approx(weights.no_event * no_events)


def test_bins_are_as_large_as_asked_for(tmp_path, plain, capsys):
    path = tmp_path / "card.json"
    options = ["--min-bin-rows", "20%", "--min-bin-events", "3", "--min-gain", "0.5"]
    fit = ["fit", plain, "--target", "outcome", "-o", path, "-q", *options]
    assert run(capsys, *fit)[0] == 0
    with open(plain, newline="") as file:
        rows = list(csv.DictReader(file))
    for feature in RiskCard.load(path).features:
        bins = [sum(float(row[feature.name]) > cut for cut in feature.cuts) for row in rows]
        assert min(bins.count(one) for one in set(bins)) >= 24


def test_a_given_card_is_changed_in_few_terms(tmp_path, plain, capsys):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    base = ["fit", plain, "--target", "outcome", "-q"]
    assert run(capsys, *base, "--max-terms", 2, "-o", first)[0] == 0
    options = ["--max-terms", 3, "--improve", first, "--max-changes", 1, "-o", second]
    code, _, err = run(capsys, *base, *options)
    assert code == 0, err
    old, new = (RiskCard.load(path) for path in (first, second))
    assert new.certificate.loss <= old.certificate.loss


@pytest.mark.parametrize(
    ("option", "needed"),
    [
        ("--max-changes", "--improve"),
        ("--pool-size", "--pool-tolerance"),
        ("--choose", "--pool-tolerance"),
    ],
)
def test_options_that_mean_nothing_alone_are_refused(plain, capsys, option, needed):
    code, _, err = run(capsys, "fit", plain, "--target", "outcome", option, 2)
    assert code == 2
    assert f"{option} has no effect without {needed}" in err


def test_a_pool_of_improved_cards_is_refused(tmp_path, plain, capsys):
    heart_card().save(tmp_path / "card.json")
    words = ["--target", "outcome", "--improve", tmp_path / "card.json", "--pool-tolerance", "5%"]
    code, _, err = run(capsys, "fit", plain, *words)
    assert code == 2
    assert "--improve and --pool-tolerance cannot be used together" in err
    assert "Give one of the two." in err


def test_the_pool_is_listed_and_a_card_of_it_can_be_chosen(tmp_path, plain, capsys):
    path = tmp_path / "card.json"
    fit = ["fit", plain, "--target", "outcome", "--max-terms", 1, "--certify", "-o", path]
    pool = ["--pool-tolerance", "5%", "--pool-size", 3]
    code, out, _ = run(capsys, *fit, *pool)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[-4:-1]] == ["0", "1", "2"]
    best = RiskCard.load(path)
    assert run(capsys, *fit, *pool, "--choose", 1)[0] == 0
    chosen = RiskCard.load(path)
    assert chosen.features != best.features
    assert best.certificate.loss <= chosen.certificate.loss <= 1.05 * best.certificate.loss
    assert run(capsys, "check", path, plain)[0] == 0
    code, _, err = run(capsys, *fit, *pool, "--choose", 7)
    assert code == 2
    assert "There is no card 7 in the pool" in err


# --- rows that a card is held against -----------------------------------------------------------


def test_a_card_of_balanced_classes_is_checked_without_being_told(tmp_path, plain, capsys):
    path = tmp_path / "card.json"
    options = ["--target", "outcome", "-o", path, "-q", "--class-weight", "balanced"]
    assert run(capsys, "fit", plain, *options)[0] == 0
    assert run(capsys, "check", path, plain)[0] == 0
    code, _, said = run(capsys, "recalibrate", path, plain, "--class-weight", "balanced")
    assert code == 2
    assert "--class-weight" in said


@pytest.mark.filterwarnings("default:There are 42 rows of the rarer kind")
def test_recalibrating_changes_the_scale_only(tmp_path, data, capsys):
    first, second, third = (tmp_path / f"{number}.json" for number in range(3))
    options = ["--target", "outcome", "--event", "ill", "--max-terms", 3, "--lowest-loss"]
    assert run(capsys, "fit", data, *options, "-o", first, "-q")[0] == 0
    old = RiskCard.load(first)
    rows = [
        {**row, "outcome": "ill" if i % 4 == 0 else row["outcome"]}
        for i, row in enumerate(patients())
    ]
    new = write_csv(tmp_path / "new.csv", rows)
    code, out, _ = run(capsys, "recalibrate", first, new, "-o", second)
    card = RiskCard.load(second)
    assert code == 0
    assert str(card) in out
    assert card.features == old.features
    assert card.certificate is None
    expected = sum(row["outcome"] == "ill" for row in rows)
    code, out, _ = run(capsys, "predict", second, new, "--digits", "all")
    risks = [float(line["risk"]) for line in csv.DictReader(out.splitlines())]
    assert sum(risks) == pytest.approx(expected, rel=1e-5)
    # on the rows that it was learned from, the scale was the best already
    assert run(capsys, "recalibrate", first, data, "-o", third, "-q") == (0, "", "")
    same = RiskCard.load(third)
    assert (same.multiplier, same.offset) == pytest.approx((old.multiplier, old.offset), rel=1e-4)


def test_recalibrating_needs_the_labels_of_the_card(tmp_path, plain, capsys):
    path = tmp_path / "card.json"
    heart_card().save(path)
    rows = [{"age": 50 + i, "pressure": i / 10, "outcome": "ill"} for i in range(5)]
    new = write_csv(tmp_path / "new.csv", rows)
    code, _, err = run(capsys, "recalibrate", path, new, "--target", "outcome")
    assert code == 2
    assert "has the value 'ill', but the card knows 'no' and 'yes'" in err


def test_only_a_command_that_proves_compiles_the_proof_during_the_search(
    plain, capsys, monkeypatch
):
    kinds = []
    monkeypatch.setattr("riskcard.search.warmup.start_compilation", kinds.append)
    options = ["--target", "outcome", "--max-terms", 1, "-q"]
    assert run(capsys, "fit", plain, *options)[0] == 0
    assert run(capsys, "fit", plain, *options, "--certify")[0] == 0
    assert run(capsys, "fit", plain, *options, "--certify", "--scale", 1)[0] == 0
    assert kinds == ["calibrated", "fixed"]
    assert run(capsys, "fit", "nowhere.csv", *options, "--certify")[0] == 2
    assert kinds == ["calibrated", "fixed"]
