"""What was done to a file while it was read, as data; commands put it on the screen.

A ``FeatureTable`` that was read from a file has its ``notes``. Columns that a note of the topic
``LEFT_OUT`` names are not in the table.
"""

from dataclasses import dataclass
from enum import Enum


class Topic(Enum):
    """What a note is about, in the order in which notes are shown."""

    FILE = "the file: encoding, sheet, lines above the header"
    ROWS = "rows that are left out"
    LEFT_OUT = "columns that are left out"
    NUMBERS = "how numbers and dates were read"
    MISSING = "words that were taken for missing values"


@dataclass(frozen=True, slots=True)
class ReadingNote:
    """One thing that was done to a file.

    Attributes
    ----------
    topic
        What it is about.
    text
        One or two sentences for the user; columns are named in it.
    columns
        The columns that it is about; none where it is about the whole file.
    count
        The number of rows or cells concerned, where it is known.
    is_guess
        The file could mean something else, so this is worth saying whenever a card meets it.
    """

    topic: Topic
    text: str
    columns: tuple[str, ...] = ()
    count: int | None = None
    is_guess: bool = False
