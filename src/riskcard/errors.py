"""The errors and warnings of riskcard; each message says what is wrong, where, and what to do."""

import sys
import warnings
from types import FrameType


class RiskcardError(Exception):
    """Any error that riskcard raises on purpose."""


class DataError(RiskcardError, ValueError):
    """The table, the labels or the weights cannot be used as they are."""


class ParameterError(RiskcardError, ValueError):
    """A parameter has a value that makes no sense, or does not fit the others."""


class FormatError(RiskcardError, ValueError):
    """A file is not what it should be: not a card, not a table, from a future version."""


class SolverMissing(RiskcardError, ImportError):
    """An optional package is needed for what was asked and is not installed."""


class RiskcardWarning(UserWarning):
    """Something the user should know, such as missing values that got the usual points."""


def warn(message: str) -> None:
    """Warn once, pointing to the first line of code outside this package."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("riskcard."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, RiskcardWarning, stacklevel=level)
