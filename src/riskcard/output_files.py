"""Files written whole or not at all."""

import csv
import io
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from riskcard.errors import FormatError


def table_as_csv(columns: Mapping[str, Iterable[Any]]) -> str:
    """Columns of equal length as the text of a CSV file.

    Examples
    --------
    >>> table_as_csv({"terms": [1, 2], "score": [-0.5, -0.25]})
    'terms,score\\n1,-0.5\\n2,-0.25\\n'
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return file.getvalue()


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old file or the new one, never a part.

    A text is written as UTF-8. A link is followed, so that it goes on pointing at the file.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    target = Path(os.path.realpath(path))
    require_writable(path)
    try:
        handle, temporary = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name}.", suffix=".part"
        )
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, _mode_of(target))
            os.replace(temporary, target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FormatError(
            f"{str(path)!r} cannot be written: {error.strerror or error}. "
            "Choose another place, or free some space there."
        ) from None


def require_writable(*paths: str | Path | None) -> None:
    """Refuse places that cannot be written to, before any work is done; None is no place."""
    for path in paths:
        if path is not None:
            _require_writable(path)


def _require_writable(path: str | Path) -> None:
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FormatError(f"{str(path)!r} is a folder. Give the name of a file.")
    if not target.parent.is_dir():
        raise FormatError(
            f"The folder {str(target.parent)!r} does not exist. Create it, or choose another place."
        )
    is_blocked = target.exists() and not os.access(target, os.W_OK)
    if is_blocked or not os.access(target.parent, os.W_OK | os.X_OK):
        raise FormatError(
            f"{str(path)!r} cannot be written: permission denied. Choose another place."
        )


def _mode_of(target: Path) -> int:
    """The permissions of the file that is replaced, or those of a new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
