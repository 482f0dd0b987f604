"""The pages: where the library loses first, one for every question; the figures as CSV, and pictures."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.methods import ABOUT, METHODS
from benchmarks.peers import Environment
from benchmarks.published import to_csv
from benchmarks.questions.common import Section
from benchmarks.store import Kept
from riskcard.output_files import write_whole
from riskcard.paper.experiments.machine import describe_machine, today
from riskcard.version import __version__

__all__ = ["render", "write_pages"]

IMAGES = "images"
#: Packages whose versions matter.
SHOWN = ("riskcard", "imodels", "fasterrisk", "optbinning", "scikit-learn", "numba", "numpy")


def render(
    sections: Sequence[Section],
    command: Sequence[str],
    environments: Mapping[str, Environment],
    remarks: Sequence[str],
    notes: str = "",
    stem: str = "benchmarks",
) -> dict[str, str]:
    """The pages as Markdown, by their names: one that says what is lost, and one for each question.

    Parameters
    ----------
    remarks
        Sentences on the conditions of the run, such as what it left out of a full one.
    notes
        What a reader of the figures should know, such as why something is lost; Markdown.
    stem
        The name of the first page; those of the others begin with it.
    """
    first = [
        "# The library against the field\n",
        f"These pages were written by `{shlex.join(command)}`. One evaluator computes every figure from the "
        "cuts and points that a method returns; methods only return a model. All have the same rows, take "
        "turns, use one thread, and are warmed before the clock starts.\n",
        "## Where riskcard loses\n",
        _losing(sections),
        *([notes.strip() + "\n"] if notes.strip() else []),
        "## The questions\n",
        _questions(sections, stem),
        "## The methods\n",
        _methods(),
        "## Conditions\n",
        _conditions(environments, remarks),
    ]
    pages = {f"{stem}.md": first}
    for section in sections:
        pages[_page_of(section, stem)] = [
            f"# {section.title}\n",
            f"One of the questions of [the library against the field]({stem}.md), which has the conditions.\n",
            section.text,
        ]
    return {name: "\n".join(parts).rstrip() + "\n" for name, parts in pages.items()}


def _page_of(section: Section, stem: str) -> str:
    """The file name of a question."""
    return f"{stem}_{re.sub('[^a-z]+', '_', section.title.partition(') ')[2].lower())}.md"


def _questions(sections: Sequence[Section], stem: str) -> str:
    """A line for each: its page, and in how many figures riskcard is not first."""
    lines = []
    for section in sections:
        count = len(section.losing)
        lost = "first everywhere" if count == 0 else f"{count} of the lines above"
        lines.append(f"- [{section.title}]({_page_of(section, stem)}): {lost}")
    return "\n".join(lines) + "\n"


def _methods() -> str:
    lines = ["| method | whose code | what it chooses from |", "|---|---|---|"]
    lines += [f"| {METHODS[name].title} | {' | '.join(about)} |" for name, about in ABOUT.items()]
    return "\n".join(lines) + "\n"


def _losing(sections: Sequence[Section]) -> str:
    lines = [f"- {line}." for section in sections for line in section.losing]
    if not lines:
        return "Nowhere in this run.\n"
    return "\n".join(lines) + "\n"


def _conditions(environments: Mapping[str, Environment], remarks: Sequence[str]) -> str:
    lines = [f"- {today()}, {describe_machine()}, riskcard {__version__}{_solvers()}."]
    lines += [f"- {sentence}." for sentence in remarks]
    for environment in environments.values():
        if not environment.python:
            lines.append(f"- {environment.peer} could not be installed: {environment.reason}.")
            continue
        found = environment.versions
        versions = ", ".join(f"{name} {found[name]}" for name in SHOWN if name in found)
        lines.append(f"- The environment of {environment.peer}: {versions}.")
    lines.append(
        "- Times are processor seconds unless said otherwise, so that other work on the machine counts little; "
        "time limits are wall-clock time, of which other work takes its part."
    )
    return "\n".join(lines) + "\n"


def _solvers() -> str:
    """The versions of the solvers that are installed beside riskcard."""
    found = []
    for name, package in (("HiGHS", "highspy"), ("SCIP", "pyscipopt"), ("BONMIN", "casadi")):
        with contextlib.suppress(PackageNotFoundError):
            found.append(f"{name} of {package} {version(package)}")
    return "".join(f", {one}" for one in found)


def write_pages(
    path: Path, pages: Mapping[str, str], sections: Sequence[Section], kept: Sequence[Kept]
) -> None:
    """The pages, their pictures in ``images`` beside them, and the figures in a CSV file."""
    folder = path.parent / IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    for section in sections:
        if section.draw is not None:
            section.draw(folder)
    write_whole(path.with_suffix(".csv"), to_csv(kept))
    for name, text in pages.items():
        write_whole(path.parent / name, text)
