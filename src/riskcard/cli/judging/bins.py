"""The command ``riskcard bins``: binning tables of every column, with WoE and information value."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from riskcard.cli.remarks import write_all_or_print
from riskcard.cli.rows.card_rows import (
    labelled_rows,
    load_labelled_card,
)
from riskcard.cli.rows.training import read_training
from riskcard.formatting.speech import speaking
from riskcard.output_files import table_as_csv

if TYPE_CHECKING:
    from riskcard.credit.binning_tables import BinningTables
    from riskcard.model.card import RiskCard


def run_bins(options: Namespace) -> int:
    """Print the tables, or write them as CSV or as a page."""
    from riskcard.credit.binning_document import binning_document

    card = _card(options)
    spoken = speaking(options.language or "en") if card is None else card.labels.spoken()
    with spoken:
        found = _tables(options, card)
        shown = binning_document(found)
        files = {options.csv: lambda: _csv_of(found), options.html: shown.to_page}
        write_all_or_print(shown.to_text(), files)
    return 0


def _csv_of(found: BinningTables) -> str:
    """The tables for programs, whose words are English."""
    with speaking("en"):
        columns = {
            name: ["" if value is None else value for value in values]
            for name, (_, values) in found.columns().items()
        }
    return table_as_csv(columns)


def _tables(options: Namespace, card: RiskCard | None) -> BinningTables:
    from riskcard.credit.binning_tables import tables_of
    from riskcard.credit.bins import Binning
    from riskcard.data.table import make_table

    binning = Binning(options.method, options.max_bins, options.min_share)
    if card is not None and options.event is None:
        options.event = str(card.classes[1])
    options.rules = None  # bins are not cards: rules say nothing of them
    training = read_training(options)
    table = make_table(training.table, training.labels, training.weights, event=training.classes[1])
    table = replace(table, outcome=options.target)
    rows = None if card is None else labelled_rows(options, card)[0]
    return tables_of(table, binning, card, rows)


def _card(options: Namespace) -> RiskCard | None:
    if options.card is None:
        return None
    card = load_labelled_card(options)
    card.require_yes_or_no("Tables of weights of evidence")
    return card
