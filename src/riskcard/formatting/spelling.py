"""Advice for names that are misspelt."""

import difflib
from collections.abc import Sequence

_FEW = 12
#: How alike two names are at least; at 0.6, "died" would be near "admitted".
_NEAR = 0.7


def nearest_name(name: str, known: Sequence[str], what: str, otherwise: str = "") -> str:
    """Advice for a name that is not known: the nearest one, or all if they are few.

    Parameters
    ----------
    name
        What was given.
    known
        What could have been given.
    what
        What these are, such as "columns".
    otherwise
        The advice when none is near and they are many.

    Examples
    --------
    >>> nearest_name("agee", ["age", "sex"], "columns")
    "Did you mean 'age'?"
    """
    close = difflib.get_close_matches(name, known, n=1, cutoff=_NEAR)
    if close:
        return f"Did you mean {close[0]!r}?"
    if len(known) <= _FEW:
        return f"The {what} are {', '.join(map(repr, known))}."
    return otherwise or "Check the spelling."
