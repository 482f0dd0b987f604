"""All that commands print: remarks on the error stream, apart from the output."""

import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from riskcard.formatting.plain_text import one_line, visible_lines
from riskcard.formatting.speech import speaking
from riskcard.output_files import write_whole


def say(message: str) -> None:
    """Write one line."""
    sys.stderr.write(f"{one_line(message)}\n")


def put(text: str) -> None:
    """Write to the output; a terminal gets no control characters of names, levels or cells."""
    sys.stdout.write(visible_lines(text) if sys.stdout.isatty() else text)


def say_saved(*paths: str | None) -> None:
    """Name the files that were written, or say that the card was not saved."""
    written = [path for path in paths if path is not None]
    say(f"Wrote {', '.join(written)}." if written else "Not saved; -o FILE saves the card.")


def write_all_or_print(text: str, files: Mapping[str | None, Callable[[], str]]) -> None:
    """Write the files that have a name and say so; without any, write a text to the output.

    Nothing is written before the content of every file is there.

    Parameters
    ----------
    text
        What is printed otherwise.
    files
        From each name, or None, to what makes the content.
    """
    contents = {path: make() for path, make in files.items() if path is not None}
    if not contents:
        put(f"{text}\n")
        return
    for path, content in contents.items():
        write_whole(path, content)
    say(f"Wrote {', '.join(contents)}.")


def in_english(content: Callable[[], object]) -> str:
    """The text of a JSON file for programs, whose words are English whatever the pages speak."""
    with speaking("en"):
        return json.dumps(content(), indent=2, ensure_ascii=False) + "\n"


def write_or_print(path: str | None, content: str | bytes) -> None:
    """Write a file and say so; without a file, write a text to the output."""
    if path is None:
        put(str(content))
        return
    write_whole(path, content)
    say(f"Wrote {path}.")


@contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Show a warning as one line, without its place in the code."""

    def show(message: Any, *_: Any, **__: Any) -> None:
        say(str(message))

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield
