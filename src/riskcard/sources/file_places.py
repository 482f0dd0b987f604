"""Where the files of a table are: on this machine, or on any filesystem that pyarrow or fsspec opens."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from riskcard.errors import DataError

#: From the end of a name to the format that pyarrow knows.
FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".arrow": "ipc",
    ".ipc": "ipc",
    ".feather": "ipc",
}
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_MAGIC = re.compile(r"[*?[]")


@dataclass(frozen=True, slots=True)
class Place:
    """A file of a table.

    Attributes
    ----------
    name
        What messages call it.
    filesystem
        Of pyarrow.
    path
        Its path there.
    """

    name: str
    filesystem: Any
    path: str

    def state(self) -> tuple[int | None, int | None]:
        """Size and time of the last change, as far as the filesystem knows them."""
        try:
            info = self.filesystem.get_file_info(self.path)
        except _failures() as error:
            raise unreadable(self.name, error) from None
        return info.size, info.mtime_ns


def is_table_name(file: Path | PurePosixPath) -> bool:
    """Whether a file in a folder is taken for a part of the table, by its name."""
    return file.suffix.lower() in FORMATS and not file.name.startswith((".", "_"))


def is_file_address(path: str) -> bool:
    """Whether a text is an address such as ``s3://bucket/folder``."""
    return _ADDRESS.match(path) is not None


def local_path(path: str) -> str:
    """The path on this machine that an address ``file://...`` means; any other text as it is."""
    return unquote(urlsplit(path).path) if path.lower().startswith("file://") else path


def places_of(path: str, filesystem: Any = None) -> list[Place]:
    """The files that a path or address means, sorted by name.

    Parameters
    ----------
    path
        A file, a folder or a pattern, on this machine, on the given filesystem or as an address.
    filesystem
        Of pyarrow or fsspec.
    """
    path = local_path(path)
    if filesystem is not None:
        return _listed(path, path, as_arrow_filesystem(filesystem), str)
    if is_file_address(path):
        own, inner = _opened(path)
        prefix = path.partition("://")[0] + "://"
        return _listed(path, inner, own, lambda one: prefix + one)
    from pyarrow import fs

    local = fs.LocalFileSystem()
    return [Place(file, local, file) for file in _local_files(path)]


def as_arrow_filesystem(filesystem: Any) -> Any:
    """A filesystem of pyarrow or fsspec as one of pyarrow."""
    from pyarrow import fs

    if isinstance(filesystem, fs.FileSystem):
        return filesystem
    if hasattr(filesystem, "find") and hasattr(filesystem, "open"):
        return fs.PyFileSystem(fs.FSSpecHandler(filesystem))
    raise DataError(
        f"filesystem is a {type(filesystem).__name__}. Give a filesystem of pyarrow.fs or of fsspec."
    )


def _opened(address: str) -> tuple[Any, str]:
    """The filesystem of an address, of pyarrow or else of fsspec, and the path there."""
    import pyarrow as pa
    from pyarrow import fs

    plain = _MAGIC.split(address, maxsplit=1)[0]
    magic = address[len(plain) :]
    try:
        own, inner = fs.FileSystem.from_uri(plain)
    except (pa.ArrowException, OSError, ValueError) as error:
        try:
            from fsspec.core import url_to_fs

            found, inner = url_to_fs(plain)
        except (ImportError, ValueError, OSError):
            raise unreadable(address, error) from None
        own = as_arrow_filesystem(found)
    ends_in_folder = plain.endswith("/") and not inner.endswith("/")
    return own, inner + "/" * ends_in_folder + magic


def _listed(shown: str, path: str, filesystem: Any, name: Callable[[str], str]) -> list[Place]:
    """The files of a filesystem that a path means."""
    from pyarrow import fs

    has_magic = _MAGIC.search(path) is not None
    try:
        if not has_magic:
            info = filesystem.get_file_info(path.rstrip("/"))
            if info.type == fs.FileType.File:
                return [Place(shown, filesystem, info.path)]
        top = (
            _MAGIC.split(path, maxsplit=1)[0].rpartition("/")[0] if has_magic else path.rstrip("/")
        )
        selector = fs.FileSelector(top, recursive=True, allow_not_found=True)
        found = filesystem.get_file_info(selector)
    except _failures() as error:
        raise unreadable(shown, error) from None
    files = sorted(info.path for info in found if info.type == fs.FileType.File)
    if has_magic:
        pattern = _as_expression(path)
        shows_hidden = "/." in path  # as in a shell
        files = [
            one
            for one in files
            if pattern.fullmatch(one) and (shows_hidden or "/." not in f"/{one}")
        ]
    else:
        files = [one for one in files if is_table_name(PurePosixPath(one))]
    if not files:
        raise _nothing(f"No file fits {shown!r}" if has_magic else _no_table_in(shown))
    return [Place(name(one), filesystem, one) for one in files]


def _as_expression(pattern: str) -> re.Pattern[str]:
    """A pattern of names: ``**/`` is any folders, ``*`` and ``?`` stay within one name."""
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?|\[[^]]+\])", pattern)
    found = [
        parts.get(one) or (one.replace("[!", "[^") if one[:1] == "[" else re.escape(one))
        for one in pieces
    ]
    return re.compile("".join(found))


def _local_files(path: str) -> list[str]:
    """The files on this machine that a path means."""
    place = Path(path)
    try:
        if place.is_dir():
            found = sorted(
                str(file) for file in place.rglob("*") if is_table_name(file) and file.is_file()
            )
            what = _no_table_in(path)
        elif place.exists():
            return [path]
        else:
            found = sorted(name for name in glob.glob(path, recursive=True) if Path(name).is_file())
            is_pattern = glob.has_magic(path)
            what = f"No file fits {path!r}" if is_pattern else f"No file is called {path!r}"
    except OSError as error:
        raise unreadable(path, error) from None
    if not found:
        raise _nothing(what)
    return found


def _no_table_in(path: str) -> str:
    return f"{path!r} has no file that ends in {', '.join(FORMATS)}"


def _nothing(what: str) -> DataError:
    return DataError(
        f"{what}. Give a file, a folder of files, or a pattern such as 'folder/*.parquet'."
    )


def unreadable(path: str, error: Exception) -> DataError:
    """The error for a file that cannot be read."""
    said = " ".join(str(error).split())[:300].rstrip(".")
    if isinstance(error, PermissionError) or "Permission denied" in said:
        return DataError(
            f"{path!r} cannot be read: permission denied. Ask for the right to read it."
        )
    remedy = "Replace the file, or leave it out."
    if Path(path).is_file() and not Path(path).stat().st_size:
        return DataError(f"{path!r} is empty. {remedy}")
    if is_file_address(path):
        remedy = "Check the address and the right to read it."
    return DataError(f"{path!r} cannot be read: {said}. {remedy}")


def _failures() -> tuple[type[Exception], ...]:
    import pyarrow as pa

    return (pa.ArrowException, OSError, ValueError)
