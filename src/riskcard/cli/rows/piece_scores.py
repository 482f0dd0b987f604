"""Scores of files larger than memory, written piece by piece to one file."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riskcard.cli.remarks import say
from riskcard.cli.sources import ADDRESSES
from riskcard.errors import FormatError, ParameterError

if TYPE_CHECKING:
    from riskcard.model.card import RiskCard

NO_TABLE = "--into is for a table in a database. Give -o FILE."


def score_pieces(options: Namespace, card: RiskCard, bands: list[tuple[str, float]]) -> int:
    """Write total and risk of every row, in the order of files and rows.

    The risk has all its digits, and there are no remarks: they would take longer than all the rest.
    """
    card.require_yes_or_no("Scores of many files")
    if options.data.startswith(ADDRESSES):
        return _score_in_database(options, card)
    if options.into is not None:
        raise ParameterError(NO_TABLE)
    ending = Path(options.output or "").suffix.lower()
    if ending not in (".csv", ".parquet"):
        raise ParameterError(
            "Scores of many files need -o FILE with a name that ends in .csv or .parquet. Give one."
        )
    from riskcard.sources.file_source import FileSource

    source = FileSource(options.data)
    used = [feature.name for feature in card.features]
    kept = list(dict.fromkeys(options.keep))
    if kept == ["all"] and "all" not in source.kinds:
        kept = [*source.kinds, *source.unusable]
    for name in used:
        source.require(name, "feature")
    for name in set(kept) - {*source.kinds, *source.unusable}:
        source.require(name, "kept column")
    rows = 0
    with _writer(options.output, ending) as write:
        for piece in source.pieces(list(dict.fromkeys([*used, *kept])) or list(source.kinds)[:1]):
            write(_scored(card, piece, kept, bands, options.threshold))
            rows += piece.num_rows
    say(f"Wrote {options.output}: {rows:,} rows.")
    return 0


def _score_in_database(options: Namespace, card: RiskCard) -> int:
    """Write points, total, log-odds and risk of every row to a new table of the same database."""
    if options.into is None or options.output is not None:
        raise ParameterError(
            "Rows of a database are scored where they are: give --into TABLE, a new table there, and no -o."
        )
    if options.bands or options.threshold is not None:
        raise ParameterError(
            "--bands and --threshold are not available in a database. Leave them out."
        )
    from riskcard.export.sql import card_to_sql
    from riskcard.sources.open_source import open_database, table_of

    table, scheme = table_of(options.data), options.data.partition("://")[0]
    dialect = "duckdb" if scheme == "duckdb" else "postgresql"
    keep = None if options.keep == ["all"] else list(dict.fromkeys(options.keep))
    query = card_to_sql(card, table, dialect, keep)
    source = open_database(options.data, is_written=True)
    for name in [*(feature.name for feature in card.features), *(keep or ())]:
        if name not in source.unusable:
            source.require(name, "column")
    source.is_shown = True
    rows = source.write(options.into, query)
    say(f"Wrote the table {options.into}: {rows:,} rows.")
    return 0


def _scored(
    card: RiskCard,
    piece: Any,
    kept: list[str],
    bands: list[tuple[str, float]],
    threshold: float | None,
) -> Any:
    """A piece with its scores, as a table of pyarrow."""
    import numpy as np
    import pyarrow as pa

    names = [feature.name for feature in card.features]
    totals = card.total_points(piece.select(names)) if names else np.full(piece.num_rows, card.base)
    different, place = np.unique(totals, return_inverse=True)
    risks = card.risk_of_total(different)
    columns = {name: piece.column(name) for name in kept}
    columns |= {"total": pa.array(totals), "risk": pa.array(risks[place])}
    if bands:
        steps = np.searchsorted([limit for _, limit in bands], risks, side="right") - 1
        columns["band"] = pa.array(np.array([name for name, _ in bands])[steps][place])
    if threshold is not None:
        labels = [card.classes[int(risk >= threshold)] for risk in risks]
        columns["prediction"] = pa.array([labels[one] for one in place.tolist()])
    return pa.table(columns)


@contextmanager
def _writer(path: str, ending: str) -> Iterator[Any]:
    """Writes tables to a file that is there whole or not at all."""
    from pyarrow import csv, parquet

    part, writers = Path(f"{path}.part"), list[Any]()

    def write(table: Any) -> None:
        if not writers:
            make = parquet.ParquetWriter if ending == ".parquet" else csv.CSVWriter
            writers.append(make(str(part), table.schema))
        writers[0].write_table(table)

    try:
        try:
            yield write
        finally:
            for writer in writers:
                writer.close()
        if not writers:
            raise FormatError(
                "The files have no rows, so nothing was written. Give files with rows."
            )
        os.replace(part, path)
    except OSError as error:
        raise FormatError(f"{path!r} cannot be written: {error.strerror or error}.") from None
    finally:
        part.unlink(missing_ok=True)
