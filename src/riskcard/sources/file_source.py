"""Files larger than memory: Parquet, CSV or Arrow files, one after another, in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from riskcard.errors import DataError
from riskcard.extras import import_extra
from riskcard.sources.file_places import FORMATS, Place, places_of, unreadable
from riskcard.sources.rows import Kind, divide_columns, kind_of
from riskcard.sources.source import PieceSource

#: Rows that are read at a time, and counted together.
PIECE_ROWS = 2**17
#: Pieces that are read before they are asked for.
BATCHES_AHEAD = 2
#: Cells of a CSV file that are missing values, next to empty ones.
MISSING_WORDS = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", ".", "-"]


class FileSource(PieceSource):
    """Files with the same columns.

    Parameters
    ----------
    paths
        A file, a folder, a pattern such as ``folder/*.parquet``, or a list of files; addresses as well.
    piece_rows
        Rows that are read at a time.
    filesystem
        Of pyarrow or fsspec, where the files are; None for this machine and for addresses.
    """

    def __init__(
        self,
        paths: str | Path | Sequence[str | Path],
        piece_rows: int = PIECE_ROWS,
        filesystem: Any = None,
    ) -> None:
        self._dataset = import_extra("pyarrow.dataset", "A folder or pattern of files", "parquet")
        listed = [paths] if isinstance(paths, (str, Path)) else list(paths)
        self.name = repr(str(listed[0])) if len(listed) == 1 else f"{len(listed)} files"
        self.places = [file for path in listed for file in places_of(str(path), filesystem)]
        self._states = [place.state() for place in self.places]
        self._piece_rows = piece_rows
        first, *others = [(place.name, self._schema_of(place)) for place in self.places]
        self.kinds, self.unusable = divide_columns(first[1])
        for name, schema in others:
            self._require_same(name, schema, first[0])

    def pieces(self, columns: Sequence[str]) -> Iterator[Any]:
        import pyarrow as pa

        for place, state in zip(self.places, self._states, strict=True):
            _require_unchanged(place, state)
            fragment = self._fragment(place)
            try:
                scanner = fragment.scanner(
                    columns=list(columns),
                    batch_size=self._piece_rows,
                    batch_readahead=BATCHES_AHEAD,
                    **self._frugal(place),
                )
                for batch in scanner.to_batches():
                    if batch.num_rows:
                        yield pa.Table.from_batches([batch])
            except (pa.ArrowException, OSError) as error:
                _require_unchanged(place, state)
                raise unreadable(place.name, error) from None
            _require_unchanged(place, state)

    def _frugal(self, place: Place) -> dict[str, Any]:
        """Settings that read a Parquet file on this machine bit by bit: a group of its rows may be large."""
        from pyarrow import fs

        is_local = isinstance(place.filesystem, fs.LocalFileSystem)
        if not is_local or _format_of(place.name) != "parquet":
            return {}
        options = self._dataset.ParquetFragmentScanOptions
        return {"fragment_scan_options": options(use_buffered_stream=True, pre_buffer=False)}

    def _fragment(self, place: Place) -> Any:
        import pyarrow as pa

        known = {"format": _format_of(place.name), "filesystem": place.filesystem}
        try:
            (fragment,) = self._dataset.dataset(place.path, **known).get_fragments()
        except (pa.ArrowException, OSError, ValueError) as error:
            raise unreadable(place.name, error) from None
        return fragment

    def _schema_of(self, place: Place) -> Any:
        import pyarrow as pa

        try:
            return self._fragment(place).physical_schema
        except (pa.ArrowException, OSError) as error:
            raise unreadable(place.name, error) from None

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


def _require_unchanged(place: Place, state: tuple[int | None, int | None]) -> None:
    """Refuse a file that is not the one that was opened: its counts would be of two tables."""
    if place.state() != state:
        raise DataError(
            f"{place.name!r} has changed since it was first read. Start again when nothing writes to it."
        )


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


def _shown(name: str) -> str:
    return repr(name) if name.strip() else "without a name"


def _is_empty(type_: Any) -> bool:
    from pyarrow import types

    return bool(types.is_null(type_))


def _words(kind: Kind) -> str:
    return {Kind.NUMBER: "numbers", Kind.BOOLEAN: "true and false", Kind.TEXT: "texts"}[kind]
