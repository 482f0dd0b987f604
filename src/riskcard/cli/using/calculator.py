"""The command ``riskcard calculator``: a card as an offline page that adds up its points."""

from argparse import Namespace

from riskcard.cli.card_rows import load_labelled_card
from riskcard.cli.remarks import write_or_print


def run_calculator(options: Namespace) -> int:
    """Write the page."""
    from riskcard.calculator.calculator_page import render_calculator

    write_or_print(options.output, render_calculator(load_labelled_card(options)))
    return 0
