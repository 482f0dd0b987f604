"""A validation has the figures of this card on these rows, and says what intervals support."""

import json
import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from optional import pd
from riskcard import (
    DataError,
    ParameterError,
    RiskScoreClassifier,
    SolverMissing,
    recalibrate,
    validate,
)
from riskcard.evaluation.comparison import compare
from riskcard.evaluation.decision import decision_curve
from riskcard.evaluation.groups.random_effects import summarise_sites
from riskcard.evaluation.groups.subgroups import figures_of
from riskcard.evaluation.intervals import wilson_interval
from riskcard.evaluation.monitoring.card_drift import card_drift
from riskcard.evaluation.outcomes import read_outcomes
from riskcard.evaluation.smooth_calibration import smooth_calibration
from riskcard.evaluation.summary import evaluate
from riskcard.evaluation.thresholds import risk_groups, threshold_table
from riskcard.report.judgement import decision_words
from riskcard.validation.facts import Rows
from riskcard.validation.sentences import (
    better_of,
    cautions,
    decision_sentence,
    mean_sentence,
    rival_sentence,
    threshold_words,
    verdicts,
)
from riskcard.validation.tables import headline_figures
from validation_rows import small_card, validation_rows

CARD = small_card()
X, Y = validation_rows(offset=0.3)
IS_EVENT = Y == "yes"
OUTCOMES = read_outcomes(CARD.risk(X), Y, event="yes")


@pytest.fixture(scope="module")
def full():
    """Everything that can be asked for."""
    return validate(
        CARD, X, Y, by=["sex", "age"], cuts={"age": [50, 70]}, sites="site", groups="patient",
        compare={"risk": "old_risk", "score": "old_score"}, risk_groups=[0.1, 0.3], n_bootstraps=50,
    )  # fmt: skip


def page_of(found):
    pytest.importorskip("matplotlib")
    return found.to_html()


def clustered():
    return read_outcomes(CARD.risk(X), Y, event="yes", clusters=X["patient"])


# --- figures ------------------------------------------------------------------------------------


def test_headline_figures_are_those_of_other_libraries():
    found = validate(CARD, X, Y, n_bootstraps=0).facts.evaluation
    risks, y = CARD.risk(X), IS_EVENT.astype(int)
    assert found.roc.area == pytest.approx(roc_auc_score(y, risks))
    assert found.log_loss == pytest.approx(log_loss(y, risks))
    assert found.brier == pytest.approx(brier_score_loss(y, risks))
    reference = brier_score_loss(y, np.full(y.size, y.mean()))
    assert found.scaled_brier == pytest.approx(1 - found.brier / reference)
    assert found.calibration.ratio == pytest.approx(risks.sum() / y.sum())


def test_slope_and_intercept_are_those_of_statsmodels():
    models = pytest.importorskip("statsmodels.api")
    log_odds, y = CARD.log_odds(X), IS_EVENT.astype(int)
    found = validate(CARD, X, Y, n_bootstraps=0).facts.evaluation.calibration
    line = models.GLM(y, models.add_constant(log_odds), family=models.families.Binomial()).fit()
    assert found.slope == pytest.approx(line.params[1])
    assert found.slope_interval == pytest.approx(tuple(line.conf_int()[1]), rel=1e-6)
    moved = models.GLM(y, np.ones(y.size), family=models.families.Binomial(), offset=log_odds).fit()
    assert found.intercept == pytest.approx(moved.params[0])
    assert found.intercept_interval == pytest.approx(tuple(moved.conf_int()[0]), rel=1e-6)


def test_clustered_intervals_are_those_of_the_sandwich_of_statsmodels(full):
    models = pytest.importorskip("statsmodels.api")
    log_odds, y = CARD.log_odds(X), IS_EVENT.astype(int)
    line = models.GLM(y, models.add_constant(log_odds), family=models.families.Binomial()).fit(
        cov_type="cluster", cov_kwds={"groups": X["patient"], "use_correction": False}
    )
    low, high = full.facts.evaluation.calibration.slope_interval
    # ours allows for the number of clusters, by Student's quantile and a factor near 1
    assert (high - low) / (2 * 1.96 * line.bse[1]) == pytest.approx(1, abs=0.03)


def test_the_interval_of_the_auc_is_delongs():
    risks = CARD.risk(X)
    wins = np.sign(risks[IS_EVENT][:, None] - risks[~IS_EVENT]) / 2 + 0.5
    area = wins.mean()
    variance = (
        wins.mean(1).var(ddof=1) / IS_EVENT.sum() + wins.mean(0).var(ddof=1) / (~IS_EVENT).sum()
    )
    error = math.sqrt(variance) / (area * (1 - area))
    middle = math.log(area / (1 - area))
    ends = [1 / (1 + math.exp(-(middle + sign * 1.959964 * error))) for sign in (-1, 1)]
    assert validate(CARD, X, Y, n_bootstraps=0).facts.evaluation.roc.interval == pytest.approx(
        tuple(ends), rel=1e-5
    )


def test_every_part_is_that_of_the_library(full):
    facts, outcomes = full.facts, clustered()
    totals = CARD.total_points(X)
    assert _same(facts.evaluation, evaluate(outcomes))
    assert _same(facts.smooth, smooth_calibration(outcomes, 50, 0))
    assert _same(facts.thresholds, threshold_table(outcomes, totals))
    assert _same(facts.risk_groups, risk_groups(outcomes, [0.1, 0.3]))
    assert _same(
        facts.drift, card_drift(CARD, X, sample_weight=np.ones(Y.size), groups=outcomes.clusters)
    )
    assert _same(facts.sites.summary, summarise_sites(outcomes, X["site"]))
    for name, one in zip(("north", "south", "west"), facts.sites.sites, strict=True):
        rows = np.flatnonzero(X["site"] == name)
        assert _same(one, figures_of(name, outcomes.take(rows)))
    other = read_outcomes(X["old_risk"], Y, event="yes", clusters=X["patient"])
    difference = compare(outcomes, other, [0.1, 0.3])
    risk, score = facts.rivals
    assert (risk.kind, score.kind) == ("risk", "score")
    assert _same(risk.figures[0].difference, difference.auc)
    assert _same(risk.figures[1].difference, difference.log_loss)
    assert _same(tuple(one for _, one in risk.net_benefit), difference.net_benefit)
    assert score.figures[0].other.value == pytest.approx(roc_auc_score(IS_EVENT, X["old_score"]))
    assert [one.name for one in score.figures] == ["AUC"]


def _same(left, right):
    return repr(left) == repr(right)


def test_thresholds_are_those_of_a_table_by_hand():
    totals = CARD.total_points(X)
    for one in validate(CARD, X, Y, n_bootstraps=0).facts.thresholds:
        flagged = totals >= one.at
        assert (one.rows, one.events) == (flagged.sum(), (flagged & IS_EVENT).sum())
        assert one.sensitivity.value == pytest.approx(flagged[IS_EVENT].mean())
        assert one.specificity.value == pytest.approx(1 - flagged[~IS_EVENT].mean())
        assert one.positive_value.value == pytest.approx(IS_EVENT[flagged].mean())
        assert one.negative_value.value == pytest.approx(1 - IS_EVENT[~flagged].mean())
        assert one.positive_value.interval == pytest.approx(
            wilson_interval(int(IS_EVENT[flagged].sum()), int(flagged.sum()))
        )
        ratio = flagged[IS_EVENT].mean() / flagged[~IS_EVENT].mean()
        assert one.positive_ratio.value == pytest.approx(ratio)


def test_the_stability_index_of_a_feature_by_hand(full):
    expected = np.array([300, 400, 300]) / 1000
    actual = np.bincount(np.searchsorted([50, 65], X["age"], side="left")) / Y.size
    age = full.facts.drift.features[0]
    assert age.index == pytest.approx(((actual - expected) * np.log(actual / expected)).sum())


def test_intervals_of_totals_allow_for_clusters():
    repeated = {name: np.repeat(column, 4) for name, column in X.items()}
    labels, rows = np.repeat(Y, 4), np.repeat(np.arange(Y.size), 4)
    alone, blind = (
        validate(CARD, *some, n_bootstraps=0).facts.totals[2].interval
        for some in ((X, Y), (repeated, labels))
    )
    right = validate(CARD, repeated, labels, groups=rows, n_bootstraps=0).facts.totals[2].interval
    assert right == pytest.approx(alone, abs=0.01)
    assert blind[1] - blind[0] < 0.6 * (alone[1] - alone[0])


def test_weights_count_like_copies_in_all_figures():
    weights = np.random.default_rng(1).integers(0, 3, Y.size)
    copied = {name: np.repeat(column, weights) for name, column in X.items()}
    left = validate(CARD, X, Y, sample_weight=weights, by="sex", n_bootstraps=0)
    right = validate(CARD, copied, np.repeat(Y, weights), by="sex", n_bootstraps=0)
    for one, other in zip(
        headline_figures(left.facts).values(), headline_figures(right.facts).values(), strict=True
    ):
        assert one.value == pytest.approx(other.value)
    groups = [[one.auc.value for one in found.facts.subgroups[0].groups] for found in (left, right)]
    assert groups[0] == pytest.approx(groups[1])
    assert left.facts.evaluation.rows == np.count_nonzero(weights)


def test_points_that_are_safer_flag_low_totals():
    safer = small_card(multiplier=-2.5, offset=0.4)
    found = validate(safer, X, Y, n_bootstraps=0)
    totals = safer.total_points(X)
    for one in found.facts.thresholds:
        assert one.rows == (totals <= one.at).sum()
    assert "≤ 0" in page_of(found)


# --- values, groups, rivals ---------------------------------------------------------------------


def test_values_that_training_did_not_have_are_counted():
    rows = {**X, "age": X["age"].copy(), "smoker": X["smoker"].astype(object)}
    rows["age"][:7], rows["age"][7:10], rows["age"][10:12] = 120, 5, np.nan
    rows["smoker"][:4] = "pipe"
    found = validate(CARD, rows, Y, n_bootstraps=0)
    age, smoker = found.facts.values
    assert (age.above, age.below, age.missing, age.unseen) == (7, 3, 2, 0)
    assert (smoker.unseen, smoker.missing) == (4, 0)
    page = page_of(found)
    assert "above 95, the highest in training, in 7 rows" in page
    assert "missing in 2 rows, as never in training" in page
    assert "a level that training did not have, in 4 rows" in page


def test_a_card_is_as_good_as_itself():
    rival = validate(CARD, X, Y, compare=CARD, n_bootstraps=0).facts.rivals[0]
    assert all(one.difference.value == 0 for one in rival.figures if one.difference is not None)
    assert "are not shown to differ" in rival_sentence(rival)


def test_a_score_that_falls_with_the_risk_is_reversed_and_missing_ones_are_left_out():
    score = -X["age"]
    score[:50] = np.nan
    rival = validate(CARD, X, Y, compare={"s": score}, n_bootstraps=0).facts.rivals[0]
    assert rival.is_reversed
    assert rival.rows == Y.size - 50
    assert rival.figures[0].other.value == pytest.approx(
        roc_auc_score(IS_EVENT[50:], X["age"][50:])
    )
    own = roc_auc_score(IS_EVENT[50:], CARD.risk(X)[50:])
    assert rival.figures[0].own.value == pytest.approx(own)
    assert "its order was reversed" in rival_sentence(rival)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"by": ["wrong"]}, DataError, "X has no column 'wrong'"),
        ({"compare": "sex"}, DataError, "it is not a column of numbers"),
        ({"compare": {"s": [1.0, 2.0]}}, DataError, "There are 600 rows, but 's' has shape"),
        ({"compare": {"s": small_card(classes=("yes", "no"))}}, ParameterError, "same event"),
        ({"cuts": {"age": [50]}}, ParameterError, "not among the columns of 'by'"),
        ({"by": "sex", "cuts": {"sex": [1]}}, ParameterError, "not a column of numbers"),
        ({"by": "age", "cuts": {"age": [60, 50]}}, ParameterError, "Give ascending numbers"),
        ({"risk_groups": [5, 20]}, ParameterError, "Give numbers between 0 and 1"),
        ({"risk_groups": [0.1], "total_groups": [3]}, ParameterError, "either by risk or by total"),
        ({"n_bootstraps": -1}, ParameterError, "n_bootstraps is -1"),
        ({"sites": np.zeros(600)}, ParameterError, "one site only"),
        ({"groups": np.zeros(3)}, DataError, "clusters have shape"),
    ],
)
def test_what_cannot_be_done_is_said(options, error, message):
    with pytest.raises(error, match=message):
        validate(CARD, X, Y, **options)


def test_rows_must_have_the_labels_of_the_card():
    with pytest.raises(DataError, match="A label is 'maybe', but the card knows 'no' and 'yes'"):
        validate(CARD, X, np.where(IS_EVENT, "yes", "maybe"))
    with pytest.raises(DataError, match="The label of all rows is 'yes'"):
        validate(CARD, X, np.full(Y.size, "yes"))
    with pytest.raises(ParameterError, match="needs a RiskCard or a fitted classifier, not str"):
        validate("card.json", X, Y)


def test_a_group_of_one_class_has_no_figures_and_is_flagged():
    rows = {**X, "kind": np.where(np.arange(Y.size) == int(np.argmax(IS_EVENT)), "rare", "usual")}
    found = validate(CARD, rows, Y, by="kind", n_bootstraps=0)
    rare, usual = found.facts.subgroups[0].groups
    assert (rare.rows, rare.auc, rare.is_small) == (1, None, True)
    assert usual.auc is not None
    assert "rare\u00a0<span" in page_of(found)


def test_an_empty_card_is_validated():
    card = small_card(features=(), feature_names=("age",), offset=-0.5)
    found = validate(card, X, Y, n_bootstraps=0)
    assert found.facts.evaluation.roc.area == 0.5
    assert "do not show that the card separates" in " ".join(str(found).split())
    assert "The card does not store how many training rows" in str(found)
    assert page_of(found)


# --- which rows ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    rows = {name: X[name] for name in ("age", "smoker")}
    return RiskScoreClassifier(2).fit(_frame(rows), (Y == "yes").astype(int))


def _frame(columns):
    return np.column_stack([columns["age"], columns["smoker"] == "yes"])


def test_training_rows_are_not_called_a_validation(fitted):
    y = (Y == "yes").astype(int)
    found = validate(fitted, _frame(X), y, n_bootstraps=0)
    assert found.facts.rows.origin is Rows.TRAINING
    assert cautions(found.facts)[0].startswith("This is not a validation")
    page = page_of(found)
    assert "on its own training rows" in page
    assert "Validation of a risk card" not in page
    for words in ("update of", "better than both acting"):
        assert words not in page
        assert words not in str(found)


def test_other_rows_and_rows_of_which_nothing_is_known_are_told_apart(fitted):
    rows, labels = validation_rows(seed=1)
    found = validate(fitted, _frame(rows), (labels == "yes").astype(int), n_bootstraps=0)
    assert found.facts.rows.origin is Rows.OTHER
    unknown = validate(CARD, X, Y, n_bootstraps=0)
    assert unknown.facts.rows.origin is Rows.UNKNOWN
    assert "cannot be told" in cautions(unknown.facts)[0]


def test_rows_of_a_recalibration_cannot_judge_it(fitted):
    rows, labels = validation_rows(900, seed=2, offset=0.7)
    y = (labels == "yes").astype(int)
    card = recalibrate(fitted.card_, _frame(rows), y, update="offset")
    found = validate(card, _frame(rows), y, n_bootstraps=0)
    assert found.facts.rows.is_scale_fitted
    assert any("recalibrated on these very rows" in one for one in cautions(found.facts))
    for words in ("not shown that risks", "update of", "better than both acting"):
        assert words not in page_of(found)
        assert words not in " ".join(str(found).split())
    others, labels = validation_rows(900, seed=3, offset=0.7)
    again = validate(card, _frame(others), (labels == "yes").astype(int), n_bootstraps=0)
    assert not again.facts.rows.is_scale_fitted
    assert again.facts.rows.origin is Rows.OTHER


# --- sentences ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("offset", "slope", "mean", "spread"),
    [
        (0, 1, "it is not shown that risks are too high or too low", "it is not shown"),
        (1, 1, "risks are too low", "it is not shown"),
        (-1, 1, "risks are too high", ""),
        (0, 0.4, "", "too extreme"),
        (0, 2.5, "", "too cautious"),
    ],
)
def test_sentences_follow_from_the_intervals(offset, slope, mean, spread):
    rows, labels = validation_rows(1500, seed=4, offset=offset, slope=slope)
    found = validate(CARD, rows, labels, n_bootstraps=0).facts.evaluation.calibration
    assert mean in mean_sentence(found)
    assert spread in found.slope_in_words


def test_few_rows_do_not_reassure():
    found = validate(CARD, X, Y, n_bootstraps=0).facts.evaluation.calibration
    wide = replace(found, ratio_interval=(0.7, 1.3), intercept_interval=(-0.4, 0.5))
    assert "too few to tell whether risks are too high" in mean_sentence(wide)


def test_a_close_call_names_both_figures():
    facts = validate(CARD, X, Y, n_bootstraps=0).facts.evaluation.calibration
    close = replace(
        facts, intercept=-0.7, intercept_interval=(-1.4, -0.05), ratio_interval=(0.98, 1.2)
    )
    assert (
        "by calibration in the large, −0.70 (−1.40\u00a0to\u00a0−0.05), they are too high"
        in mean_sentence(close)
    )


def test_figures_without_an_interval_support_nothing():
    rows, labels = validation_rows(40, seed=4)
    found = validate(CARD, rows, labels, n_bootstraps=0).facts
    separated = np.where(CARD.risk(rows) > 0.3, "yes", "no")
    perfect = validate(CARD, rows, separated, n_bootstraps=0).facts.evaluation
    assert math.isinf(perfect.calibration.slope)
    assert "no finite slope" in perfect.calibration.slope_in_words
    assert any("at least 100 of either kind" in sentence for sentence in cautions(found))


def test_a_single_threshold_is_named_once():
    shown = ((0.2, 0.2), (0.22, 0.49), (0.51, 0.51))
    curve = replace(decision_curve(OUTCOMES), supported=shown)
    assert threshold_words(curve) == "20 %, 22 to 49 %, 51 %"
    assert "at these thresholds: 20 %, 22 to 49 %, 51 %. " in decision_words(curve, "these rows")


def test_decisions_are_called_worth_it_only_with_support():
    rows, labels = validation_rows(1500, seed=4)
    assert "these thresholds: " in decision_sentence(
        validate(CARD, rows, labels, n_bootstraps=0).facts
    )
    noise = np.random.default_rng(0).permutation(labels)
    facts = validate(CARD, rows, noise, n_bootstraps=0).facts
    assert facts.evaluation.decision.supported == ()
    assert "There is no threshold" in decision_sentence(facts)
    assert "do not show that the card separates" in verdicts(facts)[0]


@pytest.mark.parametrize(("name", "ends", "verdict"), [
    ("AUC", (0.1, 0.2), 1), ("AUC", (-0.2, -0.1), -1), ("AUC", (-0.1, 0.2), 0),
    ("Log-loss", (0.1, 0.2), -1), ("Brier score", (-0.2, -0.1), 1), ("AUC", None, 0),
])  # fmt: skip
def test_the_better_one_is_named_only_where_the_interval_shows_it(name, ends, verdict):
    from riskcard.evaluation.intervals import Figure

    assert better_of(name, Figure(0.0, ends)) == verdict


# --- tables, JSON, notebooks --------------------------------------------------------------------


def test_tables_and_json_hold_the_same_figures(full):
    tables, content = full.tables(), json.loads(full.to_json())
    assert {row["figure"]: row["value"] for row in tables["figures"]} == {
        name: one["value"] for name, one in content["figures"].items()
    }
    assert [row["at"] for row in tables["thresholds"]] == [
        one["at"] for one in content["thresholds"]
    ]
    assert len(tables["subgroups"]) == 5
    assert {row["column"] for row in tables["subgroups"]} == {"sex", "age"}
    assert content["card"]["title"] == CARD.title
    assert content["rows"]["origin"] == "cannot tell"
    assert content["sites"]["summary"]["auc"]["sites"] == 3
    for rows in tables.values():
        assert len({tuple(row) for row in rows}) == 1


def test_frames_and_csv_are_the_tables(full):
    text = full.tables_as_csv()["figures"]
    assert text.splitlines()[0] == "figure,value,value_low,value_high"
    with pytest.raises(ParameterError, match=r"There is no table 'x'\. There are: figures"):
        full.frame("x")
    expected = pd.DataFrame(full.tables()["subgroups"])
    assert full.frame("subgroups").equals(expected)


def test_without_pandas_the_tables_are_named(full, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SolverMissing, match=r"not installed\. Install it, or use tables\(\)\."):
        full.frame("subgroups")


def test_forest_plots_are_drawn_where_there_are_groups(full):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure = full.plot_forest("sites")
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels[-2:] == ["Mean of sites", "A further site: not known"]
    several = validate(CARD, X, Y, sites=np.arange(Y.size) % 6, n_bootstraps=0).plot_forest("sites")
    assert several.axes[0].get_yticklabels()[-1].get_text() == "A further site"
    assert len(full.plot_forest().axes) == 3
    pyplot.close("all")
    with pytest.raises(ParameterError, match="There is no forest plot of 'age'"):
        full.plot_forest("age")
    with pytest.raises(ParameterError, match="There are no sites to draw"):
        validate(CARD, X, Y, n_bootstraps=0).plot_forest("sites")


def test_a_notebook_shows_the_page_and_without_matplotlib_the_text(full, monkeypatch):
    pytest.importorskip("matplotlib")
    assert "<iframe" in full._repr_html_()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert full._repr_html_() is None


def test_a_validation_shows_itself(full):
    assert repr(full).startswith("<Validation of 'Risk of stroke' on 600 rows, AUC 0.")
    text = str(full)
    assert all(len(line) <= 100 for line in text.splitlines())
    for words in ("By sex", "By site", "Against risk", "Risk groups", "Inputs and drift"):
        assert words in text


def test_the_same_rows_give_the_same_validation(full):
    again = validate(
        CARD, X, Y, by=["sex", "age"], cuts={"age": [50, 70]}, sites="site", groups="patient",
        compare={"risk": "old_risk", "score": "old_score"}, risk_groups=[0.1, 0.3], n_bootstraps=50,
    )  # fmt: skip
    assert again.tables() == full.tables()


def test_few_sites_say_nothing_about_a_further_one(full):
    words = " ".join(str(full).split())
    assert "at a further site it is not known, since that takes at least 5 sites" in words
    several = validate(CARD, X, Y, sites=np.arange(Y.size) % 6, n_bootstraps=0)
    assert "at a further site it is expected to be between" in " ".join(str(several).split())
