"""Packages that only some uses need, and how to install them."""

import importlib
from typing import Any

from riskcard.errors import SolverMissing


def import_extra(package: str, what: str, extra: str, otherwise: str = "") -> Any:
    """Import a package, or say how to install it.

    Parameters
    ----------
    package
        Its name.
    what
        What needs it, at the beginning of a sentence.
    extra
        The extra of riskcard that installs it.
    otherwise
        What to do without it; the end of a sentence.
    """
    try:
        return importlib.import_module(package)
    except ImportError:
        raise SolverMissing(
            f"{what} needs the package {package.partition('.')[0]}, which is not installed. "
            f'Install it with: pip install "riskcard[{extra}]"{otherwise}'
        ) from None


def import_pandas(otherwise: str) -> Any:
    """Import pandas for a frame, or say what to use instead."""
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise SolverMissing(
            f"A frame needs pandas, which is not installed. Install it, or {otherwise}."
        ) from None
