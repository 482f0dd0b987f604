"""How the search's kernels are compiled."""

from __future__ import annotations

from numba import njit

__all__ = ["inner_kernel", "kernel"]

#: Compiled on first use and kept on disk; runs without the interpreter's lock; a division by zero
#: gives what numpy gives. Compilation is what a first fit waits for, so kernels are flat (the code
#: of a callee is optimised again in every caller), use plain loops (every array expression is
#: compiled as a function of its own) and pass whole numbers as variables (so is every literal).
kernel = njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)

#: A kernel that only other kernels call: it needs no wrapper for Python.
inner_kernel = njit(
    cache=True,
    nogil=True,
    error_model="numpy",
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
)
