"""Packages that riskcard does without: a test that uses one which is not installed is skipped."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

import pytest


class Missing:
    """Stands for a package that is not installed until a test uses it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # pytest looks at every name of a module
            raise AttributeError(attribute)
        pytest.skip(f"{self._name} is not installed", allow_module_level=True)


def find(name: str) -> ModuleType | Missing:
    """A package, or what skips the tests that use it."""
    try:
        return import_module(name)
    except ImportError:
        return Missing(name)


pd, pl, pa = find("pandas"), find("polars"), find("pyarrow")
