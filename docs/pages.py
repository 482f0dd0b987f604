"""The pages of the docs as things to run: their blocks of code, their links, and what the site shows of them."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riskcard import RiskScoreClassifier
from riskcard.cli.main import main

__all__ = ["DOCS", "Block", "Shown", "blocks_of", "links_of", "run_page"]

DOCS = Path(__file__).parent

FENCE = re.compile(
    r'^```(?P<language>\w*)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"\]\(([^)\s]+)\)")
REFERENCE = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block of a page."""

    language: str
    title: str | None  # the file that it shows
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page shows as the outcome of its code, and the outcome."""

    what: str
    shown: str
    real: str


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(found["language"], found["title"], found["text"]) for found in FENCE.finditer(text)
    ]


def links_of(page: Path) -> list[str]:
    """Where the links and pictures of a page lead, its code left out."""
    return LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))


def references_of(page: Path) -> list[str]:
    """The names whose docstrings a page of the API shows."""
    return REFERENCE.findall(page.read_text(encoding="utf-8"))


def run_page(page: Path) -> Iterator[Shown]:
    """Run the blocks of a page, in order, in the present folder.

    `python` blocks share their names, and a `text` block is what the block before it prints. In
    a `console` block commands stand behind a dollar sign and their output below them; `sh` blocks are
    commands alone. Any other block needs a title, the name of a file: it is written there, or, if
    the file exists by then, it is what stands in it.
    """
    compile_loops()
    names: dict[str, Any] = {}
    said = ""
    for block in blocks_of(page):
        if block.language == "python":
            said = _capture(lambda code=block.text: exec(compile(code, page.name, "exec"), names))
        elif block.language == "text":
            yield Shown("the output of Python", block.text, said)
        elif block.language == "console":
            for command, shown in _dialogue(block.text):
                yield Shown(command, shown, _run(command))
        elif block.language == "sh":
            for command in _commands(block.text):
                _run(command)
        elif block.title is None:
            raise ValueError(f"{page.name} has a block of {block.language!r} that nothing checks.")
        elif Path(block.title).exists():
            real = Path(block.title).read_text(encoding="utf-8")
            yield Shown(block.title, _comparable(block.text), _comparable(real))
        else:
            Path(block.title).write_text(block.text, encoding="utf-8")


def compile_loops() -> None:
    """Compile the inner loops where that was not done yet, so that no time limit runs out meanwhile."""
    model = RiskScoreClassifier(max_terms=2, certify=True, time_limit=None)
    model.fit([[1, 5], [2, 4], [3, 3], [4, 1], [5, 2]], [0, 0, 1, 0, 1])


def _comparable(text: str) -> str:
    """Without the version that wrote a file, and with nine digits of longer numbers.

    A page may be older than the version, and processors differ in the last digits.
    """
    text = re.sub(r"written by riskcard [\d.]+\w*", "written by riskcard", text)
    return re.sub(r"\d+\.\d{9,}", lambda found: f"{float(found[0]):.9g}", text)


def _capture(action: Any) -> str:
    output = io.StringIO()
    with redirect_stdout(output):
        action()
    return output.getvalue()


def _commands(text: str) -> list[str]:
    """The commands of a block; a backslash joins a line with the next."""
    lines = text.replace("\\\n", " ").splitlines()
    return [line for line in lines if shlex.split(line, comments=True)]


def _dialogue(text: str) -> Iterator[tuple[str, str]]:
    """Commands, each with the output that is shown below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, shown = part.replace("\\\n", " ").split("\n", 1)
        yield command, shown


def _run(command: str) -> str:
    """Run a command `riskcard ...`; returns what it prints."""
    words = shlex.split(command, comments=True)
    if words[0] != "riskcard":
        raise ValueError(f"Only riskcard is run here, not {words[0]!r}.")
    codes: list[int] = []
    output = _capture(lambda: codes.append(main(words[1:])))
    if codes != [0]:
        raise RuntimeError(f"{command} ended with exit code {codes[0]}.")
    return output
