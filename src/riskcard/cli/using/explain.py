"""The command ``riskcard explain``: why one row of a table has its risk."""

import json
from argparse import Namespace

from riskcard.cli.remarks import put
from riskcard.cli.rows.card_rows import card_columns, card_selection, load_labelled_card
from riskcard.cli.rows.reading import open_data, say_notes
from riskcard.errors import ParameterError


def run_explain(options: Namespace) -> int:
    """Explain one row."""
    card = load_labelled_card(options)
    file = open_data(options)
    table = file.read(card_selection(file, options, card))
    say_notes(table)
    if not 1 <= options.row <= len(table):
        raise ParameterError(
            f"--row is {options.row}, but {options.data!r} has {len(table):,} rows. "
            "Give one of them, counted from 1."
        )
    place = options.row - 1
    why = card.explain(
        {name: column[place : place + 1] for name, column in card_columns(card, table).items()}
    )
    if options.json:
        text = json.dumps(why.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    else:
        text = str(why)
    put(f"{text}\n")
    return 0
