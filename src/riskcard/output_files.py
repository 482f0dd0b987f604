"""Files written whole or not at all, and never over a file that is read."""

import csv
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from riskcard.errors import FormatError

#: How a path names an open file of this process.
_DESCRIPTOR = re.compile(r"/dev/(?P<name>stdout|stderr)|/(dev|proc/self)/fd/(?P<number>\d+)")
_STANDARD = {"stdout": 1, "stderr": 2}


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


def write_whole(path: str | Path, content: str | bytes | Iterable[bytes]) -> None:
    """Write a file so that a reader sees the old file or the new one, never a part.

    A text is written as UTF-8; what is too large for the memory is given piece by piece. A link is followed, so that
    it goes on pointing at the file. What is not a file, such as a device, a pipe or ``/dev/stdout``, stays what it is:
    it is written to.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    pieces = [data] if isinstance(data, bytes) else data
    require_writable(path)
    try:
        if _is_stream(path):
            _write_stream(path, pieces)
        else:
            _replace(Path(os.path.realpath(path)), pieces)
    except BrokenPipeError:  # the reader has gone, which is no fault of the place
        raise
    except OSError as error:
        raise FormatError(
            f"{str(path)!r} cannot be written: {error.strerror or error}. "
            "Choose another place, or free some space there."
        ) from None


def require_ending(path: str | Path, *endings: str) -> None:
    """Refuse a name whose ending promises another kind of file; a name without an ending promises nothing."""
    ending = Path(path).suffix.lower()
    if ending and ending not in endings:
        *first, last = endings
        known = f"{', '.join(first)} or {last}" if first else last
        raise FormatError(
            f"{str(path)!r} ends in {ending}, which is not written here. Use a name that ends in {known}."
        )


def require_writable(*paths: str | Path | None) -> None:
    """Refuse places that cannot be written to, before any work is done; None is no place."""
    for path in paths:
        if path is not None:
            _require_writable(path)


def require_files(*paths: str | Path) -> None:
    """Refuse files that are to be read and do not exist, before any work is done."""
    for path in paths:
        if not os.path.lexists(path):
            raise FormatError(f"There is no file {str(path)!r}. Check the name and the folder.")


def require_separate(read: Mapping[str, str | Path], written: Mapping[str, str | Path]) -> None:
    """Refuse to write over a file that is read, and to write two things to one file.

    Files are the same whatever their paths look like: through links, hard links and other
    spellings too. Devices and pipes may be named more than once.

    Parameters
    ----------
    read, written
        From what a message calls a file, such as "--rules" or "the data", to its path.

    Examples
    --------
    >>> require_separate({"the data": "rows.csv"}, {"--output": "card.json"})
    """
    others = dict(read)
    for name, path in written.items():
        for other, taken in others.items():
            if not _is_stream(path) and _is_same(path, taken):
                raise FormatError(
                    f"{name} ({str(path)!r}) is the same file as {other} ({str(taken)!r}), which "
                    "would be overwritten. Choose another name."
                )
        others[name] = path


def _is_same(left: str | Path, right: str | Path) -> bool:
    try:
        return os.path.samefile(left, right)
    except OSError:  # one of them does not exist yet
        places = (os.path.normcase(os.path.realpath(path)) for path in (left, right))
        return len(set(places)) == 1


def _require_writable(path: str | Path) -> None:
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FormatError(f"{str(path)!r} is a folder. Give the name of a file.")
    if _is_stream(path):
        return
    if not target.parent.is_dir():
        raise FormatError(
            f"The folder {str(target.parent)!r} does not exist. Create it, or choose another place."
        )
    is_blocked = target.exists() and not os.access(target, os.W_OK)
    if is_blocked or not os.access(target.parent, os.W_OK | os.X_OK):
        raise FormatError(
            f"{str(path)!r} cannot be written: permission denied. Choose another place."
        )


# --- streams --------------------------------------------------------------------------------------


def _descriptor_of(path: str | Path) -> int | None:
    """The open file of this process that a path such as ``/dev/stdout`` stands for."""
    found = _DESCRIPTOR.fullmatch(os.path.abspath(path))
    if found is None or os.name != "posix":
        return None
    return _STANDARD[found["name"]] if found["name"] else int(found["number"])


def _is_stream(path: str | Path) -> bool:
    """Whether a place is no file that could be replaced: a device, a pipe, an open file."""
    target = Path(path)
    return _descriptor_of(path) is not None or (target.exists() and not target.is_file())


def _write_stream(path: str | Path, pieces: Iterable[bytes]) -> None:
    descriptor = _descriptor_of(path)
    if descriptor is None:
        with open(path, "wb") as stream:
            stream.writelines(pieces)
        return
    # what was printed before comes first, and a file that is appended to keeps what it has
    for printed in (sys.stdout, sys.stderr):
        if printed is not None:
            printed.flush()
    with os.fdopen(os.dup(descriptor), "wb") as stream:
        stream.writelines(pieces)


# --- files ----------------------------------------------------------------------------------------


def _replace(target: Path, pieces: Iterable[bytes]) -> None:
    handle, temporary = tempfile.mkstemp(
        dir=target.parent, prefix=f".{target.name}.", suffix=".part"
    )
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode_of(target))
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _mode_of(target: Path) -> int:
    """The permissions of the file that is replaced, or those of a new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
