"""The pages: where riskcard stands, where it loses, one page per question; the figures as CSV, and pictures."""

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
from benchmarks.standing import draw_standing, standing_of
from benchmarks.store import Kept
from riskcard.output_files import write_whole
from riskcard.paper.experiments.runs.machine import describe_machine, today
from riskcard.paper.wrapped_prose import wrap_prose
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
    """The pages as Markdown, by their names: one with the overview and the losses, and one for each question.

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
        "# riskcard compared with other methods\n",
        "One evaluator computes every figure from the cuts and points that a method returns. All methods get the same "
        "rows, take turns, use one thread, and are warmed up before the clock starts.\n",
        *(["## Where riskcard stands\n", standing] if (standing := standing_of(sections)) else []),
        "## Where riskcard loses\n",
        _losing(sections),
        *([notes.strip() + "\n"] if notes.strip() else []),
        "## The questions\n",
        _questions(sections, stem),
        "## The methods\n",
        _methods(),
        "## Conditions\n",
        f"These pages were written by `{shlex.join(command)}`.\n",
        _conditions(environments, remarks),
    ]
    pages = {f"{stem}.md": first}
    for section in sections:
        pages[_page_of(section, stem)] = [
            f"# {section.title}\n",
            f"Part of [riskcard compared with other methods]({stem}.md), which describes the conditions.\n",
            section.text,
        ]
    return {name: wrap_prose("\n".join(parts)).rstrip() + "\n" for name, parts in pages.items()}


def _page_of(section: Section, stem: str) -> str:
    """The file name of a question."""
    return f"{stem}_{re.sub('[^a-z]+', '_', section.title.partition(') ')[2].lower())}.md"


def _questions(sections: Sequence[Section], stem: str) -> str:
    """One line for each: its page, and how many of the losses come from it."""
    lines = []
    for section in sections:
        count = len(section.losing)
        lost = "no losses" if count == 0 else f"{count} of the losses above"
        lines.append(f"- [{section.title}]({_page_of(section, stem)}): {lost}")
    return "\n".join(lines) + "\n"


def _methods() -> str:
    lines = ["| method | code | candidates and settings |", "|---|---|---|"]
    lines += [f"| {METHODS[name].title} | {' | '.join(about)} |" for name, about in ABOUT.items()]
    return "\n".join(lines) + "\n"


def _losing(sections: Sequence[Section]) -> str:
    parts = [
        f"{section.title}:\n\n" + "\n".join(f"- {line}." for line in section.losing) + "\n"
        for section in sections
        if section.losing
    ]
    return "\n".join(parts) or "Nowhere in this run.\n"


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
        "- Times are processor seconds unless stated otherwise, so that other work on the machine has little effect. "
        "Time limits are wall-clock time, and other work shortens what is available."
    )
    return "\n".join(lines) + "\n"


def _solvers() -> str:
    """The versions of the solvers that are installed next to riskcard."""
    found = []
    for name, package in (("HiGHS", "highspy"), ("SCIP", "pyscipopt"), ("BONMIN", "casadi")):
        with contextlib.suppress(PackageNotFoundError):
            found.append(f"{name} of {package} {version(package)}")
    return "".join(f", {one}" for one in found)


def write_pages(
    path: Path, pages: Mapping[str, str], sections: Sequence[Section], kept: Sequence[Kept]
) -> None:
    """Write the pages, their pictures into ``images`` next to them, and the figures into a CSV file."""
    folder = path.parent / IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    draw_standing(sections, folder)
    for section in sections:
        if section.draw is not None:
            section.draw(folder)
    write_whole(path.with_suffix(".csv"), to_csv(kept))
    for name, text in pages.items():
        write_whole(path.parent / name, text)
