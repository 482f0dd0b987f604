"""Names, levels, labels and paths cannot act on a terminal, whatever command prints them."""

import io
import shutil

import pytest

from riskcard.cli.main import main
from riskcard.formatting.plain_text import visible_lines

#: Clears the screen, sets the title, hides what follows, turns the text round.
NASTY = "\x1b[2J\x1b]0;owned\x07\x9b8m\u202e"
NAME, LEVEL, EVENT, TARGET = (f"{word}{NASTY}" for word in ("age", "red", "ill", "state"))


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def printed(monkeypatch, tmp_path):
    """Runs a command on two terminals and returns all that they got; colours are left out."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")

    def run(*arguments):
        out, err = Terminal(), Terminal()
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdout", out)
            patch.setattr("sys.stderr", err)
            code = main(arguments)
        return code, out.getvalue() + err.getvalue()

    return run


def is_harmless(text):
    return all(one.isprintable() or one in "\n\t" for one in text)


@pytest.fixture
def table(tmp_path):
    rows = []
    for place in range(160):
        age, colour = place * 7 % 40, LEVEL if place % 3 else "blue"
        is_ill = (age + 10 * (colour == "blue") > 22) != (place % 11 == 0)
        rows.append(f'{age},"{colour}","{EVENT if is_ill else "well"}"')
    path = tmp_path / f"rows{NASTY[:4]}.csv"
    path.write_text("\n".join([f'"{NAME}",colour,"{TARGET}"', *rows]), encoding="utf-8")
    shutil.copy(path, tmp_path / "rows.csv")
    return str(path)


FIT = ("--target", TARGET, "--event", EVENT, "--max-terms", "2", "--categorical", "colour")


def test_no_command_prints_a_control_character(printed, table):
    card = f"card{NASTY[:4]}.json"
    code, text = printed("fit", table, *FIT, "-o", card)
    assert code == 0
    assert is_harmless(text), repr(text)
    assert "age\\x1b[2J" in text
    commands = [
        ("fit", table, *FIT, "--pool-tolerance", "0.1"),
        ("tune", table, *FIT, "--cv", "2"),
        ("stability", table, *FIT, "--n-bootstraps", "2"),
        ("show", card),
        ("show", card, "--plain"),
        ("show", card, "--form", "two_sided"),
        ("predict", card, table),
        ("explain", card, table),
        ("explain", card, table, "--json"),
        ("check", card, table),
        ("recalibrate", card, table),
        ("export", card, "--to", "python"),
        ("export", card, "--to", "sql"),
        ("export", card, "--to", "javascript"),
        ("export", card, "--to", "json"),
        ("calculator", card, "-o", f"page{NASTY[:4]}.html"),
    ]
    for command in commands:
        code, text = printed(*command)
        assert code == 0, text
        assert is_harmless(text), (command, text)


@pytest.mark.parametrize(
    "command",
    [
        ("fit", f"no{NASTY}.csv", *FIT),
        ("fit", "rows.csv", "--target", NASTY),
        ("fit", "rows.csv", *FIT, "--drop", NASTY),
        ("fit", "rows.csv", *FIT, f"--{NASTY}"),
        ("fit", "rows.csv", *FIT, NASTY),
        ("fit", "rows.csv", *FIT, "--max-terms", NASTY),
        ("show", "rows.csv", "--form", NASTY),
        (NASTY,),
    ],
)
def test_no_error_prints_a_control_character(printed, table, command):
    code, text = printed(*command)
    assert code == 2
    assert is_harmless(text), repr(text)


def test_line_breaks_and_tabs_stay():
    assert visible_lines("a\tb\nc\x1bd\r\n") == "a\tb\nc\\x1bd\\r\n"
