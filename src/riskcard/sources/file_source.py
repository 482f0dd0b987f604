"""Files larger than memory: Parquet, CSV or Arrow files, one after another, in pieces."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from riskcard.errors import DataError
from riskcard.extras import import_extra
from riskcard.sources.arrow_kinds import divide_columns, kind_of
from riskcard.sources.rows import Kind
from riskcard.sources.source import PieceSource

#: Rows that are read at a time, and counted together.
PIECE_ROWS = 2**17
#: From the end of a name to the format that pyarrow knows.
FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".arrow": "ipc",
    ".ipc": "ipc",
    ".feather": "ipc",
}
#: Cells of a CSV file that are missing values, next to empty ones.
MISSING_WORDS = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", ".", "-"]


def is_table_name(file: Path) -> bool:
    """Whether a file in a folder is taken for a part of the table, by its name."""
    return file.suffix.lower() in FORMATS and not file.name.startswith((".", "_"))


class FileSource(PieceSource):
    """Files with the same columns.

    Parameters
    ----------
    paths
        A file, a folder, a pattern such as ``folder/*.parquet``, or a list of files.
    piece_rows
        Rows that are read at a time.
    """

    def __init__(
        self, paths: str | Path | Sequence[str | Path], piece_rows: int = PIECE_ROWS
    ) -> None:
        self._dataset = import_extra("pyarrow.dataset", "A folder or pattern of files", "parquet")
        listed = [paths] if isinstance(paths, (str, Path)) else list(paths)
        self.name = repr(str(listed[0])) if len(listed) == 1 else f"{len(listed)} files"
        self.paths = [file for path in listed for file in _files_of(str(path))]
        self._piece_rows = piece_rows
        first, *others = [(path, self._schema_of(path)) for path in self.paths]
        self.kinds, self.unusable = divide_columns(first[1])
        for path, schema in others:
            self._require_same(path, schema, first[0])

    def pieces(self, columns: Sequence[str]) -> Iterator[Any]:
        import pyarrow as pa

        for path in self.paths:
            fragment = self._fragment(path)
            try:
                scanner = fragment.scanner(columns=list(columns), batch_size=self._piece_rows)
                for batch in scanner.to_batches():
                    if batch.num_rows:
                        yield pa.Table.from_batches([batch])
            except (pa.ArrowException, OSError) as error:
                raise _unreadable(path, error) from None

    def _fragment(self, path: str) -> Any:
        import pyarrow as pa

        try:
            (fragment,) = self._dataset.dataset(path, format=_format_of(path)).get_fragments()
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _unreadable(path, error) from None
        return fragment

    def _schema_of(self, path: str) -> Any:
        import pyarrow as pa

        try:
            return self._fragment(path).physical_schema
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(path, error) from None

    def _require_same(self, path: str, schema: Any, first: str) -> None:
        """Refuse a file that lacks a column of the first one, or has another kind of cells there."""
        own: Mapping[str, Any] = {column.name: column.type for column in schema}
        for name, kind in self.kinds.items():
            if name not in own:
                raise DataError(
                    f"{path!r} has no column {_shown(name)}, which {first!r} has. Add it, or leave it out of "
                    "all files."
                )
            if kind_of(own[name]) is not kind and not _is_empty(own[name]):
                found = kind_of(own[name])
                raise DataError(
                    f"{path!r}: column {name!r} holds {_words(found) if found else own[name]}, but "
                    f"{_words(kind)} in {first!r}. Give all files the same types."
                )


def _files_of(path: str) -> list[str]:
    """The files that a path means, sorted by name."""
    place = Path(path)
    try:
        if place.is_dir():
            found = sorted(str(file) for file in place.rglob("*") if _is_table(file))
            what = f"{path!r} has no file that ends in {', '.join(FORMATS)}"
        elif place.exists():
            return [path]
        else:
            found = sorted(name for name in glob.glob(path, recursive=True) if Path(name).is_file())
            what = (
                f"No file is called {path!r}"
                if not glob.has_magic(path)
                else f"No file fits {path!r}"
            )
    except OSError as error:
        raise _unreadable(path, error) from None
    if not found:
        raise DataError(
            f"{what}. Give a file, a folder of files, or a pattern such as 'folder/*.parquet'."
        )
    return found


def _is_table(file: Path) -> bool:
    return is_table_name(file) and file.is_file()


def _format_of(path: str) -> Any:
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise DataError(
            f"{path!r} is not known as a table that can be read in pieces. Its name must end in "
            f"{', '.join(FORMATS)}."
        )
    if FORMATS[ending] != "csv":
        return FORMATS[ending]
    from pyarrow import csv, dataset

    words = csv.ConvertOptions(null_values=MISSING_WORDS, strings_can_be_null=True)
    return dataset.CsvFileFormat(convert_options=words)


def _unreadable(path: str, error: Exception) -> DataError:
    said = " ".join(str(error).split())[:300].rstrip(".")
    if isinstance(error, PermissionError) or "Permission denied" in said:
        return DataError(
            f"{path!r} cannot be read: permission denied. Ask for the right to read it."
        )
    return DataError(f"{path!r} cannot be read: {said}. Replace the file, or leave it out.")


def _shown(name: str) -> str:
    return repr(name) if name.strip() else "without a name"


def _is_empty(type_: Any) -> bool:
    from pyarrow import types

    return bool(types.is_null(type_))


def _words(kind: Kind) -> str:
    return {Kind.NUMBER: "numbers", Kind.BOOLEAN: "true and false", Kind.TEXT: "texts"}[kind]
