"""The command ``riskcard verify``: check the proof of a card with the checker that shares no code with the solver."""

from __future__ import annotations

import hashlib
import json
import warnings
from argparse import Namespace
from pathlib import Path
from typing import Any

from riskcard.cli.card_rows import all_labelled_rows
from riskcard.cli.reading import open_data
from riskcard.cli.remarks import put
from riskcard.errors import FormatError, RiskcardWarning
from riskcard.model.card_json import load_card
from riskcard.proof_check.check_proof import Refused, Rows, check, describe

_REFUSED = 1


def run_verify(options: Namespace) -> int:
    """Check the bound of a card by its proof file."""
    with warnings.catch_warnings():
        # an edited card loses its certificate: that is refused below, with a sentence
        warnings.simplefilter("ignore", RiskcardWarning)
        card = load_card(options.card)
    content = json.loads(Path(options.card).read_text(encoding="utf-8"))
    if card.certificate is None:
        put(
            "Refused: the card has no certificate that agrees with its digest. It was edited, or nothing was proven.\n"
        )
        return _REFUSED
    columns, labels, weights = all_labelled_rows(open_data(options), options, card)
    rows = Rows(
        {name: [_plain(value) for value in column.tolist()] for name, column in columns.items()},
        [bool(label == card.classes[1]) for label in labels],
        [] if weights is None else weights.tolist(),
    )
    try:
        data = Path(options.proof).read_bytes()
    except OSError as error:
        raise FormatError(f"{options.proof!r} cannot be read: {error.strerror}.") from None
    try:
        verdict = check(content, rows, data, options.sample)
    except Refused as error:
        put(f"Refused: {error}.\n")
        return _REFUSED
    sentences = [
        *describe(verdict),
        f"SHA-256 of the proof file: {hashlib.sha256(data).hexdigest()}",
    ]
    put("\n".join(sentences) + "\n")
    return 0


def _plain(value: Any) -> Any:
    """A number, a text or a truth value; None where it is missing."""
    return None if value is None or value != value else value
