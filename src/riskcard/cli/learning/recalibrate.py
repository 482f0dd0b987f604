"""The command ``riskcard recalibrate``: fit the scale of a card to new rows; its points stay."""

from argparse import Namespace

from riskcard.cli.remarks import say, say_saved, warnings_as_sentences
from riskcard.cli.rows.card_rows import groups_of_rows, labelled_rows_of
from riskcard.cli.rows.kind_rows import read_kind_rows, require_no_kind
from riskcard.cli.rows.reading import open_data
from riskcard.cli.rows.validation_rows import clusters_of
from riskcard.cli.using.show import show_card
from riskcard.errors import ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.card_json import load_card


def run_recalibrate(options: Namespace) -> int:
    """Fit the scale of a card to new rows, leaving its points alone."""
    card = load_card(options.card)
    if card.kind is not None:
        return _recalibrate_kind(options, card)
    require_no_kind(options)
    file = open_data(options)
    rows, labels, weights = labelled_rows_of(file, options, card)
    options.groups = groups_of_rows(file, options, card)
    groups = clusters_of(file, options, card)

    from riskcard.estimators.existing_card.recalibrate import recalibrate
    from riskcard.evaluation.monitoring.updating import choose_update
    from riskcard.evaluation.outcomes import read_outcomes
    from riskcard.validation.update_words import update_advice, update_done

    with warnings_as_sentences():
        advised = choose_update(
            read_outcomes(card.risk(rows), labels, weights, card.classes[1], groups)
        )
        update = advised.choice if options.update == "auto" else options.update
        card = recalibrate(card, rows, labels, sample_weight=weights, update=update, groups=groups)
    if options.output is not None:
        card.save(options.output)
    if not options.quiet:
        show_card(card)
        if update != advised.choice or update == "none":
            say(update_advice(advised))
        say(update_done(advised, update))
        say_saved(options.output)
    return 0


def _recalibrate_kind(options: Namespace, card: RiskCard) -> int:
    """The same of a card of another outcome: its baseline, and its slope."""
    if options.groups is not None:
        raise ParameterError("--groups is for outcomes of yes or no. Leave it out.")
    rows = read_kind_rows(options, card)

    from riskcard.estimators.cross_validation.rows_of_kinds import read_rows_for
    from riskcard.estimators.other_outcomes.recalibrate_kinds import (
        choose_kind_update,
        recalibrate_kind,
    )

    given = rows.features, rows.y, rows.weights
    with warnings_as_sentences():
        advised = choose_kind_update(card, read_rows_for(card, *given, rows.further))
        card = recalibrate_kind(card, *given, options.update, rows.further)
    if options.output is not None:
        card.save(options.output)
    if not options.quiet:
        show_card(card)
        say(str(advised))
        say_saved(options.output)
    return 0
