"""How the search's kernels are compiled."""

from __future__ import annotations

from numba import njit

__all__ = ["inner_kernel", "kernel"]

#: Compiled on first use and kept on disk; runs without the interpreter's lock; a division by zero
#: gives what numpy gives. Kernels keep to plain loops and pass whole numbers as variables, because
#: every array expression and every literal argument is compiled as a function of its own.
kernel = njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)

#: A kernel that only other kernels call: without the wrapper for Python, half as long to compile.
inner_kernel = njit(
    cache=True,
    nogil=True,
    error_model="numpy",
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
)
