"""Finished jobs as CSV, and back: what a page publishes is what a later run can go on from."""

from __future__ import annotations

import contextlib
import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from benchmarks.store import Job, Kept

__all__ = ["from_csv", "origins", "to_csv"]

#: Figures that are words even if they look like numbers, as the name of a commit may.
WORDS = ("commit",)


def to_csv(kept: Sequence[Kept]) -> str:
    """All finished jobs, one line each; nested figures have names with a dot."""
    rows = [{**asdict(one.job), **_flat(one.figures)} for one in kept]
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def from_csv(path: Path) -> list[Kept]:
    """The finished jobs of such a file."""
    kept = []
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            try:
                kept.append(Kept(_job(row), _figures(row)))
            except (KeyError, ValueError, TypeError, AttributeError):
                raise SystemExit(
                    f"Line {number} of {path} is no finished job of this version. "
                    "Give --published a file that this command has written."
                ) from None
    return kept


def origins(kept: Sequence[Kept]) -> list[str]:
    """Sentences on the days and the commits of the code that jobs were measured on."""
    known = [one.figures for one in kept if "commit" in one.figures]
    if not known:
        return []
    days = sorted({figures["day"] for figures in known})
    commits = Counter(figures["commit"] for figures in known).most_common()
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    by = ", ".join(f"{commit} ({count:,})" for commit, count in commits)
    sentence = f"Jobs by the commit of the code, measured {when}: {by}"
    if len(known) < len(kept):
        sentence += f"; of {len(kept) - len(known):,} others day and commit were not kept"
    return [sentence]


def _flat(figures: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in figures.items():
        if isinstance(value, Mapping):
            found |= {f"{name}.{inner}": figure for inner, figure in value.items()}
        elif not isinstance(value, list):  # the history of a proof is no figure
            found[name] = value
    return found


def _job(row: Mapping[str, str]) -> Job:
    kinds = {"str": str, "int": int, "float": float}
    return Job(**{one.name: kinds[str(one.type)](row[one.name]) for one in fields(Job)})


def _figures(row: Mapping[str, str]) -> dict[str, Any]:
    """Everything that is not the job, nested as it was; empty cells are figures that it does not have."""
    names = {one.name for one in fields(Job)}
    figures: dict[str, Any] = {}
    for name, text in row.items():
        if name in names or text == "":
            continue
        outer, _, inner = name.partition(".")
        value = text if name in WORDS else _value(text)
        if inner:
            figures.setdefault(outer, {})[inner] = value
        else:
            figures[name] = value
    return figures


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text
