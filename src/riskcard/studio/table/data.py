"""The table of a session: read as ``riskcard fit`` reads it, and divided into the rows of each purpose.

Rows that are held out from the fit are halved: the check rows, whose figures are shown with every
change, and the sealed rows, which are looked at once, at the end. Both halves together are the rows that
``--hold-out`` draws.
"""

from __future__ import annotations

import hashlib
import re
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from riskcard.arrays import Booleans, Floats, Integers
from riskcard.cli.rows.reading import reading_of
from riskcard.cli.rows.row_division import read_division_of
from riskcard.cli.rows.training import Training, read_training
from riskcard.data.columns import FeatureValues
from riskcard.data.files.open_table import open_table
from riskcard.data.files.wanted_columns import Kind, Selection
from riskcard.data.reading import Reading
from riskcard.data.reading_problems import ReadingProblem
from riskcard.errors import DataError
from riskcard.estimators.cross_validation.division import Division as RowDivision
from riskcard.model.card import RiskCard
from riskcard.model.origin.held_out import draw_held_out
from riskcard.studio.choices import Choices, options_of
from riskcard.studio.table.columns import (
    date_tile,
    first_look,
    remarks_on,
    tiles_of,
    unread_tile,
)
from riskcard.studio.table.rows import Rows

if TYPE_CHECKING:
    from riskcard.data.files.table_file import TableFile

#: The end of a remark that names an option of the command line.
_OPTION = re.compile(r"[.,;]? --\w.*$")


@dataclass(frozen=True, slots=True)
class Source:
    """A table that was opened.

    Attributes
    ----------
    path, name
        Where it is, and what the user calls it.
    sha256
        Of its bytes.
    columns
        All columns that could be read.
    unread
        Columns that are no features as they are written.
    odd_words
        Of those of them that are numbers but for a few words: these words.
    dates
        Columns of dates, which are left out, as days since 1 January 1970.
    remarks
        What is said about the whole file.
    file
        The open file.
    """

    path: str
    name: str
    sha256: str
    columns: Mapping[str, FeatureValues]
    unread: tuple[str, ...]
    odd_words: Mapping[str, tuple[str, ...]]
    dates: Mapping[str, Floats]
    remarks: tuple[str, ...]
    file: TableFile
    _outcomes: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @classmethod
    def open(cls, path: str, name: str) -> Source:
        """Read every column as far as it can be read."""
        file = open_table(path)
        problems: list[ReadingProblem] = []
        table = file.read(_features(file.names), problems)
        if not table.features:
            raise DataError(f"{name!r} has no column that can be read. Check the file.")
        unread = [n for n in file.names if any(f"column {n!r}" in one.place for one in problems)]
        remarks = [note.text for note in table.notes]
        remarks += [f"{one.place}: {one.text} The column is left out." for one in problems]
        columns = {n: one for n, one in table.features.items() if n not in unread}
        dates = _dates_of(file, [n for n in file.names if n not in table.features])
        told = tuple(map(without_options, remarks))
        odd = {n: _odd_words(n, problems) for n in unread}
        return cls(path, name, hash_of_file(path), columns, tuple(unread), odd, dates, told, file)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())).values)

    def tiles(self) -> list[dict[str, Any]]:
        """All columns in their order, with what can be said before the event is chosen."""
        summary = first_look(self.columns)
        codes, remarks = {one.name: one.codes for one in summary.codes}, remarks_on(summary)
        tiles = {tile["name"]: tile for tile in tiles_of(self.columns, None, codes)}
        left_out = {one.name for one in summary.left_out}
        for name, tile in tiles.items():
            tile |= {"remarks": remarks.get(name, []), "is_used": name not in left_out}
            tile["codes"] = list(codes.get(name, ()))
        for name, days in self.dates.items():
            tiles[name] = date_tile(name, days)
        for name in self.unread:
            reasons = [one for one in self.remarks if f"column {name!r}" in one]
            tiles[name] = unread_tile(name, self.rows, reasons, self.odd_words[name])
        return [tiles[name] for name in self.file.names if name in tiles]

    def outcome(self, target: str) -> list[dict[str, Any]]:
        """The values of a column that may be the event, as the file writes them, with their rows."""
        if target not in self._outcomes:
            self._outcomes[target] = self._count_outcome(target)
        return self._outcomes[target]

    def _count_outcome(self, target: str) -> list[dict[str, Any]]:
        wanted = Selection({target: Kind.TEXT}, target=target)
        column = self.file.read(wanted, []).features[target]
        counts = np.bincount(column.codes())
        names = () if column.levels is None else column.levels.names
        pairs = zip(names, counts.tolist(), strict=False)
        return [{"value": str(name), "rows": number} for name, number in pairs if number]


def _odd_words(name: str, problems: Sequence[ReadingProblem]) -> tuple[str, ...]:
    """The words that keep a column from being numbers; none where anything else does."""
    remedies = [one.remedy for one in problems if f"column {name!r}" in one.place]
    if any(remedy[:1] != ("--missing",) for remedy in remedies):
        return ()
    return tuple(dict.fromkeys(word for remedy in remedies for word in remedy[1:]))


def _features(names: Sequence[str], dates: str | None = None) -> Selection:
    reading = Reading(dates=dates)
    return Selection(dict.fromkeys(names, Kind.FEATURE), optional=frozenset(names), reading=reading)


def _dates_of(file: TableFile, names: Sequence[str]) -> dict[str, Floats]:
    """Those of some columns that can be read as dates, as days since 1 January 1970."""
    if not names:
        return {}
    table = file.read(_features(names, "days"), [])
    return {name: one.values for name, one in table.features.items() if one.levels is None}


def without_options(remark: str) -> str:
    """A remark without the ways out that only the command line has."""
    return _OPTION.sub("", remark)


def hash_of_file(path: str) -> str:
    """SHA-256 of the bytes of a file."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Division:
    """The rows of a source by what they are for.

    Attributes
    ----------
    training
        What the fit gets.
    rows
        The same rows to judge cards on.
    check, sealed
        The two halves of the rows that are held out; None where there are none.
    codes
        Numbers that are no measurements, by column.
    """

    training: Training
    rows: Rows
    check: Rows | None
    sealed: Rows | None
    codes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def named(self, card: RiskCard, target: str) -> RiskCard:
        """A fitted card as the command line would write it: with target, reading and held-out rows."""
        card = replace(card, outcome=target, reading=self.training.reading)
        return card if self.training.held_out is None else self.training.held_out.seal(card)

    def tiles(self, source: Source) -> list[dict[str, Any]]:
        """All columns, those that are learned from with the event rates of the training rows."""
        summary = self.training.summary
        assert summary is not None
        remarks, own = remarks_on(summary), self.rows.features
        codes = {one.name: list(one.codes) for one in summary.codes}
        apart = {**codes, **self.codes}
        tiles = {tile["name"]: tile for tile in source.tiles()}
        tiles |= {tile["name"]: tile for tile in tiles_of(own, self.rows.is_event, apart)}
        return [
            {
                **tile,
                "remarks": remarks.get(name, [])
                if name in own or name in remarks or name in source.columns
                else tile["remarks"],
                "is_used": name in own,
                "codes": codes.get(name, []),
            }
            for name, tile in tiles.items()
        ]


def divide(source: Source, choices: Choices) -> Division:
    """Read the rows for some choices, as the command line does; the file must be as it was opened."""
    options = options_of(choices.arguments(source.path))
    training = read_training(options)
    if hash_of_file(source.path) != source.sha256:
        raise DataError(f"{source.name!r} was changed after it was opened. Open it again.")
    clusters = _clusters_of(source, options, choices.groups)
    held = training.held_out
    kept = slice(None) if held is None else ~held.is_held_out
    training = replace(training, division=RowDivision(None if clusters is None else clusters[kept]))
    rows = _rows(training.table.features, training.is_event, training.weights, clusters, kept)
    if held is None:
        return Division(training, rows, None, None, dict(choices.codes))
    others = _rows(held.features, held.is_event, held.weights, clusters, held.is_held_out)
    is_sealed = draw_held_out(held.is_event, 0.5, choices.seed, others.clusters)
    check, sealed = (others.take(np.flatnonzero(part)) for part in (~is_sealed, is_sealed))
    return Division(training, rows, check, sealed, dict(choices.codes))


def _clusters_of(source: Source, options: Namespace, groups: str | None) -> Integers | None:
    """A number for each row that has an outcome: that of its group."""
    if groups is None:
        return None
    reading = Namespace(**{**vars(options), "groups": groups})
    return read_division_of(source.file, reading, options.target, reading_of(options)).groups


def _rows(
    features: Mapping[str, FeatureValues],
    is_event: Booleans,
    weights: Floats | None,
    clusters: Integers | None,
    kept: Any,
) -> Rows:
    weights = np.ones(is_event.size) if weights is None else weights
    return Rows(features, is_event, weights, None if clusters is None else clusters[kept])


def example_table() -> str:
    """The breast cancer data of scikit-learn as the text of a table."""
    from riskcard.cli.learning.demo import demo_table

    return demo_table()
