"""The ONNX model gives the total and the risk of the card in onnxruntime."""

import importlib
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings

from cards import heart_card, mass_card
from export_rows import assert_same, mixed_card, odd_card, rows_of, typed_cards
from riskcard.errors import ParameterError, SolverMissing
from riskcard.export.cases import Kind, cases_of
from riskcard.export.onnx import card_to_onnx
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def session_of(card, **options):
    return runtime.InferenceSession(card_to_onnx(card, **options))


def inputs_of(card, rows, missing_text="") -> dict:
    found = {}
    for feature in cases_of(card).features:
        values = [row[feature.name] for row in rows]
        if feature.kind is Kind.TEXT:
            texts = [missing_text if value is None else value for value in values]
            found[feature.name] = np.array(texts, dtype=object)
        else:
            numbers = [math.nan if value is None else float(value) for value in values]
            found[feature.name] = np.array(numbers, dtype=np.float64)
    return found


def scores(card, rows, missing_text=""):
    session = session_of(card, missing_text=missing_text)
    total, _, risk = session.run(None, inputs_of(card, rows, missing_text))
    return list(zip(total.tolist(), risk.tolist(), strict=True))


@settings(max_examples=60)
@given(typed_cards())
def test_onnxruntime_scores_as_the_card(card):
    assume(card.features)
    missing_text = "this is missing"
    rows = rows_of(card)
    assert_same(card, rows, scores(card, rows, missing_text))


@pytest.mark.parametrize("card", [odd_card(), mass_card(), heart_card()])
def test_odd_names_and_levels_are_as_others(card):
    rows = rows_of(card)
    assert_same(card, rows, scores(card, rows, "\0missing"))


def test_infinity_is_refused_and_an_empty_text_is_missing():
    features = [FeaturePoints("x", [1], [0, 3]), LevelPoints("y", [["a"]], [4], missing=9)]
    card, rows = RiskCard(features), [{"x": 2.0, "y": "a"}, {"x": 2.0, "y": None}]
    rows += [{"x": math.inf, "y": "a"}, {"x": -math.inf, "y": "a"}, {"x": 2.0, "y": "b"}]
    found = scores(card, rows)
    assert [total for total, _ in found[:2]] == [7, 12]
    assert all(math.isnan(total) and math.isnan(risk) for total, risk in found[2:])


def test_inputs_and_outputs_are_tensors_of_rows():
    session = session_of(mass_card())
    assert [(one.name, one.type, one.shape) for one in session.get_inputs()] == [
        ("age", "tensor(double)", ["rows"]),
        ("shape", "tensor(string)", ["rows"]),
        ("density", "tensor(string)", ["rows"]),
        ("palpable", "tensor(double)", ["rows"]),
    ]
    assert [(one.name, one.type) for one in session.get_outputs()] == [
        (name, "tensor(double)") for name in ("total", "log_odds", "risk")
    ]


def test_any_number_of_rows_is_scored_with_log_odds():
    card = mass_card()
    row = {"age": 61.0, "shape": "oval", "density": "low", "palpable": True}
    for n_rows in (0, 1, 1000):
        total, log_odds, _ = session_of(card).run(None, inputs_of(card, [row] * n_rows))
        assert total.tolist() == [6.0] * n_rows
        assert log_odds.tolist() == [float(card.log_odds_of_total(6))] * n_rows


def test_columns_that_are_named_as_the_steps_are_kept_apart():
    names = ["total", "risk", "step", "constant", "Step_2", "log_odds"]
    card = RiskCard([FeaturePoints(name, [0], [0, 1]) for name in names])
    rows = rows_of(card)
    assert_same(card, rows, scores(card, rows))


def test_extreme_log_odds_and_points_are_exact():
    card = RiskCard([FeaturePoints("x", [0, 1], [-(10**9), 0, 10**9])], -7, 0.001)
    rows = [{"x": -1.0}, {"x": 1.0}, {"x": 2.0}]
    assert_same(card, rows, scores(card, rows))


@pytest.mark.parametrize(
    ("card", "words"),
    [
        (heart_card(features=()), "The card has no features.*ONNX needs an input"),
        (mixed_card(), "levels of 'x' are of several kinds"),
        (RiskCard([LevelPoints("x", [[""]], [1])]), "'' is a level of 'x', and cannot mean"),
        (RiskCard([LevelPoints("x", [[2**53 + 1]], [1])]), "has more digits than"),
    ],
)
def test_what_onnx_cannot_say_is_refused(card, words):
    with pytest.raises(ParameterError, match=words):
        card_to_onnx(card)


def test_without_the_package_the_extra_is_named(monkeypatch):
    real = importlib.import_module

    def without(name, *rest):
        if name == "onnx":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(SolverMissing, match=r'pip install "riskcard\[onnx\]"'):
        card_to_onnx(mass_card())
