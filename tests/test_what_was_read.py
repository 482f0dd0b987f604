"""What a fit reads is said before it is used: identifiers, likely leaks, few events."""

import shlex

import numpy as np
import pytest

from optional import pd
from riskcard import (
    CardRules,
    FeatureRule,
    ParameterError,
    RiskcardWarning,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    bootstrap_card,
)
from riskcard.cli.main import main
from riskcard.data.columns import FeatureValues, read_column
from riskcard.data.first_look.data_summary import summarize
from riskcard.data.first_look.identifiers import find_identifiers
from riskcard.data.first_look.leaks import find_leaks
from riskcard.data.first_look.likely_codes import find_likely_codes
from riskcard.data.table import make_table
from riskcard.model.card import RiskCard

RNG = np.random.default_rng(0)
N = 200
AGE = RNG.integers(20, 90, N).astype(float)
IS_EVENT = RNG.random(N) < 1 / (1 + np.exp(-(AGE - 60) / 10))


def names_of(columns, **options):
    features = {name: read_column(column, name) for name, column in columns.items()}
    return [one.name for one in find_identifiers(features, **options)]


# --- identifiers --------------------------------------------------------------------------------

HANDED_OUT = 2_000_000 + 41 * RNG.permutation(N)


@pytest.mark.parametrize(
    "name",
    [
        "id", "ID", "patient_id", "PatientID", "patientid", "Patient Id", "id_patient", "MRN", "Nr",
        "Fall-Nr.", "Fallnummer", "Patientennummer", "rownames", "row.names", "index", "Unnamed: 0",
        "account_number", "caseNumber", "SEQN", "uuid",
    ],
)  # fmt: skip
def test_numbers_of_their_own_with_such_a_name_are_identifiers(name):
    assert names_of({name: HANDED_OUT, "age": AGE}) == [name]


@pytest.mark.parametrize(
    "name",
    ["income", "acid", "uric acid", "covid", "platelets", "number of cells", "identity gain"],
)
def test_other_names_do_not_make_numbers_that_differ_identifiers(name):
    assert names_of({name: HANDED_OUT, "age": AGE}) == []


def test_whole_numbers_are_identifiers_where_chance_would_have_repeated_some():
    numbers = RNG.permutation(N)
    columns = {
        "rising": np.arange(N) + 17,
        "shuffled": numbers,
        "with gaps": np.sort(RNG.choice(3 * N, N, replace=False)),
        "as floats": numbers.astype(float),
        "some missing": np.where(numbers % 10 == 0, np.nan, numbers),
    }
    assert names_of(columns) == list(columns)


def test_measurements_are_not_identifiers():
    columns = {
        "income": np.unique(RNG.integers(20_000, 150_000, 2 * N))[:N],  # all differ
        "platelets": 1000 * RNG.integers(90, 400, N),
        "age": AGE,
        "dose": RNG.random(N),
        "rank in class": np.repeat(np.arange(N // 2), 2),
        "sorted income": np.sort(RNG.choice(10**6, N, replace=False)),
        "id": np.repeat(np.arange(N // 10), 10),  # a ward, say
    }
    assert names_of(columns) == []


def test_few_rows_and_unnamed_numbers_are_not_evidence():
    assert names_of({"id": np.arange(20)}) == []
    assert names_of({"x0": np.arange(N)}, are_named=False) == []


def test_texts_of_their_own_are_identifiers_with_any_name():
    texts = [f"patient {i}" for i in range(N)]
    assert names_of({"ward": texts, "age": AGE}, are_named=False) == ["ward"]


def frame():
    return pd.DataFrame({"id": HANDED_OUT, "age": AGE})


def reason_of(name, column):
    (found,) = find_identifiers({name: read_column(column, name)})
    return found.reason


def test_the_reason_for_leaving_texts_out_is_true_of_them():
    own = [f"P{number}" for number in range(N)]
    assert reason_of("case", own) == "most rows have a text of their own"
    visits = [f"P{number // 2}" for number in range(N // 2)] + own[
        N // 2 :
    ]  # 150 texts in 200 rows
    assert (
        reason_of("patient", visits) == "its name and its repeated values say whose rows these are"
    )
    pairs = [f"P{number // 2}" for number in range(N - 10)] + own[N - 10 :]
    assert reason_of("case", pairs) == "200 rows have 105 different texts"


def test_many_rare_levels_are_remarked_on():
    towns = [f"town {number // 5}" for number in range(N // 2)] + ["city"] * (N // 2)
    few = [f"town {number // 5}" for number in range(45)] + ["city"] * (N - 45)
    columns = {"home": read_column(towns, "home"), "birth": read_column(few, "birth")}
    said = str(summarize(columns, IS_EVENT, (0, 1), outcome="died"))
    assert "20 levels of 'home' have fewer than 10 rows each (100 rows in all)" in said
    assert "'birth'" not in said


def test_python_leaves_identifiers_out_with_a_warning():
    with pytest.warns(RiskcardWarning, match=r"Left out as identifier: 'id', since its name"):
        model = RiskScoreClassifier(2).fit(frame(), IS_EVENT)
    assert model.identifiers_ == ["id"]
    assert model.card_.feature_names == ("age",)
    assert model.n_features_in_ == 2
    assert model.card_.recipe.parameters["identifiers"] == ["id"]
    by_name = model.predict_proba(frame())
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_array_equal(model.predict_proba(frame().to_numpy()), by_name)


@pytest.mark.parametrize("identifiers", [None, []])
def test_identifiers_can_be_kept(identifiers):
    model = RiskScoreClassifier(2, identifiers=identifiers).fit(frame(), IS_EVENT)
    assert model.card_.feature_names == ("id", "age")


def test_columns_can_be_named_as_identifiers():
    model = RiskScoreClassifier(1, identifiers=["age"]).fit(frame(), IS_EVENT)
    assert model.card_.feature_names == ("id",)
    with pytest.raises(ParameterError, match="identifiers names 'mrn', which is not a column"):
        RiskScoreClassifier(1, identifiers=["mrn"]).fit(frame(), IS_EVENT)
    with pytest.raises(ParameterError, match="identifiers names every column"):
        RiskScoreClassifier(1, identifiers=["id", "age"]).fit(frame(), IS_EVENT)
    with pytest.raises(ParameterError, match=r"identifiers is 'age'. Use a list of names"):
        RiskScoreClassifier(1, identifiers="age").fit(frame(), IS_EVENT)


def test_a_feature_that_a_rule_is_about_is_kept():
    rules = CardRules({"id": FeatureRule(use="must")})
    model = RiskScoreClassifier(2, rules=rules).fit(frame(), IS_EVENT)
    assert "id" in [feature.name for feature in model.card_.features]


def test_an_array_keeps_all_its_numbers():
    model = RiskScoreClassifier(1).fit(np.column_stack([np.arange(N), AGE]), IS_EVENT)
    assert model.identifiers_ == []


def test_where_every_column_looks_like_an_identifier_all_are_kept_with_a_warning():
    with pytest.warns(RiskcardWarning, match="Every feature looks like an identifier"):
        table = make_table({"id": HANDED_OUT}, IS_EVENT, identifiers="auto")
    assert table.names == ("id",)


def test_numbers_alone_are_no_reason_to_leave_out_every_column():
    assert make_table({"x": np.arange(N)}, IS_EVENT, identifiers="auto").names == ("x",)


def test_rules_for_a_column_that_is_left_out_are_left_out_too():
    rules = CardRules({"id": FeatureRule(cost=3), "age": FeatureRule(cost=1)}, budget=1)
    with pytest.warns(RiskcardWarning, match="Left out as identifier"):
        model = RiskScoreClassifier(1, rules=rules).fit(frame(), IS_EVENT)
    assert [feature.name for feature in model.card_.features] == ["age"]
    wrong = CardRules({"id": FeatureRule(cost=3), "agee": FeatureRule(cost=1)}, budget=1)
    with (
        pytest.warns(RiskcardWarning, match="Left out as identifier"),
        pytest.raises(ParameterError, match="rules name 'agee'"),
    ):
        RiskScoreClassifier(1, rules=wrong).fit(frame(), IS_EVENT)


def test_folds_and_resamples_leave_out_what_all_rows_say():
    # in a resample numbers are repeated, so that nothing would give them away
    X = pd.DataFrame({"key of row": RNG.permutation(N), "age": AGE})
    with pytest.warns(RiskcardWarning, match="Left out as identifier"):
        model = RiskScoreClassifierCV(max_terms=2, cv=3).fit(X, IS_EVENT)
    assert model.identifiers_ == ["key of row"]
    assert model.card_.feature_names == ("age",)
    for estimator in (RiskScoreClassifier(1), RiskScoreClassifierCV(max_terms=1, cv=2)):
        with pytest.warns(RiskcardWarning, match="Left out as identifier"):
            stability = bootstrap_card(estimator, X, IS_EVENT, n_bootstraps=3)
        assert {card.feature_names for card in stability.cards} == {("age",)}


# --- leaks --------------------------------------------------------------------------------------


def leaks_of(columns, is_event=IS_EVENT):
    features = {name: read_column(column, name) for name, column in columns.items()}
    return [leak.name for leak in find_leaks(features, is_event)]


def test_columns_that_separate_nearly_all_rows_are_found_in_any_form():
    noise = RNG.normal(scale=0.1, size=N)
    columns = {
        "score": IS_EVENT + noise,
        "falling": -(IS_EVENT + noise),
        "known only for events": np.where(IS_EVENT, 5.0, np.nan),
        "days, or missing": np.where(IS_EVENT, np.nan, RNG.random(N)),
        "group": np.where(IS_EVENT, np.where(AGE > 50, "b", "d"), np.where(AGE > 50, "a", "c")),
        "flag": IS_EVENT,
    }
    assert sorted(leaks_of(columns)) == sorted(columns)


def test_good_features_and_noise_are_not_leaks():
    levels = [f"ward {number}" for number in RNG.integers(0, 60, N)]
    assert leaks_of({"age": AGE, "noise": RNG.random(N), "ward": levels}) == []


def test_few_rows_of_a_class_say_nothing():
    is_event = np.arange(N) < 15
    assert leaks_of({"flag": is_event}, is_event) == []


def test_long_tables_are_looked_at_in_part_with_the_same_answer():
    is_event = np.arange(50_000) % 5 == 0
    blurred = is_event ^ (np.arange(50_000) % 1000 == 0)
    assert leaks_of({"flag": blurred, "noise": RNG.random(50_000)}, is_event) == ["flag"]


# --- before anything is read --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "wrong", "message"),
    [
        ("fit", "--max-terms 0", "'0' is not a whole number of at least 1"),
        ("fit", "--scale -1", "'-1' is not a positive number or 'calibrated'"),
        ("fit", "--max-log-odds 99", "'99' is not a number from 0.01 to 30 or 'auto'"),
        ("fit", "--scale 2 --max-log-odds 3", "max_log_odds is 3 and scale is 2.0"),
        ("fit", "--random-state -3", "'-3' is not a whole number of at least 0"),
        ("fit", "--n-jobs 0", "'0' is not a whole number other than 0"),
        ("fit", "--gap 3", "'3' is not a share from 0 to 1, such as 0.01"),
        ("fit", "--min-bin-rows -3", "of at least 0, or a share below 1 such as 0.05"),
        ("fit", "--pool-tolerance -1", "'-1' is not a share of at least 0"),
        ("fit", "--labels nowhere.toml", "There is no file 'nowhere.toml'"),
        ("fit", "--improve nowhere.json", "There is no file 'nowhere.json'"),
        ("tune", "--cv 1", "'1' is not a whole number of at least 2"),
        ("tune", "--scoring auc", "scoring is 'auc'"),
        ("stability", "--n-bootstraps 0", "'0' is not a whole number of at least 1"),
    ],
)
def test_wrong_values_are_refused_before_anything_is_read(
    tmp_path, capsys, command, wrong, message
):
    assert main([command, write(tmp_path), "--target", "outcome", *wrong.split()]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("form", ["labels", "improve"])
def test_an_unusable_file_is_refused_before_the_rows_are_read(tmp_path, capsys, form):
    path = tmp_path / "words.txt"
    path.write_text("neither labels nor a card")
    assert main(["fit", write(tmp_path), "--target", "outcome", f"--{form}", str(path)]) == 2
    assert "What was read" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "model",
    [
        RiskScoreClassifier(1, scale=2, max_log_odds=3, verbose=True),
        RiskScoreClassifierCV(cv=1, verbose=True),
        RiskScoreClassifierCV(scoring="auc", verbose=True),
        RiskScoreClassifierCV(RiskScoreClassifier(scale=-1), verbose=True),
    ],
)
def test_wrong_values_are_refused_before_the_summary(capsys, model):
    with pytest.raises(ParameterError, match=r"scale is|cv is 1|scoring is 'auc'"):
        model.fit(AGE[:, None], IS_EVENT)
    assert capsys.readouterr().err == ""


# --- the summary --------------------------------------------------------------------------------


def test_the_summary_says_what_was_read_in_few_lines():
    model = RiskScoreClassifier(5, identifiers=["id"])
    X = frame().assign(ward="a", smoker=RNG.random(N) < 0.5, late=np.where(IS_EVENT, 1, 0))
    model.fit(X, pd.Series(np.where(IS_EVENT, "ja", "nein"), name="Rückfall"))
    events = int(IS_EVENT.sum())
    assert str(model.data_summary_).splitlines() == [
        "What was read",
        f"  Event: Rückfall = ja, {events} of 200 rows ({events / 2:.1f} %); event='nein' reverses it",
        "  Columns: 1 number, 2 yes or no",
        "  Left out: 'id', since it was named as an identifier; identifiers=None keeps them",
        "  Constant, so of no use: 'ward'",
        "  'late' alone separates nearly all rows (AUC 1.000): make sure that it is known before the "
        "outcome",
    ]


def test_few_events_are_remarked_on():
    is_event = np.arange(N) < 13
    features = {"age": FeatureValues(AGE, None)}
    words = str(summarize(features, is_event, (0, 1), outcome=None, max_terms=5))
    assert "13 rows with the event for 5 terms are few" in words
    assert "Event: 1, 13 of 200 rows (6.5 %)" in words
    words = str(summarize(features, ~is_event, (0, 1), outcome=None))
    assert "13 rows without the event are few" in words
    assert "are few" not in str(summarize(features, is_event, (0, 1), outcome=None, max_terms=1))


def test_verbose_prints_the_summary(capsys):
    model = RiskScoreClassifier(1, verbose=True).fit(AGE[:, None], IS_EVENT)
    assert capsys.readouterr().err.startswith(str(model.data_summary_))


def write(tmp_path, **columns):
    path = tmp_path / "table.csv"
    outcome = np.where(IS_EVENT, "ja", "nein")
    frame().assign(**columns, outcome=outcome).to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize("command", ["fit", "tune", "stability"])
def test_every_command_that_learns_begins_with_what_was_read(tmp_path, capsys, command):
    options = {"tune": ["--cv", "2"], "stability": ["--n-bootstraps", "2"]}.get(command, [])
    data = write(tmp_path)
    assert main([command, data, "--target", "outcome", "--max-terms", "1", *options]) == 0
    err = capsys.readouterr().err.splitlines()
    assert err[0] == "What was read"
    assert err[1].endswith(" %); --event nein reverses it")
    assert err[3].startswith("  Left out: 'id', since")
    assert err[3].endswith("--keep-features COLUMN keeps one")


@pytest.mark.parametrize(
    ("event", "other", "option"),
    [("relapse", "no relapse", "--event 'no relapse'"), ("+", "-", "--event=-")],
)
def test_the_option_for_the_other_event_can_be_copied(tmp_path, capsys, event, other, option):
    path = tmp_path / "table.csv"
    frame().assign(outcome=np.where(IS_EVENT, event, other)).to_csv(path, index=False)
    fit = ["fit", str(path), "--target", "outcome", "--max-terms", "1"]
    assert main(fit) == 0
    assert f"; {option} reverses it\n" in capsys.readouterr().err
    assert main([*fit, *shlex.split(option)]) == 0
    assert f"Event: outcome = {other}, " in capsys.readouterr().err


def test_an_identifier_can_be_kept_on_the_command_line(tmp_path):
    data, card = write(tmp_path), str(tmp_path / "card.json")
    fit = ["fit", data, "--target", "outcome", "-q", "-o", card]
    assert main(fit) == 0
    assert RiskCard.load(card).feature_names == ("age",)
    assert main([*fit, "--keep-features", "id"]) == 0
    assert RiskCard.load(card).feature_names == ("id", "age")


def test_a_file_of_identifiers_is_refused(tmp_path, capsys):
    data = write(tmp_path, name=[f"n{i}" for i in range(N)])
    assert main(["fit", data, "--target", "outcome", "--drop", "age"]) == 2
    assert "every column looks like an identifier ('id', 'name')" in capsys.readouterr().err


def test_the_columns_keep_their_order(tmp_path):
    data, card = write(tmp_path, b=AGE, a=AGE % 7), str(tmp_path / "card.json")
    assert main(["fit", data, "--target", "outcome", "-q", "-o", card]) == 0
    assert RiskCard.load(card).feature_names == ("age", "b", "a")


@pytest.mark.parametrize(
    ("name", "is_left_out"),
    [
        ("patient_id", True),
        ("MRN", True),
        ("Kunden-Nr", False),
        ("customer no", True),
        ("accounts", False),
    ],
)
@pytest.mark.parametrize("as_text", [False, True])
def test_a_patient_number_with_several_rows_is_not_a_feature(
    tmp_path, capsys, name, is_left_out, as_text
):
    random = np.random.default_rng(4)
    lines = [f"{name},age,ill"]
    for row in range(240):
        whose = f"p{row % 60}" if as_text else row % 60
        lines.append(f"{whose},{random.integers(20, 90)},{random.integers(0, 2)}")
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(lines))
    assert main(["fit", str(path), "--target", "ill", "--max-terms", "2", "--hold-out", "30%"]) == 0
    said = capsys.readouterr().err
    assert (f"Left out: '{name}'" in said) == is_left_out
    assert ("are in both parts" in said) == (is_left_out or name == "accounts")


# --- levels -------------------------------------------------------------------------------------


def test_levels_that_differ_in_case_or_spaces_are_remarked_on():
    ward = np.where(RNG.random(N) < 0.5, "ICU", "icu").astype(object)
    ward[:20], ward[20:50] = " Icu", "Ward  1"
    other = np.where(RNG.random(N) < 0.5, "Ward 1", "ward 2")
    features = {name: read_column(column, name) for name, column in (("ward", ward), ("x", other))}
    said = str(summarize(features, IS_EVENT, (0, 1), outcome=None)).splitlines()
    (remark,) = [line for line in said if "case" in line]
    assert "Levels of 'ward' differ only in case or spaces: ' Icu', 'ICU', 'icu'." in remark
    model = RiskScoreClassifier(2).fit(pd.DataFrame({"age": AGE, "ward": ward}), IS_EVENT)
    assert "Levels of 'ward' differ only in case or spaces" in str(model.data_summary_)


def test_the_command_line_remarks_on_levels_that_differ_in_case(tmp_path, capsys):
    ward = np.where(RNG.random(N) < 0.5, "ICU", "icu")
    frame = pd.DataFrame({"age": AGE, "ward": ward, "died": IS_EVENT.astype(int)})
    frame.to_csv(tmp_path / "data.csv", index=False)
    assert main(["fit", str(tmp_path / "data.csv"), "--target", "died"]) == 0
    assert "Levels of 'ward' differ only in case or spaces: 'ICU', 'icu'" in capsys.readouterr().err


# --- numbers that look like codes ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "codes"),
    [
        ([34, 50, -9, 71, 62, 45, None], (-9.0,)),
        ([3, 15, -99, 8, 12, 10, -1], (-99.0, -1.0)),
        ([-1, 0, 1, 0, -1, 1, 0], ()),  # a scale of few steps
        ([-3, -2, -1, 0, 1, 2, 3], ()),
        ([-5, 0, 5, 0, -5, 5, 0], ()),
        ([-9, 0, 1, 0, -9, 1, 0], (-9.0,)),  # yes, no, not known
        ([-99, -88, 1, 2, 3, 4, 1], (-99.0, -88.0)),
        ([-9, 0, 0, 0, -9, 0, 0], ()),  # nothing else to tell
        ([-0.4, 0.2, 0.7, 1.5, -9, 2.2, 0.1], ()),  # other negative numbers
        ([-12, 5, 6, 7, 8, 9, 10], ()),  # no usual code
        ([5, 6, 7, 8, 9, 10, 11], ()),
        (["-9", "a", "b", "c", "d", "e", "f"], ()),
    ],
)
def test_negative_numbers_that_look_like_codes_are_remarked_on(column, codes):
    found = find_likely_codes({"score": read_column(column, "score")})
    assert [one.codes for one in found] == ([codes] if codes else [])


def test_a_remark_on_codes_says_what_to_do():
    y = [0, 1] * 10
    values = [-9 if row % 5 == 0 else 20 + row for row in range(20)]
    found = str(
        summarize({"age": read_column(values, "age")}, np.array(y) > 0, (0, 1), outcome="y")
    )
    assert "'age' is -9 in 4 rows and otherwise at least 21. If that is a code" in found
