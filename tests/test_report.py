"""A report says what was computed, on any table, and its page needs nothing else."""

import hashlib
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from cards import heart_card, mass_card
from optional import pd
from riskcard import (
    CardRules,
    DataError,
    ParameterError,
    RiskCard,
    RiskScoreClassifier,
    SolverMissing,
    make_report,
)
from riskcard.baselines.unit_weights import UnitWeightsClassifier
from riskcard.cli.main import main
from riskcard.cli.parser import make_parser
from riskcard.report.figure_sentences import proof_in_short
from riskcard.report.refits.procedure import procedure_of
from riskcard.report.refits.rivals import RIVALS
from riskcard.report.report_page import render_report as make_page
from riskcard.report.report_page import render_section
from riskcard.stability.bootstrap import bootstrap_card

pytestmark = pytest.mark.slow

pytest.importorskip("matplotlib")


def section(name: str, facts) -> str:
    """A section without the line breaks of its template."""
    return " ".join(render_section(name, facts).split())


ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def mixed_model(mixed):
    frame, y = mixed
    return RiskScoreClassifier(3, regularization=None, certify=True, time_limit=20).fit(frame, y)


@pytest.fixture(scope="module")
def report(mixed_model, mixed):
    """On a table with missing values and categories; the test rows have a new level."""
    frame, y = mixed
    test = frame.iloc[:60].copy()
    test["age"] += 0.5  # other rows than those of training
    test["shape"] = test["shape"].astype(object)
    test.iloc[0, test.columns.get_loc("shape")] = "zigzag"
    return make_report(mixed_model, frame, y, test=(test, y[:60]), cv=3, repeats=2, n_bootstraps=6)


@pytest.fixture(scope="module")
def page(report):
    return report.to_html()


# --- facts --------------------------------------------------------------------------------------


def test_figures_on_the_rows_are_those_of_the_card(report, mixed_model, mixed):
    frame, y = mixed
    risks = mixed_model.predict_proba(frame)[:, 1]
    found = report.facts.rows.evaluation
    assert found.roc.area == pytest.approx(roc_auc_score(y, risks))
    assert found.log_loss == pytest.approx(log_loss(y, risks))
    assert found.log_loss * len(y) == pytest.approx(mixed_model.loss_)
    assert report.facts.audit.passed
    assert report.facts.is_training


def test_the_card_is_refitted_in_every_fold_with_its_own_limits(report, mixed_model, mixed):
    frame, y = mixed
    validation = report.facts.validation
    assert (validation.folds, validation.repeats) == (3, 2)
    procedure = clone(mixed_model).set_params(certify=False)
    losses, areas = [], []
    for seed in (0, 1):
        risks = np.empty(len(y))
        for fitted, held_out in StratifiedKFold(3, shuffle=True, random_state=seed).split(frame, y):
            model = clone(procedure).fit(frame.iloc[fitted], y[fitted])
            risks[held_out] = model.predict_proba(frame.iloc[held_out])[:, 1]
        losses.append(log_loss(y, risks))
        areas.append(roc_auc_score(y, risks))
    found = validation.methods[0].evaluation
    assert found.log_loss == pytest.approx(np.mean(losses))
    assert found.roc.area == pytest.approx(np.mean(areas))
    assert (found.rows, found.events) == (len(y), y.sum())


def test_other_models_use_the_same_folds(report):
    card, *others = report.facts.validation.methods
    assert [one.name for one in others] == ["Logistic regression", "Gradient boosting"]
    for one in others:
        difference = one.evaluation.roc.area - card.evaluation.roc.area
        assert one.against_card.auc.value == pytest.approx(difference)
        assert one.evaluation.rows == 200
        assert 0.6 < one.evaluation.roc.area < 1
    assert re.fullmatch(r"\d+ coefficients", others[0].size)
    assert others[1].size == "150 trees"


def test_resamples_are_those_of_bootstrap_card(report, mixed_model, mixed):
    frame, y = mixed
    procedure = clone(mixed_model).set_params(certify=False)
    wanted = bootstrap_card(procedure, frame, y, n_bootstraps=6, random_state=0)
    found = report.facts.stability
    assert found.card == mixed_model.card_
    assert [card.features for card in found.cards] == [card.features for card in wanted.cards]
    assert found.optimism.auc == pytest.approx(wanted.optimism.auc)


def test_the_data_are_summed_up(report, mixed):
    frame, y = mixed
    data = report.facts.rows.data
    assert (data.rows, data.events, data.base_rate) == (200, y.sum(), pytest.approx(y.mean()))
    columns = {one.name: one for one in data.columns}
    assert columns["age"].missing == frame["age"].isna().sum()
    assert columns["shape"].missing == frame["shape"].isna().sum()
    assert [columns[name].kind for name in ("age", "shape", "stage", "smoker")] == [
        "number", "category", "ordered category", "boolean",
    ]  # fmt: skip
    assert data.complete_rows == len(frame.dropna())
    assert columns["age"].summary.startswith(f"median {frame['age'].median():.4g} ")
    assert "False" in columns["smoker"].summary


def test_a_constant_column_and_large_numbers_read_plainly(small):
    X, y = small
    frame = pd.DataFrame({"x": X[:, 0], "same": 3.0, "money": 1234567.0 + 1000 * np.arange(len(y))})
    model = RiskScoreClassifier(1).fit(frame, y)
    facts = make_report(model, frame, y, cv=0, n_bootstraps=0).facts
    columns = {one.name: one.summary for one in facts.rows.data.columns}
    assert columns["same"] == "always 3"
    assert f"; 1,234,567 to {frame['money'].max():,.0f})" in columns["money"]


def test_values_that_the_card_does_not_know_are_reported(report):
    (guess,) = report.facts.test.guesses
    assert "unseen levels in 1 row (the first is 'zigzag')" in guess
    assert report.facts.rows.guesses == ()


def test_steps_are_counted_to_the_end(small):
    X, y = small
    steps = []
    model = RiskScoreClassifier(1).fit(X, y)
    make_report(model, X, y, cv=2, repeats=2, n_bootstraps=5, progress=steps.append)
    assert sum(steps) == 3 * 2 * 2 + 5
    steps.clear()
    make_report(model, X, y, cv=2, n_bootstraps=500, time_limit=0.5, progress=steps.append)
    assert sum(steps) == 3 * 2 * 5 + 500


def test_a_short_time_limit_leaves_resamples_out_and_says_so(small):
    X, y = small
    model = RiskScoreClassifier(2).fit(X, y)
    facts = make_report(model, X, y, cv=2, n_bootstraps=30, time_limit=0).facts
    assert facts.stability is None
    assert any("None of the 30 resamples were made" in note for note in facts.notes)
    assert facts.validation is not None
    longer = make_report(model, X, y, cv=0, n_bootstraps=5, time_limit=None).facts
    assert len(longer.stability.cards) == 5
    assert longer.validation is None


def test_weights_count_like_copies(small):
    X, y = small
    weights = np.arange(len(y)) % 3 + 1
    model = RiskScoreClassifier(2).fit(X, y, sample_weight=weights)
    facts = make_report(model, X, y, sample_weight=weights, cv=2, n_bootstraps=0).facts
    copies = np.repeat(np.arange(len(y)), weights)
    twin = make_report(model.card_, X[copies], y[copies], cv=0, n_bootstraps=0).facts
    assert facts.is_training
    assert facts.rows.data.is_weighted
    assert facts.rows.evaluation.roc.area == pytest.approx(twin.rows.evaluation.roc.area)
    assert facts.rows.evaluation.log_loss == pytest.approx(twin.rows.evaluation.log_loss)


def test_class_weights_count_in_the_audit(small):
    X, y = small
    model = RiskScoreClassifier(2, class_weight="balanced").fit(X, y)
    facts = make_report(model, X, y, cv=0, n_bootstraps=0).facts
    assert facts.audit.passed
    assert facts.is_training


def test_rows_other_than_those_of_training_are_recognised(small):
    X, y = small
    model = RiskScoreClassifier(2).fit(X, y)
    facts = make_report(model, X[:40], y[:40], cv=0, n_bootstraps=0).facts
    assert not facts.is_training
    glance = section("glance", facts)
    assert "These are not the rows that the card was learned from" in glance
    assert "AUC on these rows" in glance
    assert "Learned from 60 rows" in glance


def test_optimism_is_subtracted_only_on_training_rows(small):
    X, y = small
    model = RiskScoreClassifier(2).fit(X, y)
    own, other = (
        make_report(model, X[:n], y[:n], cv=2, repeats=1, n_bootstraps=5).facts
        for n in (len(y), 40)
    )
    assert ">corrected</th>" in section("discrimination", own)
    assert ">corrected</th>" not in section("discrimination", other)
    assert "for optimism" not in section("done", other)
    assert (other.validation, other.stability) == (None, None)


def test_a_regularised_card_is_refitted_with_its_shortlist(small):
    X, y = small
    model = RiskScoreClassifier(2).fit(X, y)
    assert model.card_.certificate.shortlist is not None
    facts = make_report(model, X, y, cv=2, n_bootstraps=0).facts
    assert ("regularization", "auto") in facts.origin.refit
    assert "The risks were fitted to these rows" in section("calibration", facts)
    assert "Regularised: there are fewer candidates" in section("done", facts)


def test_a_card_without_recipe_is_judged_as_it_is():
    rng = np.random.default_rng(0)
    rows = {"height": rng.random(80), "pressure": rng.random(80), "age": rng.uniform(40, 90, 80)}
    labels = np.where(rng.random(80) < 0.4, "yes", "no")
    card = heart_card(certificate=None, training=None)
    facts = make_report(card, pd.DataFrame(rows), labels, cv=2, n_bootstraps=5).facts
    assert (facts.validation, facts.stability) == (None, None)
    assert str(facts.mode.origin) == "cannot tell"
    assert "cannot be told: the card has no recipe" in section("glance", facts)
    assert "it has no certificate" in section("proof", facts)
    assert 'id="price"' not in make_page(facts)


def test_cards_with_codes_and_unseen_levels_and_cards_of_nothing_are_reported_on():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "age": np.where(rng.random(60) < 0.2, np.nan, rng.integers(30, 80, 60)),
            "shape": rng.choice(["round", "oval", "irregular", "zigzag"], 60),
            "density": rng.choice(["low", "high", None], 60),
            "palpable": rng.random(60) < 0.5,
        }
    )
    labels = np.where(rng.random(60) < 0.5, "malignant", "benign")
    facts = make_report(mass_card(), frame, labels, cv=0, n_bootstraps=0).facts
    assert "unseen levels" in section("glance", facts)
    assert section("card", facts).count("<img ") == 4
    empty = RiskCard([], base=1, feature_names=["age"], classes=("benign", "malignant"))
    facts = make_report(empty, frame[["age"]], labels, cv=2, n_bootstraps=0).facts
    assert facts.rows.evaluation.roc.area == 0.5
    assert "used by the card: none" in section("done", facts)
    assert make_page(facts)


def test_one_row_of_a_class_cannot_be_held_out():
    X = np.arange(10.0)[:, None]
    y = np.arange(10) == 9
    facts = make_report(RiskScoreClassifier(1).fit(X, y), X, y, cv=3, n_bootstraps=0).facts
    assert facts.validation is None
    assert "nothing could be held out" in section("glance", facts)
    assert 'id="price"' not in make_page(facts)
    two = make_report(
        RiskScoreClassifier(1).fit(X, X[:, 0] > 7), X, X[:, 0] > 7, cv=5, n_bootstraps=0
    )
    assert two.facts.validation.folds == 2
    assert any("only 2 folds" in note for note in two.facts.notes)


def test_what_cannot_be_reported_is_refused(small):
    X, y = small
    model = RiskScoreClassifier(1).fit(X, y)
    with pytest.raises(
        DataError, match="A label among these rows is 2, but the card knows 0 and 1"
    ):
        make_report(model, X, y + 1)
    with pytest.raises(DataError, match="The label of all test rows is 1"):
        make_report(model, X, y, test=(X, np.ones_like(y)))
    with pytest.raises(ParameterError, match="cv is 1"):
        make_report(model, X, y, cv=1)
    with pytest.raises(ParameterError, match="n_bootstraps is -1"):
        make_report(model, X, y, n_bootstraps=-1)
    with pytest.raises(ParameterError, match="not RiskScoreClassifier"):
        make_report(RiskScoreClassifier(), X, y)


def test_the_procedure_is_that_of_the_recipe():
    X, y = np.arange(60)[:, None], np.arange(60) % 7 > 3
    rules = CardRules(min_bin_rows=5)
    card = RiskScoreClassifier(2, max_points=4, certify=True, rules=rules).fit(X, y).card_
    procedure = procedure_of(card, {"random_state": 3}).estimator
    assert (procedure.max_terms, procedure.max_points, procedure.rules) == (2, 4, rules)
    assert (procedure.certify, procedure.random_state) == (False, 3)
    assert procedure_of(heart_card()).estimator is None
    baseline = UnitWeightsClassifier(2).fit(X, y).card_
    assert procedure_of(baseline).estimator is None
    assert "UnitWeightsClassifier" in procedure_of(baseline).note


# --- the page -----------------------------------------------------------------------------------


def test_the_page_needs_nothing_else(page):
    assert page.startswith("<!DOCTYPE html>")
    assert not re.search(r"<(script|link|iframe|object)\b", page)
    sources = re.findall(r'\bsrc="([^"]{0,30})', page)
    assert len(sources) >= 8
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    links = re.findall(r'href="([^"]*)"', page)
    assert all(link.startswith("#") for link in links)
    assert {f'id="{link[1:]}"' in page for link in links} == {True}
    assert "url(" not in page
    assert "@import" not in page


def test_the_page_says_what_is_proven_in_plain_words(page, mixed_model, report):
    assert mixed_model.status_ == "optimal"
    assert (
        "no other card of this kind fits the rows that it was learned from better by more than a millionth"
        in page
    )
    heuristic = replace(
        report.facts,
        card=replace(
            mixed_model.card_,
            certificate=replace(mixed_model.card_.certificate, status="time_limit", bound=50.0),
            recipe=None,
        ),
    )
    text = section("proof", heuristic)
    assert "no card of this kind can be below 50.0000" in text
    rows = mixed_model.card_.training.weight
    mean = mixed_model.loss_ / rows
    assert f"lower per row (of {mean:.3f}) may exist." in text


@pytest.mark.parametrize(
    ("changes", "short"),
    [
        ({}, "best of its kind"),
        ({"status": "heuristic", "bound": 0.0}, "not proven"),
        ({"status": "time_limit", "bound": 50.0, "loss": 100.0}, "not finished"),
    ],
)
def test_the_first_figures_say_whether_the_card_is_proven(mixed_model, changes, short):
    certificate = replace(mixed_model.card_.certificate, **changes)
    assert proof_in_short(certificate)[0] == short
    assert proof_in_short(None)[0] == "not proven"


def test_every_picture_has_words_for_those_who_cannot_see_it(page):
    pictures = re.findall(r"<img [^>]*>", page)
    assert all(re.search(r'alt="[^"]{20,}"', picture) for picture in pictures)


def test_figures_and_their_columns_are_on_the_page(page, report):
    for name in ("own rows", "corrected", "held out", "test rows"):
        assert f">{name}</th>" in page
    area = report.facts.validation.methods[0].evaluation.roc.area
    assert f">{area:.3f} (" in page
    assert f"{report.facts.stability.corrected.auc:.3f}" in page
    assert "Gradient boosting" in page
    assert "zigzag" in page


def test_names_are_escaped(small):
    X, y = small
    frame = pd.DataFrame(X, columns=["<i>", "b&c", "c"])
    model = RiskScoreClassifier(2).fit(frame, y)
    html = make_page(make_report(model, frame, y, cv=2, n_bootstraps=5).facts)
    assert "<i>" not in html
    assert "&lt;i&gt;" in html


def test_a_report_is_saved_whole_and_is_the_same_each_time(report, page, tmp_path):
    path = tmp_path / "report.html"
    report.save(path)
    assert path.read_text(encoding="utf-8") == page


# --- the command --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory, mixed):
    folder = tmp_path_factory.mktemp("report")
    frame, y = mixed
    table = frame.assign(died=np.where(y, "yes", "no"))
    table.to_csv(folder / "data.csv", index=False)
    table.iloc[:80].assign(age=table["age"] + 0.5).to_csv(folder / "new.csv", index=False)
    data, card = str(folder / "data.csv"), str(folder / "card.json")
    assert main(["fit", data, "--target", "died", "--max-terms", "2", "-q", "-o", card]) == 0
    return folder, card, data


def test_the_command_writes_a_page_with_hashes_and_options(files, capsys):
    folder, card, data = files
    out = folder / "report.html"
    code = main(["report", card, data, "--test", str(folder / "new.csv"), "--cv", "2", "--repeats", "1",
                 "--n-bootstraps", "5", "--random-state", "3", "-o", str(out)])  # fmt: skip
    assert (code, capsys.readouterr().out) == (0, "")
    page = out.read_text(encoding="utf-8")
    for path in (card, data, str(folder / "new.csv")):
        assert hashlib.sha256(Path(path).read_bytes()).hexdigest() in page
    assert "<td>--random-state</td><td>3</td>" in page
    assert "Risk of died" in page
    assert "passed, 0 failed, 0 not checked." in page


def test_the_card_is_refitted_with_its_rules(files, monkeypatch):
    folder, _, data = files
    seen = []
    monkeypatch.setattr(
        "riskcard.report.report_page.render_report", lambda facts: seen.append(facts) or ""
    )
    rules, card = folder / "rules.toml", str(folder / "ruled.json")
    rules.write_text('[features.age]\nuse = "never"\n')
    fit = ["fit", data, "--target", "died", "--max-terms", "2", "-q", "-o", card]
    assert main([*fit, "--rules", str(rules), "--min-bin-rows", "5"]) == 0
    short = [
        "--cv",
        "2",
        "--repeats",
        "1",
        "--n-bootstraps",
        "5",
        "-q",
        "-o",
        str(folder / "ruled.html"),
    ]
    assert main(["report", card, data, *short]) == 0
    (facts,) = seen
    enters = {one.name: one.share for one in facts.stability.features}
    assert enters["age"] == 0
    assert "min_bin_rows=5" in dict(facts.origin.refit)["rules"]


def test_bad_input_is_one_sentence_and_writes_nothing(files, capsys, tmp_path):
    _, card, data = files
    out = str(tmp_path / "report.html")
    for options, message in (
        (["--cv", "1"], "cv is 1"),
        (["--target", "smoker"], "'smoker' has the value"),
        (["--test", str(tmp_path / "none.csv")], "There is no file"),
        (["-o", str(tmp_path / "none" / "r.html")], "does not exist"),
    ):
        assert main(["report", card, data, "-o", out, *options]) == 2
        assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_there_is_a_sentence(files, capsys, monkeypatch, small):
    folder, card, data = files
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["report", card, data, "-o", str(folder / "none.html")]) == 2
    assert 'pip install "riskcard[plots]"' in capsys.readouterr().err
    with pytest.raises(SolverMissing, match=r"riskcard\[plots\]"):
        make_report(heart_card(), [[1.0]], [0])


@pytest.mark.parametrize(
    "place",
    ["riskcard.report.gather.hold_out", "riskcard.report.report_page.render_report", "os.replace"],
)
def test_ctrl_c_leaves_nothing_half_written(files, capsys, monkeypatch, tmp_path, place):
    """In the folds, while pictures are drawn, and while the file is written."""
    _, card, data = files

    def press(*_, **__):
        raise KeyboardInterrupt

    if place == "os.replace":
        monkeypatch.setattr("riskcard.report.report_page.render_report", lambda facts: "page")
    monkeypatch.setattr(place, press)
    out = tmp_path / "report.html"
    assert main(["report", card, data, "-o", str(out), "--n-bootstraps", "0", "--cv", "2"]) == 130
    assert "nothing was written" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_every_option_of_report_is_in_the_docs():
    text = (ROOT / "docs/report.md").read_text(encoding="utf-8")
    actions = make_parser()._subparsers._group_actions[0].choices["report"]._actions
    options = [option for action in actions for option in action.option_strings]
    assert [option for option in options if f"`{option}" not in text] == ["-h", "--help", "-q"]


def test_the_example_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/report.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    exec(block.replace("cv=5, n_bootstraps=10", "cv=2, repeats=1, n_bootstraps=5"), {})
    assert (tmp_path / "report.html").stat().st_size > 100_000


def test_numbers_whose_squares_are_infinite_can_be_compared():
    values = np.arange(18)[:, None] * 1e300
    y = (np.arange(18) > 7) ^ (np.arange(18) % 5 == 0)
    regression = next(rival for rival in RIVALS if rival.key == "regression")
    model = regression.fit([None], values, y, np.ones(18))
    assert np.isfinite(model.predict_proba(values)).all()


@pytest.mark.parametrize("design", ["rows", "weights", "groups", "groups and time"])
def test_the_report_names_the_intervals_that_were_computed(mixed_model, mixed, design):
    frame, y = mixed
    given = {}
    if design == "weights":
        given["sample_weight"] = 1.0 + np.arange(len(y)) % 3
    if "groups" in design:
        given["groups"] = np.arange(len(y)) // 4
    if "time" in design:
        given["time_split"] = np.arange(len(y)) >= len(y) // 2
    text = section("done", make_report(mixed_model, frame, y, cv=0, n_bootstraps=0, **given).facts)
    plain = design == "rows"
    assert ("AUC with DeLong’s 95 % interval" in text) == plain
    assert ("with Wald intervals" in text) == plain
    assert ("Wilson’s 95 % intervals for the effective number of rows" in text) == (not plain)
    unit = "group" if "groups" in design else "row"
    assert plain or f"from the influence of each {unit}, computed" in text
