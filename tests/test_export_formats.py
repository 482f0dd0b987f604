"""The door to all exports: formats by name and ending, the method of a card, and the command."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import riskcard
from cards import heart_card, mass_card
from riskcard.cli.main import main
from riskcard.cli.parser import make_parser
from riskcard.errors import FormatError, ParameterError
from riskcard.export.cases import cases_of
from riskcard.export.formats import FORMATS, export_card, format_of, render
from riskcard.export.sql import DIALECTS
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints

STARTS = {
    ".json": b'{\n  "format": "riskcard"',
    ".py": b'"""A risk card as plain Python',
    ".sql": b"-- risk of mass",
    ".mjs": b"// risk of mass",
    ".js": b"// risk of mass",
    ".xlsx": b"PK\x03\x04",
    ".pmml": b'<?xml version="1.0" encoding="UTF-8"?>\n<PMML',
    ".xml": b'<?xml version="1.0" encoding="UTF-8"?>\n<PMML',
    ".cql": b"// risk of mass",
    ".onnx": b"\x08\x08\x12\x08riskcard",
}
#: What only some formats need.
PACKAGES = {".xlsx": "openpyxl", ".onnx": "onnx"}


@pytest.mark.parametrize("ending", STARTS)
def test_the_ending_says_the_format(tmp_path, ending):
    if ending in PACKAGES:
        pytest.importorskip(PACKAGES[ending])
    path = tmp_path / f"card{ending.upper()}"
    mass_card().export(path)
    assert path.read_bytes().startswith(STARTS[ending])


def test_every_ending_is_tried_here():
    assert set(STARTS) == {ending for one in FORMATS.values() for ending in one.endings}


def test_a_named_format_wins_over_the_ending(tmp_path):
    export_card(mass_card(), tmp_path / "card.txt", to="sql", dialect="duckdb", table="a.b")
    text = (tmp_path / "card.txt").read_text()
    assert "SQL: duckdb" in text
    assert 'FROM "a"."b" AS source' in text


def test_javascript_is_a_script_or_a_module_by_its_ending():
    texts = {ending: render(mass_card(), "javascript", ending) for ending in ("", ".mjs", ".js")}
    assert "export { score }" in texts[""]
    assert texts[""] == texts[".mjs"]
    assert "module.exports" in texts[".js"]
    assert render(mass_card(), "javascript", ".js", form="module") == texts[".mjs"]


def test_credit_points_are_a_card_in_json():
    text = render(mass_card(), "credit", points_to_double_odds=40, at=700)
    assert RiskCard.from_json(text) == riskcard.to_credit_points(mass_card(), 40, at=700).card


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (lambda: format_of("card"), "does not tell which format is meant.*.py, .sql"),
        (lambda: format_of("card.txt"), "does not tell which format is meant"),
        (lambda: render(mass_card(), "cobol"), "no format 'cobol'. Use one of json, python"),
        (lambda: render(mass_card(), "pmml", table="x"), "pmml has no option 'table'"),
        (
            lambda: render(mass_card(), "json", odds=2),
            "json has no option 'odds'; its options: none",
        ),
    ],
)
def test_what_is_unknown_is_refused(work, words):
    with pytest.raises(ParameterError, match=words):
        work()


def test_a_failed_export_leaves_the_old_file(tmp_path):
    path = tmp_path / "card.pmml"
    path.write_text("old")
    with pytest.raises(ParameterError, match="no features"):
        heart_card(features=()).export(path)
    assert path.read_text() == "old"
    with pytest.raises(FormatError, match="does not exist"):
        heart_card().export(tmp_path / "nowhere" / "card.sql")


def test_cases_are_in_the_order_in_which_they_are_asked():
    feature = FeaturePoints("age", [45, 60], [0, 1, 3], missing=1, codes=[(-9, 2)], usual=1)
    cases = cases_of(RiskCard([feature, *mass_card().features[1:]], base=-2))
    told = [
        [(case.words, case.points, case.is_guess) for case in one.cases] for one in cases.features
    ]
    assert told[0] == [
        ("missing", 1, False),
        ("-9", 2, False),
        ("<= 45", 0, False),
        ("> 45 to <= 60", 1, False),
        ("> 60", 3, False),
    ]
    assert told[1] == [
        ("missing", 0, True),
        ("round, oval", 0, False),
        ("irregular, lobular", 3, False),
        ("any other level", 0, True),
    ]
    reachable = RiskCard([feature, *mass_card().features[1:]], base=-2).reachable_totals()
    assert (reachable[0], reachable[-1]) == (-2, -2 + 3 + 3 + 2 + 1)
    assert cases.widest_log_odds == max(abs(total) for total in reachable)


# --- the command --------------------------------------------------------------------------------


@pytest.fixture
def card_file(tmp_path):
    path = tmp_path / "card.json"
    mass_card().save(path)
    return str(path)


def run(capsys, *argv) -> tuple[int, str, str]:
    code = main(["export", *map(str, argv)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_command_writes_a_file_that_runs(tmp_path, card_file, capsys):
    path = tmp_path / "score.py"
    assert run(capsys, card_file, "-o", path) == (0, "", f"Wrote {path}.\n")
    done = subprocess.run(
        [sys.executable, path],
        input="age,shape,density,palpable\n61,oval,low,true\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[1].startswith("6,0.62")


def test_the_command_passes_options_on(tmp_path, card_file, capsys):
    code, out, _ = run(
        capsys,
        card_file,
        "--to",
        "sql",
        "--dialect",
        "sqlite",
        "--table",
        "my rows",
        "--keep",
        "id",
    )
    assert code == 0
    connection = sqlite3.connect(":memory:")
    connection.execute('CREATE TABLE "my rows" (id, age, shape, density, palpable, other)')
    connection.execute("INSERT INTO \"my rows\" VALUES (7, 61, 'oval', 'low', 1, 0)")
    cursor = connection.execute(out)
    record = dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))
    assert (record["id"], record["total"]) == (7, 6)
    assert "other" not in record
    assert 'rank="3"' in run(capsys, card_file, "--to", "pmml", "--reasons", 3)[1]


def test_the_command_says_what_credit_points_cost(tmp_path, card_file, capsys):
    rows = tmp_path / "rows.csv"
    lines = ["age,shape,density,palpable,mass"]
    lines += ["61,oval,low,true,malignant", "40,round,high,false,benign", "50,lobular,,true,benign"]
    rows.write_text("\n".join(lines))
    path = tmp_path / "credit.json"
    code, _, err = run(
        capsys,
        card_file,
        "--to",
        "credit",
        "--points-to-double-odds",
        3,
        "--data",
        rows,
        "-o",
        path,
    )
    assert code == 0
    scaling = riskcard.to_credit_points(mass_card(), 3)
    assert RiskCard.load(path) == scaling.card
    table = {"age": [61, 40, 50], "shape": ["oval", "round", "lobular"]}
    table |= {"density": ["low", "high", None], "palpable": [True, False, True]}
    loss = scaling.losses(table, ["malignant", "benign", "benign"])
    assert f"{loss.before:.4f} before, {loss.after:.4f} after" in err
    assert "twice these odds for every 3 points more: a higher total is safer." in err
    err = run(capsys, card_file, "--to", "credit", "--higher-is-riskier", "-o", path)[2]
    assert "a higher total is riskier" in err
    assert RiskCard.load(path).classes == mass_card().classes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Give a file with -o FILE, or a format with --to."),
        (["--to", "xlsx"], "xlsx cannot be shown on a screen. Give a file with -o FILE."),
        (["--to", "sql", "--odds", "3"], "The format sql has no option 'odds'"),
        (["--to", "sql", "--data", __file__], "--data is for '--to credit'. Leave it out."),
        (["-o", "card.doc"], "does not tell which format is meant"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(card_file, capsys, words, message):
    code, _, err = run(capsys, card_file, *words)
    assert code == 2
    assert message in err


def test_the_command_knows_all_formats_and_dialects():
    from riskcard.cli.using import export

    actions = make_parser()._subparsers._group_actions[0].choices["export"]._actions
    choices = {action.dest: action.choices for action in actions}
    assert set(choices["to"]) == set(FORMATS)
    assert set(choices["dialect"]) == set(DIALECTS)
    assert set(export._OPTIONS) == {name for one in FORMATS.values() for name in one.options} - {
        "form"
    }


def test_exports_do_not_depend_on_what_is_installed_elsewhere(card_file):
    """Text formats need no extra: nothing of openpyxl, onnx or pandas is imported."""
    program = (
        "import sys, json\n"
        "from riskcard.cli.main import main\n"
        "for name in ('python', 'sql', 'javascript', 'pmml', 'json', 'credit'):\n"
        f"    assert main(['export', {card_file!r}, '--to', name]) == 0\n"
        "sys.stderr.write(json.dumps([n for n in ('openpyxl', 'onnx', 'pandas') if n in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(riskcard.__file__).parents[1])},
    )
    assert json.loads(done.stderr.splitlines()[-1]) == []
