"""The shortlist: the lasso behind it is one, and cards are chosen from it and proven to be the best of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optional import pd
from oracle.enumerate_cards import enumerate_cards
from random_problems import random_problem
from riskcard import (
    CardRules,
    FeatureRule,
    ParameterError,
    ProofNotes,
    Regularization,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    audit_card,
    improve,
    write_proof,
)
from riskcard.audit.findings import Outcome
from riskcard.card.sentences import kind_words, proof_for_readers, regularization_words
from riskcard.cli.main import main
from riskcard.encoding.decode_solution import PrintedCuts
from riskcard.estimators import learning
from riskcard.logistic import residuals
from riskcard.model.card import RiskCard
from riskcard.problem.objective import violations
from riskcard.search.lasso import TOLERANCE, Candidates, fit_lasso, lasso_path
from riskcard.search.shortlist import close_all_but, fitting_shortlist, open_conditions, shortlist
from riskcard.search.solve import Options, has_too_many_conditions, solve
from riskcard.status import Status


@pytest.fixture(scope="module")
def table():
    """A number with missing values, levels, and noise; 200 rows."""
    rng = np.random.default_rng(4)
    n = 200
    age, colour = rng.integers(20, 90, n).astype(float), rng.choice(["red", "green", "blue"], n)
    score = 0.06 * (age - 70) + np.where(colour == "red", 1.5, 0.0)
    y = (score + rng.logistic(size=n) > 0).astype(int)
    age[rng.random(n) < 0.1] = np.nan
    noise = rng.normal(size=(n, 3)).round(1)
    return pd.DataFrame({"age": age, "colour": colour, **dict(zip("abc", noise.T, strict=True))}), y


def only_shortlist(length):
    """Regularised by a shortlist and nothing else."""
    return Regularization.only(shortlist=length)


# --- the lasso ----------------------------------------------------------------------------------


def random_candidates(seed: int) -> tuple[Candidates, np.ndarray]:
    """Columns of 0 and 1, two of them equal, with penalties and signs of their own."""
    rng = np.random.default_rng(seed)
    matrix = (rng.random((60, 8)) < rng.uniform(0.1, 0.9, 8)).astype(float)
    matrix[:, 7] = matrix[:, 0]
    labels = np.where(matrix[:, 0] + matrix[:, 1] + rng.logistic(size=60) > 1, 1.0, -1.0)
    return Candidates(
        labels=labels,
        weights=rng.uniform(0.5, 2.0, 60),
        add_up=lambda numbers: matrix.T @ numbers,
        take=lambda chosen: matrix[:, chosen],
        factors=rng.uniform(0.2, 1.0, 8),
        may_fall=rng.random(8) < 0.7,
        may_rise=rng.random(8) < 0.7,
    ), matrix


@pytest.mark.parametrize("seed", range(20))
def test_the_lasso_meets_its_optimality_conditions(seed):
    candidates, matrix = random_candidates(seed)
    used = 0
    for penalty in (8.0, 3.0, 1.0, 0.1):
        at, intercept = fit_lasso(candidates, penalty, np.zeros(8), 0.0)
        rest = residuals(matrix @ at + intercept, candidates.labels, candidates.weights)
        pull, tolerance = matrix.T @ rest, 2 * TOLERANCE * penalty
        limits = penalty * candidates.factors
        assert abs(rest.sum()) <= tolerance  # the intercept is free
        for j in range(8):
            if at[j] != 0:
                assert candidates.may_rise[j] if at[j] > 0 else candidates.may_fall[j]
                assert pull[j] == pytest.approx(np.sign(at[j]) * limits[j], abs=tolerance)
            else:
                assert pull[j] <= limits[j] + tolerance or not candidates.may_rise[j]
                assert -pull[j] <= limits[j] + tolerance or not candidates.may_fall[j]
        used += np.count_nonzero(at)
    assert used > 0 or not (candidates.may_fall | candidates.may_rise).any()


def test_the_path_begins_with_one_coefficient_and_takes_up_more():
    candidates, _ = random_candidates(3)
    counts = [np.count_nonzero(at) for at in lasso_path(candidates)]
    assert counts[0] >= 1
    assert counts[-1] > counts[0]


# --- which conditions ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_only_allowed_conditions_are_on_it_and_those_of_required_features_stay_open(seed):
    problem = random_problem(seed)
    n_columns, n_features = problem.data.n_columns, problem.data.n_features
    rng = np.random.default_rng(seed)
    shut = [rng.random(int(n)) < 0.3 for n in problem.data.n_cuts]
    must = np.arange(n_features) == rng.integers(n_features)
    problem = problem.without(shut)
    restrictions = replace(problem.restrictions, must_use=must)
    problem = replace(problem, restrictions=restrictions)
    columns, cuts = open_conditions(problem)
    for count in (1, 2, 4, 100):
        chosen = shortlist(problem, count)
        assert len(set(chosen)) == len(chosen) == min(count, columns.size)
        assert set(chosen) <= set(zip(columns.tolist(), cuts.tolist(), strict=True))
        closed = close_all_but(problem, chosen)
        for v in range(n_columns):
            is_required = must[problem.data.feature_of[v]]
            for cut in range(int(problem.data.n_cuts[v])):
                assert closed[v][cut] == (not is_required and (v, cut) not in chosen)


def test_sums_by_code_are_the_sums_over_the_rows_for_which_a_condition_holds():
    from riskcard.search.shortlist import _candidates

    problem = random_problem(5)
    columns, cuts = open_conditions(problem)
    candidates = _candidates(problem, columns, cuts)
    numbers = np.random.default_rng(0).normal(size=problem.data.n_rows)
    holds = problem.data.codes[columns] <= cuts[:, None]
    assert candidates.add_up(numbers) == pytest.approx(holds @ numbers)
    assert (candidates.take(np.arange(columns.size)) == holds.T).all()


def test_what_matters_comes_first(table):
    X, y = table
    card = (
        RiskScoreClassifier(2, regularization=Regularization.only(grid=9, shortlist=8))
        .fit(X, y)
        .card_
    )
    assert {feature.name for feature in card.features} <= {"age", "colour"}


def test_it_is_shorter_with_fewer_rows_and_where_less_is_explained():
    assert fitting_shortlist(0.0, 5, 1000) == fitting_shortlist(0.2, 5, 50) == 7
    assert fitting_shortlist(0.5, 5, 700) == 5 + 2 + 35
    assert fitting_shortlist(0.5, 5, 1000) is fitting_shortlist(1.0, 5, 100) is None
    lengths = [fitting_shortlist(share, 3, 400) for share in (0.1, 0.3, 0.5, 0.7)]
    assert lengths == sorted(lengths)
    assert fitting_shortlist(0.3, 3, 800) > fitting_shortlist(0.3, 3, 400)


# --- cards of it --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_a_proof_is_about_the_best_card_of_the_shortlist(seed):
    problem = random_problem(seed)
    chosen = shortlist(problem, 3)
    short = problem.without(close_all_but(problem, chosen))
    result = solve(short, Options(certify=True, time_limit=None))
    assert result.status is Status.OPTIMAL
    assert not violations(result.solution, short)
    assert {term[:2] for term in result.solution.terms} <= set(chosen)
    best = enumerate_cards(short).loss
    assert result.loss == pytest.approx(best, rel=1e-7)
    assert result.bound <= best * (1 + 1e-7)


@pytest.mark.parametrize("grid", [None, 9])
def test_the_card_says_what_it_was_chosen_from_and_passes_the_audit(table, grid):
    X, y = table
    model = RiskScoreClassifier(
        2, certify=True, time_limit=None, regularization=Regularization.only(grid=grid, shortlist=6)
    ).fit(X, y)
    certificate = model.card_.certificate
    assert certificate.status is Status.OPTIMAL
    assert certificate.shortlist >= 6  # a cut with missing values on either side counts as one
    assert certificate.grid == grid
    assert not certificate.is_grid_full
    assert (
        f"{certificate.shortlist} candidate conditions, preselected from {certificate.all_conditions}"
        in kind_words(certificate)
    )
    assert regularization_words(certificate) == [
        "Regularised: there are fewer candidates than the data have. The proof is about this problem."
    ]
    assert audit_card(model, X, y).passed
    assert RiskCard.from_json(model.card_.to_json()) == model.card_
    of_all = RiskScoreClassifier(
        2, certify=True, time_limit=None, regularization=Regularization.only(grid=grid)
    )
    assert model.loss_ >= of_all.fit(X, y).loss_ - 1e-9


def test_features_that_must_be_used_and_the_card_to_start_from_are_on_it(table):
    X, y = table
    rules = CardRules({"c": FeatureRule(use="must")})
    card = RiskScoreClassifier(2, rules=rules, regularization=only_shortlist(2)).fit(X, y).card_
    assert "c" in {feature.name for feature in card.features}
    start = RiskScoreClassifier(2, regularization=None).fit(X[["b", "c"]], y).card_
    start = replace(start, feature_names=tuple(X.columns))
    estimator = RiskScoreClassifier(2, regularization=only_shortlist(1))
    kept = improve(start, X, y, max_changes=0, estimator=estimator)
    assert [term.feature for term in kept.terms] == [term.feature for term in start.terms]


def test_directions_are_kept(table):
    X, y = table
    rules = CardRules({"age": FeatureRule(direction="falls")})
    model = RiskScoreClassifier(3, rules=rules, regularization=only_shortlist(4)).fit(X, y)
    assert audit_card(model, X, y).passed
    assert any("age: falls" in rule for rule in model.card_.certificate.rules)


def test_the_sentence_on_the_front_counts_the_conditions_that_rules_allow(table):
    X, y = table
    rules = CardRules(
        {"a": FeatureRule(use="never"), "c": FeatureRule(use="must")}, min_bin_rows=40
    )
    model = RiskScoreClassifier(
        2, certify=True, rules=rules, regularization=only_shortlist(1), max_log_odds=3
    ).fit(X[["a", "b", "c"]], y)
    certificate = model.card_.certificate
    assert certificate.status is Status.OPTIMAL
    big = {
        name: sum(40 <= (X[name] <= cut).sum() <= 160 for cut in X[name].unique()) for name in "bc"
    }
    assert certificate.all_conditions == big["b"] + big["c"]
    # those of the feature that must be used, and at most one
    assert certificate.shortlist in (big["c"], big["c"] + 1)
    sentence = proof_for_readers(certificate, model.card_.training)
    assert sentence.startswith(
        f"Proven among the {certificate.shortlist} of {certificate.all_conditions} conditions that were preselected: "
    )
    assert "preselected" not in proof_for_readers(
        model.set_params(regularization=None).fit(X[["a", "b", "c"]], y).card_.certificate, None
    )


def test_automatic_shortlists_grow_with_rows_and_signal_up_to_all(table):
    X, y = table
    model = RiskScoreClassifier(3, regularization=only_shortlist("auto")).fit(X, y)
    assert 5 <= model.card_.certificate.shortlist < 20
    long = np.repeat(np.arange(4.0), 3000)[:, None]
    y = (np.arange(len(long)) * 7 % 11 < 3 + long[:, 0]).astype(int)
    many = RiskScoreClassifier(1, regularization=only_shortlist("auto")).fit(long, y)
    assert many.card_.certificate.shortlist is None
    assert many.card_.certificate.is_grid_full


def test_it_is_steadier_than_all_conditions_where_rows_are_few():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_300, 20)).round(1)
    y = (X[:, :5] @ np.full(5, 0.4) + rng.logistic(size=20_300) > 1).astype(int)
    few, new = slice(0, 300), slice(300, None)
    losses = {}
    for length in (None, "auto"):
        model = RiskScoreClassifier(
            5, regularization=Regularization(smooth_rows=None, shortlist=length)
        ).fit(X[few], y[few])
        risks = model.predict_proba(X[new])[:, 1]
        losses[length] = -np.mean(np.log(np.where(y[new] == 1, risks, 1 - risks)))
    assert losses["auto"] < losses[None]


def test_a_list_of_all_conditions_is_none(table):
    X, y = table
    model = RiskScoreClassifier(2, regularization=only_shortlist(10000)).fit(X, y)
    assert not model.card_.certificate.is_regularised
    assert model.card_.certificate.is_grid_full
    assert model.loss_ == RiskScoreClassifier(2, regularization=None).fit(X, y).loss_


@pytest.mark.parametrize("value", [0, -3, 2.5, "many", True])
def test_other_lengths_are_refused(value, table):
    with pytest.raises(ParameterError, match="shortlist is"):
        RiskScoreClassifier(regularization=only_shortlist(value)).fit(*table)


def test_cross_validation_and_the_command_line_hand_it_on(table, tmp_path, capsys):
    X, y = table
    model = RiskScoreClassifierCV(
        RiskScoreClassifier(regularization=only_shortlist(5)), max_terms=2, cv=2
    ).fit(X, y)
    assert model.best_estimator_.regularization.shortlist == 5
    path, out = tmp_path / "rows.csv", tmp_path / "card.json"
    X.assign(y=y).to_csv(path, index=False)
    asked = ["fit", str(path), "--target", "y", "--max-terms", "2", "--quiet", "-o", str(out)]
    assert main([*asked, "--shortlist", "4"]) == 0
    assert RiskCard.load(out).certificate.shortlist >= 4
    assert main([*asked, "--shortlist", "some"]) == 2
    assert (
        "--shortlist: 'some' is not a whole number of at least 1 or 'auto' or 'none'"
        in capsys.readouterr().err
    )


def test_a_cut_of_the_shortlist_is_printed_as_any_other(table):
    X, y = table
    plain = X[["a", "b", "c"]]
    model = RiskScoreClassifier(3, regularization=only_shortlist(5))
    learned, _ = model._fit(plain, y, None)
    layout = learned.layout
    cuts = {
        (layout.table.names[v], PrintedCuts(layout)(v, int(cut)))
        for v, closed in enumerate(layout.closed)
        for cut in np.flatnonzero(~closed)
    }
    card = model.card_
    assert {(term.feature, term.cut) for term in card.terms} <= cuts


# --- fewer conditions for a proof ---------------------------------------------------------------


@pytest.fixture
def few_for_proofs(monkeypatch):
    """Proofs are about some of the conditions wherever there are more than a few."""
    monkeypatch.setattr("riskcard.search.shortlist.MOST_SETS", 20)
    monkeypatch.setattr("riskcard.search.shortlist.FEW_SETS", 10)


@pytest.mark.parametrize("seed", range(12))
def test_a_proof_about_preselected_conditions_is_about_them_and_those_of_the_card(
    few_for_proofs, seed
):
    problem = random_problem(seed)
    options = Options(certify=True, time_limit=None, preselects=True)
    result = solve(problem, options)
    if not has_too_many_conditions(problem, options):
        assert result.preselected is None
        return
    assert result.preselected is not None
    chosen = [*result.preselected, *result.solution.conditions]
    stated = problem.without(close_all_but(problem, chosen))
    assert result.status is Status.OPTIMAL
    assert not violations(result.solution, stated)
    best = enumerate_cards(stated).loss
    assert result.bound <= best * (1 + 1e-9)
    assert result.loss == pytest.approx(best, rel=1e-6)
    # nothing that a search among all conditions finds is lost
    searched = solve(problem, replace(options, certify=False))
    assert result.loss <= searched.loss * (1 + 1e-9)


@pytest.mark.parametrize(
    "other", [{"pool_tolerance": 0.1}, {"min_gain": 0.5}, {"certify": False}, {"preselects": False}]
)
def test_only_a_plain_proof_preselects(few_for_proofs, other):
    options = replace(Options(certify=True, time_limit=None, preselects=True), **other)
    assert solve(random_problem(1), options).preselected is None


def test_the_certificate_says_what_a_proof_with_preselection_is_about(
    few_for_proofs, table, tmp_path, monkeypatch
):
    X, y = table
    monkeypatch.setattr("riskcard.estimators.regularization.fitting_shortlist", lambda *_: None)
    parts = Regularization(shortlist="auto", pseudo_rows=None, smooth_rows=None, grid=30)
    model = RiskScoreClassifier(2, certify=True, regularization=parts).fit(X, y)
    certificate = model.card_.certificate
    (note,) = (n for n in certificate.notes if "preselected" in n)
    assert note.startswith(f"The proof is about {certificate.shortlist} of ")
    assert certificate.shortlist is not None
    assert certificate.shortlist <= 2 * (
        5 + 2
    )  # a cut counts twice: missing values are on either side
    assert model.status_ == "optimal"
    checks = {check.name: check for check in audit_card(model.card_, X, y).checks}
    assert "preselected for the proof" in checks["kind"].detail
    assert all(check.outcome is not Outcome.FAILED for check in checks.values())
    whole = RiskScoreClassifier(2, certify=True, regularization=replace(parts, shortlist=None))
    assert not any("preselected" in n for n in whole.fit(X, y).card_.certificate.notes)
    written = write_proof(tmp_path / "card.proof", model.card_, X, y)
    assert written.bound == model.lower_bound_


def test_the_notes_of_a_proof_keep_the_preselected_conditions(
    few_for_proofs, table, monkeypatch, tmp_path
):
    X, y = table
    monkeypatch.setattr("riskcard.estimators.regularization.fitting_shortlist", lambda *_: None)
    model, selected = RiskScoreClassifier(2, certify=True), list[object]()
    with ProofNotes() as notes:
        card = model.fit(X, y).card_
    select = learning.shortlist_for_proof

    def select_and_count(problem):
        selected.append(problem)
        return select(problem)

    monkeypatch.setattr(learning, "shortlist_for_proof", select_and_count)
    write_proof(tmp_path / "kept", card, X, y, notes=notes)
    assert selected == []
    notes.posed = None
    write_proof(tmp_path / "again", card, X, y, notes=notes)
    assert len(selected) == 1
    assert (tmp_path / "kept").read_bytes() == (tmp_path / "again").read_bytes()


def test_rounded_cuts_are_proven_among_all_conditions(few_for_proofs, table, monkeypatch):
    X, y = table
    monkeypatch.setattr("riskcard.estimators.regularization.fitting_shortlist", lambda *_: None)
    rules = CardRules(round_cuts=0.01)
    card = RiskScoreClassifier(2, certify=True, rules=rules).fit(X, y).card_
    assert card.certificate.shortlist is None
