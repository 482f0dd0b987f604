"""The command ``riskcard verify``: check the proof of a card with the checker that shares no code with the solver."""

from __future__ import annotations

from argparse import Namespace

from riskcard.cli.remarks import put, say_saved
from riskcard.cli.rows.card_rows import all_labelled_rows
from riskcard.cli.rows.proof_rows import CHECKER, load_with_edits, verify
from riskcard.cli.rows.reading import open_data
from riskcard.errors import ParameterError
from riskcard.proof_check.check_proof import Refused, describe

_REFUSED = 1


def run_verify(options: Namespace) -> int:
    """Check the bound of a card by its proof file."""
    _check_options(options)
    card, edits = load_with_edits(options.card)
    card.require_yes_or_no("Proof files")
    labelled = all_labelled_rows(open_data(options), options, card)
    try:
        found = verify(card, options, labelled, options.sample, bool(edits))
    except Refused as error:
        put(f"Refused: {error}.\n")
        return _REFUSED
    lines = [
        *describe(found.verdict),
        f"Checked by {CHECKER}, which shares no code with the solver.",
        f"SHA-256 of the proof file: {found.record.sha256}; {found.named}.",
    ]
    put("\n".join(lines) + "\n")
    if options.output is not None:
        card.with_proof(found.record).save(options.output)
        say_saved(options.output)
    return 0


def _check_options(options: Namespace) -> None:
    if options.sample is None:
        return
    if options.sample < 1:
        raise ParameterError(f"--sample is {options.sample}. Use a whole number of at least 1.")
    if options.output is not None:
        raise ParameterError(
            "--output has no place with --sample: a card is called verified only where every bound was checked. "
            "Give one of the two."
        )
