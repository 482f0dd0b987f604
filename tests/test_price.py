"""Prices: the interval contains the true difference, figures are those by hand, words say what is known."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.metrics import log_loss, roc_auc_score

from oracle.enumerate_cards import enumerate_cards
from riskcard import (
    CardKind,
    DataError,
    FeaturePoints,
    ParameterError,
    RiskCard,
    RiskScoreClassifier,
    price_card,
    price_score,
)
from riskcard.cli.main import main
from riskcard.price.price_card import kind_of_size
from riskcard.price.price_text import sentences


def tiny(seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, RiskCard]:
    """A tiny table, its labels and weights, and a card that somebody wrote without looking at it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 25))
    X = pd.DataFrame({name: rng.integers(0, 4, n).astype(float) for name in ("a", "b")})
    y = (rng.random(n) < 1 / (1 + np.exp(1 - X.a + 0.5 * X.b))).astype(int).to_numpy().copy()
    y[:2] = 0, 1
    weights = rng.integers(1, 4, n).astype(float) if seed % 2 else np.ones(n)
    points = [int(p) for p in rng.integers(-2, 3, 2)]
    features = [
        FeaturePoints(name, [float(rng.integers(0, 3)) + 0.5], [0, p or 1])
        for name, p in zip("ab", points, strict=True)
    ][: 1 + seed % 2]
    return X, y, weights, RiskCard(tuple(features), multiplier=1.5, offset=-0.3)


def best_loss(totals: np.ndarray, y: np.ndarray, weights: np.ndarray, steepest: float) -> float:
    """The loss with the best slope, from 0 to the steepest, and offset: by another optimiser."""
    signs = np.where(y > 0, 1, -1)

    def loss(scale: np.ndarray) -> float:
        return float(weights @ np.logaddexp(0, -signs * (scale[0] * totals + scale[1])))

    bounds = [(0.0, steepest), (-100.0, 100.0)]
    return min(minimize(loss, [s, 0.0], bounds=bounds, tol=1e-13).fun for s in (0.1, 1.0))


@pytest.mark.parametrize("time_limit", [None, 0.0])
@pytest.mark.parametrize("seed", range(12))
def test_the_interval_contains_the_true_difference(seed, time_limit):
    X, y, weights, card = tiny(seed)
    kind = CardKind.of(card, time_limit=time_limit)
    price = price_card(card, X, y, sample_weight=weights, kind=kind)
    classifier = kind.classifier(1)
    _, _, problem = classifier.pose(X, y, weights)
    optimum = enumerate_cards(problem).loss
    worth = max(abs(term.above - term.below) for term in card.terms)
    loss = best_loss(card.total_points(X), y, weights, 30.0 / worth)
    assert price.loss == pytest.approx(loss, rel=1e-5)
    # the card is one of its kind, so it costs at least nothing
    assert -1e-6 <= price.at_least <= loss - optimum + 1e-5
    assert loss - optimum - 1e-5 <= price.at_most
    if time_limit is None:
        assert price.at_most - price.at_least <= 1e-5 * loss


def test_figures_are_those_by_hand():
    X, y, weights, card = tiny(3)
    price = price_card(card, X, y, sample_weight=weights)
    risks = card.risk(X)
    assert price.own_loss == pytest.approx(
        log_loss(y, risks, sample_weight=weights, normalize=False)
    )
    assert price.auc == pytest.approx(roc_auc_score(y, risks, sample_weight=weights))
    assert price.best_auc == pytest.approx(
        roc_auc_score(y, price.best.risk(X), sample_weight=weights)
    )
    rate = np.full(y.size, np.average(y, weights=weights))
    assert price.base_loss == pytest.approx(
        log_loss(y, rate, sample_weight=weights, normalize=False)
    )
    assert (price.rows, price.events, price.weight) == (y.size, y.sum(), weights.sum())


def test_a_card_with_credit_points_costs_the_same_as_its_mirror():
    X, y, weights, card = tiny(1)
    mirrored = replace(
        card,
        features=tuple(replace(one, points=tuple(-p for p in one.points)) for one in card.features),
        multiplier=-card.multiplier,
    )
    first, second = (price_card(one, X, y, sample_weight=weights) for one in (card, mirrored))
    for name in ("own_loss", "loss", "auc", "at_least", "at_most"):
        assert getattr(first, name) == pytest.approx(getattr(second, name), abs=1e-6)


def test_a_score_gets_the_slope_that_fits_whatever_its_sign():
    X, y, weights, _ = tiny(5)
    kind = kind_of_size(1, 2)
    up = price_score(X.a, X[["b"]], y, sample_weight=weights, kind=kind)
    down = price_score(-3 * X.a + 7, X[["b"]], y, sample_weight=weights, kind=kind)
    assert up.loss == pytest.approx(down.loss)
    assert up.auc == pytest.approx(down.auc)
    assert up.own_loss is None
    assert up.best.feature_names == ("b",)


def test_risks_have_a_loss_of_their_own_which_may_be_infinite():
    X, y, _, _ = tiny(2)
    risks = np.clip(0.2 + 0.15 * X.a, 0, 1)
    price = price_score(risks, X[["b"]], y, kind=kind_of_size(1, 2), is_risk=True)
    assert price.own_loss == pytest.approx(log_loss(y, risks, normalize=False))
    wrong = np.where(y > 0, 0.0, 0.5)
    assert price_score(wrong, X[["b"]], y, kind=kind_of_size(1, 1), is_risk=True).own_loss == np.inf


def test_input_that_makes_no_sense_is_named():
    X, y, _, card = tiny(0)
    kind = kind_of_size(1, 1)
    with pytest.raises(DataError, match="Risks are from 0 to 1"):
        price_score(X.a, X, y, kind=kind, is_risk=True)
    with pytest.raises(DataError, match="missing or infinite in 1 of"):
        price_score(X.a.where(X.index > 0), X, y, kind=kind)
    with pytest.raises(DataError, match="not numbers"):
        price_score(["x"] * len(X), X, y, kind=kind)
    with pytest.raises(DataError, match="weight 0"):
        price_card(card, X, y, sample_weight=np.arange(len(X)))
    with pytest.raises(ParameterError, match="Use a RiskCard"):
        price_card("card.json", X, y)
    with pytest.raises(ParameterError, match="max_terms is 0"):
        kind_of_size(0, 1)


def test_the_sentence_says_what_is_known_and_no_more():
    X, y, weights, card = tiny(3)
    price = price_card(card, X, y, sample_weight=weights)
    assert price.certificate.status == "optimal"

    def cost(loss: float, best: float, bound: float) -> str:
        certificate = replace(price.certificate, loss=best, bound=bound)
        best_card = replace(price.best, certificate=certificate, recipe=None)
        return sentences(replace(price, loss=loss, best=best_card))[1]

    assert cost(10, 9, 8).startswith(
        "The card costs at least 1 in loss (10.00 % of its own), because"
    )
    assert "at most 2 in loss" in cost(10, 9, 8)
    assert cost(10, 9, 9).startswith("The card costs 1 in loss")
    directed = cost(7, 5.76546, 4.65434)  # 1.23454 and 2.34566, of which 7 is 17.636 and 33.509 %
    assert "at least 1.234 in loss (17.63 %" in directed
    assert "at most 2.346 in loss (33.51 %" in directed
    assert "at most 2.346 in loss" in cost(7, 5.76546, 7 - 2.34511)
    assert "at most 2 in loss" in cost(10, 10, 8)
    assert cost(10, 10, 8).startswith("No better card")
    assert cost(10, 10, 10).startswith("The card costs nothing")
    assert "nothing is proven" in cost(10, 10, 0)
    assert "proven" in cost(10, 9, 0)
    assert "at most" not in cost(10, 9, 0)
    assert "by 2 in loss" in cost(10, 12, 12)
    assert "at least 1 in loss (10.00 % of its own) and at most 2" in cost(10, 12, 11)
    assert "none is better than the card by more than 1" in cost(10, 12, 9)


def test_the_remark_on_a_card_that_says_nothing():
    X = pd.DataFrame({"a": [0.0, 0, 1, 1] * 5})
    y = np.array([1, 1, 0, 0] * 5)
    y[0] = 0
    price = price_card(RiskCard((FeaturePoints("a", [0.5], [0, 1]),)), X, y)
    assert not price.rises
    assert price.loss == pytest.approx(price.base_loss)
    assert "does not follow the card" in str(price)


def test_the_command_prices_cards_and_columns(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X, y, _, card = tiny(7)
    X.assign(died=y).to_csv("rows.csv", index=False)
    card.save("card.json")
    assert (
        main(["price", "card.json", "rows.csv", "--target", "died", "-q", "-o", "best.json"]) == 0
    )
    price = price_card(card, X, y)
    assert capsys.readouterr().out == f"{price}\n"
    assert RiskCard.load("best.json").terms == price.best.terms
    own = price_card(
        card, X, y, kind=replace(CardKind.of(card), grid=1, max_terms=1, max_features=1)
    )
    few = ["--same-features", "--grid", "1", "--max-terms", "1"]
    assert main(["price", "card.json", "rows.csv", "--target", "died", "-q", *few]) == 0
    assert capsys.readouterr().out == f"{own}\n"
    X.assign(died=y, b=X.b.where(X.index > 1)).to_csv("holes.csv", index=False)
    score = ["--target", "died", "--score", "b", "--max-terms", "1", "--max-points", "2"]
    assert main(["price", "holes.csv", *score, "-q"]) == 0
    captured = capsys.readouterr()
    assert "2 rows without 'b' are left out" in captured.err
    kept = X.index > 1
    alone = price_score(X.b[kept], X[["a"]][kept], y[kept], kind=kind_of_size(1, 2))
    assert captured.out == f"{alone}\n"


def test_a_card_with_a_seal_is_priced_by_its_own_target_without_a_remark(tmp_path, capsys):
    X, y, _, _ = tiny(3)
    model = RiskScoreClassifier(max_terms=1, certify=False).fit(X, y)
    replace(model.card_, outcome="died").save(tmp_path / "card.json")
    X.assign(died=y).to_csv(tmp_path / "rows.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert main(["price", str(tmp_path / "card.json"), str(tmp_path / "rows.csv"), "-q"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "Price of the card" in captured.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rows.csv"], "Give a card before the table"),
        (["card.json", "rows.csv", "--score", "a"], "Give a card before the table"),
        (["card.json", "rows.csv", "--is-risk"], "no effect without --score"),
        (["rows.csv", "--score", "a", "--same-features"], "is about a card"),
        (["rows.csv", "--score", "a", "--drop", "a"], "both priced and dropped"),
        (["rows.csv", "--score", "a", "--drop", "b"], "No column but the score"),
        (["rows.csv", "--score", "c"], "'c'"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    X, y, _, card = tiny(1)
    X.assign(died=y).to_csv("rows.csv", index=False)
    card.save("card.json")
    assert main(["price", *arguments, "--target", "died", "-q"]) == 2
    assert message in capsys.readouterr().err
