"""What of a scale is fitted again is chosen by the rows, and refused where there are too few."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from cards import heart_card
from riskcard import (
    DataError,
    FeaturePoints,
    ParameterError,
    RiskCard,
    RiskcardWarning,
    RiskScoreClassifier,
    plot_risk,
    recalibrate,
)
from riskcard.calculator.calculator_page import render_calculator
from riskcard.cli.main import main
from riskcard.evaluation.monitoring.updating import choose_update, require_rows_for
from riskcard.evaluation.outcomes import Outcomes, read_outcomes
from riskcard.validation.update_words import update_advice, update_done

CARD = RiskCard([FeaturePoints("x", [0, 1, 2, 3], [0, 1, 2, 3, 4])], multiplier=1.0, offset=-2.5)


def rows_of(n_rows, offset=0.0, slope=1.0, seed=0, n_clusters=None):
    """Rows whose log-odds are ``offset + slope`` times those of the card."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 5, n_rows).astype(float)
    log_odds = offset + slope * CARD.log_odds({"x": x})
    return {"x": x}, (rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))).astype(int)


def outcomes_of(X, y, weights=None, clusters=None):
    weights = np.ones(y.size) if weights is None else weights
    return Outcomes(CARD.risk(X), y == 1, weights, clusters)


# --- what is chosen -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("offset", "slope", "choice"),
    [(0, 1, "none"), (0.8, 1, "offset"), (0, 0.5, "both"), (0.8, 2, "both")],
)
def test_the_least_that_the_rows_support_is_fitted(offset, slope, choice):
    X, y = rows_of(2000, offset, slope, seed=4)
    assert choose_update(outcomes_of(X, y)).choice == choice
    new = recalibrate(CARD, X, y)
    assert (new == CARD) == (choice == "none")
    assert (new.multiplier == CARD.multiplier) == (choice != "both")
    if choice != "none":
        assert new.risk(X).mean() == pytest.approx(y.mean(), rel=1e-6)


def test_the_scale_is_that_of_a_logistic_regression():
    X, y = rows_of(1500, 0.5, 0.6, seed=1)
    totals = CARD.total_points(X)[:, None]
    line = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(totals, y)
    both = recalibrate(CARD, X, y, update="both")
    assert 1 / both.multiplier == pytest.approx(line.coef_[0, 0], rel=1e-4)
    assert both.offset == pytest.approx(line.intercept_[0], rel=1e-4)


def test_a_scale_that_is_right_is_left_alone_in_95_of_100_samples():
    n_updates = sum(
        choose_update(outcomes_of(*rows_of(300, seed=seed))).choice != "none" for seed in range(400)
    )
    assert 8 <= n_updates <= 33  # 5 % of 400, and three standard errors


def test_the_tests_agree_with_the_intervals():
    for seed in range(40):
        found = choose_update(outcomes_of(*rows_of(400, 0.2, 0.8, seed=seed)))
        low, high = found.calibration.slope_interval
        assert (found.p_value_slope < 0.05) == (not low <= 1 <= high)


def test_the_joint_test_is_that_of_likelihoods_on_many_rows():
    statistics = pytest.importorskip("scipy.stats")
    X, y = rows_of(20_000, 0.05, 1.0, seed=5)
    log_odds = CARD.log_odds(X)
    line = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(log_odds[:, None], y)
    fitted = line.intercept_[0] + line.coef_[0, 0] * log_odds
    losses = [np.logaddexp(0, np.where(y == 1, -one, one)).sum() for one in (log_odds, fitted)]
    expected = statistics.chi2.sf(2 * (losses[0] - losses[1]), 2)
    assert choose_update(outcomes_of(X, y)).p_value == pytest.approx(expected, rel=0.05)


def test_copies_of_rows_change_nothing_where_they_are_clusters():
    X, y = rows_of(150, 0.35, 1.0, seed=2)
    alone = choose_update(outcomes_of(X, y))
    copies = {"x": np.repeat(X["x"], 6)}
    clusters = np.repeat(np.arange(y.size), 6)
    together = choose_update(outcomes_of(copies, np.repeat(y, 6), clusters=clusters))
    blind = choose_update(outcomes_of(copies, np.repeat(y, 6)))
    assert together.p_value == pytest.approx(alone.p_value, rel=0.15)
    assert blind.p_value < alone.p_value / 10
    new = recalibrate(CARD, copies, np.repeat(y, 6), groups=clusters)
    assert (new == CARD) == (together.choice == "none")


# --- too few rows -------------------------------------------------------------------------------


def few_rows(n_events):
    x = np.tile(np.arange(5.0), 40)
    y = np.zeros(x.size, dtype=int)
    y[np.flatnonzero(x == 4)[:n_events]] = 1
    return {"x": x}, y


def test_too_few_events_are_refused_and_few_get_a_warning():
    X, y = few_rows(9)
    with pytest.raises(DataError, match=r"There are 9 rows of the rarer kind .* takes at least 10"):
        recalibrate(CARD, X, y, update="offset")
    with pytest.raises(
        DataError, match=r"too few to fit the offset and slope .* use the update 'none' or 'auto'"
    ):
        recalibrate(CARD, X, y, update="both")
    assert recalibrate(CARD, X, y) is CARD
    X, y = few_rows(15)
    with pytest.raises(
        DataError, match=r"takes at least 20. Give more rows, or use the update 'offset', 'none'"
    ):
        recalibrate(CARD, X, y, update="both")
    with pytest.warns(RiskcardWarning, match="at least 50 are advisable"):
        assert recalibrate(CARD, X, y).offset < CARD.offset
    X, y = few_rows(30)
    with pytest.warns(RiskcardWarning, match="at least 100 are advisable"):
        recalibrate(CARD, X, y, update="both")


def test_weights_do_not_make_events():
    X, y = few_rows(9)
    with pytest.raises(DataError, match="There are 9 rows"):
        recalibrate(CARD, X, y, sample_weight=np.where(y == 1, 100.0, 1.0), update="offset")


def test_an_unknown_update_is_refused():
    with pytest.raises(
        ParameterError, match=r"The update is 'slope'. Use 'auto', 'none', 'offset' or 'both'"
    ):
        recalibrate(CARD, *rows_of(100), update="slope")
    require_rows_for("none", 0)


def test_a_card_of_one_risk_can_have_its_offset_updated():
    card = RiskCard([FeaturePoints("x", [0], [0, 0])], offset=0.0)
    y = (np.arange(300) % 4 == 0).astype(int)
    new = recalibrate(card, {"x": np.ones(300)}, y)
    assert new.risk({"x": [1.0]})[0] == pytest.approx(0.25)
    assert new.multiplier == card.multiplier


# --- in words -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("offset", "slope", "words"),
    [
        (0, 1, "do not show that the scale of the card needs an update"),
        (0.8, 1, "An update of the offset is supported, by 0"),
        (0, 0.5, "An update of offset and slope is supported: the slope is 0"),
        (0, -0.5, "no update of the scale can correct that"),
    ],
)
def test_the_advice_says_what_was_chosen(offset, slope, words):
    found = choose_update(outcomes_of(*rows_of(2000, offset, slope, seed=4)))
    assert words in update_advice(found)


def test_too_few_rows_are_distinguished_from_no_difference():
    assert "too few rows to tell" in update_advice(choose_update(outcomes_of(*few_rows(9))))
    assert "too few rows, or too few different risks" in update_advice(
        choose_update(outcomes_of(*few_rows(15)))
    )


def test_a_slope_that_was_not_tested_is_not_called_right():
    x = np.tile([0.0, 0.0, 1.0, 2.0, 3.0], 12)
    y = np.zeros(60, dtype=int)
    y[:15] = 1
    rows = read_outcomes(np.where(x > 1, 0.3, 0.2), y)
    assert choose_update(rows).choice == "none"
    advice = update_advice(choose_update(rows))
    assert "do not show that the offset of the card needs an update" in advice
    assert "to test its slope" in advice


def test_the_command_says_what_it_did(tmp_path, capsys):
    path, data, new = (str(tmp_path / name) for name in ("card.json", "data.csv", "new.json"))
    card = heart_card(certificate=None, training=None)
    card.save(path)
    rng = np.random.default_rng(0)
    age, pressure = rng.integers(40, 90, 600), rng.random(600).round(2)
    risks = card.risk({"age": age, "pressure": pressure})
    y = np.where(rng.random(600) < risks / (risks + 3 * (1 - risks)), "yes", "no")
    lines = [f"{a},{p},{label}" for a, p, label in zip(age, pressure, y, strict=True)]
    (tmp_path / "data.csv").write_text("\n".join(["age,pressure,death", *lines]) + "\n")
    assert main(["recalibrate", path, data, "-o", new]) == 0
    assert "Updated: the offset, by −1." in capsys.readouterr().err
    assert RiskCard.load(new).multiplier == card.multiplier
    assert main(["recalibrate", path, data, "--update", "none"]) == 0
    said = capsys.readouterr().err
    assert "An update of the offset is supported" in said
    assert "The scale was left as it is." in said
    assert main(["recalibrate", path, data, "--update", "both", "-q", "-o", new]) == 0
    assert RiskCard.load(new).multiplier != card.multiplier
    assert main(["recalibrate", path, data, "--update", "slope"]) == 2
    assert "'slope' is not known" in capsys.readouterr().err


def test_what_was_done_has_intervals():
    found = choose_update(outcomes_of(*rows_of(2000, 0.8, 0.5, seed=4)))
    assert "95 % intervals" in update_done(found, "both")
    assert "95 % interval" in update_done(found, "offset")


# --- which rows are which -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def recalibrated(tmp_path_factory):
    """The files of a card that was learned from some rows and recalibrated on others, and of three tables."""
    folder = tmp_path_factory.mktemp("recalibrated")
    for name, offset in (("points", 0.0), ("scale", 1.5), ("others", 0.5)):
        X, y = rows_of(300 if name == "points" else 400, offset, seed=len(name))
        pairs = [
            (x, label) for x, label in zip(X["x"], y, strict=True) if name != "others" or x > 1
        ]
        lines = [f"{x},{label}\n" for x, label in pairs]
        (folder / f"{name}.csv").write_text("x,sick\n" + "".join(lines))
    first, second = str(folder / "first.json"), str(folder / "second.json")
    learned = str(folder / "points.csv"), "--target", "sick", "--max-terms", "2", "--certify"
    assert main(["fit", *learned, "-o", first, "-q"]) == 0
    assert main(["recalibrate", first, str(folder / "scale.csv"), "-o", second, "-q"]) == 0
    return folder


@pytest.mark.parametrize(
    ("rows", "code", "words"),
    [
        ("points", 3, "pass         values of the rows: those that the points of the card were"),
        (
            "scale",
            3,
            "pass         values of the rows: those that the scale of the card was fitted to",
        ),
        ("others", 1, "FAIL         values of the rows: neither those"),
    ],
)
def test_check_tells_the_rows_of_the_points_from_those_of_the_scale(
    recalibrated, rows, code, words, capsys
):
    asked = ["check", str(recalibrated / "second.json"), str(recalibrated / f"{rows}.csv")]
    assert main(asked) == code
    out = capsys.readouterr().out
    assert words in out
    assert ("FAIL" in out) == (code == 1)
    assert "scale fitted to 400 rows" in out
    assert "points learned from 300 rows" in out


def test_a_recalibrated_card_says_which_rows_it_is_about(recalibrated):
    card = RiskCard.load(recalibrated / "second.json")
    text = " ".join(card.to_text().split())
    assert "Points learned from 300 rows" in text
    assert "risks recalibrated on 400 rows" in text
    assert "Observed: the share with the event among the rows of the recalibration" in text
    assert "if they are like the rows of the recalibration" in text
    assert "Rows and events next to points are those that the points were learned from." in text
    assert "training rows" not in text
    page = render_calculator(card)
    assert "what was observed in the recalibration" in page
    assert '"counted":"Of {rows} rows of the recalibration' in page
    assert "training rows" not in page.split('"words":')[0]
    observed = plot_risk(card).get_legend_handles_labels()[1]
    assert "observed in recalibration" in observed


def test_the_workbook_of_a_recalibrated_card_names_the_rows_that_totals_were_counted_in(
    recalibrated, tmp_path
):
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "card.xlsx"
    assert main(["export", str(recalibrated / "second.json"), "-o", str(path)]) == 0
    cells = [
        str(cell.value) for sheet in openpyxl.load_workbook(path) for row in sheet for cell in row
    ]
    assert "recalibration rows" in cells
    assert "training rows" not in cells
    assert "Training rows" in cells  # those behind the points


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_every_language_knows_recalibrated_cards(recalibrated, language):
    card = RiskCard.load(recalibrated / "second.json")
    card = replace(card, labels=replace(card.labels, language=language))
    text = " ".join(card.to_text().split())
    for word in ("Trainingszeilen", "apprentissage", "entrenamiento"):
        assert word not in text


def test_a_card_written_by_hand_does_not_say_that_it_was_learned():
    new = recalibrate(CARD, *rows_of(400, 1.0), update="both")
    assert "Risks recalibrated on 400 rows" in new.to_text()
    assert "earned from" not in new.to_text()
    assert RiskCard.from_json(new.to_json()) == new


def test_monitor_and_validate_name_the_rows_of_a_recalibrated_card(recalibrated, capsys):
    card, others = str(recalibrated / "second.json"), str(recalibrated / "others.csv")
    assert main(["monitor", card, others]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "400 rows of the recalibration (total) and 300 training rows (features)" in out
    assert "on the rows of the recalibration" in out
    assert "The reference is the training rows" not in out
    page = recalibrated / "page.html"
    assert main(["validate", card, others, "-o", str(page)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "that of the total from the recalibration" in out
    html = page.read_text(encoding="utf-8").replace("\u00a0", " ")
    assert "Recalibration, %" in html
    assert "bands of the total with those among the rows of the recalibration" in html


@pytest.mark.parametrize(
    ("card", "rows", "words"),
    [
        ("first", "points", "those that the card was learned from"),
        ("second", "points", "those that the card was learned from"),
        ("second", "scale", "recalibrated on"),
        ("second", "others", ""),
    ],
)
def test_credit_and_monitor_say_whose_rows_they_were_given(recalibrated, card, rows, words, capsys):
    paths = str(recalibrated / f"{card}.json"), str(recalibrated / f"{rows}.csv")
    assert main(["monitor", *paths]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert words in out
    assert ("The new rows are those" in out) == bool(words)
    assert main(["credit", *paths]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert ("The card was recalibrated on these rows" in out) == (rows == "scale")
    assert ("These are the rows that the card was learned from" in out) == (rows == "points")


@pytest.mark.parametrize("by", [[], ["--groups", "ward"]])
def test_credit_and_monitor_notice_training_rows_next_to_held_out_ones(tmp_path, by, capsys):
    X, y = rows_of(400, seed=9)
    lines = [
        f"{x},{row % 40},{label}\n" for row, (x, label) in enumerate(zip(X["x"], y, strict=True))
    ]
    data, card = str(tmp_path / "rows.csv"), str(tmp_path / "card.json")
    (tmp_path / "rows.csv").write_text("x,ward,sick\n" + "".join(lines))
    options = ["--target", "sick", "--max-terms", "2", "--hold-out", "30%", "--drop", "ward"]
    assert main(["fit", data, *options[: 6 if by else 8], *by, "-o", card, "-q"]) == 0
    for command in ("credit", "monitor"):
        capsys.readouterr()
        assert main([command, card, data]) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert "rows that the card was learned from" in out or "those that the card was" in out
        assert "were held out: " in out


def has_intervals(card):
    return [one.interval is not None for one in card.training.totals]


@pytest.mark.filterwarnings("always::riskcard.RiskcardWarning")
@pytest.mark.parametrize("by", [[], ["--groups", "ward"]])
def test_rows_that_chose_the_points_give_no_intervals_next_to_held_out_ones(tmp_path, by, capsys):
    X, y = rows_of(1200, seed=9)
    lines = [
        f"{x},{row % 40},{label}\n" for row, (x, label) in enumerate(zip(X["x"], y, strict=True))
    ]
    data, card, new = (str(tmp_path / name) for name in ("rows.csv", "card.json", "new.json"))
    (tmp_path / "rows.csv").write_text("x,ward,sick\n" + "".join(lines))
    options = ["--target", "sick", "--max-terms", "2", "--hold-out", "30%", "--drop", "ward"]
    assert main(["fit", data, *options[: 6 if by else 8], *by, "-o", card, "-q"]) == 0
    capsys.readouterr()
    assert main(["recalibrate", card, data, "-o", new, "--update", "both", "-q"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "Among these rows are those that the points of the card were learned from" in said
    assert not any(has_intervals(RiskCard.load(new)))


def test_rows_of_the_points_give_no_intervals_and_others_do():
    X, y = rows_of(1200, seed=2)
    card = RiskScoreClassifier(2).fit(X, y).card_
    assert not any(has_intervals(recalibrate(card, X, y, update="both")))
    assert all(has_intervals(recalibrate(card, *rows_of(1200, seed=3), update="both")))


def test_intervals_of_a_recalibration_allow_for_rows_that_belong_together():
    X, y = rows_of(600, 0.8, seed=6)
    many = {"x": np.repeat(X["x"], 4)}, np.repeat(y, 4)
    own, copies = np.arange(600), np.repeat(np.arange(600), 4)

    def intervals(rows, groups):
        new = recalibrate(CARD, *rows, update="offset", groups=groups)
        return np.array([one.interval for one in new.training.totals])

    together = intervals(many, copies)
    assert together == pytest.approx(intervals((X, y), own), rel=0.01)  # another number of units
    assert together == pytest.approx(intervals((X, y), None), rel=0.05)
    widths = np.diff(together, axis=1) / np.diff(intervals(many, None), axis=1)
    assert widths == pytest.approx(np.full_like(widths, 2.0), rel=0.1)


def test_verify_says_that_a_recalibrated_card_was_recalibrated(recalibrated, capsys):
    table = str(recalibrated / "points.csv")
    asked = ["verify", str(recalibrated / "second.json"), table, table]
    assert main(asked) == 1
    out = capsys.readouterr().out
    assert "it was recalibrated" in out
    assert "edited" not in out
