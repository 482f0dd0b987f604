"""How kernels are compiled, and when compiled code on disk may be used again."""

import hashlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np
from numba import config, njit
from numba.core import event

from riskcard.errors import RiskcardWarning

#: Compiled on first use and kept on disk; runs without the interpreter's lock; a division by zero
#: gives what numpy gives. Compilation is what a first fit waits for, so kernels are flat (the code
#: of a callee is optimised again in every caller), use plain loops (every array expression is
#: compiled as a function of its own) and pass whole numbers as variables (a callee is compiled
#: again for every literal). A record is passed field by field: what is called for every node gets
#: no record that it does not need.
OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
}


def fingerprint_of(folder: Path) -> str:
    """A hash of all source in a folder, that of inner folders included."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


FINGERPRINT = fingerprint_of(Path(__file__).parent)


def _compile(function: Callable[..., Any], **more: Any) -> Any:
    """Compile; code on disk is used again only while the source of *all* kernels is the same.

    numba compares the time and size of the file that a function is defined in, so it does not
    notice a change in a function that it calls. A proof that is half old code would be no proof.

    Where compilation is switched off, plain numpy computes as compiled code does: whole numbers
    wrap around, and a division by zero gives infinity, both without a warning.
    """
    if config.DISABLE_JIT:  # type: ignore[attr-defined]
        return np.errstate(all="ignore")(function)
    options: dict[str, Any] = OPTIONS | more
    try:
        dispatcher: Any = njit(**options)(function)
    except RuntimeError as error:  # from numba: no folder can be written to
        if "no locator available" not in str(error):
            raise
        _warn_that_nothing_is_kept()
        return njit(**options | {"cache": False})(function)
    dispatcher._cache._cache_file._source_stamp = FINGERPRINT
    guard = partial(_kept_if_possible, dispatcher._cache._cache_file)
    dispatcher._cache._guard_against_spurious_io_errors = guard
    return dispatcher


@contextmanager
def _kept_if_possible(file: Any) -> Iterator[None]:
    """A full disk, or a folder that can no longer be used, costs time and nothing else.

    So does code of another version whose list of signatures names a record that is gone: numba
    reads the list before it compares the source, so it is removed here.
    """
    try:
        yield
    except OSError:
        _warn_that_nothing_is_kept()
    except (AttributeError, ImportError, UnpicklingError):
        Path(file._index_path).unlink(missing_ok=True)


@cache
def _warn_that_nothing_is_kept() -> None:
    warnings.warn(
        "No folder for compiled code can be written to, so every process that fits a card compiles "
        "the inner loops again, for up to a minute. Name a folder that can be written to in "
        "the environment variable NUMBA_CACHE_DIR.",
        RiskcardWarning,
        stacklevel=2,
    )


def is_kept(compiled: Any) -> bool:
    """Whether valid code of a kernel is on disk; True where code is never kept."""
    file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    try:
        return file is None or bool(file._load_index())
    except OSError:  # a folder that cannot be read
        return True


class _Once(event.Listener):
    """Calls a function when the first compilation starts, and never again."""

    def __init__(self, function: Callable[[], None]) -> None:
        self._function: Callable[[], None] | None = function

    def on_start(self, event: Any) -> None:
        function, self._function = self._function, None
        if function is not None:
            function()

    def on_end(self, event: Any) -> None:
        pass


def call_before_compiling(function: Callable[[], None]) -> None:
    """Call a function once, when something is compiled; kept code is loaded without a call."""
    event.register("numba:compile", _Once(function))


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls."""
    return _compile(function)


def inner_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that only other kernels call: it needs no wrapper for Python."""
    return _compile(function, no_cpython_wrapper=True)


def bare_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls and that makes no arrays, nor do those that it calls.

    Its arrays then need no reference counts. Counting is expensive where views are made in inner
    loops: the counts are shared by all threads, which wait for each other at every change.
    """
    return _compile(function, _nrt=False)


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """A piece of one kernel: written into its caller, and not compiled by itself.

    That saves compilation where a piece mainly calls others, whose code would be optimised again in
    it, and calls where it is short. A long piece with loops of its own is better compiled alone: a
    caller that grows takes longer than both.
    """
    return _compile(function, no_cpython_wrapper=True, inline="always")


def bare_inner_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that only other kernels call and that makes no arrays."""
    return _compile(function, no_cpython_wrapper=True, _nrt=False)


def reordered_kernel(function: Callable[..., Any]) -> Any:
    """Compile a sum that may be added up in any order, several numbers at a time."""
    return _compile(function, no_cpython_wrapper=True, _nrt=False, fastmath={"reassoc", "nsz"})
