"""Tables from files: a file is opened once, and its columns are then read from memory.

The command line loads this module before it knows its options: slow imports are in functions.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from riskcard.data.files.csv_text import read_bytes
from riskcard.errors import FormatError, ParameterError

if TYPE_CHECKING:
    from riskcard.data.files.table_file import TableFile

_KNOWN_STARTS = {
    b"\x1f\x8b": "compressed with gzip. Unpack it first",
    b"\xd0\xcf\x11\xe0": "an Excel file of the old kind (.xls). Save it as .xlsx or as CSV",
}
#: Endings of files of statistics programs, which their first bytes do not always tell.
STATISTICS = (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt")
_WANTED = "a CSV, Excel or Parquet file, or one of SPSS, Stata or SAS"


def open_table(path: str, *, encoding: str | None = None, sheet: str | None = None) -> TableFile:
    """Load a file and the names of its columns; its content tells what it is.

    Then read columns from memory: ``open_table(path).read(wanted)``.

    Parameters
    ----------
    path
        A file of CSV or other delimited text, Excel, Parquet, SPSS, Stata or SAS.
    encoding
        Of a text file; None to find out.
    sheet
        Of an Excel file, by name or number; None for the first.
    """
    content = read_bytes(path, _WANTED)
    ending = Path(path).suffix.lower()
    if content.startswith(b"PK\x03\x04"):
        from riskcard.data.files.excel_file import ExcelFile

        return ExcelFile.open(path, content, sheet)
    if sheet is not None:
        raise ParameterError(f"--sheet is {sheet!r}, but {path!r} is not an Excel file. Remove it.")
    if content.startswith(b"PAR1"):
        from riskcard.data.files.parquet_file import ParquetFile

        return ParquetFile.open(path, content)
    if ending in STATISTICS:
        from riskcard.data.files.statistics_file import StatisticsFile

        return StatisticsFile.open(path, content, ending)
    for magic, what in _KNOWN_STARTS.items():
        if content.startswith(magic):
            raise FormatError(f"{path!r} is not a table: it is {what}.")
    if ending in (".parquet", ".pq") and content.strip():
        raise FormatError(f"{path!r} is not a table. Give {_WANTED}.")
    from riskcard.data.files.csv_file import CsvFile

    return CsvFile.open(path, content, encoding)
