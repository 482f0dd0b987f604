"""The command ``riskcard price``: what a card or a score costs against the best card of its kind."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riskcard.cli.remarks import put, say, say_saved, warnings_as_sentences
from riskcard.cli.rows.card_rows import target_of
from riskcard.cli.rows.training import Training, read_training
from riskcard.errors import DataError, ParameterError
from riskcard.model.card_json import load_card

if TYPE_CHECKING:
    from riskcard.price.price_card import CardKind, Price


def run_price(options: Namespace) -> int:
    """Price a card, or a column that is a score."""
    if (options.card is None) == (options.score is None):
        raise ParameterError("Give a card before the table, or a column of it with --score.")
    if options.is_risk and options.score is None:
        raise ParameterError("--is-risk has no effect without --score. Give both, or neither.")
    options.rules = None  # the kind is that of the card
    with warnings_as_sentences():
        price = _of_score(options) if options.card is None else _of_card(options)
    if options.output is not None:
        replace(price.best, outcome=options.target).save(options.output)
    put(f"{price}\n")
    if options.output is not None:
        say_saved(options.output)
    return 0


def _of_card(options: Namespace) -> Price:
    from riskcard.price.price_card import CardKind, price_card

    card = load_card(options.card)
    card.require_yes_or_no("Prices")  # before the target is read as yes or no
    options.target = target_of(options, card)
    if options.event is None:
        options.event = str(card.classes[1])
    training = read_training(options)
    own = [one.name for one in card.features if one.name in training.table.features]
    table = training.table.only(own) if options.same_features else training.table
    kind = _with_options(CardKind.of(card), options)
    return price_card(card, table, training.labels, sample_weight=training.weights, kind=kind)


def _with_options(kind: CardKind, options: Namespace) -> CardKind:
    """The kind of the card, with what the options say otherwise."""
    given = {
        "max_terms": options.max_terms,
        "max_features": options.max_terms,
        "max_points": options.max_points,
    }
    kind = replace(kind, **{name: value for name, value in given.items() if value is not None})
    return replace(kind, grid=options.grid, time_limit=options.time_limit)


def _of_score(options: Namespace) -> Price:
    from riskcard.price.price_card import kind_of_size, price_score

    if options.same_features:
        raise ParameterError("--same-features is about a card. Leave it out with --score.")
    if options.target is None:
        raise ParameterError("The outcome is not named. Give the column with --target.")
    if options.score in options.drop:
        raise ParameterError(
            f"{options.score!r} is both priced and dropped. Remove it from --drop."
        )
    options.keep_features = [*options.keep_features, options.score]
    if options.columns:
        options.columns = [*options.columns, options.score]
    training, scores = _without_missing(read_training(options), options)
    kind = kind_of_size(
        options.max_terms or 5,
        options.max_points or 5,
        grid=options.grid,
        time_limit=options.time_limit,
    )
    others = [name for name in training.table.column_names if name != options.score]
    if not others:
        raise DataError("No column but the score is left for a card. Drop fewer columns.")
    return price_score(
        scores,
        training.table.only(others),
        training.labels,
        kind=kind,
        sample_weight=training.weights,
        event=training.classes[1],
        is_risk=options.is_risk,
    )


def _without_missing(training: Training, options: Namespace) -> tuple[Training, Any]:
    """The rows that have a score, and the scores."""
    import numpy as np

    column = training.table.features.get(options.score)
    if column is None or column.levels is not None:
        raise DataError(
            f"The score {options.score!r} is not a column of numbers. Give one that is."
        )
    kept = np.flatnonzero(np.isfinite(column.values))
    lacking = len(column.values) - kept.size
    if not kept.size:
        raise DataError(
            f"The score {options.score!r} is missing in every row. Give another column."
        )
    if lacking:
        say(f"{lacking:,} rows without {options.score!r} are left out.")
        training = replace(
            training,
            table=training.table.take(kept),
            is_event=training.is_event[kept],
            weights=None if training.weights is None else training.weights[kept],
        )
    return training, column.values[kept]
