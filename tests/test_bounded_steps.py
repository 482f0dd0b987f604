"""The bound for cards with bounded steps: it holds for all of them, after a proof cut short."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

from oracle.enumerate_cards import enumerate_cards
from random_problems import random_problem
from riskcard import RiskScoreClassifier, audit_card
from riskcard.audit.findings import Outcome
from riskcard.card.sentences import certificate_sentences, step_words
from riskcard.errors import ParameterError
from riskcard.model.card_json import card_from_json, card_to_json
from riskcard.model.origin.certificate import Certificate
from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Problem, Scale
from riskcard.problem.result import SolveResult
from riskcard.problem.solution import Solution
from riskcard.report.figure_sentences import bound_sentence
from riskcard.search.drivers.solve_plain import WholeProof
from riskcard.search.proof import bounded_steps
from riskcard.search.proof.bounded_steps import (
    bound_cards_with_bounded_steps,
    seconds_for_bounded_steps,
    step_limit,
)
from riskcard.search.proof.conditions import arrange_conditions, with_other_limit
from riskcard.search.proof.tree import Proof, Stops, _Tree
from riskcard.status import Status

FREE = (Scale("calibrated"), Scale("multiplier"))


def as_proof(card: Solution, problem: Problem) -> Proof:
    """What a proof of nothing at all leaves behind."""
    return Proof(card, loss_of(card, problem), 0.0, Status.TIME_LIMIT, 7)


def limited(problem: Problem, odds: float) -> Problem:
    return replace(problem, scale=replace(problem.scale, limit=math.log(odds)))


@pytest.mark.slow
@pytest.mark.parametrize("scale", FREE, ids=lambda scale: scale.kind)
@pytest.mark.parametrize("block", range(4))
def test_no_card_with_bounded_steps_is_below_the_bound_however_early_the_proof_ends(
    block, scale, monkeypatch
):
    monkeypatch.setattr(bounded_steps, "LEAST_ODDS", 2.0)
    n_bounds = 0
    for seed in range(15 * block, 15 * block + 15):
        problem = random_problem(seed, scale)
        conditions = arrange_conditions(problem)
        # a card with bounded steps, though it need not be the best of all
        card = enumerate_cards(limited(problem, 3.0)).solution
        odds = step_limit(card, problem)
        if odds is None or conditions is None:
            continue
        optimum = enumerate_cards(limited(problem, odds)).loss
        for stops in (Stops(), Stops(node_limit=1), Stops(deadline=0.0), Stops(gap=0.1)):
            proof, found = bound_cards_with_bounded_steps(
                problem, as_proof(card, problem), conditions, stops, 1
            )
            assert violations(proof.solution, problem) == []
            assert (proof.bound, proof.status) == (0.0, Status.TIME_LIMIT)
            assert proof.loss <= loss_of(card, problem)
            if found is not None:
                n_bounds += 1
                assert found.odds == odds
                assert 0 < found.bound <= optimum * (1 + 1e-7)
            if stops == Stops():
                assert found is not None
                assert found.bound >= optimum * (1 - 1e-6)
    assert n_bounds > 20


def test_conditions_with_another_limit_are_those_laid_out_for_it():
    problems = [random_problem(seed, Scale("calibrated")) for seed in range(20)]
    known = [(one, arrange_conditions(one)) for one in problems]
    known = [(one, conditions) for one, conditions in known if conditions is not None]
    assert len(known) > 15
    for problem, conditions in known:
        other = limited(problem, 5.0)
        changed, expected = with_other_limit(conditions, other), arrange_conditions(other)
        for name, one, two in zip(conditions._fields, changed, expected, strict=True):
            np.testing.assert_array_equal(one, two, err_msg=name)


def test_bounded_steps_are_as_steep_as_those_of_the_card_and_at_least_ten():
    problem = random_problem(4, Scale("calibrated"))
    flat = Solution.of([(0, 0, 1), (1, 0, -2)], 0, 1.0, 0.0)
    steep = Solution.of(
        [(0, 0, 1), (1, 0, -3)], 0, 0.5, 0.0
    )  # one term multiplies the odds by 403.4
    steepest = Solution.of([(0, 0, 1)], 0, 1 / 23, 0.0)
    assert step_limit(flat, problem) == 10
    assert step_limit(steep, problem) == 410
    assert step_limit(steepest, problem) is None
    assert step_limit(Solution.of([], 0, 1.0, 0.0), problem) is None
    assert step_limit(flat, replace(problem, scale=Scale("fixed", 1.0))) is None
    assert step_limit(flat, replace(problem, scale=Scale("calibrated", limit=3.0))) is None


@pytest.mark.parametrize("odds", [10.0, 12.0, 99.0, 99.5, 1.1e5, math.exp(5.0), math.exp(2.302586)])
def test_rounded_up_odds_are_never_below_what_was_rounded(odds):
    assert odds <= bounded_steps._rounded_up(odds) <= 1.1 * odds


def test_time_is_reserved_only_where_there_is_enough_of_it():
    problem = random_problem(4, Scale("calibrated"))
    card = Solution.of([(0, 0, 1)], 0, 1.0, 0.0)
    assert seconds_for_bounded_steps(card, problem, 60.0) == pytest.approx(9.0)
    assert seconds_for_bounded_steps(card, problem, 1.0) == 0
    assert seconds_for_bounded_steps(card, problem, math.inf) == 0
    assert seconds_for_bounded_steps(Solution.of([], 0, 1.0, 0.0), problem, 60.0) == 0


def rows_to_fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    return X, rng.random(120) < 1 / (1 + np.exp(-X[:, 0] - (X[:, 1] > 0.5) + (X[:, 2] > 0)))


def run_out_of_time(whole, card, stops):
    """A proof that has no time left when it knows nearly nothing."""
    proof = replace(as_proof(card, whole.problem), bound=1.0)
    whole.history.add(proof.loss, proof.bound, proof.nodes)
    return proof


@pytest.fixture(scope="module")
def cut_short():
    """A classifier whose proof about all cards was cut short, and its rows; independent of any clock."""
    X, y = rows_to_fit()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WholeProof, "in_two_rounds", run_out_of_time)
        settings = {"regularization": None, "certify": True, "time_limit": 1e4}
        return RiskScoreClassifier(max_terms=2, **settings).fit(X, y), X, y


def test_a_proof_that_was_cut_short_has_a_bound_for_bounded_steps(cut_short):
    model, X, y = cut_short
    certificate = model.card_.certificate
    assert certificate.status is Status.TIME_LIMIT
    assert certificate.bound == 1
    assert certificate.step_bound == pytest.approx(certificate.loss, rel=1e-6)
    assert certificate.step_bound < certificate.loss
    assert certificate.step_odds >= 10
    assert audit_card(model, X, y).passed
    assert not any("max_log_odds" in note for note in certificate.notes)
    assert {moment.bound for moment in model.result_.history} == {1.0}


def test_the_card_says_so_in_a_sentence_and_keeps_it_in_its_file(cut_short):
    card = cut_short[0].card_
    (sentence,) = step_words(card.certificate)
    start = (
        f"no term multiplies the odds by more than {card.certificate.step_odds:g}, none has a loss"
    )
    assert start in sentence
    assert sentence in certificate_sentences(card.certificate)
    assert "Gap to that" in card.certificate._repr_html_()
    assert card_from_json(card_to_json(card)) == card


@pytest.mark.parametrize("is_complete", [True, False])
def test_a_complete_proof_and_one_with_a_given_scale_have_none(is_complete, monkeypatch):
    settings = {"max_terms": 1, "regularization": None, "time_limit": None}
    if not is_complete:
        monkeypatch.setattr(WholeProof, "in_two_rounds", run_out_of_time)
        settings = {"max_terms": 2, "regularization": None, "scale": 2}
    certificate = (
        RiskScoreClassifier(certify=True, **settings).fit(*rows_to_fit()).card_.certificate
    )
    assert (certificate.status is Status.OPTIMAL) == is_complete
    assert not certificate.has_step_bound
    assert step_words(certificate) == []
    assert (certificate.step_odds, certificate.step_bound) == (0.0, 0.0)


@pytest.mark.parametrize("bound", [0.0, 3.0])
def test_a_report_has_the_sentence_whatever_is_known_of_all_cards(cut_short, bound):
    certificate = replace(cut_short[0].card_.certificate, bound=bound)
    assert bound_sentence(certificate).endswith(step_words(certificate)[0])


@pytest.mark.parametrize("factor", [1.001, 2.0])
def test_an_audit_notices_a_bound_on_bounded_steps_above_the_loss(cut_short, factor):
    model, X, y = cut_short
    certificate = model.card_.certificate
    forged = replace(certificate, step_bound=factor * certificate.loss)
    report = audit_card(replace(model.card_, certificate=forged, recipe=None), X, y)
    assert [check.name for check in report.failures] == ["bound on bounded steps"]


def test_an_audit_notices_a_bound_on_bounded_steps_below_that_on_all_cards(cut_short):
    model, X, y = cut_short
    certificate = model.card_.certificate
    forged = replace(certificate, step_bound=0.9 * certificate.bound)
    report = audit_card(replace(model.card_, certificate=forged, recipe=None), X, y)
    assert [check.name for check in report.failures] == ["bound on bounded steps"]


def check_of_bounded_steps(card, X, y):
    (check,) = [
        check for check in audit_card(card, X, y).checks if check.name == "bound on bounded steps"
    ]
    return check


def test_an_audit_says_when_the_card_itself_has_steeper_terms(cut_short):
    model, X, y = cut_short
    forged = replace(model.card_.certificate, step_odds=1.01)
    check = check_of_bounded_steps(replace(model.card_, certificate=forged, recipe=None), X, y)
    assert check.outcome is Outcome.NOT_CHECKED
    assert "tried no neighbours" in check.detail


def test_an_audit_does_not_take_a_steep_card_with_missing_values_for_a_flat_one():
    rng = np.random.default_rng(0)
    x, z = rng.choice([0.0, 1.0, np.nan], 300), rng.integers(0, 2, 300).astype(float)
    y = rng.random(300) < 1 / (1 + np.exp(2.6 - 3.6 * (x == 1) - 1.8 * z))
    X, settings = np.column_stack([x, z]), {"max_terms": 4, "max_points": 2, "certify": True}
    settings["regularization"] = None
    model = RiskScoreClassifier(**settings).fit(X, y)
    flat = RiskScoreClassifier(**settings, max_log_odds=math.log(10)).fit(X, y)
    stated = {"step_odds": 10.0, "step_bound": flat.lower_bound_}
    certificate = replace(model.card_.certificate, status="time_limit", bound=1.0, **stated)
    assert certificate.loss < certificate.step_bound
    assert check_of_bounded_steps(
        replace(model.card_, certificate=certificate, recipe=None), X, y
    ).holds
    assert step_words(certificate)[0].endswith("; this one has steeper terms.")


@pytest.mark.parametrize(
    ("odds", "bound"), [(0.0, 5.0), (10.0, 0.0), (1.0, 5.0), (-3.0, 5.0), (10.0, -1.0)]
)
def test_half_a_statement_on_bounded_steps_is_refused(odds, bound):
    with pytest.raises(ParameterError, match="leave both out"):
        Certificate(
            7.0, 3.0, Status.TIME_LIMIT, 3, 3, 3, 5, "calibrated",
            step_odds=odds, step_bound=bound,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scale": 1.0, "max_log_odds": 30.0}, "nothing is proven about bounded steps alone"),
        ({"status": "heuristic"}, "Where nothing was proven"),
    ],
)
def test_a_statement_on_bounded_steps_that_nobody_can_make_is_refused(cut_short, settings, message):
    with pytest.raises(ParameterError, match=message):
        replace(cut_short[0].card_.certificate, **settings)


def test_bounds_in_html_are_rounded_down(cut_short):
    certificate = replace(cut_short[0].card_.certificate, bound=41.2345678, step_bound=45.2345678)
    assert "41.234567<" in certificate._repr_html_()
    assert "45.234567<" in certificate._repr_html_()


def test_a_certificate_survives_a_pickle(cut_short):
    certificate = cut_short[0].card_.certificate
    assert pickle.loads(pickle.dumps(certificate)) == certificate


def test_who_interrupts_the_second_proof_has_interrupted_all(monkeypatch):
    problem = random_problem(4, Scale("calibrated"))
    card = enumerate_cards(limited(problem, 3.0)).solution
    interrupted = replace(as_proof(card, problem), status=Status.INTERRUPTED)
    monkeypatch.setattr(bounded_steps, "prove", lambda *given: interrupted)
    conditions = arrange_conditions(problem)
    proof, found = bound_cards_with_bounded_steps(
        problem, as_proof(card, problem), conditions, Stops(), 1
    )
    assert (proof.status, found) == (Status.INTERRUPTED, None)


def test_time_that_the_second_proof_leaves_goes_to_the_first_again(monkeypatch):
    """A first proof that has done nothing so far is complete in the end, and in one go."""

    def begin(whole, card, stops):
        tree = _Tree(whole.problem, whole.conditions, card, stops)
        whole.history.add(tree.loss, 0.0, 0)
        return Proof(tree.card, tree.loss, 0.0, Status.TIME_LIMIT, 0, tree)

    X, y = rows_to_fit()
    settings = {"regularization": None, "certify": True, "time_limit": 1e4}
    whole = RiskScoreClassifier(max_terms=2, **settings).fit(X, y)
    monkeypatch.setattr(WholeProof, "in_two_rounds", begin)
    parts = RiskScoreClassifier(max_terms=2, **settings).fit(X, y)
    assert parts.status_ == "optimal"
    assert parts.loss_ == pytest.approx(whole.loss_, rel=1e-9)
    assert not parts.card_.certificate.has_step_bound
    assert parts.result_.nodes > whole.result_.nodes > 0
    bounds = [moment.bound for moment in parts.result_.history]
    assert bounds == sorted(bounds)


def test_a_result_without_a_second_bound_says_nothing_of_bounded_steps():
    card = Solution.of([], 0, 1.0, 0.0)
    assert SolveResult(card, 1.0, 0.5, Status.TIME_LIMIT).bounded_steps is None
