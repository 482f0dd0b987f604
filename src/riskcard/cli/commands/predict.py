"""The command ``riskcard predict``: score the rows of a table."""

from __future__ import annotations

import csv
import io
import sys
from argparse import Namespace

from riskcard.cli.card_rows import card_columns, card_selection
from riskcard.cli.remarks import say, warnings_as_sentences
from riskcard.data.files.open_table import open_table
from riskcard.model.card_json import load_card
from riskcard.output_files import require_writable, write_whole


def run_predict(options: Namespace) -> int:
    """Score the rows of a table."""
    if options.output is not None:
        require_writable(options.output)
    card = load_card(options.card)
    file = open_table(options.data)
    table = file.read(card_selection(file, options, card))
    with warnings_as_sentences():
        totals = card.total_points(card_columns(card, table))
    risks = card.risk_of_total(totals)
    is_event = card.log_odds_of_total(totals) > 0
    output = io.StringIO() if options.output is not None else sys.stdout
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(["total", "risk", "prediction"])
    writer.writerows(
        (total, repr(risk), card.classes[int(event)])
        for total, risk, event in zip(
            totals.tolist(), risks.tolist(), is_event.tolist(), strict=True
        )
    )
    if isinstance(output, io.StringIO) and options.output is not None:
        write_whole(options.output, output.getvalue())
        say(f"Wrote {options.output}.")
    return 0
