"""Files as users have them: numbers, categories and missing values, and errors with their line."""

import numpy as np
import pytest

from riskcard import DataError, FormatError, RiskcardWarning
from riskcard.cli.main import main
from riskcard.cli.rows.labels import with_known_levels
from riskcard.data.columns import FeatureValues, levels_from
from riskcard.data.files import csv_file
from riskcard.data.files.csv_file import CsvFile
from riskcard.data.files.feature_table import FeatureTable
from riskcard.data.files.open_table import open_table
from riskcard.data.files.wanted_columns import Kind, Selection
from riskcard.data.levels import BOOLEAN, Levels
from riskcard.data.reading import Reading
from riskcard.data.table import make_table

NAN = float("nan")


def read(path, kind=Kind.FEATURE, missing=(), required=(), **kinds):
    """Read all columns of a file, as features unless said otherwise."""
    file = open_table(str(path))
    return file.read(
        Selection(
            kinds=dict.fromkeys(file.names, kind) | kinds,
            required=frozenset(required),
            optional=frozenset(file.names),
            reading=Reading(missing=tuple(missing)),
        )
    )


def write(tmp_path, content):
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def column(tmp_path, cells, **options):
    """The feature that a file of one column gives."""
    path = write(tmp_path, "\n".join(["x,other", *(f"{cell},0" for cell in cells)]) + "\n")
    return read(path, **options).features["x"]


def same(feature, values, names=None, is_ordered=False):
    np.testing.assert_array_equal(feature.values, values)
    assert feature.levels == (None if names is None else Levels(names, is_ordered))
    return True


def test_empty_cells_and_words_for_missing_values_are_missing_among_numbers(tmp_path):
    words = ["", "NA", "na", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None", "none", "?", " "]
    feature = column(tmp_path, ["1.5", *words, " 2 ", "-3e2"])
    assert same(feature, [1.5, *[NAN] * len(words), 2, -300])


def test_texts_are_categories_without_spaces_around_them(tmp_path):
    feature = column(tmp_path, ["b", "a ", "", " b", "?", "NA", "a"])
    assert same(feature, [1, 0, NAN, 1, NAN, NAN, 0], ("a", "b"))


def test_none_is_an_answer_among_texts(tmp_path):
    assert same(column(tmp_path, ["None", "brick", "", "None"]), [0, 1, NAN, 0], ("None", "brick"))


def test_true_and_false_are_booleans_however_written(tmp_path):
    feature = column(tmp_path, ["True", "false", "", "TRUE"])
    assert same(feature, [1, 0, NAN, 1], (False, True), is_ordered=True)
    assert feature.levels is BOOLEAN


def test_a_column_without_any_value_is_kept_as_numbers(tmp_path):
    assert same(column(tmp_path, ["", "NA", "?"]), [NAN] * 3)


def test_further_words_for_missing_values_can_be_given(tmp_path):
    assert same(column(tmp_path, ["1", "unknown", "2"], missing=["unknown"]), [1, NAN, 2])
    assert same(column(tmp_path, ["a", "-", "b"], missing=["-"]), [0, NAN, 1], ("a", "b"))
    feature = column(tmp_path, ["999", "999.0", "9.99e2", "1"], missing=["999"])
    assert same(feature, [NAN, NAN, NAN, 1])


def test_numbers_can_be_called_categories(tmp_path):
    feature = column(tmp_path, ["10", "2", "", "2.5", "10"], x=Kind.CATEGORY)
    assert same(feature, [2, 0, NAN, 1, 2], (2, 2.5, 10))
    assert [type(level) for level in feature.levels.names] == [int, float, int]


@pytest.mark.parametrize("cells", [["01234", "7", "01234"], ["1", "x", "1"], ["+1", "2", "+1"]])
def test_called_categories_stay_as_written_unless_all_are_plain_numbers(tmp_path, cells):
    feature = column(tmp_path, cells, x=Kind.CATEGORY)
    assert feature.by_name().tolist() == cells


def test_a_few_numbers_among_many_texts_are_a_category(tmp_path):
    feature = column(tmp_path, ["never", "often", "3", "never"])
    assert same(feature, [1, 2, 0, 1], ("3", "never", "often"))


def test_a_text_that_comes_late_is_seen(tmp_path):
    cells = [str(i % 100) for i in range(9000)]
    with pytest.raises(DataError, match=r"line 9002, column 'x': 'old' is not a number"):
        column(tmp_path, [*cells, "old", "1"])
    feature = column(tmp_path, [*["1"] * 5000, *(f"t{i}" for i in range(3))])
    assert feature.levels == Levels(("1", "t0", "t1", "t2"))
    assert feature.values[[0, 4999, 5000, 5002]].tolist() == [0, 0, 1, 3]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            ["1", "2", "old"],
            "line 4, column 'x': 'old' is not a number, but most values of the column are. "
            "Correct it, call it missing with --missing old, make the column categorical with "
            "--categorical x, or leave it out with --drop x.",
        ),
        (["old", "1", "2", "3"], "line 2, column 'x': 'old' is not a number"),
        (["0", "1", "2", "3+"], "line 5, column 'x': '3+' is not a number"),
        (["1", "2", "<0.5"], "line 4, column 'x': '<0.5' is a limit, not a number, but most"),
        (["12 %", "7.5%", "3"], "line 4, column 'x': '3' and '12 %' cannot be compared: only one"),
        (["$12", "$3", "€4"], "line 4, column 'x': '€4' and '$12' cannot be compared: the curren"),
        ([*"123456", *"abcdef"], "'a' and 5 other texts are not numbers, but most values of the"),
        ([f"{i} kg" for i in range(21)], "'0 kg' is a number with the unit 'kg', as are all"),
        (["1", "2", "inf"], "line 4, column 'x': 'inf' is infinite"),
        (["1", "2", "-1e999"], "line 4, column 'x': '-1e999' is infinite"),
    ],
)
def test_what_is_neither_is_refused_with_its_line_and_ways_out(tmp_path, cells, message):
    with pytest.raises(DataError) as caught:
        column(tmp_path, cells)
    assert message in str(caught.value)


@pytest.mark.parametrize("kind", [Kind.NUMBER, Kind.TEXT])
def test_missing_values_are_refused_where_a_value_is_required(tmp_path, kind):
    with pytest.raises(DataError, match=r"line 3, column 'x': the value is missing\. Fill it in"):
        column(tmp_path, ["1", "NA", "2"], kind=kind, required=["x"])


def test_texts_are_refused_where_numbers_are_needed(tmp_path):
    with pytest.raises(DataError, match="line 2, column 'x': 'a' is not a number"):
        column(tmp_path, ["a", "b"], kind=Kind.NUMBER)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x,x\n1,2\n", "two columns are named 'x'"),
        ("x, x \n1,2\n", "two columns are named 'x'"),
        ("x,y\n1,2\n1\n", "line 3: 1 cells, but the header has 2"),
        ("x,y\n1,2\n\n1,2,3\n", "line 4: 3 cells, but the header has 2"),
        ('x,y\n"1,2\n', "not valid CSV"),
        ('x,y\n"1"2,2\n', "line 2: not valid CSV"),
        ("x,y\n", "has a header but no rows"),
        (b"\xef\xbb\xbf", "is empty"),
        (",\n1,2\n", "has no names in its header"),
        (b"x,y\n1,\xc3\xbc\xc3\xb6\xfc\n", "is UTF-8 text with errors (byte 0xfc in line 2"),
        (b"x,y\n1,\x81\xfc\n", "is neither UTF-8 nor Windows-1252 text (byte 0x81 in line 2"),
    ],
)
@pytest.mark.parametrize("large", [0, 1_000_000])
def test_files_that_are_not_right_are_refused(tmp_path, monkeypatch, content, message, large):
    monkeypatch.setattr(csv_file, "LARGE_FILE", large)
    with pytest.raises(FormatError) as caught:
        read(write(tmp_path, content))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        "x,y\n1,a\n2,b\n",
        "\ufeffx,y\r\n1,a\r\n\r\n2,b\r\n",
        "\n\nx;y\n1;a\n2;b",
        'x,y\n"1","a"\n2,"b"\n',
        "x\ty\n1\ta\n\n2\tb\n",
        "x,y\r1,a\r2,b\r",
    ],
    ids=["plain", "windows", "semicolons", "quotes", "tabs", "old mac"],
)
@pytest.mark.parametrize("large", [0, 1_000_000])
def test_delimiters_line_ends_quotes_and_marks_make_no_difference(
    tmp_path, monkeypatch, content, large
):
    monkeypatch.setattr(csv_file, "LARGE_FILE", large)
    columns = read(write(tmp_path, content))
    assert len(columns) == 2
    assert same(columns.features["x"], [1, 2])
    assert same(columns.features["y"], [0, 1], ("a", "b"))


def test_quoted_cells_may_hold_anything(tmp_path):
    columns = read(write(tmp_path, 'x,y\n"a, ""b""\nc",1\nd,2\n'))
    assert columns.features["x"].levels.names == ('a, "b"\nc', "d")


# --- large files --------------------------------------------------------------------------------

CELLS = ["1", "2.5", "-0.1", "1e300", "0.1", " 7", "", "NA", "?", "none", "None", "+3", "007", ".5"]
TEXTS = ["a", "b", "ü", "True", "false", "NaN", " a", "x y", "nan(1)", "0x10", "Infinity", "1_0"]


def random_file(seed):
    """A file of columns of every kind, some of them wrong."""
    random = np.random.default_rng(seed)
    n_rows = int(random.integers(1, 40))
    columns = []
    for _ in range(4):
        pool = {
            0: CELLS[:6],
            1: CELLS,
            2: TEXTS[:3],
            3: [*TEXTS[:3], "", "NA"],
            4: TEXTS[3:6],
            5: [*CELLS, *TEXTS],
        }[int(random.integers(6))]
        columns.append(random.choice(pool, n_rows).tolist())
    newline = str(random.choice(["\n", "\r\n"]))
    blank = newline if random.random() < 0.2 else ""
    lines = ["a,b,c,d", *map(",".join, zip(*columns, strict=True))]
    return (newline + blank).join(lines) + (newline if random.random() < 0.5 else "")


def outcome(path):
    """What comes out of reading a file: values and levels, or the error."""
    try:
        columns = read(path, missing=["x y", "7"], d=Kind.CATEGORY)
    except DataError as error:
        return str(error)
    return len(columns), {
        name: (values.tobytes(), levels) for name, (values, levels) in columns.features.items()
    }


def test_large_files_are_read_as_small_ones(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    n_fast = 0
    true_read = CsvFile._plain_columns

    def counted(*arguments):
        nonlocal n_fast
        found = true_read(*arguments)
        n_fast += found is not None
        return found

    monkeypatch.setattr(CsvFile, "_plain_columns", counted)
    for seed in range(300):
        path = write(tmp_path, random_file(seed))
        monkeypatch.setattr(csv_file, "LARGE_FILE", 10**9)
        small = outcome(path)
        monkeypatch.setattr(csv_file, "LARGE_FILE", 0)
        assert outcome(path) == small, path.read_text()
    assert n_fast > 100


def test_large_files_are_read_without_pyarrow_too(tmp_path, monkeypatch):
    import builtins

    true_import = builtins.__import__

    def refuse(name, *rest):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return true_import(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    monkeypatch.setattr(csv_file, "LARGE_FILE", 0)
    assert same(read(write(tmp_path, "x\n1\n2\n")).features["x"], [1, 2])


# --- Parquet ------------------------------------------------------------------------------------


def parquet(tmp_path, columns):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_parquet_columns_of_every_kind_are_read(tmp_path):
    import decimal

    pa = pytest.importorskip("pyarrow")
    path = parquet(
        tmp_path,
        {
            "float": [1.5, None, 99.0],
            "int": [1, None, 99],
            "decimal": [decimal.Decimal("1.5"), None, decimal.Decimal(99)],
            "text": ["b", None, "a"],
            "word": ["b", "unknown", "NA"],
            "bool": [True, None, False],
            "category": pa.array(["b", None, "a"]).dictionary_encode(),
            "order": pa.DictionaryArray.from_arrays(
                pa.array([1, None, 0], pa.int8()), ["low", "high"], ordered=True
            ),
            "code": [3, None, 2],
        },
    )
    columns = read(path, missing=["unknown", "99"], code=Kind.CATEGORY)
    found = columns.features
    assert len(columns) == 3
    assert same(found["float"], [1.5, NAN, NAN])
    assert same(found["int"], [1, NAN, NAN])
    assert same(found["decimal"], [1.5, NAN, NAN])
    assert same(found["text"], [1, NAN, 0], ("a", "b"))
    assert same(found["word"], [0, NAN, NAN], ("b",))
    assert same(found["bool"], [1, NAN, 0], (False, True), is_ordered=True)
    assert same(found["category"], [1, NAN, 0], ("a", "b"))
    assert same(found["order"], [1, NAN, 0], ("low", "high"), is_ordered=True)
    assert same(found["code"], [1, NAN, 0], (2, 3))


def test_parquet_columns_are_read_as_wanted(tmp_path):
    path = parquet(tmp_path, {"n": [1.0, None, 2.5], "b": [True, False, None], "t": ["1", "2", ""]})
    numbers = read(path, kind=Kind.NUMBER).features
    assert same(numbers["n"], [1, NAN, 2.5])
    assert same(numbers["b"], [1, 0, NAN])
    assert same(numbers["t"], [1, 2, NAN])
    texts = read(path, kind=Kind.TEXT).features
    assert texts["n"].by_name().tolist() == ["1", None, "2.5"]
    assert texts["b"].by_name().tolist() == ["True", "False", None]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, np.inf], "row 2, column 'x': 'inf' is infinite"),
        ([[1], [2]], r"row 0 holds \[1\], .*--drop 'x'"),
        ([b"1", b"2"], "which is bytes.*--drop 'x'"),
    ],
)
def test_parquet_columns_that_cannot_be_used_are_named(tmp_path, values, message):
    path = parquet(tmp_path, {"x": values})
    with pytest.raises(DataError, match=message):
        read(path)


# --- the table that is learned from -------------------------------------------------------------


def test_a_feature_table_is_learned_from_and_scored():
    shape = levels_from(["b", None, "a"], np.array([0, 1, 2, 0]))
    table = FeatureTable({"age": FeatureValues(np.array([1.0, 2, 3, 4]), None), "shape": shape}, 4)
    made = make_table(table, [0, 1, 0, 1])
    assert (len(table), made.names) == (4, ("age", "shape"))
    np.testing.assert_array_equal(made.values, [[1, 1], [2, NAN], [3, 0], [4, 1]])
    assert made.levels == (None, Levels(("a", "b")))
    assert table["shape"].tolist() == ["b", None, "a", "b"]


def test_rows_of_a_feature_table_forget_levels_that_they_do_not_have():
    table = FeatureTable({"shape": levels_from(["b", "c", "a"], np.array([0, 1, 2, 0]))}, 4)
    taken = table.take(np.array([0, 1, 1]))
    assert (taken.shape, taken["shape"].tolist()) == ((3, 1), ["b", "c", "c"])
    assert make_table(taken, [0, 1, 1]).levels == (Levels(("b", "c")),)


def test_texts_become_the_levels_that_a_card_knows():
    texts = levels_from(["1", "1.0", "true", "x", None], np.arange(5))
    assert with_known_levels(texts, [1, 2]).tolist() == [1, 1, "true", "x", None]
    assert with_known_levels(texts, [True, False]).tolist() == [True, "1.0", True, "x", None]
    assert with_known_levels(texts, ["1", "x"]).tolist() == ["1", "1.0", "true", "x", None]


@pytest.mark.parametrize("large", [0, 10**9], ids=["pyarrow", "line by line"])
def test_whole_numbers_that_floats_cannot_tell_apart_are_warned_of(tmp_path, monkeypatch, large):
    monkeypatch.setattr(csv_file, "LARGE_FILE", large)
    first = 2**53 - 2  # the floats of the last two are equal
    content = "".join(f"{first + i},{i},{first - 10 + i}.5\n" for i in range(4))
    path = write(tmp_path, "id,small,half\n" + content + "NA,,1e300\n")
    with pytest.warns(RiskcardWarning, match="Feature 'id' has whole numbers so large") as told:
        columns = read(path)
    assert len(told) == 1
    assert columns.features["id"].values[:4].tolist() == [float(first + i) for i in range(4)]
    assert np.isnan(columns.features["id"].values[4])


@pytest.mark.filterwarnings("default::riskcard.RiskcardWarning")  # as in a process of its own
def test_what_is_warned_of_while_a_file_is_read_is_a_sentence_without_a_place(tmp_path, capsys):
    rows = "".join(f"{2**53 + i // 2},{i},{i % 3 == 0:d}\n" for i in range(30))
    path = write(tmp_path, "id,age,ill\n" + rows)
    assert main(["fit", str(path), "--target", "ill", "--max-terms", "1", "-q"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("Feature 'id' has whole numbers so large")
