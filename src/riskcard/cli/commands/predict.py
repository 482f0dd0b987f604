"""The command ``riskcard predict``: score the rows of a table."""

from argparse import Namespace

from riskcard.cli.card_rows import card_columns, card_selection
from riskcard.cli.remarks import warnings_as_sentences, write_or_print
from riskcard.data.files.open_table import open_table
from riskcard.model.card_json import load_card
from riskcard.output_files import table_as_csv


def run_predict(options: Namespace) -> int:
    """Score the rows of a table."""
    card = load_card(options.card)
    file = open_table(options.data)
    table = file.read(card_selection(file, options, card))
    with warnings_as_sentences():
        totals = card.total_points(card_columns(card, table))
    is_event = card.log_odds_of_total(totals) > 0
    columns = {
        "total": totals.tolist(),
        "risk": card.risk_of_total(totals).tolist(),
        "prediction": [card.classes[event] for event in is_event.tolist()],
    }
    write_or_print(options.output, table_as_csv(columns))
    return 0
