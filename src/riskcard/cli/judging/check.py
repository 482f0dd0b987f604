"""The command ``riskcard check``: audit a card against the rows that it was learned from."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from riskcard.cli.card_rows import all_labelled_rows
from riskcard.cli.proof_rows import CHECKER, load_with_edits, verify
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
    from riskcard.audit.findings import DIGEST, Outcome, checked

    with warnings_as_sentences():
        report = audit_card(card, rows, labels, sample_weight=weights, prove=options.prove)
    edits = [checked(DIGEST, False, change) for change in changes]
    checks = report.checks
    if options.proof is not None:
        # it says more than a search that found nothing
        others = [one for one in checks if one.name != "proof" or one.outcome is Outcome.FAILED]
        checks = (*others, _check_proof(card, options, labelled, bool(changes)))
    report = replace(report, checks=(*edits, *checks))
    put(f"{report}\n")
    if report.failures:
        return _FAILED
    return _LACKING if report.lacks else 0


def _check_proof(
    card: RiskCard, options: Namespace, labelled: tuple[Any, Any, Any], is_edited: bool
) -> Check:
    """Whether the proof file holds."""
    from riskcard.audit.findings import PROOF_FILE, checked
    from riskcard.proof_check.check_proof import Refused

    try:
        found = verify(card, options, labelled, is_edited=is_edited)
    except Refused as error:
        return checked(PROOF_FILE, False, f"{options.proof} was refused: {error}")
    given = "".join(f"; {sentence.rstrip('.')}" for sentence in found.verdict.sentences)
    return checked(
        PROOF_FILE,
        True,
        f"the bound {found.verdict.bound!r} was verified with {options.proof}, SHA-256 {found.record.sha256}, by "
        f"{CHECKER}. {found.named.rstrip('.')}{given}",
    )
