"""What each command does; heavy imports wait until the input has been looked at."""

from __future__ import annotations

import csv
import io
import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from riskcard.cli.calculator import run_calculator
from riskcard.cli.card_rows import card_columns, card_selection, labelled_rows
from riskcard.cli.demo import run_demo
from riskcard.cli.experiment import run_experiment
from riskcard.cli.explain import run_explain
from riskcard.cli.export import run_export
from riskcard.cli.fit import run_fit
from riskcard.cli.remarks import say, warnings_as_sentences
from riskcard.cli.report import run_report
from riskcard.cli.show import run_show, show_card
from riskcard.cli.stability import run_stability
from riskcard.cli.tables import read_columns
from riskcard.cli.tune import run_tune
from riskcard.export.files import require_writable, write_whole

if TYPE_CHECKING:
    from riskcard.problem.riskcard import RiskCard

__all__ = [
    "run_calculator",
    "run_check",
    "run_demo",
    "run_experiment",
    "run_explain",
    "run_export",
    "run_fit",
    "run_predict",
    "run_recalibrate",
    "run_report",
    "run_show",
    "run_stability",
    "run_tune",
]


def run_predict(options: Namespace) -> int:
    """Score the rows of a table."""
    if options.output is not None:
        require_writable(options.output)
    card = _load(options.card)
    columns = read_columns(options.data, card_selection(options, card))
    with warnings_as_sentences():
        totals = card.total_points(card_columns(card, columns))
    risks = card.risk_of_total(totals)
    is_event = card.log_odds_of_total(totals) > 0
    file = io.StringIO() if options.output is not None else sys.stdout
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["total", "risk", "prediction"])
    writer.writerows(
        (total, repr(risk), card.classes[int(event)])
        for total, risk, event in zip(
            totals.tolist(), risks.tolist(), is_event.tolist(), strict=True
        )
    )
    if isinstance(file, io.StringIO) and options.output is not None:
        write_whole(options.output, file.getvalue())
        say(f"Wrote {options.output}.")
    return 0


def run_check(options: Namespace) -> int:
    """Audit a card against the rows that it was learned from."""
    card = _load(options.card)
    rows, labels, weights = labelled_rows(options, card)

    from riskcard.problem.audit import audit

    with warnings_as_sentences():
        report = audit(card, rows, labels, sample_weight=weights)
    for check in report.checks:
        sys.stdout.write(f"{'pass' if check.passed else 'FAIL'}  {check.name}: {check.detail}\n")
    sys.stdout.write(
        "Every check passed.\n" if report.passed else "The card does not hold what it claims.\n"
    )
    return 0 if report.passed else 1


def run_recalibrate(options: Namespace) -> int:
    """Fit the scale of a card to new rows, leaving its points alone."""
    if options.output is not None:
        require_writable(options.output)
    card = _load(options.card)
    rows, labels, weights = labelled_rows(options, card)

    from riskcard.estimators.recalibration import recalibrate

    with warnings_as_sentences():
        card = recalibrate(card, rows, labels, sample_weight=weights)
    if options.output is not None:
        card.save(options.output)
    if not options.quiet:
        show_card(card)
        say(f"Wrote {options.output}." if options.output else "Not saved; -o FILE saves the card.")
    return 0


# --- steps that the commands share --------------------------------------------------------------


def _load(path: str) -> RiskCard:
    from riskcard.export.json import load_card

    return load_card(path)
