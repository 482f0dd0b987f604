"""Counts of work that do not depend on the machine: calls of kernels, and nodes of proofs."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import riskcard.search

__all__ = ["counted_kernels"]


@contextmanager
def counted_kernels() -> Iterator[dict[str, int]]:
    """Count, inside the block, how often the search calls each kernel.

    Kernels called by other kernels are compiled into them, and not counted.
    """
    counts: dict[str, int] = {}
    replaced = []
    for module in _search_modules():
        for name, value in list(vars(module).items()):
            if _is_kernel(value):
                replaced.append((module, name, value))
                setattr(module, name, _counting(value, counts))
    try:
        yield counts
    finally:
        for module, name, value in replaced:
            setattr(module, name, value)


def _search_modules() -> list[Any]:
    walked = pkgutil.walk_packages(riskcard.search.__path__, "riskcard.search.")
    return [importlib.import_module(name) for name in sorted(module.name for module in walked)]


def _is_kernel(value: Any) -> bool:
    home = getattr(value, "__module__", None) or ""
    return hasattr(value, "py_func") and home.startswith("riskcard.kernels")


def _counting(kernel: Callable[..., Any], counts: dict[str, int]) -> Callable[..., Any]:
    name = kernel.__name__

    @wraps(kernel)
    def count(*arguments: Any, **options: Any) -> Any:
        counts[name] = counts.get(name, 0) + 1
        return kernel(*arguments, **options)

    return count
