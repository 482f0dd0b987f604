"""The command ``riskcard check``: audit a card against the rows that it was learned from."""

import warnings
from argparse import Namespace

from riskcard.cli.card_rows import all_labelled_rows
from riskcard.cli.reading import open_data
from riskcard.cli.remarks import put, warnings_as_sentences
from riskcard.errors import RiskcardWarning
from riskcard.model.card_json import load_card

#: Exit codes: a check failed; none did, but the card lacks what could be checked.
_FAILED, _LACKING = 1, 3


def run_check(options: Namespace) -> int:
    """Audit a card against the rows that it was learned from."""
    with warnings.catch_warnings(record=True) as changes:
        warnings.simplefilter("always", RiskcardWarning)
        card = load_card(options.card)
    rows, labels, weights = all_labelled_rows(open_data(options), options, card)

    from dataclasses import replace

    from riskcard.audit.audit import audit_card
    from riskcard.audit.findings import checked

    with warnings_as_sentences():
        report = audit_card(card, rows, labels, sample_weight=weights, prove=options.prove)
    edits = [checked("digest", False, str(change.message)) for change in changes]
    report = replace(report, checks=(*edits, *report.checks))
    put(f"{report}\n")
    if report.failures:
        return _FAILED
    return _LACKING if report.lacks else 0
