"""The command ``riskcard calculator``: a card as an offline page that adds up its points."""

from argparse import Namespace

from riskcard.cli.remarks import write_or_print
from riskcard.cli.rows.card_rows import load_labelled_card
from riskcard.output_files import require_ending


def run_calculator(options: Namespace) -> int:
    """Write the page."""
    from riskcard.calculator.calculator_page import render_calculator

    require_ending(options.output, ".html", ".htm")
    write_or_print(options.output, render_calculator(load_labelled_card(options)))
    return 0
