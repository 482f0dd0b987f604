"""Pools and improved cards of other outcomes than yes or no: against every card, in Python and on the command line."""

from __future__ import annotations

import numpy as np
import pytest

from oracle.least_losses import least_loss_near, least_loss_of_choices
from other_rows import KINDS, draw_kinds, model_of
from random_losses import (
    posed,
    random_incidence,
    random_levels,
    random_numbers,
    random_rates,
)
from riskcard import (
    ParameterError,
    RiskCard,
    RiskScoreClassifier,
    RiskScoreRegressor,
    audit_card,
    find_pool,
    improve,
)
from riskcard.cli.main import main
from riskcard.problem.objective import log_odds_of, violations
from riskcard.search.drivers.solve_other_losses import solve_other_loss
from riskcard.search.options import Options
from riskcard.stability.posterior import read_posterior

FAMILIES = (random_rates, random_numbers, random_incidence, random_levels)
BLOCK = 25


def pool_faults(problem, rows, tolerance):
    """What is wrong with a proven pool, by enumeration; and whether it is complete."""
    least, form = least_loss_of_choices(problem, rows), rows.form()
    fine, rough = posed(problem, rows), posed(problem, rows, is_rough=True)
    options = Options(certify=True, pool_tolerance=tolerance, pool_size=10_000, time_limit=None)
    pool, found = solve_other_loss(fine, rough, rows, options).pool, []
    rounding = 1e-12 * form.floor * rows.loss_unit
    listed = {frozenset(card.conditions) for card in pool.cards}
    for card in pool.cards:
        found += violations(card, fine)
        linear = log_odds_of(card, problem.data.codes) / form.unit
        loss = rows.loss(linear + rows.best_offset(linear))
        own = least.get(frozenset(card.conditions))
        if card.terms and own is not None and loss < own * (1 - 1e-9) - rounding:
            found.append(f"{card.conditions}: {loss} is below the least {own}")
        if own is not None and loss > own * (1 + 1e-4) + 30 * rounding:
            found.append(f"{card.conditions}: {loss} is far above the least {own}")
    if pool.is_complete:
        found += [
            f"{sorted(choice)} with {loss} is not in the pool up to {pool.most_price}"
            for choice, loss in least.items()
            if loss < pool.most_price * (1 - 1e-9) - rounding and choice not in listed
        ]
    return found, pool


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "start",
    [0, *(pytest.param(start, marks=pytest.mark.slow) for start in range(BLOCK, 100, BLOCK))],
)
def test_a_proven_pool_lacks_no_choice(family, start):
    wrong, n_complete, n_near = {}, 0, 0
    for seed in range(start, start + BLOCK):
        problem, rows = family(seed)
        found, pool = pool_faults(problem, rows, 0.05 * (seed % 4))
        if found:
            wrong[seed] = found
        n_complete += pool.is_complete
        n_near += pool.n_found > 1
    assert wrong == {}
    assert n_complete >= BLOCK - 5
    assert n_near >= 5


@pytest.mark.parametrize("family", FAMILIES)
def test_a_card_with_few_changes_is_the_best_of_these(family):
    n_judged = 0
    for seed in range(20):
        problem, rows = family(seed)
        rng = np.random.default_rng(seed)
        choices = (
            [()]
            if problem.restrictions.must_use.any()
            else list(least_loss_of_choices(problem, rows))
        )
        if not choices or problem.jump_high.max() - problem.jump_low.min() > 8:
            continue
        start = tuple(
            (column, cut, int(rng.choice([-1, 1])))
            for column, cut in sorted(choices[rng.integers(len(choices))])
        )
        most = int(rng.integers(0, 3))
        lowest = least_loss_near(problem, rows, set(start), most)
        fine, rough = posed(problem, rows), posed(problem, rows, is_rough=True)
        options = Options(certify=True, start=start, max_changes=most, time_limit=None)
        try:
            result = solve_other_loss(fine, rough, rows, options)
        except ParameterError:
            continue
        form, terms = rows.form(), set(result.solution.terms)
        assert max(len(set(start) - terms), len(terms - set(start))) <= most
        linear = log_odds_of(result.solution, problem.data.codes) / form.unit
        loss, rounding = (
            rows.loss(linear + rows.best_offset(linear)),
            1e-12 * form.floor * rows.loss_unit,
        )
        assert rows.bound(result.bound) <= lowest * (1 + 1e-9) + rounding, seed
        assert loss >= lowest * (1 - 1e-9) - rounding, seed
        n_judged += 1
    assert n_judged >= 5


X, TARGETS = draw_kinds(120)


@pytest.mark.parametrize("weight", [1.0, 1e6])
@pytest.mark.parametrize("seed", range(4))
def test_a_pool_has_all_cards_that_are_right_about_every_row(seed, weight):
    rng = np.random.default_rng(seed)
    one, weights = rng.permutation(np.arange(8) % 3), weight * rng.exponential(size=8)
    y = np.where(one > 0, 1000.0 + seed, 0.3)
    model = RiskScoreRegressor(1, loss="squared_error", certify=True, regularization=None)
    pool = find_pool(model, np.column_stack([one, 2 * one]), y, tolerance=0, sample_weight=weights)
    assert pool.is_complete
    assert pool.losses == (0.0, 0.0)
    assert 0 < pool.most_loss < 1e-4 * np.sum(weights * (y - y.mean()) ** 2)
    assert "Proven: no other choice" in str(pool)


@pytest.mark.parametrize("kind", KINDS)
def test_a_proven_pool_has_audited_cards_within_its_loss(kind):
    model = model_of(kind, 1).set_params(certify=True, regularization=None)
    pool = find_pool(model, X, TARGETS[kind], tolerance=0.1)
    assert pool.is_complete
    assert "Proven: no other choice" in str(pool)
    best = model.fit(X, TARGETS[kind])
    assert pool.losses[0] == pytest.approx(best.loss_)
    assert pool.most_loss == pytest.approx(1.1 * best.loss_, rel=1e-3)
    assert len(pool) > 1
    for one, loss in zip(pool.models, pool.losses, strict=True):
        assert one.loss_ == loss <= 1.1 * best.loss_
        assert audit_card(one, X, TARGETS[kind]).passed
        assert one.status_ in ("optimal", "chosen")
        assert one.lower_bound_ == pytest.approx(best.lower_bound_)
    with pytest.raises(
        ParameterError, match="Posteriors over a pool are for outcomes of yes or no"
    ):
        read_posterior(pool, X, TARGETS[kind])
    # one term at a cut that is not in the pool is worse
    cuts = {(term.feature, term.cut) for card in pool.cards for term in card.terms}
    changes = [improve(card, X, TARGETS[kind], max_changes=0) for card in pool.cards]
    assert {(term.feature, term.cut) for card in changes for term in card.terms} == cuts


@pytest.mark.parametrize("kind", KINDS)
def test_a_card_is_improved_by_one_change(kind):
    y = TARGETS[kind]
    start = model_of(kind).fit(X[:60], y[:60]).card_
    own = model_of(kind).set_params(certify=True, regularization=None)
    kept = improve(start, X, y, max_changes=0, estimator=own)
    found = improve(start, X, y, max_changes=1, estimator=own)
    best = own.fit(X, y)
    losses = [one.certificate.loss for one in (best.card_, found, kept)]
    assert losses == sorted(losses)
    terms = [{(term.feature, term.cut) for term in one.terms} for one in (start, kept, found)]
    assert terms[1] <= terms[0]
    assert len(terms[2] - terms[0]) <= 1
    assert found.certificate.bound <= found.certificate.loss
    assert "terms of an earlier card that may be changed: 1" in found.certificate.rules
    assert found.recipe.method == "improve"
    assert not audit_card(found, X, y).failures


def test_a_pool_of_more_terms_than_are_proven_is_that_of_the_search():
    model = model_of("levels", 13).set_params(certify=True, time_limit=5.0)
    pool = find_pool(model, X, TARGETS["levels"], size=3)
    assert not pool.is_complete
    assert "there may be more" in str(pool)


def test_what_does_not_go_together_is_refused():
    with pytest.raises(ParameterError, match="exposure is given, but pools for outcomes of yes"):
        find_pool(RiskScoreClassifier(1), X, X[:, 0] > 0, exposure=np.ones(120))
    card = RiskScoreClassifier(1).fit(X, X[:, 0] > 0).card_
    with pytest.raises(ParameterError, match="learned by RiskScoreClassifier"):
        improve(card, X, X[:, 0] > 0, estimator=RiskScoreRegressor())
    with pytest.raises(ParameterError, match="entry is given, but the outcome of this card"):
        improve(card, X, X[:, 0] > 0, entry=np.zeros(120))


def test_the_command_line_shows_a_pool_and_improves_a_card(tmp_path, capsys):
    path, card, new = tmp_path / "rows.csv", tmp_path / "card.json", tmp_path / "new.json"
    columns = np.column_stack([X, TARGETS["numbers"]])
    lines = ["a,b,c,cost", *(",".join(map(str, row)) for row in columns)]
    path.write_text("\n".join(lines) + "\n")
    fit = ["fit", path, "--target", "cost", "--outcome", "number", "--max-terms", "1"]
    pool = [
        *fit,
        "--certify",
        "--lowest-loss",
        "--pool-tolerance",
        "0.1",
        "--choose",
        "1",
        "-o",
        card,
    ]
    assert main([str(one) for one in pool]) == 0
    out = capsys.readouterr().out
    assert "Proven: no other choice of features and cuts" in out
    model = model_of("numbers", 1).set_params(certify=True, regularization=None)
    expected = find_pool(model, X, TARGETS["numbers"], tolerance=0.1)
    assert [term.cut for term in RiskCard.load(card).terms] == [
        term.cut for term in expected[1].terms
    ]
    arguments = [*fit, "--improve", card, "--max-changes", "1", "-q", "-o", new]
    assert main([str(one) for one in arguments]) == 0
    assert RiskCard.load(new).recipe.method == "improve"
