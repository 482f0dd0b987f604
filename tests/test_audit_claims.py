"""Each claim of a certificate by itself: what passes, what fails, and what an audit cannot say."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from riskcard import FeaturePoints, LevelPoints, RiskCard, RiskScoreClassifier
from riskcard.audit import rivals
from riskcard.audit.audit import (
    _check_classifier,
    _check_counts,
    _check_labels,
    _check_origin,
    _check_risks,
    _check_training,
    _read_rows,
    audit_card,
)
from riskcard.audit.claims import (
    Claims,
    Neighbours,
    _check_against_rival,
    _check_kind,
    check_claims,
    check_proof,
    claims_of,
)
from riskcard.audit.findings import AuditReport, Outcome, checked, not_checked
from riskcard.audit.hand_loss import hand_loss, is_close, risk_at
from riskcard.audit.limits import check_limits, one_step_changes, sure_terms
from riskcard.audit.rivals import (
    KIND,
    Rival,
    TrainingRows,
    _model_of_recipe,
    _obstacle,
    _pseudo_rows,
    find_rival,
)
from riskcard.checks import LOG_ODDS_LIMIT
from riskcard.data.files.feature_table import FeatureTable
from riskcard.model.origin.certificate import Certificate, ClassWeights, TrainingFacts
from riskcard.model.origin.recipe import Recipe, RowOrigin
from riskcard.model.totals import TotalCount, count_totals
from riskcard.status import OPTIMALITY_TOLERANCE

PASSED, FAILED, NOT_CHECKED = Outcome.PASSED, Outcome.FAILED, Outcome.NOT_CHECKED
RNG = np.random.default_rng(2)
X = RNG.integers(0, 6, (80, 2)).astype(float)
Y = (RNG.random(80) < 1 / (1 + np.exp(2 - 0.7 * X[:, 0]))).astype(int)


def certificate(**changes):
    """One that any small card keeps."""
    limits = {"max_terms": 4, "max_features": 2, "max_cuts_per_feature": 3, "max_points": 5}
    claims = {"loss": 50.0, "bound": 40.0, "status": "time_limit", "scale": "calibrated"}
    return Certificate(**{**claims, **limits, "max_log_odds": 6.0, **changes})


def claims(**changes):
    stated = {"loss": 50.0, "bound": 40.0, "gap": 0.2, "status": "time_limit"}
    return Claims(**{**stated, "wanted_gap": None, "asked_for_proof": True, **changes})


def card_of(points=(0, 2, 3), cuts=(1.0, 3.0), **changes):
    feature = FeaturePoints("x0", cuts, points)
    card = RiskCard([feature], multiplier=1.5, offset=-1.0, feature_names=("x0", "x1"))
    return replace(card, **changes)


def rows_of(card):
    return _read_rows(card, X, Y, None)


def recipe(**changes):
    made = {"method": "RiskScoreClassifier", "parameters": {}, "resolved": {}, "further": {}}
    hashes = {"is_weighted": False, "rows_used": "", "rows_all": ""}
    return Recipe(**{**made, **hashes, **changes})


# --- loss, bound and gap --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "loss", "failures"),
    [
        ({}, 50.0, set()),
        ({"loss": 50.0 * (1 + 5e-10)}, 50.0, set()),
        ({"loss": 50.0 * (1 + 2e-9)}, 50.0, {"loss"}),
        ({"bound": 50.0 * (1 + 5e-10), "gap": 0.0}, 50.0, set()),
        ({"bound": 50.0 * (1 + 3e-9), "gap": 0.0}, 50.0, {"bound"}),
        ({"bound": 0.0, "gap": 1.0}, 50.0, set()),
        ({"bound": -1e-12, "gap": 1.0}, 50.0, {"bound"}),
        ({"bound": -5.0, "gap": 1.0}, 50.0, {"bound"}),
        ({"gap": 0.2 + 5e-10}, 50.0, set()),
        ({"gap": 0.2 + 2e-9}, 50.0, {"gap"}),
        ({"gap": 0.2 - 2e-9}, 50.0, {"gap"}),
        ({"loss": 0.0, "bound": 0.0, "gap": 0.0}, 0.0, set()),
        ({"loss": 0.0, "bound": 0.0, "gap": 1.0}, 0.0, {"gap"}),
        ({"loss": 0.5, "bound": 0.4}, 0.5, set()),
    ],
)
def test_loss_bound_and_gap_fit_together_but_for_rounding(changes, loss, failures):
    found = check_claims(claims(**changes), certificate(), loss)
    assert {check.name for check in found if check.outcome is FAILED} == failures


def test_where_terms_are_charged_the_bound_is_on_loss_and_charge():
    charged = certificate(min_gain=2.5, charged_terms=4)
    for bound, gap, is_right in (
        (60.0, 0.0, True),
        (60.0 * (1 + 3e-9), 0.0, False),
        (45, 0.25, True),
    ):
        found = {
            check.name: check for check in check_claims(claims(bound=bound, gap=gap), charged, 50.0)
        }
        assert (found["bound"].outcome is PASSED) is is_right
        assert found["gap"].outcome is PASSED
        assert "the loss with its charge is 60" in found["bound"].detail
    plain = {check.name: check for check in check_claims(claims(), certificate(), 50.0)}
    assert "the loss is 50" in plain["bound"].detail


@pytest.mark.parametrize(
    "recipe_of_card", [None, recipe(parameters={"gap": 0.3, "certify": False})]
)
def test_what_was_asked_for_is_in_the_recipe_or_not_known(recipe_of_card):
    card = replace(card_of(), certificate=certificate(), recipe=recipe_of_card)
    found = claims_of(card, certificate())
    assert (found.loss, found.bound, found.status) == (50.0, 40.0, "time_limit")
    assert found.gap == pytest.approx(0.2)
    known = (None, None) if recipe_of_card is None else (0.3, False)
    assert (found.wanted_gap, found.asked_for_proof) == known
    fitted = SimpleNamespace(
        card_=card, loss_=1.0, lower_bound_=0.5, gap_=0.5, status_="optimal", gap=0.7
    )
    assert claims_of(fitted, certificate()) == Claims(1.0, 0.5, 0.5, "optimal", 0.7, known[1])


# --- the status -----------------------------------------------------------------------------------

LEAST = OPTIMALITY_TOLERANCE


@pytest.mark.parametrize(
    ("stated", "limits", "gap", "outcome"),
    [
        ({"status": "perfect"}, {}, 0.2, FAILED),
        ({"status": "optimal"}, {}, 0.0, PASSED),
        ({"status": "optimal"}, {}, LEAST + 5e-10, PASSED),
        ({"status": "optimal"}, {}, LEAST + 2e-9, FAILED),
        ({"status": "gap_reached"}, {}, 0.0, NOT_CHECKED),
        ({"status": "gap_reached", "wanted_gap": 0.1}, {}, 0.1 + 5e-10, PASSED),
        ({"status": "gap_reached", "wanted_gap": 0.1}, {}, 0.1 + 2e-9, FAILED),
        ({"status": "gap_reached", "wanted_gap": 0.0}, {}, LEAST, PASSED),
        ({"status": "gap_reached", "wanted_gap": 0.0}, {}, LEAST + 2e-9, FAILED),
        ({"status": "heuristic", "bound": 0.0}, {}, 1.0, PASSED),
        ({"status": "heuristic", "bound": 1e-9}, {}, 1.0, FAILED),
        ({}, {}, 0.5, PASSED),
        ({"asked_for_proof": None}, {}, 0.5, PASSED),
        ({"asked_for_proof": False}, {}, 0.5, FAILED),
        ({"asked_for_proof": False, "bound": 0.5}, {}, 0.5, FAILED),
        ({"asked_for_proof": False, "bound": 0.0}, {}, 1.0, PASSED),
        ({}, {"max_terms": 12}, 0.5, PASSED),
        ({}, {"max_terms": 13}, 0.5, FAILED),
        ({"bound": 0.0}, {"max_terms": 13}, 1.0, PASSED),
    ],
)  # fmt: skip
def test_a_status_needs_the_gap_and_the_proof_that_it_claims(stated, limits, gap, outcome):
    stated = claims(gap=gap, **{"bound": 50.0 * (1 - gap), **stated})
    # a bound that gives the gap; where it is stated by the case, the loss follows from it
    loss = stated.bound / (1 - gap) if 0 < gap < 1 else 50.0
    (*_, found) = check_claims(replace(stated, loss=loss), certificate(**limits), loss)
    assert found.name == "status"
    assert found.outcome is outcome, str(found)


# --- neighbours -----------------------------------------------------------------------------------


def test_a_bound_is_refuted_by_the_lowest_neighbour_but_for_rounding():
    found = Neighbours(3, 100.0, "a change")
    assert found.check(100.0 * (1 + 5e-10)).outcome is PASSED
    refuted = found.check(100.0 * (1 + 2e-9)).detail
    assert refuted.startswith("a change gives the loss 100, below the bound")
    assert found.check(0.0).outcome is PASSED
    assert found.check(99.0).detail == "3 cards one step away are not below the bound"
    assert found.check(101.0).outcome is FAILED
    unknown = Neighbours(None)
    assert unknown.check(0.0).outcome is PASSED
    assert unknown.check(0.5).outcome is NOT_CHECKED
    assert Neighbours(0).check(1e9).outcome is PASSED


@pytest.mark.parametrize("min_gain", [0.0, 4.0])
def test_all_neighbours_are_tried_with_their_charge(min_gain):
    card, limits = card_of(), certificate(min_gain=min_gain, charged_terms=2, is_grid_full=True)
    rows = rows_of(card)
    log_odds = [
        (card.total_points(X) + change) / 1.5 - 1.0
        for change, _, _ in one_step_changes(card, limits, rows)
    ]
    terms = [n_terms for _, n_terms, _ in one_step_changes(card, limits, rows)]
    assert len(set(terms)) > 1
    losses = [
        np.logaddexp(0, np.where(Y == 1, -one, one)).sum() + min_gain * n_terms
        for one, n_terms in zip(log_odds, terms, strict=True)
    ]
    found = Neighbours.of(card, limits, rows)
    assert (found.number, found.lowest) == (len(losses), pytest.approx(min(losses)))
    what = [what for *_, what in one_step_changes(card, limits, rows)]
    assert found.what == what[int(np.argmin(losses))]


def test_a_cut_moves_to_the_lowest_value_and_not_beyond_it():
    lowest, second, third = np.unique(X[:, 0])[:3]
    for cut, reached in (((second + third) / 2, True), ((lowest + second) / 2, False)):
        card = card_of(features=(FeaturePoints("x0", [cut], [0, 2]),))
        found = [what for *_, what in one_step_changes(card, certificate(), rows_of(card))]
        moved = [what for what in found if what.startswith("moving the cut of 'x0'")]
        assert (f"moving the cut of 'x0' at {cut:g} to {lowest:g}" in moved) is reached
        assert moved


def test_a_neighbour_has_the_terms_of_all_features_after_its_change():
    second = FeaturePoints("x1", [2.0], [0, 1])
    card = card_of(features=(*card_of().features, second))
    found = {what: terms for _, terms, what in one_step_changes(card, certificate(), rows_of(card))}
    # three terms: two cuts of the first feature and one of the second
    assert found["0 instead of -2 points at change 1 of 'x0'"] == 2
    assert found["-3 instead of -2 points at change 1 of 'x0'"] == 3
    assert found["0 instead of -1 points at change 2 of 'x0'"] == 2
    assert found["0 instead of -1 points at change 1 of 'x1'"] == 2
    assert found["-2 instead of -1 points at change 1 of 'x1'"] == 3


def listed(number):
    """Limits with a shortlist."""
    return {"shortlist": number, "all_conditions": 8}


@pytest.mark.parametrize("limits", [{"rules": ("age: rises",)}, listed(0), listed(7)])
def test_neighbours_that_rules_or_a_shortlist_may_forbid_are_not_tried(limits):
    assert Neighbours.of(card_of(), certificate(**limits), rows_of(card_of())).number is None


# --- rivals ---------------------------------------------------------------------------------------


def rival_of(bound=0.0, points=(0, 1, 4), **changes):
    """Another card of the kind, and its loss."""
    card = card_of(points, certificate=certificate(bound=bound))
    own = card_of(points)
    return Rival(card, seconds=1.5, **changes), hand_loss(own, rows_of(own))


def against(rival, bound, nearby=Neighbours(4), **limits):  # noqa: B008
    return _check_against_rival(certificate(**limits), rows_of(card_of()), bound, rival, nearby)


def test_without_a_search_a_bound_is_a_claim():
    found = against(Rival(why_not="of the weather"), 40.0)
    assert found.outcome is NOT_CHECKED
    assert "tried 4 neighbours, and made no search, because of the weather" in found.detail
    assert "tried no neighbours" in against(Rival(), 40.0, Neighbours(None)).detail


def test_a_rival_below_the_bound_refutes_it_but_for_rounding():
    rival, loss = rival_of()
    refuted = against(rival, loss * (1 + 2e-9))
    assert refuted.outcome is FAILED
    assert "a search of 1.5 s found another card of this kind" in refuted.detail
    found = against(rival, loss * (1 + 5e-10))
    assert found.outcome is NOT_CHECKED
    assert "searched for 1.5 s: no card was below it" in found.detail
    assert "proved a bound" not in found.detail


def test_the_terms_of_a_rival_are_charged():
    rival, loss = rival_of()  # two terms
    assert against(rival, (loss + 6) * (1 + 2e-9), min_gain=3.0).outcome is FAILED
    assert against(rival, (loss + 6) * (1 - 2e-9), min_gain=3.0).outcome is NOT_CHECKED


@pytest.mark.parametrize("limits", [{"max_terms": 1}, {"max_points": 2}, {"max_log_odds": 1.9}])
def test_a_rival_of_another_kind_says_nothing(limits):
    rival, loss = rival_of()
    found = against(rival, 2 * loss, **limits)
    assert found.outcome is NOT_CHECKED
    assert "found no other card of this kind" in found.detail


def test_a_bound_passes_only_if_it_is_proven_again():
    bound = 20.0
    rival, _ = rival_of(bound=bound)
    assert against(rival, bound).outcome is PASSED
    assert "was proven again by riskcard in 1.5 s" in against(rival, bound).detail
    assert against(rival, bound / (1 - LEAST / 2)).outcome is PASSED
    found = against(rival, bound / (1 - 2 * LEAST))
    assert found.outcome is NOT_CHECKED
    assert "proved a bound of only 20" in found.detail
    assert "proved a bound of only 0.5" in against(rival_of(bound=0.5)[0], bound).detail


def test_a_rival_without_a_certificate_proves_nothing():
    rival, _ = rival_of()
    bare = replace(rival, card=replace(rival.card, certificate=None))
    assert against(bare, 1.0).outcome is NOT_CHECKED


# --- the kind of cards ----------------------------------------------------------------------------

OTHER = {
    "max_terms": 3, "max_features": 1, "max_cuts_per_feature": 2, "max_points": 4, "scale": "multiplier",
    "max_log_odds": 5.0, "is_grid_full": True, "grid": 9, "shortlist": 8, "all_conditions": 9, "rules": ("a: rises",),
    "pseudo_rows": 3.0, "smooth_rows": 4.0, "min_gain": 1.0, "min_line_rows": 20,
}  # fmt: skip


def kind_of(rival_limits, stated=None, **changes):
    card = card_of(certificate=certificate(**{"is_grid_full": False, **rival_limits}))
    own = certificate(is_grid_full=False, **(stated or {}))
    return _check_kind(own, Rival(card, is_of_recipe=True, **changes))


@pytest.mark.parametrize("name", KIND)
def test_every_limit_of_the_kind_is_that_of_the_recipe(name):
    stated = listed(3) if name in listed(3) else {}
    found = kind_of({**stated, name: OTHER[name]}, stated)
    assert found.outcome is FAILED
    assert f"the certificate says {name} " in found.detail
    assert kind_of({}).outcome is PASSED


def test_limits_that_are_numbers_are_compared_but_for_rounding():
    assert kind_of({"max_log_odds": 6.0 * (1 + 5e-10)}).outcome is PASSED
    assert kind_of({"max_log_odds": 6.0 * (1 + 3e-9)}).outcome is FAILED


def test_a_number_is_never_the_kind_of_a_word():
    # a given multiplier against a free scale, both ways
    assert kind_of({"scale": 2.0, "max_log_odds": LOG_ODDS_LIMIT}).outcome is FAILED
    given = {"scale": 2.0, "max_log_odds": LOG_ODDS_LIMIT}
    assert kind_of({}, given).outcome is FAILED
    assert kind_of(given, given).outcome is PASSED


def test_an_automatic_shortlist_may_have_another_length():
    assert kind_of(listed(8), has_automatic_shortlist=True).outcome is NOT_CHECKED
    assert kind_of(listed(8), has_automatic_shortlist=False).outcome is FAILED
    assert kind_of({}, has_automatic_shortlist=True).outcome is PASSED


@pytest.mark.parametrize(
    ("stated", "given", "outcome"),
    [
        (None, None, PASSED),
        (None, (1.0, 2.0), FAILED),
        ((1.0, 2.0), None, FAILED),
        ((1.0, 2.0), (1.0, 2.0 * (1 + 5e-10)), PASSED),
        ((1.0, 2.0), (1.0 + 3e-9, 2.0), FAILED),
        ((1.0, 2.0), (1.0, 2.1), FAILED),
    ],
)
def test_class_weights_are_part_of_the_kind(stated, given, outcome):
    one, other = (
        certificate(class_weights=None if own is None else ClassWeights(*own, 1.0, 0.0))
        for own in (stated, given)
    )
    found = _check_kind(one, Rival(card_of(certificate=other)))
    assert found.outcome is outcome


def names_of(checks):
    return {check.name: check.outcome for check in checks}


def test_a_rival_counts_only_if_its_kind_is_that_of_the_certificate():
    card, stated = card_of(), certificate(bound=20.0, is_grid_full=False)
    rows, rival = rows_of(card), rival_of(bound=20.0)[0]
    same = replace(
        rival, card=replace(rival.card, certificate=certificate(bound=20.0, is_grid_full=False))
    )
    for own, names in (
        (same, {"neighbours": PASSED, "proof": PASSED}),  # the certificate alone says the kind
        (replace(same, is_of_recipe=True), {"neighbours": PASSED, "kind": PASSED, "proof": PASSED}),
    ):
        assert names_of(check_proof(card, stated, rows, 20.0, own)) == names
    longer = replace(
        rival.card, certificate=certificate(bound=20.0, is_grid_full=False, **listed(8))
    )
    unsure = Rival(longer, is_of_recipe=True, has_automatic_shortlist=True)
    found = list(check_proof(card, stated, rows, 20.0, unsure))
    assert names_of(found) == {"neighbours": PASSED, "kind": NOT_CHECKED, "proof": NOT_CHECKED}
    assert "made no search, because the automatic shortlist" in found[-1].detail
    assert names_of(check_proof(card, stated, rows, 0.0, same)) == {"neighbours": PASSED}


# --- limits ---------------------------------------------------------------------------------------


def limits_of(card, **changes):
    return names_of(check_limits(card, certificate(**changes), rows_of(card)))


#: Each limit of `check_limits` and the entry of a certificate that it is about.
LIMITS = {
    "terms": "max_terms",
    "features": "max_features",
    "cuts on one feature": "max_cuts_per_feature",
    "points of one term": "max_points",
}


@pytest.mark.parametrize(
    ("card", "counts"), [(card_of((0, 2, 3)), (2, 1, 2, 2)), (card_of(features=()), (0, 0, 0, 0))]
)
def test_a_card_may_have_as_many_of_everything_as_its_limits_say_and_no_more(card, counts):
    for (name, entry), number in zip(LIMITS.items(), counts, strict=True):
        for allowed in {number, max(0, number - 1)}:
            checks = check_limits(card, certificate(**{entry: allowed}), rows_of(card))
            found = next(check for check in checks if check.name == name)
            assert found.outcome is (PASSED if allowed == number else FAILED)
            assert found.detail == f"{number}, at most {allowed} allowed"


def test_charged_terms_are_checked_where_terms_are_charged():
    assert "charged terms" not in limits_of(card_of())
    assert limits_of(card_of(), min_gain=0.5, charged_terms=2)["charged terms"] is PASSED
    assert limits_of(card_of(), min_gain=0.5, charged_terms=1)["charged terms"] is FAILED


def test_with_rules_cuts_may_lack_rows_and_points_but_no_feature_may_be_worth_nothing():
    empty, flat = card_of((0, 2, 3), (1.0, 30.0)), card_of((0, 2, 2))
    for card, plain in ((card_of(), PASSED), (empty, FAILED), (flat, FAILED)):
        assert limits_of(card)["cuts"] is plain
        assert limits_of(card, rules=("x0: rises",))["cuts"] is NOT_CHECKED
    nothing = card_of((2, 2, 2))
    assert limits_of(nothing)["cuts"] is FAILED
    assert limits_of(nothing, rules=("x0: rises",))["cuts"] is FAILED


@pytest.mark.parametrize(
    ("changes", "limits", "outcome"),
    [
        ({}, {}, PASSED),
        ({"base": 1}, {}, FAILED),
        ({"base": -1}, {}, FAILED),
        ({"base": 1, "offset": 0.0}, {"scale": "multiplier"}, PASSED),
        ({"base": 1}, {"scale": "multiplier"}, FAILED),
        ({"offset": 0.0}, {"scale": 1.5, "max_log_odds": 30.0}, PASSED),
        ({"offset": 0.0}, {"scale": 1.4, "max_log_odds": 30.0}, FAILED),
        ({"offset": 0.1}, {"scale": 1.5, "max_log_odds": 30.0}, FAILED),
        ({"multiplier": -1.5}, {}, FAILED),
        ({"multiplier": -0.6}, {}, FAILED),
        ({"multiplier": 2 / 6 / (1 + 5e-10)}, {}, PASSED),
        ({"multiplier": 2 / 6 / (1 + 3e-9)}, {}, FAILED),
        ({"multiplier": 0.01, "offset": 0.0}, {"scale": 0.01, "max_log_odds": 30.0}, PASSED),
    ],
)
def test_the_scale_is_the_one_that_was_asked_for(changes, limits, outcome):
    assert limits_of(card_of(**changes), **limits)["scale"] is outcome


def test_the_number_of_terms_is_sure_or_the_most_that_are_allowed():
    card = card_of((0, 2, 3))
    assert sure_terms(card, certificate()) == 2
    assert sure_terms(card, certificate(max_points=2)) == 2
    # a step of 2 points with terms of 1 point takes more terms than the cuts say
    assert sure_terms(card, certificate(max_points=1)) == 4


@pytest.mark.parametrize(
    ("limits", "is_sure"),
    [
        ({}, True),
        ({"max_points": 2}, True),
        ({"max_points": 1}, False),
        ({"max_cuts_per_feature": 2}, True),
        ({"max_cuts_per_feature": 1}, False),
        ({"max_log_odds": 2 / 1.5}, True),
        ({"max_log_odds": 1.99 / 1.5}, False),
    ],
)
def test_the_terms_of_a_card_are_sure_only_within_all_limits(limits, is_sure):
    second = LevelPoints("x1", [["a"], ["b"]], [0, 1])
    card = card_of(features=(*card_of().features, second))
    assert sure_terms(card, certificate(**limits)) == (3 if is_sure else 4)


# --- small pieces ---------------------------------------------------------------------------------


def test_numbers_are_close_by_the_larger_of_the_two():
    assert is_close(0.0, 0.0)
    assert not is_close(0.0, 1e-300)
    assert is_close(-3.0, -3.0 * (1 + 5e-10))
    assert not is_close(-3.0, 3.0)
    assert not is_close(1.0, 1.0 + 3e-9)


@pytest.mark.parametrize("log_odds", [-800.0, -2.0, -1e-9, 0.0, 1e-9, 2.0, 800.0])
def test_a_risk_is_precise_at_both_ends(log_odds):
    small = math.exp(-abs(log_odds))
    expected = small / (1 + small) if log_odds < 0 else 1 / (1 + small)
    assert risk_at(log_odds) == pytest.approx(expected, rel=1e-14)
    assert risk_at(log_odds) + risk_at(-log_odds) == pytest.approx(1)


@pytest.mark.parametrize(
    ("number", "parameter"), [(0.0, None), (0.5, 0.05), (1.0, 1.0), (3.25, 3.25)]
)
def test_fewer_than_one_pseudo_observation_is_a_share_of_the_rows(number, parameter):
    assert _pseudo_rows(number, 10) == parameter


def training_rows(origin=RowOrigin.TRAINING, has_all=True, needs_weights=False):
    return TrainingRows(FeatureTable({}, 80), Y, None, origin, has_all, needs_weights)


@pytest.mark.parametrize(
    ("limits", "method", "rows", "words"),
    [
        ({}, "RiskScoreClassifier", {}, ""),
        ({"max_terms": 0}, "RiskScoreClassifier", {}, "may not have terms"),
        ({"max_terms": 1}, "RiskScoreClassifier", {}, ""),
        ({"max_terms": 12}, "RiskScoreClassifier", {}, ""),
        ({"max_terms": 13}, "RiskScoreClassifier", {}, "more than 12 terms"),
        ({}, "improve", {}, "improved is not stored"),
        ({}, "fit_within_limits", {}, "groups that its limits are about"),
        ({}, "RiskScoreClassifier", {"origin": RowOrigin.OTHER}, "these are not the rows"),
        ({}, "RiskScoreClassifier", {"has_all": False}, "columns of training are missing here"),
        (
            {},
            "RiskScoreClassifier",
            {"origin": RowOrigin.UNKNOWN},
            "does not use have other values",
        ),
        (
            {},
            "RiskScoreClassifier",
            {"origin": RowOrigin.UNKNOWN, "needs_weights": True},
            "the weights are not here",
        ),
        ({}, None, {"origin": RowOrigin.UNKNOWN, "has_all": False}, ""),
        ({"rules": ("age: rises",)}, None, {}, "without a recipe"),
        ({"min_gain": 0.5}, None, {}, "without a recipe"),
        ({"is_grid_full": False}, None, {}, "without a recipe"),
    ],
)
def test_a_search_is_made_only_within_a_kind_that_is_known(limits, method, rows, words):
    of_recipe = None if method is None else recipe(method=method)
    card = card_of(certificate=certificate(**{"is_grid_full": True, **limits}), recipe=of_recipe)
    found = _obstacle(card, training_rows(**rows), is_of_recipe=method is not None)
    assert words in found if words else found == ""


@pytest.mark.parametrize(
    ("resolved", "grid", "pseudo"),
    [({}, "auto", "auto"), ({"grid": 12}, 12, "auto"), ({"pseudo_rows": 20.0}, "auto", 20.0)],
)
def test_a_setting_that_the_recipe_does_not_resolve_stays_as_given(resolved, grid, pseudo):
    parameters = RiskScoreClassifier().get_params()
    card = card_of(recipe=recipe(parameters=parameters, resolved=resolved))
    found = _model_of_recipe(card, 80)
    assert (found.regularization.grid, found.regularization.pseudo_rows) == (grid, pseudo)


@pytest.mark.parametrize(("weights", "n_rows"), [(None, 80), (np.arange(80.0) % 4, 60)])
def test_a_search_is_for_the_rows_that_have_a_weight(weights, n_rows, monkeypatch):
    seen = []
    monkeypatch.setattr(rivals, "_model_of_recipe", lambda card, number: seen.append(number))
    monkeypatch.setattr(rivals, "_search", lambda model, rows, of_recipe: (model, of_recipe))
    card = card_of(certificate=certificate(is_grid_full=True))
    rows = replace(training_rows(), weights=weights)
    for prove, seconds in ((None, rivals.SEARCH_SECONDS), (3.0, 3.0)):
        model, of_recipe = find_rival(card, rows, prove)
        assert (model.certify, model.time_limit, of_recipe) == (prove is not None, seconds, False)
        assert (model.max_terms, model.max_points, model.event) == (4, 5, 1)
    assert seen == [n_rows, n_rows]
    for nothing in ({"bound": 0.0, "status": "heuristic"}, {"max_terms": 13}):
        bare = replace(card, certificate=certificate(is_grid_full=True, **nothing))
        assert find_rival(bare, rows).card is None


@pytest.mark.parametrize(
    ("limits", "parameters", "parts"),
    [
        ({}, {"max_features": 2, "max_cuts_per_feature": 3, "max_log_odds": 6.0}, {}),
        ({"max_features": 0, "max_cuts_per_feature": 0}, {"max_features": None, "max_cuts_per_feature": None}, {}),
        ({"scale": "multiplier"}, {"scale": "multiplier", "max_log_odds": 6.0}, {}),
        ({"scale": 1.5, "max_log_odds": 30.0}, {"scale": 1.5, "max_log_odds": None}, {}),
        ({"min_line_rows": 1}, {}, {"min_line_rows": None}),
        ({"min_line_rows": 2}, {}, {"min_line_rows": 2}),
        ({"pseudo_rows": 0.8, "smooth_rows": 7.0}, {}, {"pseudo_rows": 0.01, "smooth_rows": 7.0}),
        ({"class_weights": ClassWeights(1.0, 3.0, 2.0, 0.0)}, {"class_weight": {0: 1.0, 1: 3.0}}, {}),
    ],
)  # fmt: skip
def test_a_certificate_alone_gives_the_classifier_of_its_kind(limits, parameters, parts):
    card = card_of(certificate=certificate(**limits))
    found = rivals._model_of_certificate(card, card.certificate, 80).get_params(deep=False)
    usual = {"max_terms": 4, "max_points": 5, "scale": "calibrated", "class_weight": None}
    assert {name: found[name] for name in {**usual, **parameters}} == {**usual, **parameters}
    none = {"grid": None, "pseudo_rows": None, "smooth_rows": None, "shortlist": None}
    expected = {**none, "min_line_rows": None, **parts}
    assert {name: getattr(found["regularization"], name) for name in expected} == expected


@pytest.mark.parametrize("shortlist", ["auto", 12, None])
def test_a_rival_has_the_time_and_the_shortlist_of_its_search(shortlist):
    card = card_of()
    model = SimpleNamespace(
        fit=lambda *rows, **options: None,
        card_=card,
        regularization=SimpleNamespace(shortlist=shortlist),
    )
    found = rivals._search(model, training_rows(), True)
    assert (found.card, found.why_not, found.is_of_recipe) == (card, "", True)
    assert 0 <= found.seconds < 5
    assert found.has_automatic_shortlist is (shortlist == "auto")


# --- rows, counts and risks -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "outcome", "shown"),
    [
        ([0, 1, 1], PASSED, "the target has 0 and 1; the card has 0 and 1"),
        ([0, 1, 2], FAILED, "the target has 0, 1, 2;"),
        ([1, 1, 1], FAILED, "the target has 1;"),
        ([0, 3, 3], FAILED, "the target has 0 and 3;"),
        ([5, 4, 3, 1, 0], FAILED, "the target has 0, 1, 3, 4;"),
    ],
)
def test_the_target_has_the_two_labels_of_the_card(labels, outcome, shown):
    found = _check_labels(card_of(), SimpleNamespace(target=np.array(labels)))
    assert found.outcome is outcome
    assert found.detail.startswith(shown)


def test_the_labels_of_the_target_and_of_the_card_are_listed_in_one_order():
    card = SimpleNamespace(classes=("nein", "ja"))
    found = _check_labels(card, SimpleNamespace(target=np.array(["nein", "ja", "ja"])))
    assert found.detail == "the target has 'ja' and 'nein'; the card has 'ja' and 'nein'"


WEIGHTS = np.linspace(0.5, 2.0, 80)


def counted_card():
    """A card with true counts, overall and of each total."""
    card, has_event = card_of(), Y == 1
    totals = count_totals(card.total_points(X), has_event, WEIGHTS, card.reachable_totals())
    facts = 80, int(Y.sum()), WEIGHTS.sum(), WEIGHTS[has_event].sum()
    return replace(card, training=TrainingFacts(*facts, totals=totals, is_weighted=True))


def weighted_rows():
    return _read_rows(card_of(), X, Y, WEIGHTS)


def test_counts_of_rows_events_and_weights_are_compared():
    card, rows = counted_card(), weighted_rows()
    assert _check_training(card, rows).outcome is PASSED
    assert _check_training(card_of(), rows).outcome is NOT_CHECKED
    for name, step in (("rows", 1), ("events", -1), ("weight", 1e-6), ("event_weight", -1e-6)):
        facts = replace(card.training, **{name: getattr(card.training, name) + step})
        assert _check_training(replace(card, training=facts), rows).outcome is FAILED


def test_every_count_of_a_total_is_compared():
    card, rows = counted_card(), weighted_rows()
    assert [one.outcome for one in _check_counts(card, rows)] == [PASSED]
    assert list(_check_counts(card_of(), rows)) == []
    counts = card.training.totals
    assert len(counts) == 3
    last = counts[-1]
    changes = [
        {"rows": last.rows - 1},
        {"events": last.events - 1},
        {"weight": last.weight * (1 + 2e-9)},
        {"event_weight": last.event_weight * (1 + 2e-9)},
        {"low": last.low + 1, "high": last.high + 1},
    ]
    for change in changes:
        wrong = replace(last, **change)
        totals = (*counts[:-1], wrong)
        facts = replace(card.training, totals=totals)
        (found,) = _check_counts(replace(card, training=facts), rows)
        assert found.outcome is FAILED
        assert f"that of {wrong.low} to {wrong.high} is wrong" in found.detail
    for kept in (counts[1:], counts[:-1]):  # all are right, but some rows are not counted
        facts = replace(card.training, totals=kept)
        (found,) = _check_counts(replace(card, training=facts), rows)
        assert found.outcome is FAILED
        assert (
            found.detail == f"2 counts of totals with {sum(one.rows for one in kept)} rows, of 80"
        )


def test_a_band_counts_its_first_and_its_last_total():
    card, rows = counted_card(), weighted_rows()
    band = TotalCount(0, 3, 80, int(Y.sum()), WEIGHTS.sum(), WEIGHTS[Y == 1].sum(), 70.0)
    assert {0, 3} <= set(card.total_points(X).tolist())
    facts = replace(card.training, totals=(band,))
    (found,) = _check_counts(replace(card, training=facts), rows)
    assert found.outcome is PASSED


@pytest.mark.parametrize(("error", "outcome"), [(5e-10, PASSED), (2e-9, FAILED), (-2e-9, FAILED)])
def test_risks_of_totals_are_compared_but_for_rounding(error, outcome, monkeypatch):
    table = card_of().risk_table()
    shifted = (table[0], table[1]._replace(risk=table[1].risk + error), *table[2:])
    monkeypatch.setattr(RiskCard, "risk_table", lambda card: shifted)
    found = {check.name: check for check in _check_risks(card_of(), rows_of(card_of()))}
    assert found["risk table"].outcome is outcome
    assert (", the risk of total 2 is wrong" in found["risk table"].detail) is (outcome is FAILED)
    assert found["totals"].outcome is PASSED


def test_risks_rise_or_fall_with_the_total_as_the_scale_says(monkeypatch):
    for multiplier in (1.5, -1.5, 0.001):  # so steep that two totals have a risk of 1
        card = card_of(multiplier=multiplier)
        assert {one.outcome for one in _check_risks(card, rows_of(card))} == {PASSED}
    low, *others = card_of().risk_table()
    monkeypatch.setattr(RiskCard, "risk_table", lambda card: tuple(others))
    found = {check.name: check for check in _check_risks(card_of(), rows_of(card_of()))}
    assert found["totals"].outcome is FAILED
    assert f"{low.total} is not in the risk table" in found["totals"].detail


@pytest.mark.parametrize(
    ("of_recipe", "given", "is_scale", "outcome"),
    [
        (None, training_rows(), None, NOT_CHECKED),
        (recipe(), "no such column", None, NOT_CHECKED),
        (recipe(), training_rows(RowOrigin.UNKNOWN), None, NOT_CHECKED),
        (recipe(), training_rows(RowOrigin.OTHER), None, FAILED),
        (recipe(), training_rows(RowOrigin.TRAINING), None, PASSED),
        (recipe(scale_rows="0a"), training_rows(RowOrigin.OTHER), True, PASSED),
        (recipe(scale_rows="0a"), training_rows(RowOrigin.TRAINING), False, PASSED),
        (recipe(scale_rows="0a"), training_rows(RowOrigin.OTHER), False, FAILED),
        (recipe(scale_rows="0a"), training_rows(RowOrigin.UNKNOWN), False, NOT_CHECKED),
    ],
)
def test_hashes_say_whether_the_rows_are_those_of_training(of_recipe, given, is_scale, outcome):
    found = _check_origin(card_of(recipe=of_recipe), given, is_scale)
    assert (found.name, found.outcome) == ("values of the rows", outcome)
    assert isinstance(given, TrainingRows) or found.detail == given


def classifier(**changes):
    card = card_of(certificate=certificate())
    risks = card.risk(X)
    stated = {"loss_": 50.0, "lower_bound_": 40.0, "status_": "time_limit", "classes_": [0, 1]}
    known = {**stated, "predict_proba": lambda X: np.column_stack([1 - risks, risks])}
    return SimpleNamespace(**{**known, **changes}), card


@pytest.mark.parametrize(
    ("changes", "failures"),
    [
        ({}, set()),
        ({"loss_": 50.0 * (1 + 2e-9)}, {"certificate"}),
        ({"lower_bound_": 40.0 * (1 + 2e-9)}, {"certificate"}),
        ({"status_": "optimal"}, {"certificate"}),
        ({"classes_": [1, 0]}, {"classes"}),
        ({"classes_": [0, 2]}, {"classes"}),
    ],
)
def test_a_classifier_states_what_its_card_does(changes, failures):
    subject, card = classifier(**changes)
    found = list(_check_classifier(subject, card, X, rows_of(card)))
    assert {check.name for check in found if check.outcome is FAILED} == failures
    assert ("predictions" in {check.name for check in found}) is (failures != {"classes"})


@pytest.mark.parametrize(("error", "outcome"), [(5e-10, PASSED), (2e-9, FAILED), (-2e-9, FAILED)])
def test_the_largest_error_of_a_prediction_counts(error, outcome):
    risks = card_of().risk(X)
    risks[7] += error
    subject, card = classifier(predict_proba=lambda X: np.column_stack([1 - risks, risks]))
    (*_, found) = _check_classifier(subject, card, X, rows_of(card))
    assert (found.name, found.outcome) == ("predictions", outcome)
    bare = replace(card, certificate=None)
    names = [check.name for check in _check_classifier(subject, bare, X, rows_of(card))]
    assert names == ["classes", "predictions"]


# --- the report -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "lacks"),
    [
        ({"bound": 0.0, "status": "heuristic"}, ""),
        ({"bound": 1.0}, "recipe"),
        ({"bound": 0.5}, "recipe"),
    ],
)
def test_a_bound_without_a_recipe_is_not_backed(limits, lacks):
    card = card_of()
    stated = certificate(loss=hand_loss(card, rows_of(card)), **limits)
    report = audit_card(replace(card, certificate=stated), X, Y)
    assert report.failures == (), str(report)
    assert (report.lacks, report.passed) == (lacks, lacks == "")


@pytest.mark.parametrize(
    ("checks", "words"),
    [
        ([("loss", False), ("values of the rows", True)], "The card is not what it claims."),
        ([("loss", False)], "do not belong together"),
        ([("terms", False)], "The card is not what it claims."),
        ([("proof file", False)], "The proof file was refused; nothing else contradicts the card."),
        ([("proof file", False), ("terms", False)], "The card is not what it claims."),
        ([("values of the rows", False), ("loss", False)], "these are not the rows"),
        ([("digest", False), ("values of the rows", False)], "The card is not what it claims."),
        ([("labels", False), ("values of the rows", False)], "The labels of the table are not"),
        ([("rows", False), ("values of the rows", True)], "The card is not what it claims."),
        ([("rows", False), ("counts", False)], "do not belong together"),
    ],
)
def test_a_failed_audit_names_what_is_at_fault(checks, words):
    report = AuditReport(tuple(checked(*check, "...") for check in checks), 1.0)
    assert words in report.summary


def test_a_report_counts_its_checks_and_says_what_follows():
    good, bad, unknown = checked("a", True, "1"), checked("b", False, "2"), not_checked("c", "3")
    for checks, lacks, summary in (
        ((good, good, unknown), "", "2 passed, 0 failed, 1 not checked."),
        ((good, bad), "recipe", "1 passed, 1 failed, 0 not checked. The card is not what it claims."),
        ((good,), "certificate", "1 passed, 0 failed, 0 not checked. The card has no certificate."),
        ((), "recipe", "0 passed, 0 failed, 0 not checked. The card has no recipe, so nothing backs its bound."),
        ((unknown,), "columns", "0 passed, 0 failed, 1 not checked. Give the rows with all columns that the card was learned from."),
    ):  # fmt: skip
        report = AuditReport(checks, 1.0, lacks)
        assert report.summary == summary
        assert report.passed is (not lacks and bad not in checks)
    assert [one.holds for one in (good, bad, unknown)] == [True, False, True]
    assert [str(one) for one in (good, bad, unknown)] == [
        "pass         a: 1", "FAIL         b: 2", "not checked  c: 3",
    ]  # fmt: skip


def test_pseudo_observations_of_a_regression_need_all_columns():
    rng = np.random.default_rng(3)
    table = rng.normal(size=(300, 3)).round(1)
    labels = (table[:, 0] + 0.5 * table[:, 1] + rng.logistic(size=300) > 0).astype(int)
    model = RiskScoreClassifier(1, certify=True).fit(table, labels)
    card = model.card_
    assert card.certificate.smooth_rows > 0
    assert audit_card(card, table, labels).lacks == ""
    some = {card.features[0].name: table[:, card.feature_names.index(card.features[0].name)]}
    report = audit_card(card, some, labels)
    assert (report.lacks, report.passed) == ("columns", False)
    assert report.checks[-1].outcome is NOT_CHECKED
    plain = RiskScoreClassifier(1, certify=True, regularization=None).fit(table, labels).card_
    assert audit_card(plain, some, labels).lacks != "columns"


def test_what_a_checker_found_takes_the_place_of_a_search_unless_that_refuted_the_bound():
    loss, refuted = checked("loss", True, "..."), checked("proof", False, "...")
    verified = checked("proof file", True, "...")
    for proof, kept in (
        (not_checked("proof", "..."), (loss,)),
        (checked("proof", True, "..."), (loss,)),
        (refuted, (loss, refuted)),
    ):
        report = AuditReport((loss, proof), 1.0, "recipe").with_proof_file(verified)
        assert report == AuditReport((*kept, verified), 1.0, "recipe")
