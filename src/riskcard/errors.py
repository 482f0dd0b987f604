"""The errors and warnings of riskcard; each message says what is wrong, where, and what to do."""


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
    """Something was done that the user should know of, such as a hole that got the usual points."""
