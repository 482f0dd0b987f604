"""No command writes over what it reads, nor replaces what is not a file."""

import argparse
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from riskcard import FeaturePoints, FormatError, RiskCard
from riskcard.cli.main import main
from riskcard.cli.parser import make_parser
from riskcard.output_files import require_separate, require_writable, write_whole

ROWS = "mass,y\n" + "".join(f"{place % 7},{'ab'[place % 3 == 0]}\n" for place in range(40))
CARD = RiskCard([FeaturePoints("mass", [3.0], [0, 2])], classes=("a", "b"), outcome="y")
RULES = "[features.mass]\ndirection = 'rises'\n"

needs_posix = pytest.mark.skipif(os.name != "posix", reason="devices and pipes of POSIX")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table, a card, rules and words, which is the current one."""
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text(ROWS, encoding="utf-8")
    Path("rules.toml").write_text(RULES, encoding="utf-8")
    Path("words.json").write_text("{}", encoding="utf-8")
    CARD.save("card.json")
    return tmp_path


FIT = "rows.csv --target y --max-terms 1 -q"


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        (f"fit {FIT} -o rows.csv", "--output", "the data"),
        (f"fit {FIT} --rules rules.toml -o rules.toml", "--output", "--rules"),
        (f"fit {FIT} --improve card.json -o card.json", "--output", "--improve"),
        (f"tune {FIT} -o rows.csv", "--output", "the data"),
        (f"tune {FIT} --csv rows.csv", "--csv", "the data"),
        (f"tune {FIT} --plot rows.csv", "--plot", "the data"),
        (f"tune {FIT} -o new.csv --csv new.csv", "--csv", "--output"),
        (f"stability {FIT} --csv rows.csv", "--csv", "the data"),
        ("predict card.json rows.csv -o rows.csv", "--output", "the data"),
        ("predict card.json rows.csv -o card.json", "--output", "the card"),
        ("recalibrate card.json rows.csv -o card.json", "--output", "the card"),
        ("show card.json --html card.json", "--html", "the card"),
        ("show card.json --html new.html --svg ./new.html", "--svg", "--html"),
        ("export card.json --to sql -o card.json", "--output", "the card"),
        ("export card.json --to credit --data rows.csv -o rows.csv", "--output", "--data"),
        ("calculator card.json -o card.json", "--output", "the card"),
        ("calculator card.json --labels words.json -o words.json", "--output", "--labels"),
        ("report card.json rows.csv -o rows.csv", "--output", "the data"),
        ("report card.json rows.csv --test words.json -o words.json", "--output", "--test"),
    ],
)
def test_no_command_writes_over_its_input_or_twice_to_one_file(
    folder, capsys, monkeypatch, arguments, first, second
):
    monkeypatch.setattr("riskcard.cli.main.import_module", lambda name: 1 / 0)  # before any work
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert main(arguments.split()) == 2
    message = capsys.readouterr().err
    assert f"{first} (" in message
    assert f"is the same file as {second} (" in message
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("command", ["report . rows.csv -o rows.csv.html", "show ."])
def test_a_folder_is_no_card(folder, capsys, command):
    Path("rows.csv.html").write_text("old", encoding="utf-8")
    assert main(command.split()) == 2
    assert "'.' cannot be read: " in capsys.readouterr().err
    assert Path("rows.csv.html").read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize(
    "spelling", ["./rows.csv", "../{}/rows.csv", "{0}", "soft.csv", "hard.csv"]
)
def test_a_file_is_known_by_any_of_its_names(folder, capsys, spelling):
    os.symlink("rows.csv", "soft.csv")
    os.link("rows.csv", "hard.csv")
    spelling = str(folder / "rows.csv") if spelling == "{0}" else spelling.format(folder.name)
    assert main(["predict", "card.json", "rows.csv", "-o", spelling]) == 2
    assert "is the same file as the data" in capsys.readouterr().err
    assert Path("rows.csv").read_text(encoding="utf-8") == ROWS


def test_two_new_files_are_the_same_through_a_linked_folder(tmp_path):
    (tmp_path / "real").mkdir()
    os.symlink(tmp_path / "real", tmp_path / "link")
    with pytest.raises(FormatError, match="is the same file as --csv"):
        require_separate({}, {"--csv": tmp_path / "real/a", "--plot": tmp_path / "link/a"})
    require_separate({}, {"--csv": tmp_path / "real/a", "--plot": tmp_path / "link/b"})


def test_every_option_with_a_file_says_whether_it_reads_or_writes():
    commands = next(
        action
        for action in make_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    for name, parser in commands.choices.items():
        known = parser.get_default("files")
        for action in parser._actions:
            word = str(action.metavar or action.dest)
            if word in ("card", "data") or "FILE" in word or ".json" in word:
                assert action.dest in known, f"riskcard {name}: {word} {action.option_strings}"


def test_the_demo_replaces_its_own_table_and_no_other(folder, capsys):
    assert main(["demo", "--csv", "rows.csv"]) == 2
    assert "'rows.csv' exists and is another file than this table" in capsys.readouterr().err
    assert Path("rows.csv").read_text(encoding="utf-8") == ROWS
    assert main(["demo", "--csv", "new.csv"]) == main(["demo", "--csv", "new.csv"]) == 0


# --- what is not a file ---------------------------------------------------------------------------


@needs_posix
def test_a_pipe_is_written_to_and_stays_a_pipe(folder):
    os.mkfifo("pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append(Path("pipe").read_bytes()), daemon=True)
    reader.start()
    assert main(["predict", "card.json", "rows.csv", "-o", "pipe"]) == 0
    reader.join(10)
    assert found[0].startswith(b"total,risk")
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


@needs_posix
def test_a_device_is_written_to_and_stays_a_device(folder):
    path = Path("null")
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        path.write_bytes(b"")
    except OSError:
        path = Path(os.devnull)
    if os.geteuid() == 0 and path == Path(os.devnull):
        pytest.skip("a mistake would replace the real device")

    CARD.save(path)
    assert main(["show", "card.json", "--html", str(path), "--svg", str(path)]) == 0
    assert stat.S_ISCHR(os.stat(path).st_mode)


@needs_posix
@pytest.mark.parametrize("place", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_the_standard_output_is_appended_to_in_order(tmp_path, place):
    if not Path(place).parent.is_dir():
        pytest.skip(f"this system has no {place}")
    code = (
        "import sys; from riskcard.output_files import write_whole; sys.stdout.write('first\\n');"
        "write_whole(sys.argv[1], 'second\\n'); sys.stdout.write('third\\n')"
    )
    path = tmp_path / "log"
    path.write_text("old\n", encoding="utf-8")
    with path.open("ab") as log:
        subprocess.run([sys.executable, "-c", code, place], stdout=log, check=True)
    assert path.read_text(encoding="utf-8") == "old\nfirst\nsecond\nthird\n"


@needs_posix
def test_a_pipe_without_a_reader_ends_a_command_without_a_word(folder, monkeypatch):
    def broken(*given):
        raise BrokenPipeError

    monkeypatch.setattr("riskcard.output_files._write_stream", broken)
    os.mkfifo("pipe")
    with pytest.raises(BrokenPipeError):
        write_whole("pipe", "text")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(FormatError, match="is a folder"):
        require_writable(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["validate", "card.json", "rows.csv"], "ends in .html or .htm."),
        (["report", "card.json", "rows.csv"], "ends in .html, .htm, .docx or .json."),
        (["calculator", "card.json"], "ends in .html or .htm."),
    ],
)
def test_a_page_is_not_written_to_a_name_that_promises_another_kind(
    folder, capsys, arguments, words
):
    assert main([*arguments, "-o", "page.pdf"]) == 2
    said = capsys.readouterr().err
    assert "'page.pdf' ends in .pdf, which is not written here." in said
    assert words in said
    assert not Path("page.pdf").exists()
