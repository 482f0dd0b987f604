"""The command ``riskcard verify``: check the proof of a card with the checker that shares no code with the solver."""

from __future__ import annotations

import warnings
from argparse import Namespace

from riskcard.cli.card_rows import all_labelled_rows
from riskcard.cli.proof_rows import verify
from riskcard.cli.reading import open_data
from riskcard.cli.remarks import put
from riskcard.errors import ParameterError, RiskcardWarning
from riskcard.model.card_json import load_card
from riskcard.proof_check.check_proof import Refused, describe

_REFUSED = 1


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
