"""Run the pages of the docs: their code blocks, their links, and the names that they document.

python -m docs.pages              write what the code really prints into the pages that show it
python -m docs.pages index.md     ... into this page only
"""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riskcard import RiskScoreClassifier
from riskcard.cli.main import main

__all__ = [
    "DOCS", "SHOWING", "Block", "Shown", "blocks_of", "links_of", "rewrite", "run_page", "temporary_folder",
]  # fmt: skip

DOCS = Path(__file__).parent
#: The pages that show output.
SHOWING = (
    DOCS.parent / "README.md",
    *(
        DOCS / f"{name}.md"
        for name in (
            "index",
            "certificate",
            "clinician",
            "credit_officer",
            "fairness",
            "tools",
            "coming_from",
            "validation",
        )
    ),
)

FENCE = re.compile(
    r'^```(?P<language>\w*)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
DIALOGUE = re.compile(r"^\$ (?P<command>(?:.*\\\n)*.*)\n(?P<shown>(?:(?!\$ ).*\n)*)", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
REFERENCE = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block of a page."""

    language: str
    title: str | None  # the name of the file that it shows
    text: str
    place: int  # where the text begins in the page


@dataclass(frozen=True, slots=True)
class Shown:
    """The output that a page shows, and the real one, both without what may differ."""

    what: str
    shown: str
    real: str
    place: slice  # where the page shows it
    output: str  # the real one as it is


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(found["language"], found["title"], found["text"], found.start("text"))
        for found in FENCE.finditer(text)
    ]


def links_of(page: Path) -> list[str]:
    """The targets of the links and pictures of a page, without its code."""
    return LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))


def references_of(page: Path) -> list[str]:
    """The names whose docstrings a page of the API shows."""
    return REFERENCE.findall(page.read_text(encoding="utf-8"))


def run_page(page: Path) -> Iterator[Shown]:
    """Run the blocks of a page, in order, in the current folder.

    `python` blocks share their names, and a `text` block is the output of the block before it. In
    a `console` block commands follow a dollar sign, with their output below them; `sh` blocks contain
    only commands. Any other block needs a title, the name of a file: the block is written there, or, if
    the file already exists, the block must be its content.
    """
    compile_loops()
    names: dict[str, Any] = {}
    said = ""
    for block in blocks_of(page):
        if block.language == "python":
            said = _capture(lambda code=block.text: exec(compile(code, page.name, "exec"), names))
        elif block.language == "text":
            yield _compare("the output of Python", block.text, said, block.place)
        elif block.language == "console":
            for command, shown, place in _dialogue(block):
                yield _compare(command, shown, _run(command), place)
        elif block.language == "sh":
            for command in _commands(block.text):
                _run(command)
        elif block.title is None:
            raise ValueError(f"{page.name} has a block of {block.language!r} that nothing checks.")
        elif Path(block.title).exists():
            real = Path(block.title).read_text(encoding="utf-8")
            yield _compare(block.title, block.text, real, block.place)
        else:
            Path(block.title).write_text(block.text, encoding="utf-8")


def rewrite(page: Path) -> bool:
    """Write what the code of a page really prints into it; returns whether that is something else."""
    text = page.read_text(encoding="utf-8")
    with temporary_folder():
        outcomes = list(run_page(page))
    for one in reversed(outcomes):
        if one.shown != one.real:
            text = text[: one.place.start] + one.output + text[one.place.stop :]
    is_new = text != page.read_text(encoding="utf-8")
    if is_new:
        page.write_text(text, encoding="utf-8")
    return is_new


def compile_loops() -> None:
    """Compile the inner loops if necessary, so that compilation does not use up a time limit."""
    model = RiskScoreClassifier(max_terms=2, certify=True, time_limit=None)
    model.fit([[1, 5], [2, 4], [3, 3], [4, 1], [5, 2]], [0, 0, 1, 0, 1])


@contextmanager
def temporary_folder() -> Iterator[None]:
    """Work in an empty folder, which is removed afterwards."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _compare(what: str, shown: str, real: str, start: int) -> Shown:
    place = slice(start, start + len(shown))
    return Shown(what, _comparable(shown), _comparable(real), place, real)


def _comparable(text: str) -> str:
    """The text without the version that wrote it, and with long numbers rounded to nine digits.

    A page may be older than the current version, and processors differ in the last digits.
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


def _dialogue(block: Block) -> Iterator[tuple[str, str, int]]:
    """Commands, each with the output shown below it, and where in the page that is."""
    for found in DIALOGUE.finditer(block.text):
        command = found["command"].replace("\\\n", " ")
        yield command, found["shown"], block.place + found.start("shown")


def _run(command: str) -> str:
    """Run a command `riskcard ...` and return its output."""
    words = shlex.split(command, comments=True)
    if words[0] != "riskcard":
        raise ValueError(f"Only riskcard is run here, not {words[0]!r}.")
    codes: list[int] = []
    output = _capture(lambda: codes.append(main(words[1:])))
    if codes != [0]:
        raise RuntimeError(f"{command} ended with exit code {codes[0]}.")
    return output


def rewrite_all(names: Sequence[str]) -> None:
    """Rewrite the pages of these names, or all that show output."""
    for page in SHOWING:
        if not names or page.name in names:
            said = "rewritten" if rewrite(page) else "is as it should be"
            sys.stdout.write(f"{page.name}: {said}\n")


if __name__ == "__main__":
    rewrite_all(sys.argv[1:])
