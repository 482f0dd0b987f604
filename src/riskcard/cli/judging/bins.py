"""The command ``riskcard bins``: binning tables of every column, with WoE and information value."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from riskcard.cli.remarks import write_all_or_print
from riskcard.cli.rows.card_rows import labelled_rows, load_english_card, require_english
from riskcard.cli.rows.training import read_training
from riskcard.output_files import table_as_csv

if TYPE_CHECKING:
    from riskcard.credit.binning_tables import BinningTables
    from riskcard.model.card import RiskCard


def run_bins(options: Namespace) -> int:
    """Print the tables, or write them as CSV or as a page."""
    from riskcard.credit.binning_document import binning_document

    found = _tables(options)
    shown = binning_document(found)
    columns = {
        name: ["" if value is None else value for value in values]
        for name, (_, values) in found.columns().items()
    }
    files = {options.csv: lambda: table_as_csv(columns), options.html: shown.to_page}
    write_all_or_print(shown.to_text(), files)
    return 0


def _tables(options: Namespace) -> BinningTables:
    from riskcard.credit.binning_tables import tables_of
    from riskcard.credit.bins import Binning
    from riskcard.data.table import make_table

    binning = Binning(options.method, options.max_bins, options.min_share)
    card = _card(options)
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
        require_english(options)
        return None
    card = load_english_card(options)
    card.require_yes_or_no("Tables of weights of evidence")
    return card
