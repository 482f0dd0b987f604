"""How a workbook is laid out and what it refuses; LibreOffice computes it in tests_all."""

import importlib
import io

import pytest

from cards import heart_card, mass_card
from export_rows import mixed_card
from riskcard.errors import ParameterError, SolverMissing
from riskcard.export.workbook import FIRST_ROW, card_to_workbook
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.origin.certificate import TrainingFacts
from riskcard.model.totals import TotalCount
from riskcard.model.value_range import ValueRange
from riskcard.model.words.labels import FeatureLabel, Labels

openpyxl = pytest.importorskip("openpyxl")


def load(card, **options):
    return openpyxl.load_workbook(io.BytesIO(card_to_workbook(card, **options)))


def test_the_sheets_are_those_to_fill_in_the_card_and_the_risks():
    book = load(mass_card(), rows=7)
    assert book.sheetnames == ["Cases", "Card", "Risk"]
    sheet = book["Cases"]
    names = ["age", "shape", "density", "palpable"]
    header = [cell.value for cell in sheet[FIRST_ROW - 1]]
    points = [f"points: {name}" for name in names]
    assert header == ["case", *names, *points, "total", "risk", "remarks"]
    assert sheet.max_row == FIRST_ROW + 7 - 1
    totals = [cell.value for cell in book["Risk"]["A"]]
    assert totals == ["total", *mass_card().reachable_totals()]


def test_the_sheet_of_the_card_has_a_line_for_each_case():
    sheet = load(mass_card())["Card"]
    lines = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=9, max_row=15)]
    assert lines == [
        ["age", "-9", -9, 2],
        ["age", "<= 45", 45, 0],
        ["age", "> 45 to <= 60", 60, 1],
        ["age", "> 60", None, 3],
        ["age", "missing", None, 1],
        ["shape", "round, oval", "round", 0],
        ["shape", "round, oval", "oval", 0],
    ]
    assert [sheet[f"B{row}"].value for row in (3, 4, 5)] == [0, 2, -2.5]


def test_levels_are_chosen_from_the_card_and_numbers_are_numbers():
    card = RiskCard([*mass_card().features, LevelPoints("strict", [["a"], ["b"]], [0, 1])])
    rules = load(card)["Cases"].data_validations.dataValidation
    kinds = [(rule.type, rule.formula1, rule.errorStyle) for rule in rules]
    assert kinds == [
        ("decimal", "-1E+300", None),
        ("list", "Card!$C$14:$C$17", "warning"),
        ("list", "Card!$C$20:$C$22", "warning"),
        ("list", "Card!$C$25:$C$26", "warning"),
        ("list", "Card!$C$29:$C$30", "stop"),
    ]
    assert all(rule.allowBlank for rule in rules)


def test_texts_that_begin_like_formulas_stay_texts():
    card = RiskCard([LevelPoints("=1+1", [["=A1", "-x", "@y"]], [1])], outcome="=2")
    book = load(card)
    cells = [book["Cases"]["B3"], *(book["Card"][f"C{row}"] for row in (9, 10, 11))]
    assert [cell.value for cell in cells] == ["=1+1", "=A1", "-x", "@y"]
    assert {cell.data_type for cell in cells} == {"s"}


def test_texts_that_look_like_escapes_are_escaped():
    book = load(RiskCard([LevelPoints("x", [["_x0041_", "a_x"]], [1])]))
    assert [book["Card"][f"C{row}"].value for row in (9, 10)] == ["_x005F_x0041_", "a_x"]


def test_a_long_list_of_totals_is_left_out():
    features = [FeaturePoints(str(i), [0], [0, 2**i]) for i in range(9)]
    assert load(RiskCard(features)).sheetnames == ["Cases", "Card"]


@pytest.mark.parametrize(
    ("card", "words"),
    [
        (mixed_card(), "levels of 'x' are of several kinds"),
        (RiskCard([LevelPoints("x", [["a\x01"]], [1])]), "has a control character"),
        (RiskCard([FeaturePoints("x\r", [], [1])]), "has a control character"),
        (RiskCard([LevelPoints("x", [[""]], [1])]), "'' is a level of 'x', but an empty cell"),
        (RiskCard([LevelPoints("x", [[2**53 + 1]], [1])]), "has more digits than"),
        (RiskCard([LevelPoints("x", [[0.1 + 0.2]], [1])]), "a spreadsheet cannot hold"),
        (RiskCard([FeaturePoints("x", [5e-324], [1, 2])]), "a spreadsheet cannot hold"),
        (RiskCard([FeaturePoints("x", [], [1], codes=[(1e308, 2)])]), "a spreadsheet cannot hold"),
    ],
)
def test_what_a_workbook_cannot_hold_is_refused(card, words):
    with pytest.raises(ParameterError, match=words):
        card_to_workbook(card)


def test_headings_are_labels_that_fit_and_risks_have_what_was_observed():
    answer = FeaturePoints("chf", [0], [0, 5], training_range=ValueRange(0, 1, is_whole=True))
    counts = (TotalCount(0, 0, 8, 2, 8.0, 2.0, 8.0),)
    card = RiskCard([answer], training=TrainingFacts(8, 2, 8.0, 2.0, totals=counts))
    label = FeatureLabel("Congestive heart failure at admission")
    book = load(card.with_labels(Labels(features={"chf": label})))
    sheet = book["Cases"]
    heading = sheet.cell(FIRST_ROW - 1, 2).value
    assert heading == "Congestive heart failure at admission (0 = no, 1 = yes)"
    lines = -(-len(f"points: {heading}") // 12)
    assert sheet.row_dimensions[FIRST_ROW - 1].height >= 16 * lines
    assert [cell.value for cell in book["Risk"][1]] == [
        "total", "risk", "training rows", "training events", "observed rate",
    ]  # fmt: skip
    assert [cell.value for cell in book["Risk"][2]][2:] == [8, 2, 0.25]
    assert [cell.value for cell in book["Risk"][3]][2:] == [None, None, None]
    assert {one.page_setup.paperSize for one in book} in ({9}, {"9"})


def test_a_usual_bin_without_a_training_value_leaves_the_example_empty():
    age = FeaturePoints(
        "age", (60.0, 75.0), (0, 2, 3), usual=2, training_range=ValueRange(0.0, 50.0, True)
    )
    pressure = FeaturePoints("pressure", (0.125,), (5, 0))
    book = load(heart_card(features=(age, pressure)))
    assert book.worksheets[0].cell(FIRST_ROW, 2).value is None


def test_there_is_at_least_one_row():
    with pytest.raises(ParameterError, match="rows is 0"):
        card_to_workbook(heart_card(), rows=0)


def test_without_the_package_the_extra_is_named(monkeypatch):
    real = importlib.import_module

    def without(name, *rest):
        if name == "openpyxl":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(SolverMissing, match=r'pip install "riskcard\[workbook\]"'):
        card_to_workbook(mass_card())
