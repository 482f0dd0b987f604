"""Cards within limits on differences between groups: kept, bounded from below, and priced."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from oracle.scale_fits import Cells, fit_calibrated, losses
from riskcard import (
    CardRules,
    GroupLimits,
    RiskScoreClassifier,
    audit_card,
    find_proxies,
    fit_within_limits,
    make_report,
)
from riskcard.errors import DataError, ParameterError
from riskcard.estimators.regularization import Regularization
from riskcard.fairness.group_limits import MEASURES, ScoredRows
from riskcard.fairness.groups import read_groups
from riskcard.model.card_json import load_card
from riskcard.status import Status

PSEUDO = 6.0


def make_rows(seed: int, n_rows: int = 40, n_groups: int = 2):
    """Two features of few values, one of which goes with the group; labels that follow both."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, n_groups, n_rows)
    first = np.clip(groups + rng.integers(0, 3, n_rows), 0, 3)
    X = np.column_stack([first, rng.integers(0, 3, n_rows)]).astype(float)
    log_odds = 1.2 * (X[:, 0] - 1.5) + 0.8 * (X[:, 1] - 1) + rng.normal(0, 0.5, n_rows)
    y = rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))
    y[:2] = True, False
    weights = rng.choice([1.0, 1.0, 2.5], n_rows) if seed % 2 else np.ones(n_rows)
    return X, y, groups, weights


def lowest_loss_within(X, y, groups, weights, limit: float, max_points: int) -> float:
    """By trying every card of at most two terms, each with the best scale that the limit allows."""
    rate = weights[y].sum() / weights.sum()
    spread = weights * PSEUDO * weights.mean() / weights.sum()
    positive, negative = weights * y + spread * rate, weights * ~y + spread * (1 - rate)
    cells = Cells(np.zeros((0, len(y)), np.int32), positive, negative)
    conditions = [X[:, f] <= value for f in range(X.shape[1]) for value in np.unique(X[:, f])[:-1]]
    jumps = [jump for jump in range(-max_points, max_points + 1) if jump != 0]
    scores, caps = [], []
    for size in (1, 2):
        for chosen in itertools.combinations(conditions, size):
            for points in itertools.product(jumps, repeat=size):
                score = np.array(points) @ np.array(chosen, dtype=int)
                means = [
                    np.average(score[groups == g], weights=weights[groups == g])
                    for g in np.unique(groups)
                ]
                steepest = np.log(1000) / max(map(abs, points))
                most = limit / np.ptp(means) if np.ptp(means) > 0 else np.inf
                scores.append(score)
                caps.append(min(steepest, most))
    _, _, found = fit_calibrated(cells, np.array(scores), np.array(caps))
    everyone = np.full((1, len(y)), cells.base_rate_log_odds)
    return min(float(found.min()), float(losses(cells, everyone)[0]))


def estimator(**changes):
    return RiskScoreClassifier(
        2,
        max_points=2,
        certify=True,
        regularization=Regularization.only(pseudo_rows=PSEUDO),
        **changes,
    )


@pytest.mark.parametrize("seed", range(12))
def test_no_card_within_the_limit_is_below_the_bound(seed):
    X, y, groups, weights = make_rows(seed, n_groups=2 + seed % 2)
    limit = (0.05, 0.2, 0.6)[seed % 3]
    found = fit_within_limits(
        estimator(), X, y, groups=groups, limits={"mean_log_odds": limit}, sample_weight=weights
    )
    certificate = found.card.certificate
    lowest = lowest_loss_within(X, y, groups, weights, limit, max_points=2)
    assert certificate.bound <= lowest * (1 + 1e-9)
    assert certificate.loss >= lowest * (1 - 1e-9)
    means = [
        np.average(found.card.log_odds(X)[groups == g], weights=weights[groups == g])
        for g in np.unique(groups)
    ]
    assert np.ptp(means) <= limit + 1e-9


def test_prices_of_groups_raise_the_bound():
    """Where the bound took no notice of the limit, it would be that of all cards."""
    raised = []
    for seed in range(8):
        X, y, groups, weights = make_rows(seed)
        found = fit_within_limits(
            estimator(), X, y, groups=groups, limits={"mean_log_odds": 0.1}, sample_weight=weights
        )
        raised.append(found.card.certificate.bound > found.unlimited.certificate.bound * 1.0001)
    assert sum(raised) >= 4


def test_a_certificate_says_which_limits_took_no_part_in_the_proof():
    X, y, groups, weights = make_rows(1)
    limits = GroupLimits(mean_log_odds=0.3, false_positive_rate=0.05, threshold=0.5)
    found = fit_within_limits(
        estimator(), X, y, groups=groups, limits=limits, sample_weight=weights
    )
    card = found.card
    assert card.certificate.status is not Status.OPTIMAL
    (note,) = (one for one in card.certificate.notes if one.startswith("Limit on"))
    assert note.startswith(
        "Limit on the false positive rate (risk at least 0.5): it was kept in the search but took no part in the proof."
    )
    text = " ".join(card.to_text().split())
    assert note in text
    assert text.count("This is the best card found within the limits between groups") == 2
    assert "other than the best" not in text  # none was chosen by hand
    german = replace(card, labels=replace(card.labels, language="de")).to_text()
    assert "Grenze für Falsch-positiv-Rate (Risiko mindestens 0,5)" in " ".join(german.split())


@pytest.mark.parametrize("certify", [False, True])
def test_nothing_is_said_about_limits_that_the_proof_knows_or_where_there_is_none(certify):
    X, y, groups, weights = make_rows(1)
    measure = "mean_log_odds" if certify else "mean_risk"
    model = estimator().set_params(certify=certify)
    found = fit_within_limits(
        model, X, y, groups=groups, limits={measure: 0.05}, sample_weight=weights
    )
    assert not [one for one in found.card.certificate.notes if one.startswith("Limit on")]


def test_limits_hold_on_the_training_rows_and_are_priced():
    X, y, groups, _ = make_rows(4, n_rows=300)
    limits = GroupLimits(mean_risk=0.1, flagged=0.2, false_positive_rate=0.15, threshold=0.5)
    found = fit_within_limits(
        RiskScoreClassifier(2), X, y, groups=groups, limits=limits, groups_name="ward"
    )
    risks = found.card.risk(X)
    flagged = risks >= 0.5
    by_group = [groups == g for g in (0, 1)]
    assert abs(np.subtract(*[risks[one].mean() for one in by_group])) <= 0.1
    assert abs(np.subtract(*[flagged[one].mean() for one in by_group])) <= 0.2
    assert abs(np.subtract(*[flagged[one & ~y].mean() for one in by_group])) <= 0.15
    *each, together = found.prices
    assert all(0 <= one.price <= together.price for one in each)
    assert all(one.within <= one.limit < one.without for one in each)
    assert found.most_price is None
    assert "Nothing was proven" in str(found)
    assert "differs between groups of 'ward' by at most 0.1" in found.card.certificate.rules[0]
    assert [row["measure"] for row in found.rows()] == [*limits.given, "all"]
    assert "<table" in found._repr_html_()


def test_limits_that_the_best_card_keeps_cost_nothing():
    X, y, groups, _ = make_rows(2, n_rows=80)
    found = fit_within_limits(estimator(), X, y, groups=groups, limits={"mean_risk": 1.0})
    assert found.card.certificate.status == "optimal"
    assert found.card.terms == found.unlimited.terms
    assert found.prices[-1].price == 0
    assert "they cost nothing" in found.summary


def test_the_strictest_limit_leaves_a_card_that_treats_everyone_alike():
    X, y, groups, _ = make_rows(6, n_rows=80)
    found = fit_within_limits(
        estimator(), X[:, :1], y, groups=groups, limits={"mean_log_odds": 0.0, "mean_risk": 0.0}
    )
    assert np.ptp(found.card.risk(X[:, :1])) == 0
    assert "Only a card without terms" in found.summary


def test_a_saved_card_tells_its_limits_and_the_audit_does_not_refute_it(tmp_path):
    X, y, groups, _ = make_rows(3, n_rows=60)
    found = fit_within_limits(estimator(), X, y, groups=groups, limits={"mean_log_odds": 0.1})
    found.card.save(tmp_path / "card.json")
    card = load_card(tmp_path / "card.json")
    assert card.certificate is not None
    assert card.recipe.method == "fit_within_limits"
    assert card.recipe.further["limits"]["mean_log_odds"] == 0.1
    findings = audit_card(card, X, y)
    assert not [one for one in findings.checks if not one.holds]


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({}, "No limit is given"),
        ({"mean_risk": -0.1}, "at least 0"),
        ({"flagged": 0.1}, "needs a threshold"),
        ({"flagged": 0.1, "threshold": 1.0}, "between 0 and 1"),
        ({"mean_risk": "much"}, "mean_risk"),
    ],
)
def test_limits_that_make_no_sense_are_refused(limits, words):
    with pytest.raises(ParameterError, match=words):
        GroupLimits(**limits)


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ([1] * 40, "1 groups"),
        ([1, 2], "Give one per row"),
        ([None, *[1] * 39], "Row 1 has no group"),
        ([float("nan"), *[1] * 39], "Row 1 has no group"),
    ],
)
def test_invalid_groups_are_refused(groups, words):
    X, y, _, _ = make_rows(0)
    with pytest.raises(DataError, match=words):
        fit_within_limits(estimator(), X, y, groups=groups, limits={"mean_risk": 0.1})


def test_a_group_without_events_has_no_rate_of_misses():
    X, y, groups, _ = make_rows(0)
    y = y & (groups == 1)
    with pytest.raises(DataError, match="no rows with the event"):
        fit_within_limits(
            estimator(),
            X,
            y,
            groups=groups,
            limits={"false_negative_rate": 0.1, "threshold": 0.5},
        )


@pytest.mark.parametrize(
    "changes",
    [
        {"class_weight": "balanced"},
        {"rules": CardRules(min_gain=1.0)},
        {"rules": CardRules(round_cuts=0.01)},
    ],
)
def test_what_changes_the_aim_is_refused(changes):
    X, y, groups, _ = make_rows(0)
    with pytest.raises(ParameterError, match="cannot be used together"):
        fit_within_limits(estimator(**changes), X, y, groups=groups, limits={"mean_risk": 0.1})


def test_measures_by_group_are_weighted_rates():
    log_odds = np.array([-2.0, 1.0, 0.0, 3.0])
    rows = ScoredRows(
        log_odds,
        np.array([False, True, False, True]),
        np.array([1.0, 3.0, 1.0, 1.0]),
        read_groups([0.0, 0.0, 1.0, 1.0], 4, "site"),
        threshold=0.5,
    )
    found = {name: measure(rows).tolist() for name, measure in MEASURES.items()}
    assert rows.groups.names == ("0", "1")
    assert found["mean_log_odds"] == [0.25, 1.5]
    assert found["flagged"] == [0.75, 1.0]
    assert found["false_positive_rate"] == [0.0, 1.0]
    assert found["false_negative_rate"] == [0.0, 0.0]
    risks = 1 / (1 + np.exp(-log_odds))
    assert found["mean_risk"][0] == pytest.approx((risks[0] + 3 * risks[1]) / 4)


def test_proxies_are_found_in_numbers_and_categories():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 3, 300)
    X = {
        "noise": rng.random(300),
        "u-shaped": np.where(groups == 1, 5.0, rng.choice([1.0, 9.0], 300)),
        "town": np.array(["north", "south", "west"])[groups].tolist(),
    }
    found = find_proxies(X, groups, groups_name="district")
    assert [(one.name, one.area) for one in found] == [("town", 1.0), ("u-shaped", 1.0)]
    assert found[1].group == "1"
    assert len(find_proxies(X, groups, least_area=0.5)) == 3
    with pytest.raises(ParameterError, match="from 0"):
        find_proxies(X, groups, least_area=0.2)


def test_a_report_does_not_refit_a_limited_card_without_its_limits():
    pytest.importorskip("matplotlib")
    X, y, groups, _ = make_rows(3, n_rows=80)
    found = fit_within_limits(
        RiskScoreClassifier(2), X, y, groups=groups, limits={"mean_risk": 0.05}
    )
    for subject in (found.card, found.model):
        facts = make_report(subject, X, y, cv=2, n_bootstraps=2).facts
        assert facts.is_training
        assert facts.validation is None
        assert facts.stability is None
        assert any("limits between groups" in note for note in facts.notes)


def test_a_hint_for_the_card_without_limits_is_not_one_for_this_card(monkeypatch):
    hint = "Terms of this card change the log-odds by at most 2."
    for module in ("estimators.learning", "fairness.limited_card"):
        monkeypatch.setattr(f"riskcard.{module}.hints_on", lambda result, problem: [hint])
    X, y, groups, _ = make_rows(3, n_rows=60)
    found = fit_within_limits(estimator(), X, y, groups=groups, limits={"mean_log_odds": 0.1})
    assert hint in found.unlimited.certificate.notes
    assert hint not in found.card.certificate.notes
