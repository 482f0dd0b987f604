"""What docs/exports.md says is so: its examples run, and it leaves no format and no option out."""

import re
import sys
from pathlib import Path

import pytest

from riskcard.cli.parser import make_parser
from riskcard.export.formats import FORMATS
from riskcard.export.sql import DIALECTS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/exports.md").read_text(encoding="utf-8")


def test_the_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    names: dict = {}
    for block in re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL):
        exec(block, names)
    sys.modules.pop("card_function")
    (said,) = re.findall(r"^# (Score\(.*\))$", PAGE, flags=re.MULTILINE)
    assert repr(names["score"]({"age": 71, "shape": "irregular"})) == said
    assert "twice these odds for every 20 points" in capsys.readouterr().out
    assert names["after"] == pytest.approx(names["before"], rel=0.05)
    assert (tmp_path / "credit.json").exists()


def test_every_format_and_dialect_is_named():
    endings = [ending for one in FORMATS.values() for ending in one.endings]
    assert [word for word in [*endings, *DIALECTS] if f"`{word}`" not in PAGE] == []


def test_every_option_of_the_command_is_in_the_docs():
    page = (ROOT / "docs/command_line.md").read_text(encoding="utf-8")
    actions = make_parser()._subparsers._group_actions[0].choices["export"]._actions
    options = [option for action in actions for option in action.option_strings]
    missing = [option for option in options if f"`{option}" not in page]
    assert set(missing) <= {"-h", "--help", "--output"}
