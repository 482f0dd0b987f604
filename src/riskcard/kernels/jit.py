"""How the search's kernels are compiled."""

from __future__ import annotations

from typing import Any

from numba import njit

__all__ = ["inner_kernel", "kernel"]

_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
}

#: Compiled on first use and kept on disk; runs without the interpreter's lock; a division by zero
#: gives what numpy gives. Compilation is what a first fit waits for, so kernels are flat (the code
#: of a callee is optimised again in every caller), use plain loops (every array expression is
#: compiled as a function of its own) and pass whole numbers as variables (so is every literal).
kernel = njit(**_OPTIONS)

#: A kernel that only other kernels call: it needs no wrapper for Python.
inner_kernel = njit(**{**_OPTIONS, "no_cpython_wrapper": True})
