"""``riskcard predict``: what is written next to the risk, and remarks on rows unlike those of training."""

import csv
import io

import pytest

from riskcard import FeaturePoints, LevelPoints, RiskCard
from riskcard.cli.main import main
from riskcard.cli.using.predict import _rounded
from riskcard.formatting.numbers import readable_number
from riskcard.model.rows.row_remarks import row_remarks
from riskcard.model.value_range import ValueRange

AGE = FeaturePoints(
    "age", [60], [0, 2], usual=0, codes=[(-9, 1)], training_range=ValueRange(18, 91, is_whole=True)
)
SHAPE = LevelPoints("shape", [["round"], ["oval"]], [0, 1], usual=0)
BMI = FeaturePoints(
    "bmi", [25], [0, 1], missing=1, training_range=ValueRange(15, 50, is_whole=False)
)
CARD = RiskCard([AGE, SHAPE, BMI], base=-1, classes=("alive", "dead"))

ROWS = """\
MRN,age,shape,bmi,ward
0007,50,round,20,A
0008,97,star,,B
0009,,oval,14.5,
0010,-9,oval,60,B
"""


@pytest.fixture
def files(tmp_path):
    CARD.save(tmp_path / "card.json")
    (tmp_path / "new.csv").write_text(ROWS, encoding="utf-8")
    return [str(tmp_path / "card.json"), str(tmp_path / "new.csv")]


def predict(capsys, files, *options):
    assert main(["predict", *files, *options]) == 0
    captured = capsys.readouterr()
    return list(csv.DictReader(io.StringIO(captured.out))), captured.err


@pytest.mark.filterwarnings("ignore:Feature")
def test_rows_unlike_those_of_training_have_remarks():
    rows = {"age": [50, 97, None, -9], "shape": ["round", "star", "oval", "oval"]}
    rows["bmi"] = [20.0, None, 14.5, 60.0]
    assert row_remarks(CARD, rows) == [
        "",
        "age is 97, above 91, the highest in training; shape is star, which training did not have",
        "age is missing, as never in training; bmi is 14.5, below 15, the lowest in training",
        "bmi is 60, above 50, the highest in training",
    ]


def test_remarks_are_a_column_and_counted(capsys, files):
    lines, err = predict(capsys, files)
    assert [bool(line["remarks"]) for line in lines] == [False, True, True, True]
    assert "3 of 4 rows have values that training did not have" in err


def test_columns_are_kept_as_they_are_written(capsys, files):
    lines, _ = predict(capsys, files, "--keep", "MRN", "ward")
    assert list(lines[0]) == ["MRN", "ward", "total", "risk", "remarks"]
    assert [line["MRN"] for line in lines] == ["0007", "0008", "0009", "0010"]
    assert [line["ward"] for line in lines] == ["A", "B", "", "B"]
    lines, _ = predict(capsys, files, "--keep", "all")
    assert list(lines[0])[:5] == ["MRN", "age", "shape", "bmi", "ward"]
    assert lines[3]["bmi"] == "60"


def test_output_can_be_scored_again_with_all_its_columns(tmp_path, capsys, files):
    first = str(tmp_path / "first.csv")
    assert main(["predict", *files, "--keep", "all", "-o", first]) == 0
    lines, err = predict(capsys, [files[0], first], "--keep", "all")
    assert list(lines[0]) == ["MRN", "age", "shape", "bmi", "ward", "total", "risk", "remarks"]
    assert "predict itself writes are not kept: total, risk, remarks" in err
    assert main(["predict", files[0], first, "--keep", "risk"]) == 2
    assert "--keep names 'risk', which is a column of the output" in capsys.readouterr().err


def test_bands_and_labels_follow_the_unrounded_risk(capsys, files):
    limits = ["--bands", "low", "middle=30%", "high=0.6", "--threshold", "0.5"]
    lines, _ = predict(capsys, files, *limits)
    risks = [CARD.risk_of_total(int(line["total"])) for line in lines]
    for line, risk in zip(lines, risks, strict=True):
        assert line["band"] == ("high" if risk >= 0.6 else "middle" if risk >= 0.3 else "low")
        assert line["prediction"] == ("dead" if risk >= 0.5 else "alive")
    assert {line["band"] for line in lines} == {"low", "middle", "high"}


def test_a_risk_at_the_limit_is_in_the_upper_band(tmp_path, capsys):
    RiskCard([FeaturePoints("age", [60], [0, 1])]).save(tmp_path / "card.json")
    (tmp_path / "new.csv").write_text("age\n50\n", encoding="utf-8")
    files = [str(tmp_path / "card.json"), str(tmp_path / "new.csv")]
    lines, _ = predict(capsys, files, "--bands", "low", "high=50%", "--threshold", "50%")
    assert (lines[0]["band"], lines[0]["prediction"]) == ("high", "1")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--bands", "a=0.1", "b=0.2"], "--bands has to rise from 0 to at most 1"),
        (["--bands", "a", "b=0.2", "c=0.2"], "--bands has to rise from 0 to at most 1"),
        (["--bands", "a", "b=2"], "--bands has to rise from 0 to at most 1"),
        (["--bands", "a", "b=x"], "'b=x' is not a name, or NAME=RISK"),
        (["--threshold", "7"], "--threshold is 7. Use a risk from 0 to 1"),
        (["--digits", "0"], "'0' is not a number from 1 to 17, or 'all'"),
        (["--keep", "mrn"], "has no column 'mrn' (named by --keep). The columns are 'MRN',"),
    ],
)
def test_what_cannot_be_done_is_refused(capsys, files, options, message):
    assert main(["predict", *files, *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("risk", "digits", "expected"),
    [
        (0.123456, -1, "0.1235"),
        (0.0123456, -1, "0.0123"),
        (0.000123456, -1, "0.00012"),
        (0.999987654, -1, "0.999988"),
        (1.0, -1, "1.0000"),
        (0.0, -1, "0.0000"),
        (0.123456, 2, "0.12"),
        (0.123456, None, 0.123456),
    ],
)
def test_risks_keep_the_digits_that_tell_them_from_0_and_1(risk, digits, expected):
    assert _rounded(risk, digits) == expected


# --- explain ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "cuts", "expected"),
    [
        (817.1804065554977, [], "817.18"),
        (58.76522929500342, [58.7652], "58.76523"),
        (1234567.891, [], "1234567.89"),
        (60.0, [60.0], "60"),
        (60.00000001, [60.0], "60.00000001"),
        (0.1 + 0.2, [0.3], "0.30000000000000004"),
        (-0.000123456789, [], "-0.000123457"),
    ],
)
def test_numbers_are_short_but_stay_on_their_side_of_a_cut(value, cuts, expected):
    assert readable_number(value, cuts) == expected


def test_explanations_print_values_as_people_write_them():
    smoker = FeaturePoints("smoker", [0], [0, 1], training_range=ValueRange(0, 1, is_whole=True))
    card = RiskCard([FeaturePoints("balance", [959.1], [0, 3]), smoker])
    words = str(card.explain({"balance": 1817.1804065554977, "smoker": 1}))
    assert "1. balance is 1817.18 (> 959.1): +3" in " ".join(words.split()).replace("<=", "≤")
    assert "smoker is yes" in words
    assert "instead of 1817.18" in words
    assert card.explain({"balance": 1817.1804065554977, "smoker": 1}).features[0].value > 1817.18
