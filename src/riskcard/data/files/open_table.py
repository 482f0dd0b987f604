"""Tables from files: a file is opened once, and its columns are then read from memory.

The command line loads this module before it knows its options: slow imports are in functions.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from riskcard.data.files.csv_text import read_bytes
from riskcard.errors import FormatError

if TYPE_CHECKING:
    from riskcard.data.files.csv_file import CsvFile
    from riskcard.data.files.parquet_file import ParquetFile

    #: Where it is from (``path``), its bytes (``content``), the ``names`` of its columns, and
    #: ``read(wanted)``, which gives some of them as a ``FeatureTable``.
    TableFile = CsvFile | ParquetFile

_KNOWN_STARTS = {
    b"PK\x03\x04": "a spreadsheet or a zip archive. Save the sheet as CSV",
    b"\x1f\x8b": "compressed with gzip. Unpack it first",
    b"\xff\xfe": "encoded as UTF-16. Save it as UTF-8",
    b"\xfe\xff": "encoded as UTF-16. Save it as UTF-8",
}


def open_table(path: str) -> TableFile:
    """Load a CSV or Parquet file, which its first bytes tell apart, and the names of its columns.

    Then read columns from memory: ``open_table(path).read(wanted)``.
    """
    content = read_bytes(path, "a CSV or Parquet file")
    if content.startswith(b"PAR1"):
        from riskcard.data.files.parquet_file import ParquetFile

        return ParquetFile.open(path, content)
    for magic, what in _KNOWN_STARTS.items():
        if content.startswith(magic):
            raise FormatError(f"{path!r} is not a table: it is {what}.")
    is_called_parquet = Path(path).suffix.lower() in (".parquet", ".pq")
    if b"\0" in content or (is_called_parquet and content.strip()):
        raise FormatError(f"{path!r} is not a table. Give a CSV or Parquet file.")
    from riskcard.data.files.csv_file import CsvFile

    return CsvFile.open(path, content)
