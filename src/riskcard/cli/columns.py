"""Which columns of a file are wanted, and errors for those that are not there."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from riskcard.errors import DataError

__all__ = ["Selection", "require_columns"]


@dataclass(frozen=True, slots=True)
class Selection:
    """Columns to read: some as numbers, some as text; ``optional`` ones can be left out."""

    numbers: tuple[str, ...]
    texts: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()

    def advice(self, name: str) -> str:
        """What else can be done about a bad value than correcting it."""
        if name in self.optional:
            return f"remove the row, or leave the column out with --drop {name!r}."
        return "or remove the row."


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
