"""Pseudo-observations: the loss of every card counts them, exactly; what the card says of its rows does not."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from optional import pd
from oracle.enumerate_cards import enumerate_cards
from random_problems import random_problem
from riskcard import (
    CardRules,
    ParameterError,
    Regularization,
    RiskCard,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    audit_card,
)
from riskcard.cli.main import main
from riskcard.data.table import make_table
from riskcard.encoding.pseudo_rows import (
    NO_PSEUDO_ROWS,
    PER_TERM,
    PseudoRows,
    add_pseudo_rows,
    fitting_average_rows,
    fitting_smooth_rows,
    loss_with_pseudo_rows,
)
from riskcard.errors import RiskcardWarning
from riskcard.problem.merge_rows import merge_equal_rows
from riskcard.problem.objective import log_odds_of, loss_of
from riskcard.report.figure_sentences import bound_sentence, certificate_facts
from riskcard.search.solve import Options, solve
from riskcard.smoothing.smooth_risks import smooth_risks
from riskcard.status import Status

NUMBERS = (0.3, 1.0, 7.5, 40.0)


@pytest.fixture(scope="module")
def table():
    """Numbers with missing values, levels and noise; 150 rows, a third of them with the event."""
    rng = np.random.default_rng(8)
    n = 150
    age, colour = rng.integers(20, 90, n).astype(float), rng.choice(["red", "green", "blue"], n)
    score = 0.06 * (age - 70) + np.where(colour == "red", 1.0, 0.0)
    y = (score + rng.logistic(size=n) > 0).astype(int)
    age[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame({"age": age, "noise": rng.normal(size=n).round(1), "colour": colour}), y


def loss_by_definition(log_odds, labels, weights, pseudo: PseudoRows) -> float:
    """The rows, and for some rows a part of the pseudo-observations, some with the event and some without."""
    whole = sum(weights)
    rate = sum(w for w, label in zip(weights, labels, strict=True) if label > 0) / whole
    losses = [(np.log1p(np.exp(-z)), np.log1p(np.exp(z))) for z in log_odds]
    loss = 0.0
    for (if_event, if_not), label, w in zip(losses, labels, weights, strict=True):
        loss += w * (if_event if label > 0 else if_not)
    rows = range(len(weights)) if pseudo.rows is None else pseudo.rows
    of_rows = sum(weights[row] for row in rows)
    for place, row in enumerate(rows):
        # both together weigh as much as an average row for each pseudo-observation
        share = weights[row] / of_rows * whole / len(weights)
        if_event, if_not = losses[row]
        loss += pseudo.average * share * (rate * if_event + (1 - rate) * if_not)
        risk = 0.0 if pseudo.risks is None else pseudo.risks[place]
        loss += pseudo.smooth * share * (risk * if_event + (1 - risk) * if_not)
    return float(loss)


def some_pseudo_rows(seed, n_rows) -> PseudoRows:
    """Average ones, smooth ones or both, at all rows or some of them."""
    rng, number = np.random.default_rng(seed), NUMBERS[seed % len(NUMBERS)]
    rows = np.sort(rng.choice(n_rows, (n_rows + 1) // 2, replace=False)) if seed % 3 == 1 else None
    if seed % 2:
        return PseudoRows(number, 0.0, rows)
    risks = rng.uniform(0.05, 0.95, n_rows if rows is None else rows.size)
    return PseudoRows(number if seed % 4 else 0.0, 3 * number, rows, risks)


def only_pseudo_rows(number):
    """Regularised by pseudo-observations and nothing else."""
    return Regularization.only(pseudo_rows=number)


# --- the loss and the proof ---------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_the_proven_optimum_is_the_best_of_all_cards_by_the_definition(seed):
    plain = random_problem(seed)
    pseudo = some_pseudo_rows(seed, plain.data.n_rows)
    problem = replace(plain, data=merge_equal_rows(add_pseudo_rows(plain.data, pseudo)))
    best = enumerate_cards(problem)
    result = solve(problem, Options(certify=True, random_state=seed, time_limit=None))
    data = plain.data

    def definition(solution):
        log_odds = log_odds_of(solution, data.codes)
        return loss_by_definition(log_odds, data.labels, data.weights, pseudo)

    assert result.status == Status.OPTIMAL
    assert result.loss == pytest.approx(definition(result.solution), rel=1e-9)
    assert best.loss == pytest.approx(definition(best.solution), rel=1e-9)
    assert result.loss == pytest.approx(best.loss, rel=1e-7)
    assert result.bound <= best.loss * (1 + 1e-7)


@pytest.mark.parametrize("seed", range(20))
def test_the_loss_of_a_card_is_that_of_the_doubled_rows_and_of_the_definition(seed):
    problem = random_problem(100 + seed)
    data = problem.data
    pseudo = some_pseudo_rows(seed, data.n_rows)
    card = solve(problem).solution
    log_odds = log_odds_of(card, data.codes)
    stated = loss_with_pseudo_rows(log_odds, data.labels, data.weights, pseudo)
    assert stated == pytest.approx(
        loss_by_definition(log_odds, data.labels, data.weights, pseudo), rel=1e-12
    )
    doubled = add_pseudo_rows(data, pseudo)
    assert loss_of(card, replace(problem, data=doubled)) == pytest.approx(stated, rel=1e-12)
    more = pseudo.number * data.weights.mean()
    assert doubled.weights.sum() == pytest.approx(data.weights.sum() + more)
    rates = [float(d.weights[d.labels > 0].sum() / d.weights.sum()) for d in (data, doubled)]
    if not pseudo.smooth:
        assert rates[0] == pytest.approx(rates[1], rel=1e-12)


def test_pseudo_rows_are_weighted_rows_written_out_by_hand(table):
    X, y = table
    number, rate = 30.0, float(np.mean(table[1]))
    share = number / len(y)
    own = 1 + share * np.where(y == 1, rate, 1 - rate)
    other = share * np.where(y == 1, 1 - rate, rate)
    settings = {"max_terms": 2, "certify": True, "time_limit": None}
    by_hand = RiskScoreClassifier(**settings, regularization=None).fit(
        pd.concat([X, X]), np.concatenate([y, 1 - y]), sample_weight=np.concatenate([own, other])
    )
    model = RiskScoreClassifier(**settings, regularization=only_pseudo_rows(30))
    model.fit(X, y)
    assert (model.status_, by_hand.status_) == ("optimal", "optimal")
    assert model.loss_ == pytest.approx(by_hand.loss_, rel=1e-9)
    assert model.lower_bound_ == pytest.approx(by_hand.lower_bound_, rel=2e-6)


def test_a_share_of_repeated_rows_is_that_of_doubled_weights(table):
    X, y = table
    model = RiskScoreClassifier(max_terms=3, regularization=only_pseudo_rows(0.2))
    losses = [
        model.fit(pd.concat([X, X]), np.concatenate([y, y])).loss_,
        model.fit(X, y, sample_weight=np.full(len(y), 2.0)).loss_,
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-9)


@pytest.mark.parametrize("number", [30, 0.2, "auto"])
def test_a_pseudo_row_weighs_as_much_as_an_average_row(table, number):
    X, y = table
    model = RiskScoreClassifier(max_terms=3, regularization=only_pseudo_rows(number))
    once, hundredfold = (
        model.fit(X, y, sample_weight=np.full(len(y), weight)).card_ for weight in (1.0, 100.0)
    )
    assert once.features == hundredfold.features
    stated = once.certificate, hundredfold.certificate
    assert stated[0].pseudo_rows == pytest.approx(stated[1].pseudo_rows, rel=1e-9)
    assert 100 * stated[0].loss == pytest.approx(stated[1].loss, rel=1e-12)


def test_without_pseudo_rows_nothing_changes(table):
    X, y = table
    data = random_problem(3).data
    assert add_pseudo_rows(data, NO_PSEUDO_ROWS) is data
    texts = []
    for model in (
        RiskScoreClassifier(max_terms=3, regularization=None),
        RiskScoreClassifier(max_terms=3, regularization=only_pseudo_rows(0)),
    ):
        card = model.fit(X, y).card_
        assert card.certificate is not None
        certificate = replace(card.certificate, seconds=0.0)
        texts.append(replace(card, certificate=certificate, recipe=None).to_json())
    assert texts[0] == texts[1]
    assert "prior" not in str(model.card_).lower()


# --- what the card says -------------------------------------------------------------------------


def test_more_pseudo_rows_bring_risks_nearer_to_the_base_rate(table):
    X, y = table
    spreads = [
        np.ptp(
            RiskScoreClassifier(max_terms=3, regularization=only_pseudo_rows(n))
            .fit(X, y)
            .decision_function(X)
        )
        for n in (0, 40, 1000)
    ]
    assert spreads[0] > spreads[1] > spreads[2] > 0


def test_rows_events_and_counts_on_the_card_are_those_of_the_table(table):
    X, y = table
    model = RiskScoreClassifier(
        max_terms=3, regularization=only_pseudo_rows(40), rules=CardRules(min_bin_rows=10)
    ).fit(X, y)
    training = model.card_.training
    assert (training.rows, training.events) == (len(y), int(y.sum()))
    assert (training.weight, training.event_weight) == (float(len(y)), float(y.sum()))
    assert sum(count.rows for count in training.totals) == len(y)
    # the calibrated scale makes the mean risk the base rate, which the pseudo-observations share
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), rel=1e-6)


def test_the_certificate_says_in_words_that_it_counts_pseudo_rows(table):
    X, y = table
    model = RiskScoreClassifier(
        max_terms=2, certify=True, time_limit=None, regularization=only_pseudo_rows(40)
    ).fit(X, y)
    certificate, text = model.card_.certificate, " ".join(str(model.card_).split())
    assert certificate.pseudo_rows == 40
    assert f"(this one: {model.loss_:.4f} with pseudo-observations)" in text
    assert "towards the average of" in text
    assert "as if 40 extra rows with that rate had been seen" in text
    assert "by 40 pseudo-observations" in text
    assert "Proven: counting the extra rows, no other card" in text
    assert "Loss with pseudo-observations" in certificate._repr_html_()
    assert "proven: counting the extra rows, no other card" in bound_sentence(certificate)
    assert any("40 pseudo-observations" in fact for fact in certificate_facts(certificate))


def test_an_audit_counts_the_pseudo_rows_and_notices_other_numbers_of_them(table):
    X, y = table
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    model = RiskScoreClassifier(
        max_terms=2, certify=True, regularization=only_pseudo_rows(0.1)
    ).fit(X, y, weights)
    report = audit_card(model, X, y, weights)
    assert report.passed, report
    assert report.loss == pytest.approx(model.loss_, rel=1e-12)
    certificate = model.card_.certificate
    assert certificate.pseudo_rows == pytest.approx(0.1 * len(y))
    for number in (0.0, certificate.pseudo_rows + 1):
        lied = replace(certificate, pseudo_rows=number)
        wrong = replace(model.card_, certificate=lied, recipe=None)
        assert "loss" in {check.name for check in audit_card(wrong, X, y, weights).failures}


def test_a_card_with_pseudo_rows_is_read_back_equal(table):
    X, y = table
    card = RiskScoreClassifier(max_terms=2, regularization=only_pseudo_rows(12.5)).fit(X, y).card_
    assert json.loads(card.to_json())["certificate"]["pseudo_rows"] == 12.5
    assert RiskCard.from_json(card.to_json()) == card
    with pytest.raises(ParameterError, match=r"pseudo_rows is -1\.0"):
        replace(card.certificate, pseudo_rows=-1)


# --- the parameter ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "n_rows", "number"),
    [(0, 100, 0.0), (7, 100, 7.0), (2.5, 100, 2.5), (0.05, 100, 5.0)],
)
def test_pseudo_rows_are_a_number_or_a_share_of_the_rows(value, n_rows, number):
    X, y = np.arange(n_rows)[:, None], np.arange(n_rows) % 3 > 0
    model = RiskScoreClassifier(1, regularization=only_pseudo_rows(value))
    model.fit(X, y, sample_weight=np.full(n_rows, 2.0))
    assert model.card_.certificate.pseudo_rows == pytest.approx(number)


def test_more_pseudo_rows_are_right_where_less_can_be_explained():
    half, quarter, tenth = (fitting_average_rows(share, 5, 1e6) for share in (0.5, 0.25, 0.1))
    assert [half, quarter, tenth] == pytest.approx([5 * PER_TERM * times for times in (1, 3, 9)])
    assert fitting_average_rows(0.25, 10, 1e6) == pytest.approx(2 * quarter)
    assert fitting_average_rows(1.0, 5, 1e6) == 0.0
    assert fitting_average_rows(0.0, 5, 100.0) == fitting_average_rows(1e-9, 5, 100.0) == 50.0


def test_smooth_rows_are_about_as_many_as_rows_and_never_jump():
    assert fitting_smooth_rows(200) == pytest.approx(200, rel=0.03)
    numbers = [fitting_smooth_rows(n) for n in range(1000, 100_000, 500)]
    steps = np.diff(numbers)
    assert (steps > 0).all()
    assert (np.diff(steps) < 0).all()
    assert fitting_smooth_rows(1e9) == pytest.approx(10_000, rel=1e-4)


def test_automatic_pseudo_rows_follow_from_what_the_regression_explains(table):
    X, y = table
    model = RiskScoreClassifier(max_terms=3).fit(X, y)
    certificate, rate = model.card_.certificate, float(np.mean(y))
    explained = smooth_risks(make_table(X, y)).explained
    worth = 4 * rate * (1 - rate) * len(y)
    assert certificate.pseudo_rows == pytest.approx(fitting_average_rows(explained, 3, worth))
    assert certificate.smooth_rows == pytest.approx(fitting_smooth_rows(len(y)))
    assert audit_card(model, X, y).passed
    clear = (X["age"].fillna(50) > 60).astype(int)  # one cut explains nearly all
    assert RiskScoreClassifier(3).fit(X, clear).card_.certificate.pseudo_rows < 9


def test_smooth_rows_are_weighted_rows_written_out_by_hand(table):
    X, y = table
    risks = smooth_risks(make_table(X, y)).risks
    own = 1 + 0.5 * np.where(y == 1, risks, 1 - risks)
    other = 0.5 * np.where(y == 1, 1 - risks, risks)
    settings = {"max_terms": 2, "certify": True, "time_limit": None}
    by_hand = RiskScoreClassifier(**settings, regularization=None).fit(
        pd.concat([X, X]), np.concatenate([y, 1 - y]), sample_weight=np.concatenate([own, other])
    )
    model = RiskScoreClassifier(**settings, regularization=Regularization.only(smooth_rows=0.5))
    model.fit(X, y)
    assert (model.status_, by_hand.status_) == ("optimal", "optimal")
    assert model.loss_ == pytest.approx(by_hand.loss_, rel=1e-9)
    assert model.lower_bound_ == pytest.approx(by_hand.lower_bound_, rel=2e-6)


def test_an_audit_works_out_the_smooth_rows_again_and_needs_all_columns(table):
    X, y = table
    model = RiskScoreClassifier(2, regularization=Regularization.only(smooth_rows=60)).fit(X, y)
    report = audit_card(model.card_, X, y)
    assert report.passed, report
    assert report.loss == pytest.approx(model.loss_, rel=1e-9)
    text = " ".join(str(model.card_).split())
    assert "a smooth regression on the table's features counts as 60 extra rows" in text
    assert "by 60 pseudo-observations with its risks" in text
    lied = replace(model.card_.certificate, smooth_rows=61.0)
    wrong = replace(model.card_, certificate=lied, recipe=None)
    assert "loss" in {check.name for check in audit_card(wrong, X, y).failures}


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), True, "many"])
def test_other_pseudo_rows_are_refused(value, table):
    with pytest.raises(ParameterError, match="pseudo_rows is"):
        RiskScoreClassifier(regularization=only_pseudo_rows(value)).fit(*table)


def test_cross_validation_uses_them_in_every_fit_the_empty_card_included(table):
    X, y = table
    model = RiskScoreClassifierCV(
        RiskScoreClassifier(regularization=only_pseudo_rows(40)), max_terms=2, cv=2
    ).fit(X, y)
    assert model.best_estimator_.regularization.pseudo_rows == 40
    assert model.card_.certificate.pseudo_rows == 40
    with pytest.warns(RiskcardWarning, match="the card has no terms"):
        noise = RiskScoreClassifierCV(
            RiskScoreClassifier(regularization=only_pseudo_rows(1000)), max_terms=1, cv=2
        ).fit(X[["noise"]], y)
    assert noise.card_.certificate.pseudo_rows == 1000
    assert audit_card(noise.card_, X[["noise"]], y).passed


@pytest.mark.parametrize(("option", "number"), [("40", 40.0), ("10%", 15.0), ("auto", None)])
def test_the_command_line_fits_and_checks_cards_with_pseudo_rows(
    table, tmp_path, capsys, option, number
):
    X, y = table
    data, out = str(tmp_path / "rows.csv"), str(tmp_path / "card.json")
    X.assign(ill=y).to_csv(data, index=False)
    asked = ["fit", data, "--target", "ill", "--max-terms", "2", "-o", out]
    assert main([*asked, "--pseudo-rows", option]) == 0
    found = RiskCard.load(out).certificate.pseudo_rows
    assert found == pytest.approx(number) if number else found > 0
    assert f"{found:.6g} pseudo-observations" in " ".join(capsys.readouterr().out.split())
    assert main(["check", out, data]) == 0
    assert main([*asked, "--pseudo-rows", "some"]) == 2
    assert (
        "--pseudo-rows: 'some' is not a number of at least 0 or 'auto' or 'none'"
        in capsys.readouterr().err
    )
