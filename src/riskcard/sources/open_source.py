"""Open a table that need not fit into memory: files, a database, a cluster, or a frame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from riskcard.errors import DataError, ParameterError
from riskcard.extras import import_extra
from riskcard.sources.dask_source import DaskSource, is_dask
from riskcard.sources.file_source import FileSource
from riskcard.sources.memory_source import MemorySource
from riskcard.sources.source import Source
from riskcard.sources.sql_dialects import Dialect, DuckDb, PostgreSql
from riskcard.sources.sql_source import SqlSource

#: From the first part of an address to the dialect.
DATABASES: dict[str, type[Dialect]] = {
    "duckdb": DuckDb,
    "postgresql": PostgreSql,
    "postgres": PostgreSql,
}
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
LEAST_MEMORY = 10**7


def open_source(
    data: Any,
    target: str,
    *,
    weights: str | None = None,
    table: str | None = None,
    memory: int | str = "2GB",
    filesystem: Any = None,
) -> Source:
    """Open a table that need not fit into memory, for ``RiskScoreClassifier.fit``.

    Parameters
    ----------
    data
        A file, a folder, a pattern such as ``"folder/*.parquet"``, or a list of files: Parquet, CSV or
        Arrow; on this machine, or an address such as ``"s3://bucket/folder"`` that pyarrow or fsspec
        opens. ``"duckdb:///file"`` or ``"postgresql://..."``, or a connection of duckdb or psycopg. A Dask
        data frame. A frame of pandas, polars or pyarrow.
    target
        The column to predict.
    weights
        A column of whole weights.
    table
        In a database: the table, or a query in brackets. An address can say it too: ``?table=NAME``.
    memory
        What the counts and the fit may use, such as ``"2GB"``. With more, more conditions are compared on
        all rows.
    filesystem
        A filesystem of pyarrow or fsspec where the files of ``data`` are.

    Examples
    --------
    >>> import pandas as pd
    >>> import riskcard
    >>> rows = pd.DataFrame({"age": range(100), "died": [age > 60 for age in range(100)]})
    >>> source = riskcard.open_source(rows, target="died")
    >>> card = riskcard.RiskScoreClassifier(max_terms=1).fit(source).card_
    >>> card.features[0].cuts
    (60.0,)
    """
    source = _open(data, table, filesystem)
    source.require(target, "target")
    if weights is not None:
        source.require(weights, "weights")
    source.target, source.weights, source.memory = target, weights, bytes_of(memory)
    return source


def _open(data: Any, table: str | None, filesystem: Any) -> Source:
    is_list = isinstance(data, Sequence) and all(isinstance(one, (str, Path)) for one in data)
    is_path = isinstance(data, (str, Path)) or is_list
    if filesystem is not None and not is_path:
        raise ParameterError("filesystem is only for paths of files. Leave it out.")
    if isinstance(data, str) and is_address(data):
        return open_database(data, table)
    module = type(data).__module__.split(".")[0]
    if module in ("duckdb", "_duckdb", "psycopg"):
        if table is None:
            raise ParameterError(
                "A connection needs table=, the name of a table or a query in brackets."
            )
        return SqlSource(data, PostgreSql() if module == "psycopg" else DuckDb(), table)
    if table is not None:
        raise ParameterError("table is only for databases. Leave it out.")
    if isinstance(data, Source):
        return data
    if is_dask(data):
        return DaskSource(data)
    if is_path:
        return FileSource(data, filesystem=filesystem)
    return MemorySource(data)


def is_address(data: str) -> bool:
    """Whether a text is the address of a database."""
    return urlsplit(data).scheme in DATABASES


def open_database(address: str, table: str | None = None, *, is_written: bool = False) -> SqlSource:
    """Open the table of a database that an address means, to be read, or for a new table next to it."""
    parts = urlsplit(address)
    known = dict(parse_qsl(parts.query))
    table = table_of(address) if table is None else table
    known.pop("table", None)
    dialect = DATABASES[parts.scheme]()
    try:
        if isinstance(dialect, DuckDb):
            connection = _connect_duckdb(address, is_written)
        else:
            rest = urlunsplit(parts._replace(query=urlencode(known)))
            connection = _connect_postgresql(rest)
    except dialect.errors() as error:
        said = " ".join(str(error).split())[:300].rstrip(".")
        raise DataError(f"The database cannot be opened: {said}.") from None
    return SqlSource(connection, dialect, table)


def table_of(address: str) -> str:
    """The table that an address of a database names."""
    table = dict(parse_qsl(urlsplit(address).query)).get("table")
    if table is None:
        raise ParameterError(
            f"{address!r} does not say which table. Add ?table=NAME, or give the table by itself."
        )
    return table


def _connect_duckdb(address: str, is_written: bool) -> Any:
    driver = import_extra("duckdb", "A database of DuckDB", "duckdb")
    # as in other addresses of files: the third slash is not part of the path
    path = address.partition("?")[0].removeprefix("duckdb://").removeprefix("/")
    if not Path(path).is_file():
        raise DataError(f"There is no database {path!r}. Give the file of a database of DuckDB.")
    return driver.connect(path, read_only=not is_written)


def _connect_postgresql(address: str) -> Any:
    driver = import_extra("psycopg", "A database of PostgreSQL", "postgresql")
    return driver.connect(address, autocommit=True)


def bytes_of(memory: int | str) -> int:
    """A number of bytes from a number or a text such as ``"2GB"``.

    Examples
    --------
    >>> bytes_of("2GB"), bytes_of("500 MB")
    (2000000000, 500000000)
    """
    text = str(memory).strip().upper()
    digits = text.rstrip("BKMGT ")
    unit = text[len(digits) :].strip()
    try:
        found = float(digits) * UNITS[unit]
    except (KeyError, ValueError):
        raise ParameterError(
            f"memory is {memory!r}. Use a number of bytes, or one with a unit, such as '2GB'."
        ) from None
    if not LEAST_MEMORY <= found < 2**60:
        raise ParameterError(f"memory is {memory!r}. Use at least 10MB.")
    return int(found)
