"""A card for clinical systems: its codes, the text of its CQL, and the JSON of CDS Hooks."""

import json
import re

import numpy as np
import pytest

from cards import heart_card, mass_card
from export_rows import mixed_card, odd_card
from riskcard.cli.main import main
from riskcard.credit.scaling import to_credit_points
from riskcard.errors import FormatError, ParameterError
from riskcard.export.clinical.cds_hooks import card_to_cds_hooks, cds_hooks_response
from riskcard.export.clinical.cql import card_to_cql
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints
from riskcard.model.words.labels import FeatureLabel, Labels
from riskcard.model.words.labels_file import load_labels, template_of

CODED = Labels(
    features={
        "age": FeatureLabel("Age", unit="years", code="30525-0", code_system="http://loinc.org", code_unit="a"),
        "shape": FeatureLabel(code="129742005", code_system="http://snomed.info/sct"),
        "density": FeatureLabel(code="a b&c", code_system="http://loinc.org"),
    }
)  # fmt: skip
ROW = {"age": 71, "shape": "irregular", "density": "low", "palpable": True}


def coded_card() -> RiskCard:
    return mass_card().with_labels(CODED)


# --- codes --------------------------------------------------------------------------------------


def test_codes_stay_with_the_card_and_in_its_file_of_labels(tmp_path):
    card = coded_card()
    assert RiskCard.from_json(card.to_json()).labels.features == CODED.features
    path = tmp_path / "labels.toml"
    path.write_text(template_of(card), encoding="utf-8")
    read = load_labels(path)
    assert read.of("age").code == "30525-0"
    assert mass_card().with_labels(read).labels.of("age").code_unit == "a"
    assert "code" not in template_of(mass_card())


@pytest.mark.parametrize("given", ['code = "1"', 'code_system = "http://loinc.org"'])
def test_a_code_needs_its_system(tmp_path, given):
    path = tmp_path / "labels.toml"
    path.write_text(f"[features.age]\n{given}\n", encoding="utf-8")
    with pytest.raises(FormatError, match="'age' has one of code and code_system"):
        load_labels(path)


# --- CQL ----------------------------------------------------------------------------------------


def test_cql_declares_codes_and_units_once():
    text = card_to_cql(coded_card())
    assert text.count('codesystem "http://loinc.org": ') == 1
    assert """code "code of age": '30525-0' from "http://loinc.org" display 'Age'""" in text
    assert 'parameter "age" Decimal default null // in a\n' in text
    assert 'parameter "palpable" Boolean default null\n' in text
    assert "codesystem" not in card_to_cql(mass_card())


def test_names_of_a_library_differ_whatever_the_columns_are_called():
    names = ["total", "Points of total", "risk"]
    text = card_to_cql(RiskCard([FeaturePoints(name, [1], [0, 1]) for name in names]))
    declared = re.findall(r'^(?:parameter|define) "([^"]+)"', text, re.MULTILINE)
    assert len({name.casefold() for name in declared}) == len(declared) == 8


@pytest.mark.parametrize("cut", [1e-9, 0.123456789, 1e21])
def test_numbers_that_cql_cannot_hold_are_refused(cut):
    card = RiskCard([FeaturePoints("x", [cut], [0, 1])])
    with pytest.raises(ParameterError, match="more digits than CQL can hold"):
        card_to_cql(card)
    text = card_to_cql(RiskCard([FeaturePoints("x", [np.round(min(cut, 1e19), 8)], [0, 1])]))
    assert "e" not in re.search(r"<= (\S+)", text)[1]


def test_cql_refuses_levels_of_several_kinds():
    with pytest.raises(ParameterError, match="a parameter of CQL has values of one kind"):
        card_to_cql(mixed_card())


def test_quotes_and_other_alphabets_are_escaped():
    features = [one for one in odd_card().features if one.levels]
    text = card_to_cql(RiskCard(features))
    assert "'it\\'s'" in text
    assert "'say \\\"no\\\"'" in text
    assert "'back\\\\slash'" in text
    assert "'\\u65e5\\u672c'" in text
    assert text.isascii()


# --- CDS Hooks ----------------------------------------------------------------------------------


def check_services(content):
    """The structure of the discovery endpoint, as it is published."""
    assert set(content) == {"services"}
    for service in content["services"]:
        assert set(service) <= {
            "hook",
            "title",
            "description",
            "id",
            "prefetch",
            "usageRequirements",
            "extension",
        }
        for name in ("hook", "description", "id"):
            assert isinstance(service[name], str)
            assert service[name]
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", service["hook"])
        assert re.fullmatch(r"[\w.~-]+", service["id"])  # part of an address
        for key, query in service.get("prefetch", {}).items():
            assert isinstance(key, str)
            assert re.fullmatch(r"[A-Z]\w+(/|\?)\S+", query)
            assert set(re.findall(r"\{\{(.*?)\}\}", query)) <= {"context.patientId"}
    assert len({one["id"] for one in content["services"]}) == len(content["services"])


def check_response(content):
    """The structure of an answer, as it is published."""
    assert set(content) == {"cards"}
    for card in content["cards"]:
        assert set(card) <= {"uuid", "summary", "detail", "indicator", "source", "suggestions", "selectionBehavior",
                             "overrideReasons", "links", "extension"}  # fmt: skip
        assert isinstance(card["summary"], str)
        assert 0 < len(card["summary"]) < 140
        assert card["indicator"] in ("info", "warning", "critical")
        assert set(card["source"]) <= {"label", "url", "icon", "topic"}
        assert card["source"]["label"]
        assert isinstance(card.get("detail", ""), str)


@pytest.mark.parametrize(
    "card",
    [
        mass_card(),
        coded_card(),
        heart_card(),
        odd_card(),
        RiskCard([]),
        to_credit_points(mass_card()).card,
    ],
)
def test_the_description_of_a_service_has_the_published_structure(card):
    check_services(json.loads(card_to_cds_hooks(card)))


def test_coded_values_are_prefetched_and_all_are_described():
    (service,) = json.loads(card_to_cds_hooks(coded_card()))["services"]
    start = "Observation?patient={{context.patientId}}&code="
    assert service["prefetch"] == {
        "age": f"{start}http://loinc.org|30525-0&_sort=-date&_count=1",
        "shape": f"{start}http://snomed.info/sct|129742005&_sort=-date&_count=1",
        "density": f"{start}http://loinc.org|a%20b%26c&_sort=-date&_count=1",
    }
    features = service["extension"]["riskcard"]["features"]
    assert [one["type"] for one in features] == ["number", "string", "string", "boolean"]
    assert [one["unit"] for one in features] == ["a", "", "", ""]
    (plain,) = json.loads(card_to_cds_hooks(mass_card()))["services"]
    assert "prefetch" not in plain


def test_an_answer_has_the_published_structure_and_the_risk_of_the_card():
    card = mass_card()
    found = cds_hooks_response(card, ROW)
    check_response(found)
    json.dumps(found)
    why = card.explain(ROW)
    assert f"(total {why.total})" in found["cards"][0]["summary"]
    assert f"| Total |  |  | {why.total} |  |  |" in found["cards"][0]["detail"]
    long = card.with_labels(Labels(title="Risk of " + "something " * 30))
    check_response(cds_hooks_response(long, ROW))
    assert f"(total {why.total})" in cds_hooks_response(long, ROW)["cards"][0]["summary"]


@pytest.mark.parametrize(
    ("warning", "critical", "indicator"),
    [(1.0, 1.0, "info"), (0.5, 1.0, "warning"), (0.5, 0.6, "critical"), (0.99, 0.999, "info")],
)
def test_the_indicator_follows_the_risks_that_are_given(warning, critical, indicator):
    answer = cds_hooks_response(mass_card(), ROW, warning, critical)["cards"][0]
    assert 0.6 < mass_card().explain(ROW).risk < 0.99
    assert answer["indicator"] == indicator
    with pytest.raises(ParameterError, match="the first not above the second"):
        cds_hooks_response(mass_card(), ROW, critical, warning / 2)


def test_words_of_a_table_are_not_markup():
    card = RiskCard([FeaturePoints("a|b_*c*", [1], [0, 1])])
    detail = cds_hooks_response(card, {"a|b_*c*": 2})["cards"][0]["detail"]
    assert "| a\\|b\\_\\*c\\* |" in detail


# --- the command --------------------------------------------------------------------------------


def test_the_command_writes_both(tmp_path, capsys):
    path = str(tmp_path / "card.json")
    coded_card().save(path)
    assert main(["export", path, "-o", str(tmp_path / "card.cql")]) == 0
    assert (tmp_path / "card.cql").read_text(encoding="utf-8") == card_to_cql(coded_card())
    assert main(["export", path, "--to", "cds-hooks"]) == 0
    check_services(json.loads(capsys.readouterr().out))
