"""What databases write differently: types, the bits of a number, errors; names and numbers are the same."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from riskcard.extras import import_extra
from riskcard.sources.rows import Kind

Ask = Callable[[str], list[Any]]


def quoted(name: str) -> str:
    """The name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def number(value: float) -> str:
    """A number as a double, with all its digits."""
    return f"CAST('{float(value)!r}' AS DOUBLE PRECISION)"


class Dialect(ABC):
    """How one database writes what is not the same everywhere."""

    @abstractmethod
    def errors(self) -> tuple[type[Exception], ...]:
        """What the driver raises where a query fails."""

    @abstractmethod
    def columns_of(self, ask: Ask, table: str) -> list[tuple[str, str]]:
        """The names and types of the columns of a table or query."""

    @abstractmethod
    def kind_of(self, type_: str) -> Kind | None:
        """The kind of a type; None for dates and what else is no feature."""

    @abstractmethod
    def cell(self, column: str, kind: Kind) -> str:
        """A number as a double without a negative zero, NULL for NaN; a text as it is."""

    @abstractmethod
    def words_of(self, column: str, kind: Kind) -> tuple[str, str]:
        """The upper and lower 32 bits of a number, or 0 and the first 32 bits of the MD5 of a text."""


class DuckDb(Dialect):
    """DuckDB."""

    def errors(self) -> tuple[type[Exception], ...]:
        return (import_extra("duckdb", "A database of DuckDB", "duckdb").Error,)

    def columns_of(self, ask: Ask, table: str) -> list[tuple[str, str]]:
        return [(row[0], row[1]) for row in ask(f"DESCRIBE SELECT * FROM {table}")]

    def kind_of(self, type_: str) -> Kind | None:
        plain = type_.split("(")[0].upper()
        if plain == "BOOLEAN":
            return Kind.BOOLEAN
        if plain in ("VARCHAR", "ENUM"):
            return Kind.TEXT
        is_whole = plain.endswith("INT") or plain == "INTEGER" or plain == "UINTEGER"
        return Kind.NUMBER if is_whole or plain in ("DOUBLE", "FLOAT", "DECIMAL") else None

    def cell(self, column: str, kind: Kind) -> str:
        if kind is Kind.TEXT:
            return f"CAST({column} AS VARCHAR)"
        if kind is Kind.BOOLEAN:
            return f"CAST(CAST({column} AS INTEGER) AS DOUBLE)"
        own = f"CAST({column} AS DOUBLE)"
        return f"(CASE WHEN isnan({own}) THEN NULL ELSE {own} + CAST(0 AS DOUBLE) END)"

    def words_of(self, column: str, kind: Kind) -> tuple[str, str]:
        if kind is Kind.TEXT:
            return "0", f"CAST('0x' || substr(md5({column}), 1, 8) AS BIGINT)"
        bits = f"CAST(CAST({column} AS BIT) AS UBIGINT)"
        return f"CAST({bits} >> 32 AS BIGINT)", f"CAST({bits} & 4294967295 AS BIGINT)"


class PostgreSql(Dialect):
    """PostgreSQL."""

    def errors(self) -> tuple[type[Exception], ...]:
        return (import_extra("psycopg", "A database of PostgreSQL", "postgresql").Error,)

    def columns_of(self, ask: Ask, table: str) -> list[tuple[str, str]]:
        # the types of a query are known to the server by the types of its cells
        names = ask(f"SELECT row_to_json(one) FROM (SELECT * FROM {table} LIMIT 1) AS one")
        if not names:
            return []
        listed = list(names[0][0])
        types = ", ".join(f"pg_typeof({quoted(name)})::text" for name in listed)
        found = ask(f"SELECT {types} FROM {table} LIMIT 1")[0]
        return list(zip(listed, found, strict=True))

    def kind_of(self, type_: str) -> Kind | None:
        if type_ == "boolean":
            return Kind.BOOLEAN
        if type_ in ("text", "character varying", "character"):
            return Kind.TEXT
        numbers = ("smallint", "integer", "bigint", "real", "double precision", "numeric")
        return Kind.NUMBER if type_ in numbers else None

    def cell(self, column: str, kind: Kind) -> str:
        if kind is Kind.TEXT:
            return f"CAST({column} AS text)"
        if kind is Kind.BOOLEAN:
            return f"CAST(CAST({column} AS integer) AS double precision)"
        own = f"CAST({column} AS double precision)"
        return f"(NULLIF({own}, CAST('NaN' AS double precision)) + CAST(0 AS double precision))"

    def words_of(self, column: str, kind: Kind) -> tuple[str, str]:
        def word(text: str, first: int) -> str:
            return f"CAST(CAST('x' || substr({text}, {first}, 8) AS bit(32)) AS bigint)"

        if kind is Kind.TEXT:
            return "CAST(0 AS bigint)", word(f"md5({column})", 1)
        bits = f"encode(float8send({column}), 'hex')"
        return word(bits, 1), word(bits, 9)
