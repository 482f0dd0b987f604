"""A table in memory as a source: the same steps, one piece."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from riskcard.errors import ParameterError
from riskcard.extras import import_extra
from riskcard.sources.rows import divide_columns
from riskcard.sources.source import PieceSource

#: Rows that are counted together.
MOST_ROWS = 2**17


class MemorySource(PieceSource):
    """A data frame of pandas, polars or pyarrow.

    Parameters
    ----------
    frame
        The rows.
    piece_rows
        Rows that are counted together.
    """

    def __init__(self, frame: Any, piece_rows: int = MOST_ROWS) -> None:
        import_extra("pyarrow", "A source", "parquet")
        import narwhals as nw

        self.name = "The frame"
        try:
            self._table = nw.from_native(frame, eager_only=True).to_arrow()
        except TypeError:
            kind = f"{type(frame).__module__}.{type(frame).__qualname__}".removeprefix("builtins.")
            raise ParameterError(
                f"data is a {kind}, which is not known as a table. Give files, a frame of pandas, polars, pyarrow "
                "or Dask, or a connection of duckdb or psycopg; DuckDB reads other databases with ATTACH."
            ) from None
        self._piece_rows = piece_rows
        self.kinds, self.unusable = divide_columns(self._table.schema)

    def pieces(self, columns: Sequence[str]) -> Iterator[Any]:
        table = self._table.select(list(columns))
        for start in range(0, table.num_rows, self._piece_rows):
            yield table.slice(start, self._piece_rows)
