"""Repeated fits of cards of times and of counts: choosing the size, and the bootstrap."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from sklearn.metrics import d2_tweedie_score, mean_poisson_deviance

from optional import find
from riskcard import (
    ParameterError,
    RiskCard,
    RiskScoreClassifier,
    RiskScoreRegressor,
    RiskScoreSurvival,
    bootstrap_card,
    choose_terms,
)
from riskcard.cli.main import main
from riskcard.estimators.cross_validation.folds import ShuffledFolds
from riskcard.estimators.cross_validation.rows_of_kinds import read_kind_rows
from riskcard.evaluation.other_outcomes.survival import concordance, integrated_brier
from riskcard.outcomes.hazards import FollowUp
from survival_rows import draw_rows, structured

metrics, glm = find("sksurv.metrics"), find("statsmodels.api")
X, Y, ENTRY = draw_rows(160)
EXPOSURE = 0.5 + np.arange(160) % 4
COUNTS = np.random.default_rng(3).poisson(EXPOSURE * np.exp(X[:, 0] > 0))


def fitted_half(estimator, y, **further):
    """An estimator fitted to the first rows, and all rows of the second half."""
    rows = read_kind_rows(estimator, X, y, None, further)
    first, second = rows.take(np.arange(80)), rows.take(np.arange(80, 160))
    return first.fit(estimator), second


def test_the_integrated_brier_score_is_that_of_scikit_survival():
    rng = np.random.default_rng(0)
    time, lost = rng.exponential(size=200), rng.exponential(2.0, 200)
    rows = FollowUp(np.minimum(time, lost), time <= lost)
    linear, times = rng.normal(size=200), np.array([0.1, 0.25, 0.6, 0.9])
    y = structured(np.column_stack([rows.is_event, rows.time]))
    survival = np.exp(-np.exp(linear)[:, None] * times)
    expected = metrics.integrated_brier_score(y, y, survival, times)
    found = integrated_brier(rows, lambda one: 1 - np.exp(-np.exp(linear) * one), times)
    assert found == pytest.approx(expected)


def test_figures_of_counts_are_those_of_scikit_learn_and_statsmodels():
    model, held = fitted_half(RiskScoreRegressor(3), COUNTS, exposure=EXPOSURE)
    found = held.measure(model.card_)
    counts, exposed, rates = COUNTS[80:], EXPOSURE[80:], model.predict(X[80:])
    mean = mean_poisson_deviance(counts / exposed, rates, sample_weight=exposed)
    assert found.deviance == pytest.approx(mean * exposed.sum() / counts.sum())
    explained = d2_tweedie_score(counts / exposed, rates, sample_weight=exposed, power=1)
    assert found.ranking == pytest.approx(explained)
    design = glm.add_constant(np.log(rates))
    fit = glm.GLM(counts, design, family=glm.families.Poisson(), offset=np.log(exposed)).fit()
    assert found.slope == pytest.approx(fit.params[1], rel=1e-5)


def test_figures_of_times_are_those_of_their_definition():
    model, held = fitted_half(RiskScoreSurvival(3, horizons=10), Y)
    found = held.measure(model.card_)
    is_event, time = Y[80:, 0] > 0, Y[80:, 1]
    linear, kind = model.predict(X[80:]), model.card_.kind
    least = kind.hazards[-1] / len(kind.hazards) / 2
    deviance = 0.0
    for i in range(80):
        hazard = kind.baseline(time[i])
        hazard = max(hazard, least) if is_event[i] else hazard
        expected = hazard * math.exp(linear[i])
        deviance += 2 * (expected - is_event[i] * (1 + math.log(expected)))
    assert found.deviance == pytest.approx(deviance / is_event.sum())
    assert found.ranking == concordance(FollowUp(time, is_event), linear)
    baseline = np.array(
        [
            max(kind.baseline(one), least if e else 1e-300)
            for one, e in zip(time, is_event, strict=True)
        ]
    )
    fit = glm.GLM(
        is_event, glm.add_constant(linear), family=glm.families.Poisson(), offset=np.log(baseline)
    ).fit()
    assert found.slope == pytest.approx(fit.params[1], rel=1e-5)


def test_sizes_are_judged_on_held_out_rows():
    found = choose_terms(RiskScoreSurvival(horizons=10), X, Y, max_terms=2, cv=3, repeats=1)
    rows = read_kind_rows(RiskScoreSurvival(), X, Y, None, {})
    for size in found.sizes:
        own = []
        for fit, test in ShuffledFolds(3).split(None, Y[:, 0] > 0):
            card = rows.take(fit).fit(RiskScoreSurvival(size.n_terms, horizons=10)).card_
            held = rows.take(test)
            own.append([held.measure(card).deviance, held.measure(card).ranking, held.brier(card)])
        assert [size.deviance, size.ranking, size.brier] == pytest.approx(
            np.mean(own, axis=0).tolist()
        )
    assert found.model.max_terms == found.n_terms
    assert "Size chosen by the held-out deviance of 3 parts" in str(found.model.card_)
    assert RiskScoreSurvival.from_recipe(found.model.card_.recipe).max_terms == found.n_terms


def test_rows_of_a_group_stay_together(monkeypatch):
    from riskcard.estimators.cross_validation import rate_size

    groups, seen = np.arange(160) // 4, []
    splits = rate_size.divided
    monkeypatch.setattr(
        rate_size, "divided", lambda *given: seen.append(splits(*given)) or seen[-1]
    )
    choose_terms(
        RiskScoreRegressor(),
        X,
        COUNTS,
        max_terms=1,
        cv=4,
        repeats=2,
        groups=groups,
        exposure=EXPOSURE,
    )
    assert len(seen[0]) == 8
    for fit, test in seen[0]:
        assert not set(groups[fit]) & set(groups[test])


def test_sites_and_later_rows_are_held_out_once():
    sites, later = np.arange(160) % 3, np.arange(160) > 100
    found = choose_terms(RiskScoreSurvival(), X, Y, max_terms=1, sites=sites)
    assert found.n_splits == 3
    found = choose_terms(RiskScoreSurvival(), X, Y, max_terms=2, time_split=later, rule="best")
    rows = read_kind_rows(RiskScoreSurvival(), X, Y, None, {})
    card = rows.take(np.flatnonzero(~later)).fit(RiskScoreSurvival(1)).card_
    assert found.sizes[0].deviance == rows.take(np.flatnonzero(later)).measure(card).deviance


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"cv": 1}, "cv is 1. Use a whole number of at least 2"),
        ({"max_terms": 0}, "max_terms is 0"),
        ({"rule": "two"}, "Use 'one_se' or 'best'"),
        (
            {"exposure": EXPOSURE},
            "exposure is given, but fits of RiskScoreSurvival take entry only",
        ),
        ({"cv": 150}, "Use fewer folds"),
    ],
)
def test_wrong_options_are_refused(given, match):
    with pytest.raises(ParameterError, match=match):
        choose_terms(RiskScoreSurvival(), X, Y, **given)


def test_only_these_estimators_are_taken():
    with pytest.raises(
        ParameterError, match="Give a RiskScoreSurvival, a RiskScoreRegressor or a RiskScoreOrdinal"
    ):
        choose_terms(RiskScoreClassifier(), X, Y[:, 0])
    with pytest.raises(ParameterError, match="entry is given, but fits for outcomes of yes or no"):
        bootstrap_card(RiskScoreClassifier(), X, Y[:, 0], entry=ENTRY, n_bootstraps=2)


def test_the_bootstrap_repeats_the_fit_and_corrects_its_figures():
    model = RiskScoreSurvival(2, horizons=10)
    found = bootstrap_card(model, X, Y, n_bootstraps=3, entry=ENTRY)
    rows = read_kind_rows(model, X, Y, None, {"entry": ENTRY})
    seeds = np.random.SeedSequence(0).spawn(3)
    for place, seed in enumerate(seeds):
        drawn = np.random.default_rng(seed).integers(160, size=160)
        card = rows.take(drawn).fit(model).card_
        assert card.features == found.cards[place].features
        assert found.on_resamples[place] == rows.take(drawn).measure(card)
        assert found.on_rows[place] == rows.measure(card)
    optimism = np.mean(
        [a.ranking - b.ranking for a, b in zip(found.on_resamples, found.on_rows, strict=True)]
    )
    assert found.corrected.ranking == pytest.approx(rows.measure(found.card).ranking - optimism)
    for words in (
        "concordance index",
        "deviance per event",
        "Log hazard",
        "logarithm of the hazard",
    ):
        assert words in str(found)
    assert "log-odds" not in str(found)
    again = bootstrap_card(model, X, Y, n_bootstraps=3, entry=ENTRY, n_jobs=2)
    assert again.on_rows == found.on_rows


def test_the_bootstrap_of_counts_speaks_of_rates():
    found = bootstrap_card(RiskScoreRegressor(2), X, COUNTS, n_bootstraps=2, exposure=EXPOSURE)
    assert "deviance explained" in str(found)
    assert "Log rate" in str(found)
    assert list(found.performance_frame().columns) == ["ranking", "deviance", "slope"]
    assert "deviance explained" in found._repr_html_()


def test_the_command_line_chooses_a_size_and_repeats_fits(tmp_path, capsys):
    path, card, table = tmp_path / "rows.csv", tmp_path / "card.json", tmp_path / "sizes.csv"
    frame = find("pandas").DataFrame(X, columns=["age", "marker", "size"])
    frame.assign(days=Y[:, 1], died=Y[:, 0], since=ENTRY).to_csv(path, index=False)
    shared = ["--target", "died", "--time", "days", "--entry", "since", "--horizon", "10"]
    tune = ["tune", path, *shared, "--max-terms", "2", "--cv", "3", "--repeats", "1"]
    assert main([str(one) for one in (*tune, "-o", card, "--csv", table)]) == 0
    expected = choose_terms(
        RiskScoreSurvival(horizons=10),
        frame,
        structured(Y),
        max_terms=2,
        cv=3,
        repeats=1,
        entry=ENTRY,
    )
    out = capsys.readouterr().out
    assert out.startswith("Poisson deviance per event on the held-out rows of 3 folds")
    assert RiskCard.load(card).features == expected.model.card_.features
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [float(row["deviance"]) for row in rows] == pytest.approx(
        [one.deviance for one in expected.sizes]
    )
    stability = ["stability", path, *shared, "--max-terms", "2", "--n-bootstraps", "2"]
    assert main([str(one) for one in stability]) == 0
    assert "concordance index" in capsys.readouterr().out
    for more, match in (
        (["--cv", "3"], "--cv chooses the size again"),
        (["--max-log-odds", "3"], "--max-log-odds is for outcomes of yes or no"),
    ):
        assert main([str(one) for one in (*stability, *more)]) == 2
        assert match in capsys.readouterr().err
    assert main([str(one) for one in (*tune, "--scoring", "roc_auc")]) == 2
    assert "--scoring is for outcomes of yes or no" in capsys.readouterr().err
