"""The table of a session: read as ``riskcard fit`` reads it, and divided into the rows of each purpose.

Rows that are held out from the fit are halved: the check rows, whose figures are shown with every
change, and the sealed rows, which are looked at once, at the end. Both halves together are the rows that
``--hold-out`` draws.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from riskcard.cli.training import Training, read_training
from riskcard.data.columns import FeatureValues
from riskcard.data.files.open_table import open_table
from riskcard.data.files.wanted_columns import Kind, Selection
from riskcard.data.reading_problems import ReadingProblem
from riskcard.errors import DataError
from riskcard.model.card import RiskCard
from riskcard.model.origin.held_out import draw_held_out
from riskcard.studio.choices import Choices, options_of
from riskcard.studio.columns import remarks_on, tiles_of
from riskcard.studio.pricing import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from riskcard.data.files.table_file import TableFile


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
    remarks: tuple[str, ...]
    file: TableFile

    @classmethod
    def open(cls, path: str, name: str) -> Source:
        """Read every column as far as it can be read."""
        file = open_table(path)
        wanted = Selection(dict.fromkeys(file.names, Kind.FEATURE), optional=frozenset(file.names))
        problems: list[ReadingProblem] = []
        table = file.read(wanted, problems)
        if not table.features:
            raise DataError(f"{name!r} has no column that can be read. Check the file.")
        unread = [n for n in file.names if any(f"column {n!r}" in one.place for one in problems)]
        remarks = [note.text for note in table.notes]
        remarks += [f"{one.place}: {one.text} The column is left out." for one in problems]
        columns = {n: one for n, one in table.features.items() if n not in unread}
        return cls(path, name, hash_of_file(path), columns, tuple(unread), tuple(remarks), file)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())).values)

    def outcome(self, target: str) -> list[dict[str, Any]]:
        """The values of a column that may be the event, as the file writes them, with their rows."""
        wanted = Selection({target: Kind.TEXT}, target=target)
        column = self.file.read(wanted, []).features[target]
        counts = np.bincount(column.codes())
        names = () if column.levels is None else column.levels.names
        pairs = zip(names, counts.tolist(), strict=False)
        return [{"value": str(name), "rows": number} for name, number in pairs if number]


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
    """

    training: Training
    rows: Rows
    check: Rows | None
    sealed: Rows | None

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
        tiles = {
            **{tile["name"]: tile for tile in tiles_of(source.columns, None)},
            **{tile["name"]: tile for tile in tiles_of(own, self.rows.is_event)},
        }
        return [
            {
                **tile,
                "remarks": remarks.get(name, []),
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
    rows = Rows(training.table.features, training.is_event, np.ones(training.is_event.size))
    if training.held_out is None:
        return Division(training, rows, None, None)
    held = training.held_out
    others = Rows(held.features, held.is_event, np.ones(held.is_event.size))
    is_sealed = draw_held_out(held.is_event, 0.5, choices.seed)
    return Division(
        training, rows, others.take(_places(~is_sealed)), others.take(_places(is_sealed))
    )


def _places(mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    return np.flatnonzero(mask)


def example_table() -> str:
    """The breast cancer data of scikit-learn as the text of a table."""
    from riskcard.cli.learning.demo import demo_table

    return demo_table()
