"""Text files and CSV: encoding, delimiter, header, lines of equal length."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from riskcard.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

DELIMITERS = ",;\t|"


def read_bytes(path: str | Path, wanted: str) -> bytes:
    """The whole of a file.

    Parameters
    ----------
    path
        The file.
    wanted
        What to give instead, for error messages.
    """
    source = repr(str(path))
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise FormatError(f"There is no file {source}. Check the name and the folder.") from None
    except OSError as error:
        raise FormatError(
            f"{source} cannot be read: {error.strerror or error}. Give {wanted}."
        ) from None


def read_text(path: str | Path, wanted: str) -> str:
    """The whole of a UTF-8 file, without a byte order mark; parameters as for ``read_bytes``."""
    try:
        return read_bytes(path, wanted).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_utf8(repr(str(path)), error) from None


def not_utf8(source: str, error: UnicodeDecodeError) -> FormatError:
    """The error for a file of another encoding."""
    byte = error.object[error.start]
    return FormatError(
        f"{source} is not UTF-8 text (byte 0x{byte:02x} cannot be read). Save it as UTF-8."
    )


def delimiter_of(header: str) -> str:
    """The one of comma, semicolon, tab and bar that is most frequent in a line outside quotes."""
    outside_quotes = "".join(header.split('"')[::2])
    return max(DELIMITERS, key=outside_quotes.count)


def checked_rows(path: str, reader: Any, n_lines_above: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not blank; all as long as the header."""
    width = 0
    try:
        for row in reader:
            if not row:
                continue
            width = width or len(row)
            if len(row) != width:
                raise FormatError(
                    f"{path!r}, line {n_lines_above + reader.line_num}: {len(row)} cells, but the "
                    f"header has {width}. Correct the line, or quote cells that contain the "
                    "delimiter."
                )
            yield n_lines_above + reader.line_num, row
    except csv.Error as error:
        raise FormatError(
            f"{path!r}, line {n_lines_above + reader.line_num}: not valid CSV ({error}). "
            "Correct the line."
        ) from None


def checked_names(path: str, header: Sequence[str]) -> list[str]:
    """The names of the columns: none empty, none twice."""
    names = [name.strip() for name in header]
    for position, name in enumerate(names):
        if not name:
            raise FormatError(
                f"{path!r}: column {position + 1} has no name. Name it in the header line."
            )
        if name in names[:position]:
            raise FormatError(f"{path!r}: two columns are named {name!r}. Rename one of them.")
    return names
