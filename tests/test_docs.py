"""What the README and the docs say is so: their examples run, and nothing is left out."""

import re
import shlex
from pathlib import Path

import pytest

from riskcard.cli.main import main
from riskcard.cli.parser import make_parser
from riskcard.problem.riskcard import RiskCard

ROOT = Path(__file__).parents[1]


def blocks(name: str, language: str) -> list[str]:
    """The code blocks of one language in a Markdown file."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_readme_run(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks("README.md", "python"):
        exec(block, names)
    assert names["model"].status_ in capsys.readouterr().out
    assert names["card"].risk({"age": 71, "pressure": 150}).tolist() == [0.5]


def test_the_commands_of_the_readme_run(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    commands = [block for block in blocks("README.md", "sh") if "riskcard fit" in block]
    for line in commands[0].splitlines():
        words = shlex.split(line, comments=True)
        if words[:2] == ["python", "-c"]:
            exec(words[2], {})
        elif words:
            assert words[0] == "riskcard"
            assert main(words[1:]) == 0, capsys.readouterr().err
    assert "Every check passed." in capsys.readouterr().out


def test_the_example_of_the_format_is_a_card():
    (block,) = blocks("docs/card_format.md", "json")
    card = RiskCard.from_json(block)
    assert card.total_points({"age": 61, "pressure": 0.1}).tolist() == [6]
    page = (ROOT / "docs/card_format.md").read_text(encoding="utf-8")
    for entry in re.findall(r'"(\w+)": ', card.to_json()):
        assert f'"{entry}"' in page


def test_every_option_of_fit_is_in_the_docs():
    page = (ROOT / "docs/command_line.md").read_text(encoding="utf-8")
    actions = make_parser()._subparsers._group_actions[0].choices["fit"]._actions
    options = [option for action in actions for option in action.option_strings]
    missing = [option for option in options if f"`{option}" not in page]
    assert set(missing) <= {"-h", "--help", "-q", "--output"}
