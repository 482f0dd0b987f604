"""The command ``riskcard check``: audit a card against the rows that it was learned from."""

import warnings
from argparse import Namespace

from riskcard.cli.card_rows import labelled_rows
from riskcard.cli.remarks import put, warnings_as_sentences
from riskcard.errors import RiskcardWarning
from riskcard.formatting.plain_text import one_line
from riskcard.model.card_json import load_card


def run_check(options: Namespace) -> int:
    """Audit a card against the rows that it was learned from."""
    with warnings.catch_warnings(record=True) as changes:
        warnings.simplefilter("always", RiskcardWarning)
        card = load_card(options.card)
    rows, labels, weights = labelled_rows(options, card)

    from riskcard.audit.audit import audit_card
    from riskcard.audit.findings import Check

    with warnings_as_sentences():
        report = audit_card(card, rows, labels, sample_weight=weights)
    edits = [Check("digest", False, str(change.message)) for change in changes]
    for check in (*edits, *report.checks):
        words = one_line(f"{check.name}: {check.detail}")
        put(f"{'pass' if check.passed else 'FAIL'}  {words}\n")
    passed = report.passed and not edits
    put("Every check passed.\n" if passed else "The card is not what it claims.\n")
    return 0 if passed else 1
