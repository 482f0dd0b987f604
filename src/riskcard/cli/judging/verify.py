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
from riskcard.errors import FormatError, ParameterError, RiskcardWarning
from riskcard.model.card import RiskCard
from riskcard.model.card_json import load_card
from riskcard.proof_check.check_proof import Refused, Rows, Verdict, check, describe

_REFUSED = 1
EDITED = (
    "the card has no certificate that agrees with its digest: it was edited, or nothing was proven"
)


def run_verify(options: Namespace) -> int:
    """Check the bound of a card by its proof file."""
    if options.sample is not None and options.sample < 1:
        raise ParameterError(f"--sample is {options.sample}. Use a whole number of at least 1.")
    with warnings.catch_warnings():
        # an edited card loses its certificate: that is refused below, with a sentence
        warnings.simplefilter("ignore", RiskcardWarning)
        card = load_card(options.card)
    labelled = all_labelled_rows(open_data(options), options, card)
    try:
        verdict, digest = verify(card, options, labelled, options.sample)
    except Refused as error:
        put(f"Refused: {error}.\n")
        return _REFUSED
    put("\n".join([*describe(verdict), f"SHA-256 of the proof file: {digest}"]) + "\n")
    return 0


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
        Check about so many bounds only.
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
