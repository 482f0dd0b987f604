"""The command ``riskcard check``: audit a card against the rows that it was learned from."""

from __future__ import annotations

import warnings
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from riskcard.cli.card_rows import all_labelled_rows
from riskcard.cli.reading import open_data
from riskcard.cli.remarks import put, warnings_as_sentences
from riskcard.errors import RiskcardWarning
from riskcard.model.card_json import load_card

if TYPE_CHECKING:
    from riskcard.audit.findings import Check
    from riskcard.model.card import RiskCard

#: Exit codes: a check failed; none did, but the card lacks what could be checked.
_FAILED, _LACKING = 1, 3


def run_check(options: Namespace) -> int:
    """Audit a card against the rows that it was learned from."""
    with warnings.catch_warnings(record=True) as changes:
        warnings.simplefilter("always", RiskcardWarning)
        card = load_card(options.card)
    labelled = all_labelled_rows(open_data(options), options, card)
    rows, labels, weights = labelled

    from dataclasses import replace

    from riskcard.audit.audit import audit_card
    from riskcard.audit.findings import Outcome, checked

    with warnings_as_sentences():
        report = audit_card(card, rows, labels, sample_weight=weights, prove=options.prove)
    edits = [checked("digest", False, str(change.message)) for change in changes]
    checks = report.checks
    if options.proof is not None:
        # it says more than a search that found nothing
        others = [one for one in checks if one.name != "proof" or one.outcome is Outcome.FAILED]
        checks = (*others, _check_proof(card, options, labelled))
    report = replace(report, checks=(*edits, *checks))
    put(f"{report}\n")
    if report.failures:
        return _FAILED
    return _LACKING if report.lacks else 0


def _check_proof(card: RiskCard, options: Namespace, labelled: tuple[Any, Any, Any]) -> Check:
    """Whether the proof file holds."""
    from riskcard.audit.findings import checked
    from riskcard.cli.proof_rows import verify
    from riskcard.proof_check.check_proof import Refused

    try:
        verdict, digest = verify(card, options, labelled)
    except Refused as error:
        return checked("proof", False, f"the proof file was refused: {error}")
    given = "".join(f"; {sentence.rstrip('.')}" for sentence in verdict.sentences)
    found = f"the bound {verdict.bound!r} was verified by its proof file, SHA-256 {digest}{given}"
    return checked("proof", True, found)
