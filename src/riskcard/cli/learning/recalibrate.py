"""The command ``riskcard recalibrate``: fit the scale of a card to new rows; its points stay."""

from argparse import Namespace

from riskcard.cli.card_rows import labelled_rows
from riskcard.cli.remarks import say_saved, warnings_as_sentences
from riskcard.cli.using.show import show_card
from riskcard.model.card_json import load_card


def run_recalibrate(options: Namespace) -> int:
    """Fit the scale of a card to new rows, leaving its points alone."""
    card = load_card(options.card)
    rows, labels, weights = labelled_rows(options, card)

    from riskcard.estimators.recalibrate import recalibrate

    with warnings_as_sentences():
        card = recalibrate(card, rows, labels, sample_weight=weights)
    if options.output is not None:
        card.save(options.output)
    if not options.quiet:
        show_card(card)
        say_saved(options.output)
    return 0
