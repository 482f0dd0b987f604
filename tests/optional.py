"""Packages that riskcard does without: a test that uses one which is not installed is skipped."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest


class Missing:
    """Stands for a package that is not installed, and for everything that is made from it.

    While the tests are collected, whatever is done with it gives another one, so that a module can
    make frames that only some of its tests use. A test that touches one is skipped.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Missing:
        if attribute.startswith("__"):  # pytest looks at every name of a module
            raise AttributeError(attribute)
        return self._use()

    def _use(self, *_: Any, **__: Any) -> Missing:
        if "PYTEST_CURRENT_TEST" in os.environ:
            pytest.skip(f"{self._name} is not installed")
        return Missing(self._name)

    __call__ = __getitem__ = __array_function__ = __array_ufunc__ = _use
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _use
    __rtruediv__ = __lt__ = __gt__ = __or__ = _use

    def __repr__(self) -> str:
        return f"no {self._name}"  # the same in every process that collects tests

    def __len__(self, *_: Any, **__: Any) -> int:
        pytest.skip(f"{self._name} is not installed", allow_module_level=True)

    __iter__ = __array__ = __len__


def find(name: str) -> ModuleType | Missing:
    """A package, or what skips the tests that use it."""
    try:
        return import_module(name)
    except ImportError:
        return Missing(name)


pd, pl, pa = find("pandas"), find("polars"), find("pyarrow")
