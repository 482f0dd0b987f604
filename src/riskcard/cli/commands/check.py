"""The command ``riskcard check``: audit a card against the rows that it was learned from."""

from __future__ import annotations

import sys
from argparse import Namespace

from riskcard.cli.card_rows import labelled_rows
from riskcard.cli.remarks import warnings_as_sentences
from riskcard.formatting.plain_text import one_line
from riskcard.model.card_json import load_card


def run_check(options: Namespace) -> int:
    """Audit a card against the rows that it was learned from."""
    card = load_card(options.card)
    rows, labels, weights = labelled_rows(options, card)

    from riskcard.audit.audit import audit_card

    with warnings_as_sentences():
        report = audit_card(card, rows, labels, sample_weight=weights)
    for check in report.checks:
        words = one_line(f"{check.name}: {check.detail}")
        sys.stdout.write(f"{'pass' if check.passed else 'FAIL'}  {words}\n")
    sys.stdout.write(
        "Every check passed.\n" if report.passed else "The card does not hold what it claims.\n"
    )
    return 0 if report.passed else 1
