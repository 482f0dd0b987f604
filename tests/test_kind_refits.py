"""Repeated fits of cards of competing events, numbers and levels: figures, sizes, the bootstrap, reports."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.metrics import log_loss, mean_squared_error, r2_score

from optional import find
from other_rows import KINDS, draw_kinds, model_of
from riskcard import (
    ParameterError,
    RiskScoreOrdinal,
    audit_card,
    bootstrap_card,
    choose_terms,
    make_report,
    validate_estimates,
    validate_survival,
)
from riskcard.audit.hand_rates import at_risk_by_hand
from riskcard.audit.raw_outcome import read_outcome
from riskcard.estimators.cross_validation.division import read_division
from riskcard.estimators.cross_validation.folds import ShuffledFolds
from riskcard.estimators.cross_validation.kind_rows import divided
from riskcard.estimators.cross_validation.rows_of_kinds import read_kind_rows, read_rows_for
from riskcard.evaluation.other_outcomes.survival import concordance
from riskcard.formatting.plain_values import as_plain
from riskcard.outcomes.hazards import FollowUp

metrics = find("sksurv.metrics")
X, TARGETS = draw_kinds()
WEIGHTS = 1.0 + np.arange(200) % 3
FIRST, SECOND = np.arange(100), np.arange(100, 200)
QUICK = {"cv": 3, "repeats": 1, "n_bootstraps": 2, "time_limit": None}


def halves(kind, weights=None):
    """The card of the first rows, and the others."""
    rows = read_kind_rows(model_of(kind), X, TARGETS[kind], weights, {})
    return rows.take(FIRST).fit(model_of(kind)), rows.take(SECOND)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_figures_of_numbers_are_those_of_scikit_learn(weights):
    model, held = halves("numbers", weights)
    found, own = held.measure(model.card_), None if weights is None else weights[SECOND]
    numbers, expected = TARGETS["numbers"][SECOND], model.predict(X[SECOND])
    assert found.ranking == pytest.approx(r2_score(numbers, expected, sample_weight=own))
    assert found.deviance == pytest.approx(mean_squared_error(numbers, expected, sample_weight=own))
    roots = None if own is None else np.sqrt(own)
    assert found.slope == pytest.approx(np.polyfit(expected, numbers, 1, w=roots)[0])


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_figures_of_levels_are_those_of_their_definition(weights):
    model, held = halves("levels", weights)
    found, own = held.measure(model.card_), np.ones(100) if weights is None else weights[SECOND]
    levels, linear = TARGETS["levels"][SECOND], model(X[SECOND])
    shares = model.predict_proba(X[SECOND])
    expected = log_loss(levels, shares, sample_weight=own, labels=model.classes_)
    assert found.deviance == pytest.approx(expected)
    assert found.ranking == pytest.approx(model.score(X[SECOND], levels, own))

    def loss(parameters):
        above = [1 - np.exp(-np.exp(parameters[0] * linear + one)) for one in parameters[1:]]
        ends = np.column_stack([np.ones(100), *above, np.zeros(100)])
        likelihood = (ends[:, :-1] - ends[:, 1:])[np.arange(100), levels - 9]
        return -own @ np.log(np.maximum(likelihood, 1e-300))

    start = [1.0, *np.log(model.card_.kind.hazards)]
    best = minimize(
        loss, start, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9, "maxiter": 4000}
    )
    assert found.slope == pytest.approx(best.x[0], rel=1e-3)
    steps = held.levels.steps(own, np.exp(found.slope * linear))
    assert held.levels.loss(own, found.slope * linear, steps) == pytest.approx(best.fun, rel=1e-8)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_figures_of_competing_events_are_those_of_their_definition(weights):
    model, held = halves("competing", weights)
    own = np.ones(100) if weights is None else weights[SECOND]
    found, kind, y = held.measure(model.card_), model.card_.kind, TARGETS["competing"][SECOND]
    outcome = read_outcome(model.card_, y, 100, {})
    events = y[:, 0] == 3
    # Fine and Gray's weights, with every time compared with every row
    hazard, steps = np.zeros(100), np.diff(kind.hazards, prepend=0.0)
    for part, at_risk in at_risk_by_hand(outcome, events, own, np.array(kind.times)):
        hazard += steps[part] @ at_risk
    hazard = np.where(events, np.maximum(hazard, kind.hazards[-1] / len(kind.hazards) / 2), hazard)
    linear = model.predict(X[SECOND])
    expected = hazard * np.exp(linear)
    surplus = np.where(events, np.log(expected) + 1, 0.0)
    assert found.deviance == pytest.approx(2 * own @ (expected - surplus) / own[events].sum())
    rows = FollowUp(np.where(y[:, 0] == 7, 1e9, y[:, 1]), events)
    assert found.ranking == pytest.approx(concordance(rows, linear, own))
    if weights is None:
        ranked = metrics.concordance_index_censored(events, rows.time, linear)[0]
        assert found.ranking == pytest.approx(ranked)


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_are_judged_on_held_out_rows(kind):
    found = choose_terms(model_of(kind), X, TARGETS[kind], max_terms=2, cv=3, repeats=1)
    rows = read_kind_rows(model_of(kind), X, TARGETS[kind], None, {})
    for size in found.sizes:
        own = []
        for fit, test in ShuffledFolds(3).split(None, rows.strata):
            card = model_of(kind, size.n_terms).fit(X[fit], TARGETS[kind][fit]).card_
            held = rows.take(test).measure(card)
            own.append([held.deviance, held.ranking, held.slope])
        assert [size.deviance, size.ranking, size.slope] == pytest.approx(np.mean(own, axis=0))
    assert found.model.card_.kind == model_of(kind, found.n_terms).fit(X, TARGETS[kind]).card_.kind
    assert rows.words.compared_by in str(found)


@pytest.mark.parametrize("kind", KINDS)
def test_the_bootstrap_repeats_the_fit_and_corrects_its_figures(kind):
    model = model_of(kind)
    found = bootstrap_card(model, X, TARGETS[kind], n_bootstraps=3, sample_weight=WEIGHTS)
    rows = read_kind_rows(model, X, TARGETS[kind], WEIGHTS, {})
    for place, seed in enumerate(np.random.SeedSequence(0).spawn(3)):
        drawn = np.random.default_rng(seed).integers(200, size=200)
        card = rows.take(drawn).fit(model).card_
        assert card.features == found.cards[place].features
        assert found.on_rows[place] == rows.measure(card)
    for words in (*rows.words.names, rows.words.step_heading):
        assert words in str(found)
    assert "log-odds" not in str(found)


def test_a_level_that_a_part_leaves_without_rows_is_named():
    levels = np.where(np.arange(200) == 5, 2, np.arange(200) % 2)
    with pytest.raises(ParameterError, match="no row has the level 2, so that nothing can be"):
        choose_terms(RiskScoreOrdinal(), X, levels, max_terms=1)
    with pytest.raises(ParameterError, match="every number is the same"):
        divided(
            read_kind_rows(model_of("numbers"), X, np.arange(200) < 1, None, {}),
            read_division(200, time_split=np.arange(200) < 1),
            2,
        )
    # a resample without that level is drawn again
    found = bootstrap_card(RiskScoreOrdinal(1), X, levels, n_bootstraps=4)
    assert all(len(card.kind.levels) == 3 for card in found.cards)


def test_levels_that_some_rows_do_not_have_keep_their_place():
    card = model_of("levels").fit(X, TARGETS["levels"]).card_
    kept = TARGETS["levels"] != 10
    rows = read_rows_for(card, X[kept], TARGETS["levels"][kept].astype(float), None, {})
    assert np.array_equal(rows.levels.codes, TARGETS["levels"][kept] - 9)
    found = validate_estimates(card, X[kept], TARGETS["levels"][kept])
    assert found.figures.at[1].observed.value == np.mean(TARGETS["levels"][kept] >= 11)


# --- reports ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_on_training_rows_repeats_the_fit(kind):
    pytest.importorskip("matplotlib")
    y, model = TARGETS[kind], model_of(kind)
    model.fit(X, y)
    found = make_report(model, X, y, **QUICK)
    rows, figures = read_kind_rows(model, X, y, None, {}), []
    expected = np.empty(200)
    for fit, test in ShuffledFolds(3).split(None, rows.strata):
        own = model_of(kind).fit(X[fit], y[fit])
        held = rows.take(test).measure(own.card_)
        figures.append([held.ranking, held.deviance, held.slope])
        if kind == "numbers":
            expected[test] = own.predict(X[test])
        if kind == "levels":
            expected[test] = own.predict_proba(X[test]) @ np.arange(4)
        if kind == "competing":
            expected[test] = own.predict_risk(X[test])[:, 0]
    judged = found.facts.held_out
    shown = judged.performance
    assert [shown.ranking, shown.deviance, shown.slope] == pytest.approx(np.mean(figures, axis=0))
    if kind == "competing":
        assert judged.at[0].mean_risk == pytest.approx(expected.mean())
        assert as_plain(found.facts.own.at) == as_plain(validate_survival(model, X, y).at)
        assert "Aalen-Johansen" in str(found)
        assert "Kaplan" not in str(found)
    elif kind == "numbers":
        assert judged.figures.explained.value == pytest.approx(r2_score(y, expected))
    else:
        stated = sum(one.expected for one in judged.figures.at)
        assert stated == pytest.approx(expected.mean())
    assert found.facts.audit.passed
    assert len(found.facts.stability.cards) == 2
    assert not found.facts.constancy
    for words in (*rows.words.names, "Held-out rows"):
        assert words in " ".join(str(found).split())
    assert json.loads(found.to_json())["origin"] == "training rows"


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_on_other_rows_judges_the_card_as_it_is(kind):
    pytest.importorskip("matplotlib")
    model = model_of(kind).fit(X, TARGETS[kind])
    other, targets = draw_kinds(150, seed=5)
    found = make_report(model, other, targets[kind], **QUICK).facts
    assert str(found.origin) == "other rows"
    assert found.held_out is None
    if kind == "competing":
        assert as_plain(found.own.at) == as_plain(validate_survival(model, other, targets[kind]).at)
    else:
        expected = validate_estimates(model, other, targets[kind]).figures
        assert as_plain(found.own.figures) == as_plain(expected)


def test_a_report_on_rows_without_a_level_judges_them_and_an_audit_refuses_them():
    pytest.importorskip("matplotlib")
    model = model_of("levels").fit(X, TARGETS["levels"])
    kept = TARGETS["levels"] != 10
    found = make_report(model, X[kept], TARGETS["levels"][kept], **QUICK)
    assert str(found.facts.origin) == "other rows"
    with pytest.raises(ValueError, match="No row has the level '10' of the card"):
        audit_card(model, X[kept], TARGETS["levels"][kept])


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_counts_weights_and_allows_for_groups(kind):
    pytest.importorskip("matplotlib")
    y, groups = TARGETS[kind], np.arange(200) // 2
    model = model_of(kind).fit(X, y, sample_weight=WEIGHTS)
    found = make_report(model, X, y, sample_weight=WEIGHTS, groups=groups, **QUICK).facts
    assert str(found.origin) == "training rows"
    judge = validate_survival if kind == "competing" else validate_estimates
    expected = judge(model, X, y, sample_weight=WEIGHTS, groups=groups)
    own = found.own.at if kind == "competing" else found.own.figures
    stated = expected.at if kind == "competing" else expected.figures
    assert as_plain(own) == as_plain(stated)
    assert found.held_out is not None
