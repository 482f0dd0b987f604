"""A file of SPSS, Stata or SAS, read through pyreadstat."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from riskcard.data.cells.column_kinds import read_text_column
from riskcard.data.cells.column_reading import ColumnReading, Done
from riskcard.data.cells.typed_cells import TypedCells, text_of
from riskcard.data.columns import FeatureValues
from riskcard.data.files.table_file import TableFile
from riskcard.data.files.wanted_columns import Kind, Selection
from riskcard.data.levels import Levels
from riskcard.errors import FormatError
from riskcard.extras import import_extra

_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsFile(TableFile):
    """A file of a statistics program.

    Values that the file calls missing are missing. A column in which every value has a label is a
    category of these labels, ordered where the file says so; other labels are not used.

    Attributes
    ----------
    labels
        For columns with labels, those of the values in order.
    ordered
        Columns whose labels have an order that means something.
    """

    labels: Mapping[str, Mapping[Any, str]] = field(repr=False)
    ordered: frozenset[str]
    _columns: Mapping[str, Sequence[Any]] = field(repr=False)

    @classmethod
    def open(cls, path: str, content: bytes, ending: str) -> StatisticsFile:
        """Read the file."""
        package = import_extra("pyreadstat", f"The file {path!r}", "stats")
        try:
            columns, facts = getattr(package, _READERS[ending])(path, output_format="dict")
        except Exception as error:  # its errors have no common class
            raise FormatError(
                f"{path!r} is not a {ending} file that can be read ({error}). Save it again, or "
                "export it as CSV."
            ) from None
        names = list(facts.column_names)
        if not names or not len(columns[names[0]]):
            raise FormatError(f"{path!r} has no rows. Give a table with data.")
        labels = {
            name: dict(sorted(known.items(), key=lambda item: str(item[0])))
            if any(isinstance(value, str) for value in known)
            else dict(sorted(known.items()))
            for name, known in facts.variable_value_labels.items()
        }
        return cls(
            path=path,
            content=content,
            names=names,
            labels=labels,
            ordered=frozenset(
                name for name, kind in facts.variable_measure.items() if kind == "ordinal"
            ),
            _columns={name: [_plain(value) for value in columns[name]] for name in names},
        )

    def load(self, names: Sequence[str]) -> None:
        """All values are in memory."""

    def where(self, row: int, name: str) -> str:
        return f"row {row + 1}, column {name!r}"

    def read_column(self, name: str, wanted: Selection, mark: str | None) -> ColumnReading:
        values, labels = self._columns[name], self.labels.get(name, {})
        present = {value for value in values if value is not None and text_of(value).strip()}
        if not labels or not present <= labels.keys():
            reading = read_text_column(TypedCells(values), name, wanted, self.where, mark)
            some = ", ".join(f"{text_of(one)}: {labels[one]!r}" for one in labels if one in present)
            return replace(reading, done={**reading.done, Done.LABELS: some}) if some else reading
        texts = TypedCells([None if value is None else labels.get(value) for value in values])
        if wanted.kinds[name] is Kind.FEATURE and name in self.ordered:
            return self._ordered(name, wanted, texts)
        as_texts = replace(wanted, kinds={**wanted.kinds, name: _as_texts(wanted.kinds[name])})
        return read_text_column(texts, name, as_texts, self.where, mark)

    def _ordered(self, name: str, wanted: Selection, texts: TypedCells) -> ColumnReading:
        """Levels in the order of their values."""
        names = list(dict.fromkeys(map(str, self.labels[name].values())))
        place = {text: float(i) for i, text in enumerate(names)}
        import numpy as np

        values = np.array([place.get(text_of(one), math.nan) for one in texts.values])
        n_missing = int(np.count_nonzero(np.isnan(values)))
        feature = FeatureValues(values, Levels(tuple(names), is_ordered=True))
        return ColumnReading(values.size, feature, missing={"": n_missing} if n_missing else {})


def _as_texts(kind: Kind) -> Kind:
    """Labels are never numbers, even if they look like numbers."""
    return Kind.CATEGORY if kind is Kind.FEATURE else kind


def _plain(value: Any) -> Any:
    """None for a missing value."""
    is_missing = value is None or (isinstance(value, float) and math.isnan(value)) or value == ""
    return None if is_missing else value
