"""The command ``riskcard check``: audit a card against the rows that it was learned from."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from riskcard.cli.remarks import put, warnings_as_sentences
from riskcard.cli.rows.card_rows import all_labelled_rows
from riskcard.cli.rows.kind_rows import read_kind_rows, require_no_kind
from riskcard.cli.rows.proof_rows import as_check, load_with_edits, verify
from riskcard.cli.rows.reading import open_data

if TYPE_CHECKING:
    from riskcard.audit.findings import AuditReport, Check
    from riskcard.model.card import RiskCard

#: Exit codes: a check failed; none did, but the card lacks what could be checked.
_FAILED, _LACKING = 1, 3


def run_check(options: Namespace) -> int:
    """Audit a card against the rows that it was learned from."""
    card, changes = load_with_edits(options.card)
    if card.kind is not None:
        return _check_kind(options, card, changes)
    require_no_kind(options)
    labelled = all_labelled_rows(open_data(options), options, card)
    rows, labels, weights = labelled

    from riskcard.audit.audit import audit_card

    with warnings_as_sentences():
        report = audit_card(card, rows, labels, sample_weight=weights, prove=options.prove)
    if options.proof is not None:
        report = report.with_proof_file(_check_proof(card, options, labelled, bool(changes)))
    return _say(report, changes)


def _check_kind(options: Namespace, card: RiskCard, changes: Sequence[str]) -> int:
    """The same of a card of another outcome than yes or no."""
    if options.proof is not None:
        card.require_yes_or_no("Proof files")
    rows = read_kind_rows(options, card, has_all=True)

    from riskcard.audit.audit import audit_card

    with warnings_as_sentences():
        report = audit_card(
            card, rows.features, rows.y, rows.weights, options.prove, **rows.further
        )
    return _say(report, changes)


def _say(report: AuditReport, changes: Sequence[str]) -> int:
    """Print what was found; the exit code."""
    from dataclasses import replace

    from riskcard.audit.findings import DIGEST, checked

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
