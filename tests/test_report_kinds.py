"""Reports on cards of times and of counts: three kinds of rows, held-out figures, and the page."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import clone

from optional import find
from riskcard import (
    ParameterError,
    RiskScoreClassifier,
    RiskScoreRegressor,
    RiskScoreSurvival,
    make_report,
    validate_survival,
)
from riskcard.cli.main import main
from riskcard.estimators.cross_validation.folds import ShuffledFolds
from riskcard.estimators.cross_validation.rows_of_kinds import read_kind_rows
from riskcard.evaluation.other_outcomes.counts import poisson_ratio, rate_groups
from riskcard.evaluation.other_outcomes.survival import brier_score, concordance
from riskcard.formatting.plain_values import as_plain
from riskcard.outcomes.hazards import FollowUp
from survival_rows import draw_rows

pytest.importorskip("matplotlib")
X, Y, ENTRY = draw_rows(160)
EXPOSURE = 0.5 + np.arange(160) % 4
COUNTS = np.random.default_rng(3).poisson(EXPOSURE * np.exp(X[:, 0] > 0))
QUICK = {"cv": 3, "repeats": 1, "n_bootstraps": 2, "time_limit": None}


@pytest.fixture(scope="module")
def timed():
    return RiskScoreSurvival(2, horizons=[10, 30], certify=True).fit(X, Y)


@pytest.fixture(scope="module")
def report(timed):
    return make_report(timed.card_, X, Y, **QUICK)


def test_held_out_figures_are_those_of_repeating_the_recipe(timed, report):
    splits = list(ShuffledFolds(3).split(None, Y[:, 0] > 0))
    risks, rankings = np.empty(160), []
    for fit, test in splits:
        model = clone(timed).set_params(certify=False).fit(X[fit], Y[fit])
        risks[test] = model.predict_risk(X[test])[:, 0]
        rows = FollowUp(Y[test, 1], Y[test, 0] > 0)
        rankings.append(concordance(rows, model.predict(X[test])))
    found = report.facts.held_out
    assert found.performance.ranking == pytest.approx(np.mean(rankings))
    everyone = FollowUp(Y[:, 1], Y[:, 0] > 0)
    assert found.at[0].mean_risk == pytest.approx(risks.mean())
    assert found.at[0].brier.value == pytest.approx(brier_score(everyone, risks, 10).value)
    assert report.facts.folds == 3


def test_its_own_rows_are_judged_as_a_validation_judges_them(timed, report):
    expected = validate_survival(timed, X, Y)
    assert as_plain(report.facts.own.at) == as_plain(expected.at)
    assert report.facts.own.concordance == expected.concordance
    assert report.facts.constancy == expected.constancy
    assert report.facts.audit.passed
    assert len(report.facts.stability.cards) == 2


def test_the_page_has_sections_and_pictures_and_the_figures_are_json(report, tmp_path):
    page = report.to_html()
    for heading in (
        "At a glance",
        "Held-out rows: by time 10",
        "Do effects change with time?",
        "Stability over 2",
    ):
        assert heading in page
    assert page.count("data:image/svg+xml") == 5
    assert "learned from, by the hash in its recipe" in str(report)
    report.save(tmp_path / "report.json")
    found = json.loads((tmp_path / "report.json").read_text())
    assert found["origin"] == "training rows"
    assert found["held_out"]["performance"]["ranking"] == report.facts.held_out.performance.ranking


def test_other_rows_are_judged_as_they_are(timed):
    other, y, _ = draw_rows(120, seed=9)
    found = make_report(timed, other, y, **QUICK).facts
    assert str(found.origin) == "other rows"
    assert found.held_out is None
    assert found.stability is None
    assert found.audit is None
    assert as_plain(found.own.at) == as_plain(validate_survival(timed, other, y).at)


def test_where_it_cannot_be_told_the_report_says_so(timed):
    changed = X.copy()
    changed[:, 2] += 1  # a column that the card does not use
    assert [one.name for one in timed.card_.features] == ["x0", "x1"]
    found = make_report(timed, changed, Y, **QUICK)
    assert str(found.facts.origin) == "cannot tell"
    assert found.facts.held_out is None
    assert "cannot be told: columns that the card does not use have other values" in " ".join(
        str(found).split()
    )


def test_rows_with_late_entry_have_no_brier_score():
    model = RiskScoreSurvival(2, horizons=10).fit(X, Y, entry=ENTRY)
    found = make_report(model, X, Y, entry=ENTRY, **QUICK).facts
    assert str(found.origin) == "training rows"
    assert found.held_out.at[0].brier is None
    assert np.isnan(found.own.brier)


def test_counts_are_judged_in_groups_of_rates():
    model = RiskScoreRegressor(2, certify=True).fit(X, COUNTS, exposure=EXPOSURE)
    found = make_report(model, X, COUNTS, exposure=EXPOSURE, **QUICK)
    rows = read_kind_rows(model, X, COUNTS, None, {"exposure": EXPOSURE})
    assert found.facts.own.performance == rows.measure(model.card_)
    groups = rate_groups(model.predict(X), COUNTS, EXPOSURE, 5)
    assert found.facts.own.figures.groups == tuple(groups)
    assert sum(one.events for one in groups) == COUNTS.sum()
    held = found.facts.held_out
    assert sum(one.events for one in held.figures.groups) == COUNTS.sum()
    assert "Held-out rows: are they right on average?" in str(found)


def test_the_interval_of_a_ratio_is_exact_for_a_poisson_count():
    from scipy.stats import poisson

    low, high = poisson_ratio(7, 5.0).interval
    assert poisson.sf(6, 5 * low) == pytest.approx(0.025)
    assert poisson.cdf(7, 5 * high) == pytest.approx(0.025)
    assert poisson_ratio(0, 5.0).interval[0] == 0.0


def test_a_short_time_limit_leaves_fewer_repeats(timed):
    found = make_report(timed, X, Y, cv=3, repeats=5, n_bootstraps=50, time_limit=1e-9).facts
    assert found.folds == 3
    assert found.stability is None
    assert "The time limit leaves 1 draws of the folds and 0 resamples" in found.notes[0]


def test_what_a_report_does_not_take_is_refused(timed):
    with pytest.raises(ParameterError, match="test is for outcomes of yes or no"):
        make_report(timed, X, Y, test=(X, Y))
    model = RiskScoreClassifier(1).fit(X, Y[:, 0])
    with pytest.raises(
        ParameterError, match="entry is given, but the outcome of this card is yes or no"
    ):
        make_report(model, X, Y[:, 0], entry=ENTRY)


def test_the_command_line_writes_the_report(tmp_path, capsys):
    path, card, page = tmp_path / "rows.csv", tmp_path / "card.json", tmp_path / "report.html"
    frame = find("pandas").DataFrame(X, columns=["age", "marker", "size"])
    frame.assign(days=Y[:, 1], died=Y[:, 0]).to_csv(path, index=False)
    fit = ["fit", path, "--target", "died", "--time", "days", "--horizon", "10", "-q", "-o", card]
    assert main([str(one) for one in fit]) == 0
    arguments = [
        "report",
        card,
        path,
        "-o",
        page,
        "--cv",
        "2",
        "--repeats",
        "1",
        "--n-bootstraps",
        "2",
    ]
    assert main([str(one) for one in arguments]) == 0
    assert "Held-out rows: by days 10" in page.read_text()
    assert main([str(one) for one in (*arguments, "--test", path)]) == 2
    assert "--test is for outcomes of yes or no" in capsys.readouterr().err
