"""A sheet of an Excel file (.xlsx), read through openpyxl."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from riskcard.data.cells.column_kinds import read_text_column
from riskcard.data.cells.column_reading import ColumnReading, Done
from riskcard.data.cells.typed_cells import TypedCells, text_of
from riskcard.data.cells.written_numbers import read_numbers
from riskcard.data.files.header import header_place, names_of_columns, note_on_title
from riskcard.data.files.table_file import TableFile
from riskcard.data.files.wanted_columns import Selection
from riskcard.data.reading_notes import ReadingNote, Topic
from riskcard.data.reading_problems import ReadingProblem
from riskcard.errors import FormatError, ParameterError, RiskcardError
from riskcard.extras import import_extra
from riskcard.formatting.spelling import nearest_name

#: The header is searched for in this many rows.
_FIRST_ROWS = 20


class Percentage(float):
    """The number of a cell that is shown in per cent: 12 where the cell holds 0.12."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcelFile(TableFile):
    """One sheet of an Excel file; empty rows are skipped, and so are titles above the header.

    Attributes
    ----------
    sheet
        Its name.
    row_numbers
        The number of each row in the sheet.
    letters
        The letter of each column in the sheet, by name.
    percentages
        Columns whose numbers are shown in per cent.
    has_formulas
        Some cells of the file have a formula.
    """

    sheet: str
    row_numbers: Sequence[int] = field(repr=False)
    letters: dict[str, str] = field(repr=False)
    percentages: frozenset[str]
    has_formulas: bool
    _columns: dict[str, TypedCells] = field(repr=False)

    @classmethod
    def open(cls, path: str, content: bytes, sheet: str | None = None) -> ExcelFile:
        """Read the sheet."""
        import_extra("openpyxl", f"The Excel file {path!r}", "workbook")
        from openpyxl.utils import get_column_letter

        name, names_of_sheets, rows = _read_sheet(path, content, sheet)
        place = header_place([list(map(text_of, row)) for _, row in rows[:_FIRST_ROWS]])
        header, below = rows[place][1], rows[place + 1 :]
        # cells to the right of the table that only have a colour, say
        width = max(
            i + 1 for _, row in rows[place:] for i, cell in enumerate(row) if cell is not None
        )
        names, unnamed = names_of_columns(path, list(map(text_of, header[:width])))
        if not below:
            raise FormatError(
                f"{path!r}, sheet {name!r} has a header but no rows. Add the data below the header."
            )
        columns = dict(
            zip(names, zip(*(row[:width] for _, row in below), strict=True), strict=True)
        )
        notes = [_note_on_sheets(name, names_of_sheets)] if len(names_of_sheets) > 1 else []
        if place:
            notes.append(note_on_title(rows[place][0] - 1))
        return cls(
            path=path,
            content=content,
            names=names,
            notes=tuple(notes),
            unnamed=unnamed,
            sheet=name,
            row_numbers=[number for number, _ in below],
            letters={one: get_column_letter(i + 1) for i, one in enumerate(names)},
            percentages=frozenset(
                one
                for one, cells in columns.items()
                if any(isinstance(c, Percentage) for c in cells)
            ),
            has_formulas=_has_formulas(content),
            _columns={one: TypedCells(cells) for one, cells in columns.items()},
        )

    def load(self, names: Sequence[str]) -> None:
        """All cells are in memory."""

    def read_column(self, name: str, wanted: Selection, mark: str | None) -> ColumnReading:
        cells = self._columns[name]
        if self.has_formulas and None in cells.values and self._lacks_results(name):
            return self._refused(
                name, wanted, "holds formulas whose results the file does not have",
                "Open the file in Excel or LibreOffice and save it again.",
            )  # fmt: skip
        reading = read_text_column(cells, name, wanted, self.where, mark)
        if name not in self.percentages or reading.feature is None:
            return reading
        if not all(isinstance(cell, Percentage) for cell in cells.values if _is_number(cell)):
            return self._refused(
                name, wanted, "has numbers that are shown in per cent and others that are not",
                "Give all cells of the column the same format.",
            )  # fmt: skip
        return replace(reading, done={**reading.done, Done.PERCENT: ""}, sign="%")

    def _refused(self, name: str, wanted: Selection, what: str, cure: str) -> ColumnReading:
        advice, remedy = wanted.ways_out(name)
        place = f"sheet {self.sheet!r}, column {name!r}"
        problem = ReadingProblem(f"it {what}.", f"{cure} {advice}", remedy, place)
        return ColumnReading(len(self.row_numbers), problems=(problem,))

    def _lacks_results(self, name: str) -> bool:
        """Whether a cell of a column has a formula that was never computed, as programs write them.

        A formula whose result is an empty text says that it is a text, and is an empty cell.
        """
        import openpyxl

        place, columns = self.names.index(name) + 1, []
        for is_result in (False, True):
            source = io.BytesIO(self.content)
            book = openpyxl.load_workbook(source, read_only=True, data_only=is_result)
            sheet = book[self.sheet]
            sheet.reset_dimensions()
            columns.append(sheet.iter_rows(min_col=place, max_col=place))
        return any(
            formula.data_type == "f" and result.value is None and result.data_type == "n"
            for (formula,), (result,) in zip(*columns, strict=True)
        )

    def mark_of_column(self, name: str, missing: frozenset[str]) -> str | None:
        cells = self._columns[name].values
        texts = {cell.strip() for cell in cells if isinstance(cell, str)} - missing
        return read_numbers(sorted(texts)).evidence

    def where(self, row: int, name: str) -> str:
        cell = f"{self.letters[name]}{self.row_numbers[row]}"
        return f"sheet {self.sheet!r}, cell {cell}, column {name!r}"


def _read_sheet(
    path: str, content: bytes, sheet: str | None
) -> tuple[str, list[str], list[tuple[int, list[Any]]]]:
    """The name of the sheet, those of all sheets, and number and cells of rows that have any."""
    import openpyxl

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on styles and the like, which are not read
            book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
            names = [one.title for one in book.worksheets]
            title = _chosen_sheet(path, names, sheet)
            chosen = book[title]
            chosen.reset_dimensions()  # which some programs write wrongly
            rows = [
                (number, [_value(cell) for cell in row])
                for number, row in enumerate(chosen.iter_rows(), start=1)
            ]
    except RiskcardError:
        raise
    except (KeyError, ValueError, TypeError, OSError, zipfile.BadZipFile) as error:
        raise FormatError(
            f"{path!r} is not an Excel file that can be read ({str(error).splitlines()[0][:100]}). "
            "Save it as .xlsx or as CSV."
        ) from None
    filled = [(number, row) for number, row in rows if any(cell is not None for cell in row)]
    if not filled:
        raise FormatError(f"{path!r}, sheet {title!r} is empty. Name another sheet with --sheet.")
    width = max(len(row) for _, row in filled)
    even = [(number, row + [None] * (width - len(row))) for number, row in filled]
    return title, names, even


def _has_formulas(content: bytes) -> bool:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        return any(re.search(rb"<(?:\w+:)?f[ >/]", archive.read(name)) for name in sheets)


def _note_on_sheets(name: str, names: list[str]) -> ReadingNote:
    others = ", ".join(repr(one) for one in names if one != name)
    return ReadingNote(Topic.FILE, f"Sheet {name!r} was read; --sheet reads another: {others}.")


def _chosen_sheet(path: str, names: list[str], sheet: str | None) -> str:
    if sheet is None:
        return names[0]
    if sheet in names:
        return sheet
    if sheet.isdecimal() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    advice = nearest_name(sheet, names, "sheets", "Check the spelling.")
    raise ParameterError(f"{path!r} has no sheet {sheet!r}. {advice}")


def _value(cell: Any) -> Any:
    """The value of a cell; a percentage as it is shown, so that 12 % is 12."""
    value = cell.value
    if isinstance(value, str):
        return value.strip() or None
    if _is_number(value) and "%" in (cell.number_format or ""):
        return Percentage(f"{100 * value:.12g}")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
