"""A proof file, and the rows of its card, as the checker takes them."""

from __future__ import annotations

import hashlib
import json
from argparse import Namespace
from pathlib import Path
from typing import Any

from riskcard.errors import FormatError
from riskcard.model.card import RiskCard
from riskcard.proof_check.check_proof import Refused, Rows, Verdict, check

EDITED = (
    "the card has no certificate that agrees with its digest: it was edited, or nothing was proven"
)


def verify(
    card: RiskCard,
    options: Namespace,
    labelled: tuple[dict[str, Any], Any, Any],
    sample: int | None = None,
) -> tuple[Verdict, str]:
    """What the checker finds, and the hash of the proof file; raises `Refused`.

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
    """
    if card.certificate is None:
        raise Refused(EDITED)
    content = json.loads(Path(options.card).read_text(encoding="utf-8"))
    columns, labels, weights = labelled
    rows = Rows(
        {name: [_plain(value) for value in column.tolist()] for name, column in columns.items()},
        [bool(label == card.classes[1]) for label in labels],
        [] if weights is None else weights.tolist(),
    )
    try:
        data = Path(options.proof).read_bytes()
    except OSError as error:
        raise FormatError(f"{options.proof!r} cannot be read: {error.strerror}.") from None
    return check(content, rows, data, sample), hashlib.sha256(data).hexdigest()


def _plain(value: Any) -> Any:
    """A number, a text or a truth value; None where it is missing."""
    return None if value is None or value != value else value
