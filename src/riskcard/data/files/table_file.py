"""A table in a file: named columns that are read as the user asks, with all problems at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from riskcard.data.cells.column_reading import ColumnReading, Done, notes_on
from riskcard.data.cells.written_numbers import COMMA, POINT
from riskcard.data.files.feature_table import FeatureTable
from riskcard.data.files.wanted_columns import Kind, Selection
from riskcard.data.reading import Reading
from riskcard.data.reading_notes import ReadingNote, Topic
from riskcard.data.reading_problems import ReadingProblem, refuse
from riskcard.errors import DataError


@dataclass(frozen=True, slots=True)
class TableFile(ABC):
    """A table in a file.

    Attributes
    ----------
    path
        For error messages.
    content
        The bytes of the file.
    names
        The names of its columns; those without a name are called "column 1" by their place.
    notes
        What was done to the file when it was opened.
    unnamed
        The columns that have no name in the file.
    usual_mark
        The decimal mark that the form of the file suggests; None if it suggests none.
    """

    path: str
    content: bytes = field(repr=False)
    names: list[str]
    notes: tuple[ReadingNote, ...] = ()
    unnamed: frozenset[str] = frozenset()
    usual_mark: str | None = None

    @abstractmethod
    def where(self, row: int, name: str) -> str:
        """The place of a cell, for error messages."""

    @abstractmethod
    def load(self, names: Sequence[str]) -> None:
        """Bring columns into memory; there must be at least one row."""

    @abstractmethod
    def read_column(self, name: str, wanted: Selection, mark: str | None) -> ColumnReading:
        """Read a column that was loaded; ``mark`` is for numbers that leave the mark in doubt."""

    def mark_of_column(self, name: str, missing: frozenset[str]) -> str | None:
        """The decimal mark that a loaded column proves the file to have; None if it does not."""
        return None

    @property
    def certain_mark(self) -> str | None:
        """The decimal mark if the form of the file leaves no doubt."""
        return None

    def read(self, wanted: Selection, problems: list[ReadingProblem] | None = None) -> FeatureTable:
        """Read the wanted columns; they are kept in case they are wanted in another way.

        Parameters
        ----------
        wanted
            Which columns, and how.
        problems
            Gets all problems; by default a file with problems is refused.
        """
        self.load(list(wanted.kinds))
        mark = self.certain_mark
        readings = {name: self.read_column(name, wanted, mark) for name in wanted.kinds}
        doubtful = [name for name, one in readings.items() if one.in_doubt]
        if doubtful:
            mark = self._mark(wanted)
            again = {} if mark is None else {
                name: self.read_column(name, wanted, mark) for name in doubtful
            }  # fmt: skip
            readings |= again
        readings |= self._without_row_numbers(readings, wanted)
        found = [problem for one in readings.values() for problem in one.problems]
        found += [_ask_for_mark(name, one) for name, one in readings.items() if one.in_doubt]
        if problems is None:
            refuse(self.path, found)
        else:
            problems += found
        return self._table(readings, wanted, mark if doubtful else None)

    def _mark(self, wanted: Selection) -> str | None:
        """The decimal mark of a file in which some columns leave it in doubt."""
        if wanted.reading.decimal is not None:
            return wanted.reading.decimal
        self.load(self.names)
        missing = wanted.missing.among_numbers
        proven = {self.mark_of_column(name, missing) for name in self.names} - {None}
        # what the form of the file suggests, and what training had, must not contradict each other
        hints = proven or {self.usual_mark, wanted.trained.decimal} - {None}
        return hints.pop() if len(hints) == 1 else None

    def _mark_in_use(self, readings: Mapping[str, ColumnReading]) -> str | None:
        """The decimal mark of the file, where its form suggests another or it is a comma."""
        if any(Done.COMMAS in one.done for one in readings.values()):
            return COMMA
        numbers = [one.feature.values for one in readings.values() if one.feature is not None]
        has_fractions = any((np.floor(values) < values).any() for values in numbers)
        return POINT if self.usual_mark == COMMA and has_fractions else None

    def _without_row_numbers(
        self, readings: Mapping[str, ColumnReading], wanted: Selection
    ) -> dict[str, ColumnReading]:
        """Readings of columns without a name: left out if they hold row numbers or nothing."""
        changed = {}
        for name in self.unnamed & readings.keys() - wanted.named:
            one = readings[name]
            if wanted.kinds[name] is not Kind.FEATURE:
                continue
            done = Done.UNNAMED
            if one.feature is not None and one.feature.levels is None:
                values = one.feature.values
                if np.isnan(values).all():
                    done = Done.EMPTY
                elif (np.diff(values) == 1).all() and values[0] in (0, 1):
                    done = Done.ROW_NUMBERS
            feature = one.feature if done is Done.UNNAMED else None
            changed[name] = replace(one, feature=feature, done={**one.done, done: ""})
        return changed

    def _table(
        self, readings: Mapping[str, ColumnReading], wanted: Selection, mark: str | None
    ) -> FeatureTable:
        features = {name: one.feature for name, one in readings.items() if one.feature is not None}
        n_rows = next(iter(readings.values())).n_rows
        others = {name: one for name, one in readings.items() if name != wanted.target}
        notes = sorted((*self.notes, *notes_on(others)), key=lambda note: _TOPICS[note.topic])
        reading = replace(
            wanted.reading,
            decimal=mark or self._mark_in_use(readings),
            date_orders={name: one.order for name, one in readings.items() if one.order},
            signs={name: one.sign for name, one in readings.items() if one.sign},
        )
        table = FeatureTable(features, n_rows, notes, reading)
        if wanted.skip_missing_target and wanted.target in features:
            return self._with_target(table, wanted.target)
        return table

    def _with_target(self, table: FeatureTable, target: str) -> FeatureTable:
        """The rows that have an outcome."""
        rows = np.flatnonzero(~np.isnan(table.features[target].values))
        n_missing = len(table) - rows.size
        if not n_missing:
            return table
        if not rows.size:
            raise DataError(
                f"{self.path!r}: the outcome {target!r} is missing in all {n_missing:,} rows. "
                "Give a table with outcomes."
            )
        text = f"Left out, since the outcome is missing: {n_missing:,} of {len(table):,} rows."
        return table.take(rows).with_note(ReadingNote(Topic.ROWS, text, (target,), n_missing))


_TOPICS = {topic: place for place, topic in enumerate(Topic)}


def _ask_for_mark(name: str, one: ColumnReading) -> ReadingProblem:
    return ReadingProblem(
        f"{one.in_doubt!r} and the other numbers of the column can be read in two ways.",
        "Say --decimal comma if the comma is the decimal mark and the point separates thousands, "
        "--decimal point if it is the other way round.",
        place=f"column {name!r}",
    )


def kept_reading(reading: Reading) -> Reading | None:
    """What a card keeps of a reading; None where nothing was asked for or found."""
    return None if reading == Reading() else reading
