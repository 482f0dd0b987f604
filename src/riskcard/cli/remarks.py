"""Remarks on the error stream, apart from the output."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from riskcard.formatting.plain_text import one_line


def say(message: str) -> None:
    """Write one line."""
    sys.stderr.write(f"{one_line(message)}\n")


@contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Show a warning as one line, without its place in the code."""

    def show(message: Any, *_: Any, **__: Any) -> None:
        say(str(message))

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
