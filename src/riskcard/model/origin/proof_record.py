"""Which proof file goes with a card, and what a checker found in it.

A record is no proof: it names the file, so that a reader can ask for it and see whether it is the right one.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from riskcard.checks import set_fields
from riskcard.errors import ParameterError

#: As many digits of the hash are shown: enough to tell files apart, short enough to be compared by eye.
SHOWN_DIGITS = 16


@dataclass(frozen=True, slots=True)
class ProofRecord:
    """The proof file of a card.

    Attributes
    ----------
    name
        Of the file, without its folder.
    sha256
        Of the whole file, in 64 digits.
    checked_by
        The checker that accepted the file with this card and its rows; empty where none has.
    given
        What that checker took as given, in sentences.
    """

    name: str
    sha256: str
    checked_by: str = ""
    given: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("name", "sha256", "checked_by"):
            if not isinstance(getattr(self, name), str):
                value = getattr(self, name)
                raise ParameterError(f"{name} of the proof is {value!r}. It must be a text.")
        if len(self.sha256) != 64 or set(self.sha256) - set("0123456789abcdef"):
            raise ParameterError(
                f"sha256 of the proof is {self.sha256!r}. Use 64 digits from 0 to 9 and a to f."
            )
        set_fields(self, given=tuple(map(str, self.given)))

    @property
    def shown_hash(self) -> str:
        """The first digits of the hash."""
        return self.sha256[:SHOWN_DIGITS]


def record_of(path: str | Path) -> ProofRecord:
    """The record of a proof file as it is now, which no checker has seen."""
    from riskcard.data.files.csv_text import read_bytes

    content = read_bytes(path, "a proof file that can be read")
    return ProofRecord(Path(path).name, hashlib.sha256(content).hexdigest())
