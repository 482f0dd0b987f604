"""The command line: what it writes, what it refuses, and how it says so."""

import csv
import io
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cards import heart_card
from riskcard.cli.main import main
from riskcard.errors import FormatError
from riskcard.model.card import RiskCard
from riskcard.problem.result import SolveResult
from riskcard.status import Progress, Status
from riskcard.version import __version__

SOURCE = Path(__file__).parents[1] / "src"


def heart_rows(n_rows: int = 60) -> list[dict[str, object]]:
    """Rows whose outcome follows age and pressure, with some noise."""
    random = np.random.default_rng(0)
    rows = []
    for _ in range(n_rows):
        age, pressure = int(random.integers(30, 90)), round(float(random.uniform(80, 180)), 1)
        chance = 1 / (1 + np.exp(-(2.0 * (age > 60) + 1.5 * (pressure > 140) - 1.5)))
        outcome = "ill" if random.random() < chance else "well"
        rows.append({"age": age, "pressure": pressure, "weight": 1 + age % 3, "outcome": outcome})
    return rows


def write_csv(path: Path, rows: list[dict[str, object]], delimiter: str = ",") -> str:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "heart.csv", heart_rows())


@pytest.fixture
def fitted(tmp_path, data, capsys):
    path = str(tmp_path / "card.json")
    assert main(["fit", data, "--target", "outcome", "--event", "ill", "-o", path]) == 0
    capsys.readouterr()
    return path


def run(capsys, *argv: str) -> tuple[int, str, str]:
    code = main([str(word) for word in argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


# --- fit ----------------------------------------------------------------------------------------


def test_fit_writes_the_card_that_it_shows(tmp_path, data, capsys):
    path = tmp_path / "card.json"
    code, out, _ = run(capsys, "fit", data, "--target", "outcome", "-o", path, "--max-terms", 2)
    card = RiskCard.load(path)
    assert code == 0
    assert str(card) in out
    assert card.outcome == "outcome"
    assert card.classes == ("well", "ill")
    assert card.feature_names == ("age", "pressure", "weight")
    assert 1 <= len(card.terms) <= 2
    assert card.training.rows == 60


def test_fit_without_output_says_that_nothing_is_saved(data, capsys):
    code, out, err = run(capsys, "fit", data, "--target", "outcome")
    assert code == 0
    assert "Risk of outcome = ill" in out
    assert "Not saved" in err


def test_quiet_fit_says_nothing(tmp_path, data, capsys):
    options = ["--target", "outcome", "-o", tmp_path / "card.json", "--quiet"]
    assert run(capsys, "fit", data, *options) == (0, "", "")


def test_fit_passes_every_option_on(tmp_path, data, capsys):
    path = tmp_path / "card.json"
    options = "--max-terms 2 --max-features 1 --max-cuts-per-feature 1 --max-points 3 --scale 1"
    code, _, _ = run(
        capsys, "fit", data, "--target", "outcome", "-o", path, *options.split(),
        "--weights", "weight", "--drop", "pressure", "--grid", 5, "--n-jobs", 1, "--random-state", 3,
        "--time-limit", 5, "--gap", 0.1,
    )  # fmt: skip
    card = RiskCard.load(path)
    limits = card.certificate
    assert code == 0
    assert (limits.max_terms, limits.max_features, limits.max_cuts_per_feature) == (2, 1, 1)
    assert (limits.max_points, limits.scale, limits.is_grid_full) == (3, 1.0, False)
    assert card.feature_names == ("age",)
    assert card.training.weight == sum(row["weight"] for row in heart_rows())


def test_columns_can_be_named(tmp_path, data, capsys):
    path = tmp_path / "card.json"
    options = ["--target", "outcome", "-o", path, "--columns", "pressure", "age"]
    assert run(capsys, "fit", data, *options)[0] == 0
    assert RiskCard.load(path).feature_names == ("pressure", "age")


def test_the_event_can_be_chosen(tmp_path, data, capsys):
    losses = set()
    for event, other in (("ill", "well"), ("well", "ill")):
        path = tmp_path / f"{event}.json"
        options = ["--target", "outcome", "--event", event, "-o", path, "-q", "--max-terms", "1"]
        assert run(capsys, "fit", data, *options)[0] == 0
        card = RiskCard.load(path)
        assert card.classes == (other, event)
        losses.add(round(card.certificate.loss, 6))
    assert len(losses) == 1


@pytest.mark.parametrize(
    ("low", "high", "classes"),
    [
        ("0", "1", (0, 1)),
        ("0.0", "2.0", (0, 2)),
        ("-1", "1", (-1, 1)),
        ("no", "yes", ("no", "yes")),
    ],
)
def test_labels_that_are_numbers_stay_numbers(tmp_path, capsys, low, high, classes):
    rows = [{**row, "outcome": high if row["outcome"] == "ill" else low} for row in heart_rows()]
    path = tmp_path / "card.json"
    data = write_csv(tmp_path / "numbers.csv", rows)
    assert run(capsys, "fit", data, "--target", "outcome", "-o", path, "-q")[0] == 0
    assert RiskCard.load(path).classes == classes
    assert run(capsys, "check", path, data)[0] == 0


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_delimiters_quotes_and_byte_order_marks_are_understood(
    tmp_path, capsys, data, delimiter, encoding
):
    rows = [{'the "age", in; years': row["age"], **row} for row in heart_rows()]
    other = tmp_path / "other.csv"
    write_csv(other, rows, delimiter)
    other.write_text(other.read_text(encoding="utf-8") + "\n\n", encoding=encoding)
    path = tmp_path / "card.json"
    code, _, err = run(capsys, "fit", other, "--target", "outcome", "-o", path, "-q")
    assert (code, err) == (0, "")
    assert RiskCard.load(path).feature_names[0] == 'the "age", in; years'


def test_parquet_gives_the_same_card_as_csv(tmp_path, capsys, data):
    pandas = pytest.importorskip("pandas")
    pandas.read_csv(data).to_parquet(tmp_path / "heart.parquet")
    cards = []
    for source in (data, tmp_path / "heart.parquet"):
        path = tmp_path / "card.json"
        assert run(capsys, "fit", source, "--target", "outcome", "-o", path, "-q")[0] == 0
        cards.append(RiskCard.load(path))
    assert cards[0].features == cards[1].features
    assert cards[0].classes == cards[1].classes


def test_constant_columns_are_mentioned_and_not_used(tmp_path, capsys):
    data = write_csv(tmp_path / "c.csv", [{"same": 7, **row} for row in heart_rows()])
    code, out, err = run(capsys, "fit", data, "--target", "outcome")
    assert code == 0
    assert "  Constant, so of no use: 'same'\n" in err
    assert "same " not in out


# --- what is refused ----------------------------------------------------------------------------

GOOD = "age,outcome\n" + "".join(f"{50 + i},{i % 2}\n" for i in range(12))


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", "", "'bad.csv' is empty"),
        ("   \n", "", "'bad.csv' is empty"),
        ("age,outcome\n", "", "has a header but no rows"),
        ("age,age,outcome\n1,2,0\n", "", "two columns are named 'age'"),
        ("age,outcome\n1,0\n2\n", "", "line 3: 1 cells, but the header has 2"),
        ("age,outcome\n1,0\n2,1,7\n", "", "line 3: 3 cells"),
        ("age,outcome\n1,0\nold,1\n", "", "line 3, column 'age': 'old' is not a number"),
        ("age,outcome\n1,0\n2,1\n3,NA\n", "", "line 4, column 'outcome': the outcome is missing"),
        ("w,age,outcome\n1,1,0\n,2,1\n", "--weights w", "column 'w': the value is missing"),
        ("w,age,outcome\n1,1,0\nx,2,1\n", "--weights w", "line 3, column 'w': 'x' is not a numbe"),
        ("age,outcome\n1,0\n2,1\n3,\n", "", "leave this row out with --skip-missing-target"),
        ("age,outcome\n1,0\ninf,1\n", "", "line 3, column 'age': 'inf' is infinite"),
        ('age,outcome\n1,"0\n', "", "not valid CSV"),
        ("age,outcome\n1,0\n2,0\n", "", "is 0 in all 2 rows"),
        ("age,outcome\n1,0\n2,1\n3,2\n", "", "3 different values ('0', '1', '2')"),
        ("age,outcome\n1,0\n1,1\n1,0\n1,1\n1,0\n", "", "every column to learn from is constant"),
        ("age,outcome\n1,0\n2,1\n", "", "2 rows, fewer than the 5 terms"),
        ("outcome\n0\n1\n", "", "No column of 'bad.csv' is left"),
        (
            "seen,outcome\n2020-01-01,0\n2020-01-02,1\n",
            "",
            "No column of 'bad.csv' is left to learn from. Left out, as dates: 'seen'",
        ),
        (GOOD, "--target outcom", "no column 'outcom' (the target). Did you mean 'outcome'?"),
        (GOOD, "--target zzz", "The columns are 'age', 'outcome'."),
        (GOOD, "--drop zzz", "no column 'zzz' (named by --drop)"),
        (GOOD, "--columns zzz", "no column 'zzz' (named by --columns)"),
        (GOOD, "--categorical zzz", "no column 'zzz' (named by --categorical)"),
        (GOOD, "--categorical outcome", "--categorical names 'outcome', which is not a feature"),
        (GOOD, "--budget 3", "--budget is given without costs"),
        (GOOD, "--rules none.toml", "There is no file 'none.toml'"),
        (GOOD, "--improve none.json", "There is no file 'none.json'"),
        (
            GOOD,
            "--min-bin-rows few",
            "argument --min-bin-rows: 'few' is not a whole number of at least 0, or a share",
        ),
        (
            GOOD,
            "--min-bin-rows 100%",
            "argument --min-bin-rows: '100%' is not a share from 0% to below",
        ),
        (
            GOOD,
            "--round-cuts x%",
            "argument --round-cuts: 'x%' is not a share of at least 0, such as 0.01",
        ),
        (GOOD, "--class-weight heavy", "argument --class-weight: 'heavy' is not 'balanced'"),
        (GOOD, "--weights zzz", "no column 'zzz' (the weights)"),
        (GOOD, "--weights outcome", "both the target and the weights"),
        (GOOD, "--drop age", "No column of 'bad.csv' is left"),
        (
            GOOD,
            "--event 7",
            "--event is '7', but the target 'outcome' has the values 0 and 1",
        ),
        (GOOD, "--max-terms 0", "'0' is not a whole number of at least 1"),
        (GOOD, "--max-terms x", "argument --max-terms: 'x' is not a whole number"),
        (GOOD, "--max-points 0", "--max-points: '0' is not a whole number of at least 1"),
        (GOOD, "--scale -1", "--scale: '-1' is not a positive number"),
        (GOOD, "--scale big", "argument --scale: 'big' is not a positive number"),
        (GOOD, "--gap 2", "--gap: '2' is not a share from 0 to 1"),
        (GOOD, "--time-limit -1", "--time-limit: '-1' is not a number of at least 0"),
        (GOOD, "--n-jobs 0", "--n-jobs: '0' is not a whole number other than 0"),
        (GOOD, "--grid 0", "--grid: '0' is not a whole number of at least 1"),
        (GOOD, "--random-state -1", "--random-state: '-1' is not a whole number"),
        (
            GOOD,
            "--colour red",
            "there is no option '--colour'. Did you mean '--columns'? See 'riskcard fit --help'",
        ),
        ("w,age,outcome\n1,1,0\n0,2,1\n", "--weights w", "the weight of row 2 is 0"),
        ("w,age,outcome\n1,1,0\n-2,2,1\n", "--weights w", "the weight of row 2 is -2"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(
    tmp_path, monkeypatch, capsys, content, options, message
):
    monkeypatch.chdir(tmp_path)
    Path("bad.csv").write_text(content)
    target = [] if "--target" in options else ["--target", "outcome"]
    code, out, err = run(capsys, "fit", "bad.csv", "-o", "card.json", *target, *options.split())
    assert code == 2
    assert out == ""
    read, _, refused = err.rpartition("riskcard: ")
    assert read == "" or read.startswith("What was read\n  Event: ")
    assert refused.count("\n") == 1
    assert message in refused
    assert os.listdir() == ["bad.csv"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04rest", "is not an Excel file that can be read (File is not a zip file)"),
        (b"\xd0\xcf\x11\xe0rest", "an Excel file of the old kind (.xls). Save it as .xlsx"),
        (b"\x1f\x8brest", "compressed with gzip"),
        (b"\x00\x01\x02", "is not a table. Give a CSV, Excel or Parquet file"),
        (b"PAR1 but nothing else", "is not a Parquet file that can be read"),
    ],
)
def test_files_that_are_not_tables_are_refused(tmp_path, capsys, content, message):
    if content.startswith(b"PK"):
        pytest.importorskip("openpyxl")
    if content.startswith(b"PAR1"):
        pytest.importorskip("pyarrow")
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    code, _, err = run(capsys, "fit", path, "--target", "outcome")
    assert code == 2
    assert message in err


def test_files_that_are_not_there_are_refused(tmp_path, capsys):
    for argv, why in (
        (["fit", tmp_path / "none.csv", "--target", "y"], "There is no file"),
        (["show", tmp_path / "none.json"], "There is no file"),
        (["fit", tmp_path, "--target", "y"], "has no file that ends in .parquet"),
    ):
        code, _, err = run(capsys, *argv)
        assert code == 2
        assert why in err


def test_an_output_that_cannot_be_written_is_refused_before_the_data_are_read(tmp_path, capsys):
    output = tmp_path / "none" / "card.json"
    code, _, err = run(capsys, "fit", "no-data.csv", "--target", "y", "-o", output)
    assert code == 2
    assert "none' does not exist. Create it" in err


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused(tmp_path, capsys):
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    code, _, err = run(capsys, "fit", "d.csv", "--target", "y", "-o", folder / "card.json")
    assert code == 2
    assert "permission denied" in err


def test_a_missing_pyarrow_is_named_with_its_extra(tmp_path, monkeypatch, capsys):
    path = tmp_path / "data.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = run(capsys, "fit", path, "--target", "outcome")
    assert code == 2
    assert 'pip install "riskcard[parquet]"' in err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"age": ["old"] * 3}, "every column to learn from is constant ('age')"),
        ({"age": [[1]] * 3}, "Feature 'age' is not numeric: row 0 holds [1]"),
        ({"age": [1.0, np.inf, 3.0]}, "row 2, column 'age': 'inf' is infinite"),
        ({"outcome": ["a", None, "b"]}, "row 2, column 'outcome': the outcome is missing"),
        ({"age": [], "outcome": []}, "has no rows"),
    ],
)
def test_bad_parquet_is_refused(tmp_path, capsys, change, message):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"age": [1.0, 2.0, 3.0], "outcome": ["no", "yes", "no"], **change})
    parquet.write_table(table, tmp_path / "data.parquet")
    code, _, err = run(capsys, "fit", tmp_path / "data.parquet", "--target", "outcome")
    assert code == 2
    assert message in err


# --- show, predict, check -----------------------------------------------------------------------


def test_show_prints_the_card_in_both_forms(tmp_path, capsys):
    path = tmp_path / "card.json"
    heart_card().save(path)
    assert run(capsys, "show", path) == (0, f"{heart_card()}\n", "")
    two_sided = heart_card().to_text("two_sided")
    assert run(capsys, "show", path, "--form", "two_sided") == (0, f"{two_sided}\n", "")


def test_show_writes_a_page(tmp_path, capsys):
    path, page = tmp_path / "card.json", tmp_path / "card.html"
    heart_card().save(path)
    assert run(capsys, "show", path, "--html", page)[0] == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_card_from_the_future_is_refused(tmp_path, capsys):
    path = tmp_path / "card.json"
    path.write_text(heart_card().to_json().replace('"format_version": 8', '"format_version": 10'))
    code, _, err = run(capsys, "show", path)
    assert code == 2
    assert "Install a newer riskcard" in err


def test_predict_gives_total_risk_and_label_of_each_row(tmp_path, data, fitted, capsys):
    options = ["--digits", "all", "--threshold", "50%"]
    code, out, err = run(capsys, "predict", fitted, data, *options)
    lines = list(csv.DictReader(io.StringIO(out)))
    card = RiskCard.load(fitted)
    rows = heart_rows()
    columns = {name: [float(row[name]) for row in rows] for name in card.feature_names}
    assert (code, err) == (0, "")
    assert [int(line["total"]) for line in lines] == card.total_points(columns).tolist()
    assert [float(line["risk"]) for line in lines] == card.risk(columns).tolist()
    for line in lines:
        assert line["prediction"] == ("ill" if float(line["risk"]) >= 0.5 else "well")
        assert line["remarks"] == ""


def test_predict_writes_a_file_and_needs_only_the_columns_of_the_card(tmp_path, capsys):
    path, out_path = tmp_path / "card.json", tmp_path / "out.csv"
    heart_card().save(path)
    data = write_csv(tmp_path / "new.csv", [{"name": "Ann", "age": 70, "pressure": 0.1}])
    assert run(capsys, "predict", path, data, "-o", out_path)[:2] == (0, "")
    assert out_path.read_text().splitlines() == [
        "total,risk,remarks",
        f"6,{heart_card().risk_of_total(6):.4f},",
    ]


def test_predict_names_the_columns_that_are_missing(tmp_path, capsys):
    path = tmp_path / "card.json"
    heart_card().save(path)
    data = write_csv(tmp_path / "new.csv", [{"agee": 70}])
    code, _, err = run(capsys, "predict", path, data)
    assert code == 2
    assert "no columns 'age', 'pressure' (needed by the card). Did you mean 'agee'?" in err


@pytest.mark.parametrize("command", ["predict", "check"])
def test_a_missing_value_that_the_card_has_no_points_for_is_refused(tmp_path, capsys, command):
    path = tmp_path / "card.json"
    heart_card().save(path)
    rows = [{"age": 70, "pressure": 1, "death": "yes"}, {"age": "", "pressure": 1, "death": "no"}]
    data = write_csv(tmp_path / "new.csv", rows)
    code, _, err = run(capsys, command, path, data)
    assert code == 2
    assert "Feature 'age'" in err
    assert "the card has no points" in err.lower()


def test_a_card_without_features_predicts_its_base(tmp_path, capsys):
    path = tmp_path / "card.json"
    RiskCard([], feature_names=["a"]).save(path)
    data = write_csv(tmp_path / "new.csv", [{"name": "Ann"}, {"name": "Ben"}])
    assert run(capsys, "predict", path, data)[1].splitlines()[1:] == ["0,0.5000,", "0,0.5000,"]


def test_check_passes_for_the_rows_learned_from_and_fails_for_others(
    tmp_path, data, fitted, capsys
):
    code, out, _ = run(capsys, "check", fitted, data)
    assert code == 0
    assert "FAIL" not in out
    assert out.count("pass  ") >= 5
    others = write_csv(tmp_path / "others.csv", heart_rows()[:40])
    code, out, _ = run(capsys, "check", fitted, others)
    assert code == 1
    assert "FAIL" in out


def test_check_sees_a_false_claim(data, fitted, capsys):
    text = Path(fitted).read_text()
    loss = RiskCard.from_json(text).certificate.loss
    Path(fitted).write_text(text.replace(f'"loss": {loss!r}', '"loss": 1.0'))
    code, out, _ = run(capsys, "check", fitted, data)
    assert code == 1
    assert "FAIL         digest: The card was changed after it was fitted" in out
    assert "not checked  certificate: the card has none" in out
    assert "The card is not what it claims." in out


def test_check_says_what_it_did_not_check(data, fitted, capsys):
    card = RiskCard.load(fitted)
    replace(card, certificate=None, recipe=None).save(fitted)
    code, out, _ = run(capsys, "check", fitted, data)
    assert code == 3
    assert "not checked  certificate: the card has none" in out
    assert out.endswith("0 failed, 2 not checked. The card has no certificate.\n")
    bound = replace(card.certificate, bound=1.0, status="time_limit")
    replace(card, certificate=bound, recipe=None).save(fitted)
    code, out, _ = run(capsys, "check", fitted, data)
    assert code == 3
    assert "not checked  proof: the bound 1 is the solver's claim" in out
    assert out.endswith("The card has no recipe, so nothing backs its bound.\n")


def test_check_needs_a_target(tmp_path, data, capsys):
    path = tmp_path / "card.json"
    heart_card(outcome=None).save(path)
    code, _, err = run(capsys, "check", path, data)
    assert code == 2
    assert "Give the column with --target" in err


def test_check_refuses_labels_that_the_card_does_not_know(tmp_path, data, capsys):
    path = tmp_path / "card.json"
    heart_card().save(path)
    code, _, err = run(capsys, "check", path, data, "--target", "outcome")
    assert code == 2
    assert "but the card knows 'no' and 'yes'" in err


# --- the process --------------------------------------------------------------------------------


def test_an_interrupted_fit_keeps_the_best_card(tmp_path, data, monkeypatch, capsys):
    from riskcard.estimators import learning

    true_solve = learning.solve

    def interrupted(problem, options):
        found = true_solve(problem, options)
        return SolveResult(found.solution, found.loss, 0.5 * found.loss, Status.INTERRUPTED)

    monkeypatch.setattr(learning, "solve", interrupted)
    path = tmp_path / "card.json"
    code, out, _ = run(capsys, "fit", data, "--target", "outcome", "-o", path)
    assert code == 130
    assert "Stopped by the user." in " ".join(out.split())
    assert RiskCard.load(path).certificate.gap == pytest.approx(0.5)


def test_an_interrupt_before_there_is_a_card_writes_nothing(tmp_path, data, monkeypatch, capsys):
    from riskcard.estimators import learning

    def interrupted(problem, options):
        raise KeyboardInterrupt

    monkeypatch.setattr(learning, "solve", interrupted)
    path = tmp_path / "card.json"
    code, _, err = run(capsys, "fit", data, "--target", "outcome", "-o", path)
    assert code == 130
    assert err.endswith("\nriskcard: Interrupted; nothing was written.\n")
    assert not path.exists()


def test_no_command_prints_the_help_and_an_unknown_one_is_refused(capsys):
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    assert out.startswith("usage: riskcard")
    code, _, err = run(capsys, "bake")
    assert code == 2
    assert "'bake' is not known" in err


def test_the_version_is_printed(capsys):
    assert run(capsys, "--version") == (0, f"riskcard {__version__}\n", "")


def in_new_process(*argv: str, **options) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.run(
        [sys.executable, *argv], env=environment, text=True, capture_output=True, **options
    )


def test_the_package_is_the_command():
    assert in_new_process("-m", "riskcard", "--version").stdout == f"riskcard {__version__}\n"


@pytest.mark.parametrize("argv", [["--help"], ["fit", "--help"], ["--version"], ["bake"]])
def test_help_imports_nothing_heavy(argv):
    code = (
        "import sys\nfrom riskcard.cli.main import main\n"
        f"main({argv!r})\n"
        "heavy = {'numpy', 'numba', 'sklearn', 'rich', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = in_new_process("-c", code)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_importing_the_package_imports_nothing_heavy_and_names_are_there():
    code = (
        "import sys, riskcard\n"
        "assert 'numpy' not in sys.modules\n"
        "assert set(riskcard.__all__) <= set(dir(riskcard))\n"
        "assert all(getattr(riskcard, name) is not None for name in riskcard.__all__)\n"
        "assert not hasattr(riskcard, 'nonsense')\n"
    )
    done = in_new_process("-c", code)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_a_reader_that_leaves_early_gives_no_traceback(tmp_path):
    path = tmp_path / "card.json"
    heart_card().save(path)
    rows = [{"age": i % 90, "pressure": i / 100} for i in range(50_000)]
    data = write_csv(tmp_path / "long.csv", rows)
    command = f"{sys.executable} -m riskcard.cli.main predict {path} {data} | head -2"
    done = subprocess.run(
        command, shell=True, text=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )  # fmt: skip
    assert done.stdout.startswith("total,risk,remarks\n")
    assert done.stderr == ""


def test_errors_in_a_process_have_no_traceback(tmp_path):
    done = in_new_process("-m", "riskcard.cli.main", "show", "none.json", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "riskcard: There is no file 'none.json'. Check the name and the folder.\n"


def test_writing_to_a_folder_is_an_error_of_the_library_too(tmp_path):
    with pytest.raises(FormatError, match="is a folder"):
        heart_card().save(tmp_path)


# --- progress -----------------------------------------------------------------------------------


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def moments(n_moments: int, seconds: float) -> list[Progress]:
    step = seconds / n_moments
    return [Progress((i + 1) * step, 61.2, 40.0 + i / n_moments, i) for i in range(n_moments)]


def test_progress_outside_a_terminal_is_sparse_and_ends_with_the_last_moment():
    from riskcard.progress import ProgressDisplay, describe

    stream = io.StringIO()
    seen = moments(4000, seconds=1000.0)
    with ProgressDisplay(stream) as display:
        for moment in seen:
            display(moment)
    lines = stream.getvalue().splitlines()
    assert 5 <= len(lines) <= 40
    assert lines[-1] == describe(seen[-1])


def test_progress_on_a_terminal_leaves_one_line():
    from riskcard.progress import ProgressDisplay, describe

    stream = _Terminal()
    seen = moments(5, seconds=0.5)
    with ProgressDisplay(stream) as display:
        for moment in seen:
            display(moment)
    assert stream.getvalue().splitlines()[-1].endswith(describe(seen[-1]))


def test_progress_survives_an_error_in_the_work():
    from riskcard.progress import ProgressDisplay

    with pytest.raises(RuntimeError, match="broken"), ProgressDisplay(_Terminal()):
        raise RuntimeError("broken")
