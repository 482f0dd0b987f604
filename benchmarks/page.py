"""The page: where the library loses first, then every question; the figures as CSV, and pictures."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers import Environment
from benchmarks.questions.common import Section
from benchmarks.store import Kept
from riskcard.experiments.machine import describe_machine, today
from riskcard.export.files import write_whole
from riskcard.version import __version__

__all__ = ["render", "to_csv", "write_page"]

IMAGES = "images"
#: Packages whose versions matter.
SHOWN = ("riskcard", "imodels", "fasterrisk", "optbinning", "scikit-learn", "numba", "numpy")


def render(
    sections: Sequence[Section],
    command: Sequence[str],
    environments: Mapping[str, Environment],
    reduced: Sequence[str],
    notes: str = "",
) -> str:
    """The page as Markdown.

    Parameters
    ----------
    reduced
        Sentences on what this run left out of a full one.
    notes
        What a reader of the figures should know, such as why something is lost; Markdown.
    """
    parts = [
        "# The library against the field\n",
        f"This page was written by `{shlex.join(command)}`. One evaluator computes every figure from the "
        "cuts and points that a method returns; methods only return a model. All have the same rows, take "
        "turns, use one thread, and are warmed before the clock starts.\n",
        "## Where riskcard loses\n",
        _losing(sections),
        *([notes.strip() + "\n"] if notes.strip() else []),
        "## Conditions\n",
        _conditions(environments, reduced),
    ]
    for section in sections:
        parts += [f"## {section.title}\n", section.text]
    return "\n".join(parts).rstrip() + "\n"


def _losing(sections: Sequence[Section]) -> str:
    lines = [f"- {line}." for section in sections for line in section.losing]
    if not lines:
        return "Nowhere in this run.\n"
    return "\n".join(lines) + "\n"


def _conditions(environments: Mapping[str, Environment], reduced: Sequence[str]) -> str:
    lines = [f"- {today()}, {describe_machine()}, riskcard {__version__}."]
    lines += [f"- Reduced: {sentence}." for sentence in reduced]
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


def to_csv(kept: Sequence[Kept]) -> str:
    """All finished jobs, one line each; nested figures have names with a dot."""
    rows = [{**_job(one), **_flat(one.figures)} for one in kept]
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _job(one: Kept) -> dict[str, Any]:
    job = one.job
    return {
        "question": job.question, "method": job.method, "table": job.table, "view": job.view,
        "terms": job.terms, "fold": job.fold, "limit": job.limit, "repeat": job.repeat,
    }  # fmt: skip


def _flat(figures: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in figures.items():
        if isinstance(value, Mapping):
            found |= {f"{name}.{inner}": figure for inner, figure in value.items()}
        elif not isinstance(value, list):  # the history of a proof is no figure
            found[name] = value
    return found


def write_page(path: Path, text: str, sections: Sequence[Section], kept: Sequence[Kept]) -> None:
    """The page, its pictures in ``images`` beside it, and the figures in a CSV file of its name."""
    folder = path.parent / IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    for section in sections:
        if section.draw is not None:
            section.draw(folder)
    write_whole(path.with_suffix(".csv"), to_csv(kept))
    write_whole(path, text)
