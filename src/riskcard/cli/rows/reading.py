"""How files are read: what the options say, and what a card knows from training."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from riskcard.cli.remarks import say
from riskcard.cli.sources import names_source
from riskcard.data.files.open_table import open_table
from riskcard.data.reading import Reading
from riskcard.data.reading_notes import Topic
from riskcard.errors import ParameterError

if TYPE_CHECKING:
    from riskcard.data.files.feature_table import FeatureTable
    from riskcard.data.files.table_file import TableFile
    from riskcard.model.card import RiskCard


def open_data(options: Namespace, path: str | None = None) -> TableFile:
    """Open the file with the data, or another that is read in the same way."""
    path = path or options.data
    if names_source(path):
        raise ParameterError(
            f"{path!r} is a table that is read in pieces, and this command needs one file. 'riskcard fit', 'predict' "
            "and 'validate' read folders, patterns of names, and databases."
        )
    return open_table(path, encoding=options.encoding, sheet=options.sheet)


def reading_of(options: Namespace, card: RiskCard | None = None) -> Reading:
    """What the options ask for, next to what was asked for when a card was learned."""
    trained = trained_reading(card)
    return Reading(
        missing=(*trained.missing, *options.missing),
        not_missing=(*trained.not_missing, *options.not_missing),
        decimal=options.decimal,
        dates=getattr(options, "dates", None) or trained.dates,
    )


def trained_reading(card: RiskCard | None) -> Reading:
    """How the training file of a card was read."""
    return card.reading if card is not None and card.reading is not None else Reading()


def say_notes(table: FeatureTable) -> None:
    """Say what a card may have misunderstood in a file, and which rows are left out."""
    for note in table.notes:
        if note.is_guess or note.topic is Topic.ROWS:
            say(note.text)
