"""Files as people have them: encodings, notations, dates, sheets and statistics programs."""

import datetime
import json
import shlex
import zipfile

import numpy as np
import pytest

from riskcard import DataError, FormatError, ParameterError, RiskCard
from riskcard.cli.main import main
from riskcard.data.cells.dates import as_number, read_date
from riskcard.data.cells.written_numbers import read_number, read_numbers
from riskcard.data.files.open_table import open_table
from riskcard.data.files.wanted_columns import Kind, Selection
from riskcard.data.reading import Reading
from riskcard.data.reading_notes import Topic
from riskcard.data.reading_problems import ReadingProblem, ReadingProblems

NAN = float("nan")


def write(tmp_path, content, name="t.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


def read(path, sheet=None, encoding=None, named=(), target=None, skip=False, kinds=None, **asked):
    """Read all columns of a file as features; ``asked`` is how."""
    file = open_table(str(path), sheet=sheet, encoding=encoding)
    return file.read(
        Selection(
            kinds=dict.fromkeys(file.names, Kind.FEATURE) | (kinds or {}),
            required=frozenset([target] if target else []),
            optional=frozenset(file.names) - {target},
            reading=Reading(**asked),
            named=frozenset(named),
            target=target,
            skip_missing_target=skip,
        )
    )


def column(tmp_path, cells, others="", **asked):
    """The table of a file with semicolons and one column, next to another."""
    lines = ["x;other", *(f"{cell};{others}" for cell in cells)]
    return read(write(tmp_path, "\n".join(lines) + "\n"), **asked)


def values(table, name="x"):
    feature = table.features[name]
    assert feature.levels is None
    return feature.values.tolist()


def texts(table, topic):
    return [note.text for note in table.notes if note.topic is topic]


# --- encodings, delimiters, headers -------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "note"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", "The file is encoded as UTF-16."),
        ("utf-16-le", "The file is encoded as UTF-16."),
        ("utf-16-be", "The file is encoded as UTF-16."),
        ("cp1252", "so that a word in it is 'Größe'"),
        ("latin-1", "so that a word in it is 'Größe'"),
    ],
)
def test_the_encoding_of_a_text_file_is_found_and_said(tmp_path, encoding, note):
    text = "Größe;Ort\n1,5;Köln am Rhein\n2,5;Berlin\n"
    table = read(write(tmp_path, text, encoding=encoding))
    assert values(table, "Größe") == [1.5, 2.5]
    assert table.features["Ort"].levels.names == ("Berlin", "Köln am Rhein")
    assert [note in one for one in texts(table, Topic.FILE)] == ([True] if note else [])


def test_an_encoding_can_be_named(tmp_path):
    path = write(tmp_path, "x;y\nŁódź;1\nbrno;2\n", encoding="cp1250")
    assert "Łódź" in read(path, encoding="cp1250").features["x"].levels.names
    with pytest.raises(ParameterError, match="--encoding is 'klingon', which is not known"):
        read(path, encoding="klingon")
    with pytest.raises(FormatError, match="is not utf-8 text"):
        read(path, encoding="utf-8")


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_delimiters_are_found(tmp_path, mark):
    assert values(read(write(tmp_path, f"x{mark}y\n1.5{mark}a\n2{mark}b\n"))) == [1.5, 2]


@pytest.mark.parametrize(
    ("above", "note"),
    [
        ("", []),
        ("sep=;\n", []),
        ("Ward 7\n", ["Left out: line 1, which is above the header."]),
        ("Ward 7, 2020\n\nAll cases;;\n", ["Left out: lines 1 to 3, which are above the header."]),
    ],
)
def test_lines_above_the_header_are_skipped(tmp_path, above, note):
    path = write(tmp_path, f"{above}x;y;z\n1;a;2\nold;b;3\n5;b;3\n")
    table = read(path, missing=("old",))
    assert texts(table, Topic.FILE) == note
    assert values(table)[0] == 1
    line = above.count("\n") + 3
    with pytest.raises(DataError, match=f"line {line}, column 'x': 'old' is not a number"):
        read(path)


def test_a_line_of_numbers_is_not_taken_for_the_header(tmp_path):
    with pytest.raises(FormatError, match="line 2: 2 cells, but the header has 1"):
        read(write(tmp_path, "x\n1,5\n2,5\n"))


def test_a_header_of_several_lines_is_not_taken_for_a_title(tmp_path):
    table = read(write(tmp_path, '"long\nname",b,c\n1,2,3\n4,5,6\n'))
    assert table.column_names == ["long\nname", "b", "c"]


# --- columns without a name ---------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1])
def test_an_unnamed_column_of_row_numbers_is_left_out(tmp_path, first):
    path = write(tmp_path, f",x\n{first},5\n{first + 1},7\n{first + 2},6\n")
    table = read(path)
    assert table.column_names == ["x"]
    (note,) = [one for one in table.notes if one.topic is Topic.LEFT_OUT]
    assert note.columns == ("column 1",)
    assert note.text.startswith("Left out, as a column without a name that counts the rows")
    assert read(path, named=["column 1"]).column_names == ["column 1", "x"]


def test_other_unnamed_columns_are_called_by_their_place(tmp_path):
    table = read(write(tmp_path, "x,,\n5,3,\n7,1,\n6,2,\n"))
    assert table.column_names == ["x", "column 2"]
    assert texts(table, Topic.LEFT_OUT) == [
        "Left out, as a column without a name and without values: 'column 3'."
    ]
    assert texts(table, Topic.NUMBERS) == [
        "Columns without a name are called by their place: 'column 2'."
    ]


# --- numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "point", "comma", "sign"),
    [
        ("$10,011.14", 10011.14, None, "$"),
        ("1.234,5", None, 1234.5, ""),
        ("1 234,5", None, 1234.5, ""),
        ("1\u202f234.5", 1234.5, None, ""),
        ("1'234.5", 1234.5, None, ""),
        ("1,234,567", 1234567, None, ""),
        ("1,234", 1234, 1.234, ""),
        ("-1.234", -1.234, -1234, ""),
        ("0,123", None, 0.123, ""),
        ("1.234e3", 1234, None, ""),
        ("-$5", -5, -5, "$"),
        ("€ -5", -5, -5, "€"),
        ("($1,234.50)", -1234.5, None, "$"),
        ("−5 CHF", -5, -5, "CHF"),
        ("12 %", 12, 12, "%"),
        ("1_000", 1000, 1000, ""),
        ("1,23,456.5", 123456.5, None, ""),
        ("₹12,34,567", 1234567, None, "₹"),
    ],
)
def test_numbers_are_read_in_every_notation(text, point, comma, sign):
    (found,) = read_numbers([text]).numbers
    assert (found.point, found.comma, found.sign) == (point, comma, sign)


@pytest.mark.parametrize("text", ["70,0", "-1,234", "0,123", "1234,567", "00,5", "123,4567"])
def test_the_short_way_to_read_a_decimal_comma_is_the_long_one(text):
    assert read_numbers([text]).numbers == [read_number(text)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "$",
        ".",
        "-",
        "1,23,45",
        "1.23.456",
        "12a",
        "5 EUR 3",
        "--5",
        "(-5)",
        "(5",
        "$5 %",
        "1 2",
    ],
)
def test_what_only_resembles_a_number_gives_none(text):
    assert read_number(text) is None


@pytest.mark.parametrize(
    ("cells", "expected", "note"),
    [
        (["70,0", "1.234,5", ""], [70, 1234.5, NAN], "Read with decimal commas, where points separate thousands: 'x'."),
        (["1,234.5", "7", "NA"], [1234.5, 7, NAN], None),
        (["12 %", "7.5%", "?"], [12, 7.5, NAN], "so that 12 % is 12: 'x'."),
        (["$10,011.14", "$5"], [10011.14, 5], "Read without currency signs: 'x' ($)."),
        (["5 EUR", "1.000 EUR", "2,5 EUR"], [5, 1000, 2.5], "Read without currency signs: 'x' (EUR)."),
        (["1'234", "2'000'000"], [1234, 2000000], None),
        (["1,50,000", "12,345"], [150000, 12345], None),
        (["(4.5)", "7.25"], [-4.5, 7.25], "Numbers in brackets, read as negative: 'x' ((4.5) is -4.5)."),
    ],
)  # fmt: skip
def test_a_column_is_read_in_the_way_in_which_all_cells_are_numbers(
    tmp_path, cells, expected, note
):
    table = column(tmp_path, cells)
    np.testing.assert_array_equal(values(table), expected)
    found = " ".join(texts(table, Topic.NUMBERS))
    assert (note in found) if note else not found


@pytest.mark.parametrize("cells", [["1,234", "2,500"], ["1.234", "2.500", "17"]])
@pytest.mark.parametrize("evidence", ["0,5", "0.5"])
def test_other_columns_decide_what_a_column_leaves_in_doubt(tmp_path, cells, evidence):
    table = column(tmp_path, cells, others=evidence)
    is_thousands = ("," in cells[0]) != ("," in evidence)
    assert values(table)[:2] == ([1234, 2500] if is_thousands else [1.234, 2.5])
    shown = f"'x' ({cells[0]} is {1234 if is_thousands else 1.234})"
    is_plain = "." in cells[0] and not is_thousands  # as most files are, so that nothing is said
    assert [shown in one.text for one in table.notes if one.is_guess] == [True] * (not is_plain)


@pytest.mark.parametrize(
    ("delimiter", "first"), [(";", 1.234), (",", 1234)], ids=["semicolon", "comma"]
)
def test_the_delimiter_decides_where_no_column_does(tmp_path, delimiter, first):
    text = f'x{delimiter}y\n"1,234"{delimiter}a\n"2,500"{delimiter}b\n'
    assert values(read(write(tmp_path, text)))[0] == first


def test_plain_commas_between_cells_leave_no_doubt(tmp_path):
    table = read(write(tmp_path, "x,y\n1.234,a\n2.500,b\n"))
    assert values(table) == [1.234, 2.5]
    assert table.notes == ()


@pytest.mark.parametrize("others", [("1,5", "2.5"), ("a", "b")], ids=["contradict", "say nothing"])
def test_what_remains_in_doubt_is_asked(tmp_path, others):
    path = write(tmp_path, f"x\ty\tz\n1,234\t{others[0]}\t{others[1]}\n2,500\t3\t4\n", "t.tsv")
    kinds = {"y": Kind.CATEGORY, "z": Kind.CATEGORY}
    with pytest.raises(
        ReadingProblems, match=r"'1,234' and the other numbers.*--decimal comma"
    ) as bad:
        read(path, kinds=kinds)
    assert bad.value.remedy == ()
    assert values(read(path, decimal="comma", kinds=kinds))[0] == 1.234
    assert values(read(path, decimal="point", kinds=kinds))[0] == 1234


def test_a_large_file_with_points_between_thousands_is_read_as_a_small_one(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    from riskcard.data.files import csv_file

    cells = [f"{i}.{i:03d}" for i in range(1, 300)]
    for large in (0, 10**9):
        monkeypatch.setattr(csv_file, "LARGE_FILE", large)
        assert values(column(tmp_path, cells, others="0,5"))[:2] == [1001, 2002]
        assert values(column(tmp_path, cells, others="0.5"))[:2] == [1.001, 2.002]


# --- missing values -----------------------------------------------------------------------------


def test_words_for_missing_values_are_counted(tmp_path):
    table = column(tmp_path, ["1", ".", "-", "NA", ".", "", "#N/A"], others="a")
    (note,) = [one for one in table.notes if one.topic is Topic.MISSING]
    assert note.count == 6
    assert note.text == (
        "Missing values in 'x': 1 empty cell, '#N/A' (1 cell), '-' (1 cell), '.' (2 cells), 'NA' (1 cell)."
    )


def test_a_minus_is_a_level_where_a_plus_is(tmp_path):
    assert column(tmp_path, ["+", "-", "+"]).features["x"].levels.names == ("+", "-")
    assert column(tmp_path, ["a", "-", "b"]).features["x"].levels.names == ("a", "b")
    table = column(tmp_path, ["+", "-", "+"], missing=("-",))
    assert table.features["x"].levels.names == ("+",)


def test_a_usual_word_for_a_missing_value_can_be_a_level(tmp_path):
    cells = ["EU", "NA", "EU"]
    assert column(tmp_path, cells).features["x"].levels.names == ("EU",)
    table = column(tmp_path, cells, not_missing=("NA",))
    assert table.features["x"].levels.names == ("EU", "NA")


def test_rows_without_an_outcome_are_refused_or_left_out_with_their_number(tmp_path):
    path = write(tmp_path, "x,ill\n1,0\n2,\n3,1\n4,NA\n")
    kinds = {"ill": Kind.TEXT}
    with pytest.raises(
        ReadingProblems, match="line 3, column 'ill': the outcome is missing"
    ) as bad:
        read(path, target="ill", kinds=kinds)
    assert "here and in 1 more row." in str(bad.value)
    assert "leave these 2 rows out with --skip-missing-target" in str(bad.value)
    table = read(path, target="ill", skip=True, kinds=kinds)
    assert values(table) == [1, 3]
    assert texts(table, Topic.ROWS) == ["Left out, since the outcome is missing: 2 of 4 rows."]


# --- dates --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2020-12-31", (2020, 12, 31)),
        ("2020/12/31", (2020, 12, 31)),
        ("31.12.2020", (2020, 12, 31)),
        ("31-Dec-2020", (2020, 12, 31)),
        ("31DEC2020", (2020, 12, 31)),
        ("31/12/2020", (2020, 12, 31)),
        ("12/2020", (2020, 12, 1)),
        ("7-2020", (2020, 7, 1)),
        ("2020-07", (2020, 7, 1)),
        ("12/31/2020 3:30 PM", (2020, 12, 31, 15, 30)),
        ("2020-12-31T23:30:00+02:00", (2020, 12, 31, 21, 30)),
    ],
)
def test_dates_are_recognised(text, expected):
    assert set(read_date(text).by_order.values()) == {datetime.datetime(*expected)}


@pytest.mark.parametrize(
    "text", ["1.5", "2020-13-01", "30.02.2020", "1.2.3", "2020", "13/13/2020", "13/2020", "12/3456"]
)
def test_what_is_not_a_date_gives_none(text):
    assert read_date(text) is None


DATES = ["09.01.1987", "10.01.1987", ""]


def test_dates_are_left_out_with_a_note(tmp_path):
    table = column(tmp_path, DATES)
    assert table.column_names == ["other"]
    (text,) = texts(table, Topic.LEFT_OUT)
    assert text.startswith("Left out, as dates: 'x' (such as 09.01.1987). --dates days uses them")


def test_dates_become_days_or_years_if_asked(tmp_path):
    days = (datetime.date(1987, 1, 9) - datetime.date(1970, 1, 1)).days
    np.testing.assert_array_equal(
        values(column(tmp_path, DATES, dates="days")), [days, days + 1, NAN]
    )
    years = values(column(tmp_path, DATES, dates="years"))
    assert years[:2] == [1987 + 8 / 365, 1987 + 9 / 365]
    assert as_number(datetime.datetime(2020, 12, 31, 12), "years") == 2020 + 365.5 / 366


def test_the_order_of_day_and_month_must_be_clear(tmp_path):
    clear = column(tmp_path, ["3/4/2020", "3/31/2020"], dates="days")
    assert values(clear)[1] - values(clear)[0] == 27
    assert clear.reading.date_orders == {"x": "month"}
    with pytest.raises(ReadingProblems, match="whether the day or the month comes first") as bad:
        column(tmp_path, ["3/4/2020", "5/6/2020"], dates="days")
    assert bad.value.remedy == ("--drop", "x")
    with pytest.raises(ReadingProblems, match="which century is meant"):
        column(tmp_path, ["3.4.87", "5.6.87"], dates="days")


def test_texts_among_dates_are_a_problem_only_if_dates_are_used(tmp_path):
    cells = ["2020-01-31", "2020-02-28", "soon"]
    assert column(tmp_path, cells).column_names == ["other"]
    with pytest.raises(ReadingProblems, match="line 4, column 'x': 'soon' is not a date"):
        column(tmp_path, cells, dates="days")


def test_times_of_day_are_left_out(tmp_path):
    table = column(tmp_path, ["08:30", "17:05:10"], dates="days")
    assert texts(table, Topic.LEFT_OUT) == ["Left out, as times of day: 'x' (such as 08:30)."]


# --- problems -----------------------------------------------------------------------------------

MESSY = "a,b,when,money,y\n1,2,2020-01-01,$5,0\npending,3,2020-01-02,$6,1\n3,<0.5,soon,€7,\n4,5,2020-01-03,$8,1\n"


def test_all_problems_are_listed_at_once_with_one_command_that_solves_them(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i},{i % 7},2020-01-04,$9,{i % 2}\n" for i in range(5, 60))
    write(tmp_path, MESSY + rows, "a b.csv")
    command = ["fit", "a b.csv", "--target", "y", "--max-terms", "1", "-q", "-o", "c.json"]
    assert main(command) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[:-1] == [
        "riskcard: 'a b.csv' has 4 problems:",
        "  line 3, column 'a': 'pending' is not a number, but most values of the column are.",
        "  line 4, column 'b': '<0.5' is a limit, not a number, but most values of the column are.",
        "  line 4, column 'money': '€7' and '$5' cannot be compared: the currencies differ.",
        "  line 4, column 'y': the outcome is missing.",
    ]
    first, remedy = lines[-1].split(": ", 1)
    assert first == "  Try"
    added = "--missing pending '<0.5' --drop money --skip-missing-target"
    assert remedy == shlex.join(["riskcard", *command]) + f" {added}"
    assert main(shlex.split(remedy)[1:]) == 0


def test_a_problem_without_an_option_is_listed_with_its_advice():
    unsolved = ReadingProblem("It is broken.", "Mend it.")
    solved = ReadingProblem("It is odd.", "Correct it.", ("--missing", "-x", "?"), "line 2")
    error = ReadingProblems("t.csv", [unsolved, solved])
    assert str(error).splitlines()[1:] == ["It is broken. Mend it.", "line 2: It is odd."]
    assert error.remedy == ("--missing", "?", "--missing=-x")
    assert not error.can_be_solved


# --- Excel --------------------------------------------------------------------------------------


def workbook(tmp_path, rows, others=(), formats=None):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Ward"
    for row in rows:
        sheet.append(row)
    for place, form in (formats or {}).items():
        sheet[place].number_format = form
    for name in others:
        book.create_sheet(name).append(["alone"])
    book.save(tmp_path / "t.xlsx")
    return tmp_path / "t.xlsx"


SHEET = [
    ["Cases of 2020"],
    [],
    ["age", "size", "sex", "born", "smokes", "share", None],
    [61, "1,5", "f", datetime.datetime(1960, 1, 2), True, 0.07, None],
    [None, "2,5", "m", datetime.datetime(1970, 1, 2), False, 0.5, None],
    [],
    [50.5, None, "NA", None, None, None, "x"],
]


def test_a_sheet_is_read_with_the_types_of_its_cells(tmp_path):
    path = workbook(tmp_path, SHEET, others=["Notes"], formats={"F4": "0%", "F5": "0.0%"})
    table = read(path, dates="years")
    assert len(table) == 3
    np.testing.assert_array_equal(values(table, "age"), [61, NAN, 50.5])
    np.testing.assert_array_equal(values(table, "size"), [1.5, 2.5, NAN])
    np.testing.assert_array_equal(values(table, "share"), [7, 50, NAN])
    assert values(table, "born")[1] == 1970 + 1 / 365
    assert table.features["sex"].levels.names == ("f", "m")
    assert table.features["smokes"].levels.names == (False, True)
    assert table.features["column 7"].levels.names == ("x",)
    assert texts(table, Topic.FILE) == [
        "Sheet 'Ward' was read; --sheet reads another: 'Notes'.",
        "Left out: lines 1 to 2, which are above the header.",
    ]
    assert table.reading.signs == {"share": "%"}


def test_a_problem_of_a_sheet_has_its_cell(tmp_path):
    path = workbook(tmp_path, [["x", "y"], [1, 2], [], ["old", 3], [5, 6]])
    with pytest.raises(DataError, match="sheet 'Ward', cell A4, column 'x': 'old' is not a number"):
        read(path)


def test_numbers_of_a_sheet_are_never_in_doubt(tmp_path):
    path = workbook(tmp_path, [["x", "y"], [1.234, "0,5"], [2.5, "1,5"]])
    assert values(read(path)) == [1.234, 2.5]


def test_formulas_without_results_are_not_taken_for_missing_values(tmp_path):
    path = workbook(tmp_path, [["x", "y"], ["=B2*2", 1], ["=B3*2", 2]])
    with pytest.raises(
        ReadingProblems, match="formulas whose results the file does not have"
    ) as bad:
        read(path)
    assert bad.value.remedy == ("--drop", "x")


def test_one_formula_without_a_result_is_enough_and_an_empty_text_is_one(tmp_path):
    path = workbook(tmp_path, [["x", "y"], ["=B2*2", 1], [4, 2]])
    with pytest.raises(ReadingProblems, match="formulas whose results the file does not have"):
        read(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = next(name for name in parts if b"<f>B2*2</f>" in parts[name])
    parts[sheet] = parts[sheet].replace(b'r="A2"', b'r="A2" t="str"')
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    np.testing.assert_array_equal(values(read(path)), [NAN, 4])


def test_percentages_among_other_numbers_of_a_sheet_are_refused(tmp_path):
    rows = [["x", "y"], [1, 1], [0.5, 2]]
    assert values(read(workbook(tmp_path, rows, formats={"A2": "0%", "A3": "0%"}))) == [100, 50]
    with pytest.raises(ReadingProblems, match="shown in per cent and others that are not"):
        read(workbook(tmp_path, rows, formats={"A3": "0%"}))


def test_sheets_are_chosen_by_name_or_number(tmp_path):
    path = workbook(tmp_path, [["x"], [1]], others=["Notes"])
    with pytest.raises(FormatError, match="sheet 'Notes' has a header but no rows"):
        read(path, sheet="2")
    assert values(read(path, sheet="Ward")) == [1]
    with pytest.raises(ParameterError, match=r"has no sheet 'Nots'\. Did you mean 'Notes'"):
        read(path, sheet="Nots")
    with pytest.raises(ParameterError, match=r"is not an Excel file\. Remove it"):
        read(write(tmp_path, "x,y\n1,2\n"), sheet="1")


def test_an_empty_sheet_is_refused(tmp_path):
    with pytest.raises(FormatError, match="sheet 'Ward' is empty"):
        read(workbook(tmp_path, []))


# --- SPSS, Stata, SAS ---------------------------------------------------------------------------


def labelled_frame():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(
        {
            "age": [61.0, None, 50.5, 40.0],
            "stage": [2.0, 1.0, 3.0, 2.0],
            "sex": [1.0, 0.0, 0.0, 1.0],
            "income": [10.0, 99.0, 20.0, 30.0],
            "seen": [datetime.date(1970, 1, 3)] * 4,
        }
    )


LABELS = {
    "stage": {1.0: "low", 2.0: "middle", 3.0: "high"},
    "sex": {0.0: "female", 1.0: "male"},
    "income": {99.0: "refused"},
}


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_files_of_spss_and_stata_are_read_with_their_labels(tmp_path, ending):
    pyreadstat = pytest.importorskip("pyreadstat")
    path = tmp_path / f"t.{ending}"
    frame = labelled_frame()
    if ending == "sav":
        measures = {"stage": "ordinal"}
        pyreadstat.write_sav(frame, path, variable_value_labels=LABELS, variable_measure=measures)
    else:
        pyreadstat.write_dta(frame, path, variable_value_labels=LABELS)
    table = read(path, dates="days")
    np.testing.assert_array_equal(values(table, "age"), [61, NAN, 50.5, 40])
    np.testing.assert_array_equal(values(table, "seen"), [2, 2, 2, 2])
    assert table["sex"].tolist() == ["male", "female", "female", "male"]
    assert table["stage"].tolist() == ["middle", "low", "high", "middle"]
    levels = table.features["stage"].levels
    assert levels.is_ordered == (ending == "sav")
    assert levels.names == (
        ("low", "middle", "high") if ending == "sav" else ("high", "low", "middle")
    )
    assert values(table, "income") == [10, 99, 20, 30]
    assert any("'income' (99: 'refused')" in text for text in texts(table, Topic.NUMBERS))
    assert np.isnan(values(read(path, missing=("99",)), "income")[1])


def test_files_of_sas_are_read(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = labelled_frame().drop(columns="seen")
    pyreadstat.write_xport(frame, tmp_path / "t.xpt")
    assert values(read(tmp_path / "t.xpt"), "stage") == [2, 1, 3, 2]


def test_a_file_that_is_not_of_its_ending_is_refused(tmp_path):
    pytest.importorskip("pyreadstat")
    with pytest.raises(FormatError, match=r"is not a \.sav file that can be read"):
        read(write(tmp_path, "x,y\n1,2\n", "t.sav"))


def test_dates_and_amounts_of_parquet_are_read_as_those_of_text(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {
        "when": [datetime.date(1970, 1, 3), None],
        "amount": ["$10,011.14", "$5.00"],
        "code": ["007", "12"],
    }
    parquet.write_table(pyarrow.table(columns), tmp_path / "t.parquet")
    table = read(tmp_path / "t.parquet")
    assert table.column_names == ["amount", "code"]
    assert values(table, "amount") == [10011.14, 5]
    assert table["code"].tolist() == ["007", "12"]
    np.testing.assert_array_equal(
        values(read(tmp_path / "t.parquet", dates="days"), "when"), [2, NAN]
    )


# --- a card reads as its training file was read -------------------------------------------------


def german_file(tmp_path, currency="€"):
    lines = ["Größe;Kosten;Aufnahme;Rückfall"]
    for i in range(80):
        size = f"{(37 * i) % 80},{i % 10}"
        cost = f"1.{(531 * i) % 1000:03d},50 {currency}"
        month = 1 + i % 12
        ill = "ja" if (37 * i) % 80 + 20 * (i % 3) > 50 else "nein"
        lines.append(f"{size};{cost};{month}/{1 + i % 28}/20{10 + i % 10};{ill if i else ''}")
    return write(tmp_path, "\n".join(lines) + "\n", f"{ord(currency)}.csv", encoding="cp1252")


def test_a_card_scores_and_checks_the_file_that_it_was_learned_from(tmp_path, capsys):
    path, card_path = str(german_file(tmp_path)), str(tmp_path / "c.json")
    fit = ["fit", path, "--target", "Rückfall", "--max-terms", "4", "-q", "-o", card_path]
    asked = ["--dates", "years", "--missing", "20,0", "--skip-missing-target"]
    assert main([*fit, *asked]) == 0, capsys.readouterr().err
    card = RiskCard.load(card_path)
    assert card.reading == Reading(
        missing=("20,0",),
        decimal="comma",
        dates="years",
        date_orders={"Aufnahme": "month"},
        signs={"Kosten": "€"},
    )
    assert json.loads(card.to_json())["reading"]["dates"] == "years"
    for command in ("predict", "explain"):
        assert main([command, card_path, path]) == 0, capsys.readouterr().err
    assert main(["check", card_path, path]) == 2
    assert "--skip-missing-target" in capsys.readouterr().err
    assert main(["check", card_path, path, "--skip-missing-target"]) == 0
    err = capsys.readouterr().err
    assert "was read as Windows-1252" in err
    assert "Left out, since the outcome is missing: 1 of 80 rows." in err


def test_amounts_in_another_currency_than_that_of_the_card_are_refused(tmp_path):
    file = open_table(str(german_file(tmp_path, "£")))
    wanted = Selection(kinds={"Kosten": Kind.NUMBER}, trained=Reading(signs={"Kosten": "€"}))
    with pytest.raises(
        ReadingProblems, match="is in £, but the card was learned from numbers in €"
    ):
        file.read(wanted)


def test_the_mark_of_training_and_the_delimiter_must_not_contradict_each_other(tmp_path):
    trained = column(tmp_path, ["4.857", "12.5", "1000"]).reading
    assert trained.decimal == "point"
    new = open_table(str(write(tmp_path, "x;y\n4.857;a\n", "new.csv")))
    with pytest.raises(ReadingProblems, match=r"'4\.857' and the other numbers"):
        new.read(Selection(kinds={"x": Kind.NUMBER}, trained=trained))
    new = open_table(str(write(tmp_path, "x\ty\n4.857\ta\n", "new.csv")))
    assert values(new.read(Selection(kinds={"x": Kind.NUMBER}, trained=trained))) == [4.857]


def test_a_single_date_is_read_in_the_order_of_training(tmp_path):
    file = open_table(str(write(tmp_path, "seen\n3/4/2020\n")))
    kinds, asked = {"seen": Kind.NUMBER}, Reading(dates="days")
    for order, date in (("month", (2020, 3, 4)), ("day", (2020, 4, 3))):
        trained = Reading(date_orders={"seen": order})
        table = file.read(Selection(kinds=kinds, reading=asked, trained=trained))
        assert values(table, "seen") == [(datetime.date(*date) - datetime.date(1970, 1, 1)).days]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"decimal": "dot"},
            "decimal of the reading is 'dot'. It must be null or 'point' or 'comma'",
        ),
        ({"dates": "weeks"}, "dates of the reading is 'weeks'"),
        ({"missing": "NA"}, "missing of the reading is 'NA'. It must be a list of words"),
        ({"signs": {"x": 1}}, "An entry of signs of the reading is 1. It must be a text"),
        ({"date_orders": []}, r"date_orders of the reading is \[\]. It must be an object"),
    ],
)
def test_a_reading_that_makes_no_sense_is_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        Reading(**change)
