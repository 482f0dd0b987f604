"""The command ``riskcard check``: audit a card against the rows that it was learned from."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from riskcard.cli.card_rows import all_labelled_rows
from riskcard.cli.proof_rows import as_check, load_with_edits, verify
from riskcard.cli.reading import open_data
from riskcard.cli.remarks import put, warnings_as_sentences

if TYPE_CHECKING:
    from riskcard.audit.findings import Check
    from riskcard.model.card import RiskCard

#: Exit codes: a check failed; none did, but the card lacks what could be checked.
_FAILED, _LACKING = 1, 3


def run_check(options: Namespace) -> int:
    """Audit a card against the rows that it was learned from."""
    card, changes = load_with_edits(options.card)
    labelled = all_labelled_rows(open_data(options), options, card)
    rows, labels, weights = labelled

    from dataclasses import replace

    from riskcard.audit.audit import audit_card
    from riskcard.audit.findings import DIGEST, checked

    with warnings_as_sentences():
        report = audit_card(card, rows, labels, sample_weight=weights, prove=options.prove)
    if options.proof is not None:
        report = report.with_proof_file(_check_proof(card, options, labelled, bool(changes)))
    edits = [checked(DIGEST, False, change) for change in changes]
    report = replace(report, checks=(*edits, *report.checks))
    put(f"{report}\n")
    if report.failures:
        return _FAILED
    return _LACKING if report.lacks else 0


def _check_proof(
    card: RiskCard, options: Namespace, labelled: tuple[Any, Any, Any], is_edited: bool
) -> Check:
    """Whether the proof file holds."""
    from riskcard.proof_check.check_proof import Refused

    try:
        return as_check(options.proof, verify(card, options, labelled, is_edited=is_edited))
    except Refused as error:
        return as_check(options.proof, error)
