"""The command ``riskcard scores``: list published scores, show one, or make a card of it on a table."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riskcard.cli.remarks import put, say_saved, warnings_as_sentences
from riskcard.cli.rows.card_rows import labelled_rows_of
from riskcard.cli.rows.labels import find_classes
from riskcard.cli.rows.reading import open_data, reading_of
from riskcard.cli.using.show import show_card
from riskcard.data.files.wanted_columns import Kind, Selection, require_columns
from riskcard.errors import ParameterError
from riskcard.model.card import RiskCard
from riskcard.scores.inputs import feature_of
from riskcard.scores.published import PublishedScore, published, published_names

if TYPE_CHECKING:
    from riskcard.data.files.table_file import TableFile


def run_scores(options: Namespace) -> int:
    """List the scores, show one, or fit the scale of one to a table."""
    if options.name is None:
        scores = [published(name) for name in published_names()]
        put("".join(f"{one.name:<18} {one.title}: {one.about}\n" for one in scores))
        return 0
    score = published(options.name)
    if options.data is None:
        put(f"{score}\n")
        return 0
    if options.target is None:
        raise ParameterError("The outcome is not named. Give the column with --target.")
    columns = _columns(options.column)
    file = open_data(options)
    with warnings_as_sentences():
        card = replace(_fitted(score, columns, file, options), outcome=options.target)
    if options.output is not None:
        card.save(options.output)
    show_card(card)
    say_saved(options.output)
    return 0


def _columns(given: list[str]) -> dict[str, str]:
    """ITEM=COLUMN, where a column may itself be a comparison."""
    pairs = [text.partition("=") for text in given]
    for text, (item, sign, column) in zip(given, pairs, strict=True):
        if not (item and sign and column):
            raise ParameterError(
                f"--column is {text!r}. Write ITEM=COLUMN, such as age=age_in_years, or with a condition: "
                "'hypertension=sbp > 140', 'female=sex=F/M'."
            )
    return {item.strip(): column.strip() for item, _, column in pairs}


def _fitted(
    score: PublishedScore, columns: dict[str, str], file: TableFile, options: Namespace
) -> RiskCard:
    """Read the columns of the score and its outcome, and fit the scale."""
    inputs = score.inputs(columns)
    score.require_columns(inputs, list(file.names))
    missing = 0 if options.missing_item == "zero" else None
    features = tuple(
        feature_of(item, inputs[item.name], is_whole=False, missing=missing) for item in score.items
    )
    draft = RiskCard(features, classes=_classes(file, options))
    rows: dict[str, Any]
    rows, labels, weights = labelled_rows_of(file, options, draft)
    return score.fit(
        rows,
        labels,
        columns,
        sample_weight=weights,
        event=draft.classes[1],
        missing=options.missing_item,
    )


def _classes(file: TableFile, options: Namespace) -> tuple[Any, Any]:
    """The labels of the target: no event, event."""
    target = options.target
    require_columns(file, [target], "the target")
    wanted = Selection(
        kinds={target: Kind.TEXT},
        required=frozenset([target]),
        reading=reading_of(options),
        target=target,
        skip_missing_target=options.skip_missing_target,
    )
    return find_classes(file.read(wanted).features[target], target, options.event)
