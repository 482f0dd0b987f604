"""The groups that rows belong to: one name per row, none missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.arrays import Booleans, Integers
from riskcard.errors import DataError

#: With more groups than this a column is hardly one of groups.
MOST_GROUPS = 50


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of rows.

    Attributes
    ----------
    column
        What the groups are of, such as "sex".
    names
        The groups, sorted.
    codes
        The index of the group of each row.
    """

    column: str
    names: tuple[str, ...]
    codes: Integers

    def take(self, rows: Booleans) -> Groups:
        """The groups of some of the rows; all of them must still be there."""
        codes = self.codes[rows]
        present = np.unique(codes)
        if present.size < len(self.names):
            missing = next(g for g in range(len(self.names)) if g not in present)
            raise DataError(
                f"All rows of group {self.names[missing]!r} of {self.column!r} have weight 0. "
                "Leave these rows out."
            )
        return Groups(self.column, self.names, codes)


def read_groups(groups: Any, n_rows: int, column: str | None = None) -> Groups:
    """Check one group per row.

    Parameters
    ----------
    groups
        An array, a list, or a column of a frame, whose name is taken.
    n_rows
        How many there must be.
    column
        The name, where the groups have none.

    Examples
    --------
    >>> read_groups(["f", "m", "f"], 3, "sex").names
    ('f', 'm')
    """
    name = str(column or getattr(groups, "name", None) or "group")
    values = np.asarray(groups, dtype=object)
    if values.shape != (n_rows,):
        raise DataError(
            f"The groups of {name!r} have shape {values.shape}. Give one per row: {n_rows}."
        )
    missing = [value is None or value != value or value == "" for value in values]
    if any(missing):
        row = missing.index(True)
        raise DataError(
            f"Row {row + 1} has no group in {name!r}. Give every row a group, such as 'unknown'."
        )
    names, codes = np.unique([_shown(value) for value in values], return_inverse=True)
    if not 2 <= names.size <= MOST_GROUPS:
        raise DataError(
            f"{name!r} has {names.size:,} groups. Give a column with 2 to {MOST_GROUPS} groups."
        )
    return Groups(name, tuple(map(str, names)), codes.astype(np.int64))


def _shown(value: Any) -> str:
    """Whole numbers without a decimal point, everything else as it is written."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)
