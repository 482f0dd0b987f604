"""Which columns of a file are wanted, and errors for those that are not there."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from riskcard.errors import DataError

__all__ = ["Selection", "require_columns"]


@dataclass(frozen=True, slots=True)
class Selection:
    """Columns to read: some as numbers, some as text."""

    numbers: tuple[str, ...]
    texts: tuple[str, ...] = ()


def require_columns(path: str, names: Sequence[str], wanted: Sequence[str], purpose: str) -> None:
    """Refuse a table that lacks a wanted column."""
    missing = [name for name in wanted if name not in names]
    if not missing:
        return
    close = difflib.get_close_matches(missing[0], names, n=1)
    if close:
        advice = f"Did you mean {close[0]!r}?"
    elif len(names) <= 12:
        advice = f"The columns are {', '.join(map(repr, names))}."
    else:
        advice = "Check the spelling against the header line."
    listed = ", ".join(map(repr, missing))
    raise DataError(
        f"{path!r} has no column{'s' if len(missing) > 1 else ''} {listed} ({purpose}). {advice}"
    )
