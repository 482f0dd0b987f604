"""A proof file, and the rows of its card, as the checker takes them."""

from __future__ import annotations

import hashlib
import json
import warnings
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riskcard.audit.findings import PROOF_FILE, Check, checked
from riskcard.data.files.csv_text import read_bytes
from riskcard.errors import RiskcardWarning
from riskcard.model.card import RiskCard
from riskcard.model.card_json import load_card
from riskcard.model.origin.proof_record import ProofRecord, record_of
from riskcard.proof_check.check_proof import Refused, Rows, Verdict, check
from riskcard.version import __version__

#: The checker that the commands use.
CHECKER = f"check_proof.py (riskcard {__version__})"


@dataclass(frozen=True, slots=True)
class Verified:
    """A proof file that the checker accepted.

    Attributes
    ----------
    verdict
        What it found.
    record
        The file, with the checker where it looked at everything.
    named
        Whether it is the file that the card names, in words.
    """

    verdict: Verdict
    record: ProofRecord
    named: str


def load_with_edits(path: str) -> tuple[RiskCard, list[str]]:
    """A card, and what is said about a file that was edited."""
    with warnings.catch_warnings(record=True) as changes:
        warnings.simplefilter("always", RiskcardWarning)
        card = load_card(path)
    return card, [str(change.message) for change in changes]


def verify(
    card: RiskCard,
    options: Namespace,
    labelled: tuple[dict[str, Any], Any, Any],
    sample: int | None = None,
    is_edited: bool = False,
) -> Verified:
    """What the checker finds; raises `Refused`.

    Parameters
    ----------
    card
        As it was loaded.
    options
        With the files of the card and of the proof.
    labelled
        Rows, labels and weights.
    sample
        Check about this number of bounds only.
    is_edited
        The card lost its certificate when it was loaded.
    """
    if card.certificate is None:
        raise Refused(_why_no_certificate(card, is_edited))
    content = json.loads(Path(options.card).read_text(encoding="utf-8"))
    columns, labels, weights = labelled
    rows = Rows(
        {name: [_plain(value) for value in column.tolist()] for name, column in columns.items()},
        [bool(label == card.classes[1]) for label in labels],
        [] if weights is None else weights.tolist(),
    )
    data = read_bytes(options.proof, "the proof file of the card")
    verdict = check(content, rows, data, sample)
    checker = "" if verdict.checked_share < 1 else CHECKER
    digest = hashlib.sha256(data).hexdigest()
    record = ProofRecord(Path(options.proof).name, digest, checker, verdict.sentences)
    return Verified(verdict, record, how_named(card, record))


def how_named(card: RiskCard, record: ProofRecord) -> str:
    """Whether a proof file is the one that its card names."""
    known = None if card.certificate is None else card.certificate.proof
    if known is None:
        return "the card names no proof file"
    if known.sha256 == record.sha256:
        return "it is the proof file that the card names"
    return f"it is not the proof file that the card names, {known.name} with the SHA-256 {known.shown_hash}..."


def as_check(path: str, found: Verified | Refused) -> Check:
    """The same as a check of an audit."""
    if isinstance(found, Refused):
        return checked(PROOF_FILE, False, f"{path} was refused: {found}")
    given = "".join(f"; {sentence.rstrip('.')}" for sentence in found.verdict.sentences)
    return checked(
        PROOF_FILE,
        True,
        f"the bound {found.verdict.bound!r} was verified with {path}, SHA-256 {found.record.sha256}, by "
        f"{CHECKER}; {found.named}{given}",
    )


def remark_on_file(path: str, card: RiskCard) -> str:
    """A sentence on a proof file next to a card that is not the one the card names; empty otherwise."""
    record = None if card.certificate is None else card.certificate.proof
    if record is None:
        return ""
    neighbour = Path(path).parent / Path(record.name).name
    if not neighbour.is_file() or record_of(neighbour).sha256 == record.sha256:
        return ""
    return (
        f"{str(neighbour)!r} is not the proof file that the card names: its SHA-256 does not begin with "
        f"{record.shown_hash}. Look for the right one, or write it again."
    )


def _why_no_certificate(card: RiskCard, is_edited: bool) -> str:
    if is_edited:
        return (
            "the card has no certificate: it was edited after it was fitted, so that its points, scale or "
            "certificate do not agree with its digest"
        )
    if card.training is not None and card.training.is_recalibrated:
        return (
            "the card has no certificate: it was recalibrated, and nothing was proven about it on the rows that "
            "its scale was fitted to. Verify the card that was recalibrated, with the rows that its points were "
            "learned from"
        )
    return "the card has no certificate: nothing was proven about it"


def _plain(value: Any) -> Any:
    """A number, a text or a truth value; None where it is missing."""
    return None if value is None or value != value else value
