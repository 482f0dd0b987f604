"""What the README and the docs say is so: their examples run, and nothing is left out."""

import importlib
import re
from pathlib import Path

import pytest
from docs.pages import run_page

from riskcard.cli.main import main
from riskcard.cli.parser import make_parser
from riskcard.model.card import RiskCard
from riskcard.paper.experiments.methods import DEFAULT_LIMIT

ROOT = Path(__file__).parents[1]


#: Lines of Markdown that cannot be broken: tables, code and options, pictures, and what to import.
UNBREAKABLE = ("|", "    ", "![", "   ![", "`from")
MARKDOWN = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_lines_of_prose_have_at_most_120_characters(path):
    prose = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    lines = [one for one in prose.splitlines() if not one.startswith(UNBREAKABLE)]
    assert lines
    assert [one for one in lines if len(one) > 120] == []


def blocks(name: str, language: str) -> list[str]:
    """The code blocks of one language in a Markdown file."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_readme_shows_what_its_commands_and_its_python_print(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    outcomes = list(run_page(ROOT / "README.md"))
    assert len(outcomes) == 5
    for one in outcomes:
        assert one.real == one.shown, one.what
    found = sorted(path.name for path in tmp_path.iterdir())
    assert found == ["calculator.html", "cancer.csv", "card.json", "report.html"]
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Risk of diagnosis = malignant" in report
    assert "no card of this kind has a loss below" in report


def test_the_python_of_the_readme_needs_no_package_that_the_demo_does_not_install():
    code = "\n".join(blocks("README.md", "python"))
    assert set(re.findall(r"^(?:from|import) (\w+)", code, re.MULTILINE)) == {"sklearn", "riskcard"}
    assert "as_frame" not in code  # that would need pandas


def test_the_example_of_the_format_is_a_card():
    (block,) = blocks("docs/card_format.md", "json")
    card = RiskCard.from_json(block)
    row = {"age": 61, "pressure": 0.1, "shape": "oval"}
    assert card.total_points(row).tolist() == [6]
    row = {"age": None, "pressure": -9, "shape": "irregular"}
    assert card.total_points(row).tolist() == [-1 + 1 + 2 + 3]
    page = (ROOT / "docs/card_format.md").read_text(encoding="utf-8")
    for entry in re.findall(r'"(\w+)": ', card.to_json()):
        assert f'"{entry}"' in page


def test_every_option_of_fit_is_in_the_docs():
    page = (ROOT / "docs/command_line.md").read_text(encoding="utf-8")
    actions = make_parser()._subparsers._group_actions[0].choices["fit"]._actions
    options = [option for action in actions for option in action.option_strings]
    missing = [option for option in options if f"`{option}" not in page]
    assert set(missing) <= {"-h", "--help", "-q", "--output"}


def test_the_card_of_the_papers_figure_is_as_printed_and_scores_as_said(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    first, second, third = blocks("docs/paper_figure.md", "python")
    printed, grouped = blocks("docs/paper_figure.md", "text")
    names: dict[str, object] = {}
    exec(first, names)
    assert capsys.readouterr().out == printed
    exec(second, names)
    assert capsys.readouterr().out == "[3] [0.576]\n"
    exec(third, names)
    assert capsys.readouterr().out == grouped
    totals = [set(names[name].reachable_totals()) for name in ("card", "grouped")]
    assert totals[0] - totals[1] == {-3}
    assert totals[1] <= totals[0]
    assert sorted(sum(one.points) for one in names["card"].features) == [-5, -2, 2, 3, 4]
    assert main(["show", "mammographic.json"]) == 0
    assert "57.6 %" in capsys.readouterr().out


def test_everything_that_the_paper_map_names_exists():
    page = (ROOT / "docs/paper_map.md").read_text(encoding="utf-8")
    dotted = re.findall(r"`(riskcard(?:\.\w+)+)`", page)
    paths = re.findall(r"`(\w+/[\w./]+)`", page) + [
        f"docs/{name}" for name in re.findall(r"\]\(([\w.]+)\)", page)
    ]
    assert len(dotted) > 30
    assert len(paths) > 30
    for name in dotted:
        assert exists(name), name
    assert not exists("riskcard.paper.formulations.linear.nothing")
    assert [path for path in paths if not (ROOT / path).exists()] == []


def exists(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def test_every_option_of_experiment_is_in_the_docs():
    page = (ROOT / "docs/command_line.md").read_text(encoding="utf-8")
    actions = make_parser()._subparsers._group_actions[0].choices["experiment"]._actions
    options = [option for action in actions for option in action.option_strings]
    missing = [option for option in options if f"`{option}" not in page]
    assert set(missing) <= {"-h", "--help", "-q"}


def test_the_help_of_experiment_names_the_usual_time_limit():
    actions = make_parser()._subparsers._group_actions[0].choices["experiment"]._actions
    helps = {action.dest: action.help for action in actions}
    assert f"({DEFAULT_LIMIT:g})" in helps["time_limit"]
