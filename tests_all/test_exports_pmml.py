"""The PMML gives the total and the risk of the card in two evaluators, and is valid PMML 4.4."""

import warnings

import pandas as pd
import pytest

from cards import heart_card, mass_card
from export_rows import assert_same, odd_card, rows_of, sample_cards, typed_cards
from riskcard.credit.scaling import to_credit_points
from riskcard.export.pmml import card_to_pmml
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.words.labels import FeatureLabel, Labels


@pytest.fixture(scope="module")
def java_machine(find_program, find_module):
    """JPMML in a Java machine inside this process."""
    find_program("java")
    return find_module("jpmml_evaluator").make_backend("jpype"), find_module("jpype")


@pytest.fixture(scope="module")
def jpmml(java_machine, find_module):
    """Total and risk of rows by JPMML; (None, None) where it finds them invalid."""
    builder_of = find_module("jpmml_evaluator").LoadingModelEvaluatorBuilder
    refusals = ("ValueCheckException", "UndefinedResultException", "InvalidResultException")

    def evaluate(text, rows):
        evaluator = builder_of(java_machine[0]).loadString(text).build()
        results, errors = evaluator.evaluateAll(pd.DataFrame(rows, dtype=object), error_col=None)
        if errors is None:
            return results.to_dict("records")
        said = [error if isinstance(error, str) else "" for error in errors]
        assert all(any(word in error for word in refusals) for error in said if error), said
        found = results.to_dict("records")
        return [None if error else one for one, error in zip(found, said, strict=True)]

    return evaluate


@pytest.fixture(scope="module")
def pmml4s(find_program, find_module):
    """Total and risk of rows by PMML4S, in a process of Java; NaN where it finds them invalid."""
    find_program("java")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pypmml = find_module("pypmml")

    def evaluate(text, rows):
        model = pypmml.Model.fromString(text)
        return [model.predict(row) for row in rows]

    yield evaluate
    pypmml.PMMLContext.shutdown()


def outputs(found) -> list[tuple]:
    return [(None, None) if one is None else (one["total"], one["risk"]) for one in found]


def is_valid_xml(card) -> bool:
    """Some characters can stand in a text but not in XML."""
    texts = [one.name for one in card.features]
    texts += [level for one in card.features for level in getattr(one, "levels", ())]
    return not any(sign in str(text) for text in texts for sign in "\ufffe\uffff")


def work(number: int) -> list[tuple]:
    cards = [card for card in sample_cards(typed_cards(), number) if card.features]
    cards = [*filter(is_valid_xml, cards), odd_card(), mass_card(), heart_card()]
    assert len(cards) > number / 3  # the others are empty or not XML
    return [(card, rows_of(card)) for card in cards]


@pytest.mark.parametrize("name", ["jpmml", "pmml4s"])
def test_evaluators_score_as_the_card(request, name):
    evaluate = request.getfixturevalue(name)
    for card, rows in work(40):
        assert_same(card, rows, outputs(evaluate(card_to_pmml(card), rows)))


@pytest.mark.parametrize("name", ["jpmml", "pmml4s"])
def test_infinity_is_invalid(request, name):
    features = [FeaturePoints("x", [1], [0, 3], 1), LevelPoints("y", [[2]], [4], usual=0)]
    card, infinity = RiskCard(features), float("inf")
    values = [(2.0, 2.0), (infinity, 2.0), (-infinity, 2.0), (2.0, infinity), (None, None)]
    rows = [dict(zip("xy", pair, strict=True)) for pair in values]
    found = outputs(request.getfixturevalue(name)(card_to_pmml(card), rows))
    assert_same(card, rows, found)


@pytest.mark.parametrize("name", ["jpmml", "pmml4s"])
def test_reasons_are_the_features_with_most_points_above_their_lowest(request, name):
    evaluate = request.getfixturevalue(name)
    card = mass_card()
    row = {"age": 50.0, "shape": "lobular", "density": "low", "palpable": False}
    (found,) = evaluate(card_to_pmml(card, reasons=3), [row])
    assert [found[f"reason_{rank}"] for rank in (1, 2, 3)] == ["shape", "density", "age"]
    assert "reason_4" not in found
    assert found["total"] == card.total_points(row)[0]
    assert found["log_odds"] == card.log_odds(row)[0]


@pytest.mark.parametrize("name", ["jpmml", "pmml4s"])
def test_reasons_of_a_card_with_credit_points_are_the_features_that_cost_most(request, name):
    card = to_credit_points(mass_card()).card
    worst = {"age": 50.0, "shape": "lobular", "density": "low", "palpable": False}
    (found,) = request.getfixturevalue(name)(card_to_pmml(card, reasons=3), [worst])
    expected = [one.feature for one in card.explain(worst).reasons]
    assert [found[f"reason_{rank}"] for rank in (1, 2, 3)] == expected
    assert found["risk"] == pytest.approx(card.risk(worst)[0], rel=1e-12)


@pytest.mark.parametrize("name", ["jpmml", "pmml4s"])
@pytest.mark.parametrize("is_scaled", [False, True])
def test_reasons_are_texts_and_the_safest_row_has_none(request, name, is_scaled):
    evaluate = request.getfixturevalue(name)
    labels = Labels(features={"shape": FeatureLabel(reason="The outline is irregular")})
    card = mass_card().with_labels(labels)
    card = to_credit_points(card).card if is_scaled else card
    worst = {"age": 70.0, "shape": "lobular", "density": "low", "palpable": True}
    best = {"age": 30.0, "shape": "round", "density": "high", "palpable": False}
    found, none = evaluate(card_to_pmml(card, reasons=4), [worst, best])
    texts = [found[f"reason_{rank}"] for rank in (1, 2, 3, 4)]
    why = card.explain(worst)
    assert set(texts[:2]) == {"The outline is irregular", "age"}  # which cost the same
    assert texts[2:] == [one.feature for one in why.reasons[2:]]
    given = {none[f"reason_{rank}"] for rank in (1, 2, 3, 4)}
    assert {one for one in given if isinstance(one, str)} <= {"none"}  # others are empty


@pytest.mark.parametrize("name", ["jpmml", "pmml4s"])
def test_fields_that_are_named_as_the_results_are_kept_apart(request, name):
    card = RiskCard([FeaturePoints("risk", [1], [0, 3]), FeaturePoints("total", [1], [1, 2])])
    (found,) = request.getfixturevalue(name)(card_to_pmml(card), [{"risk": 2.0, "total": 0.0}])
    assert found["total_2"] == 4
    assert found["risk_2"] == pytest.approx(float(card.risk_of_total(4)), rel=1e-14)


def test_documents_are_valid_pmml(java_machine):
    _, jpype = java_machine
    source = jpype.JClass("javax.xml.transform.stream.StreamSource")
    reader = jpype.JClass("java.io.StringReader")
    factory = jpype.JClass("javax.xml.validation.SchemaFactory").newInstance(
        "http://www.w3.org/2001/XMLSchema"
    )
    place = jpype.JClass("org.dmg.pmml.PMML").class_.getResource("/pmml.xsd")
    validator = factory.newSchema(source(place.toString())).newValidator()
    for card, _ in work(30):
        for reasons in (0, 2):
            validator.validate(source(reader(card_to_pmml(card, reasons))))
    broken = card_to_pmml(mass_card()).replace("lessOrEqual", "less")
    with pytest.raises(jpype.JException, match="less"):
        validator.validate(source(reader(broken)))
