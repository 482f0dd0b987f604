"""The rows of a file as a card takes them: its columns, its levels, its labels."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riskcard.cli.remarks import say
from riskcard.cli.rows.labels import events_of, with_known_levels
from riskcard.cli.rows.reading import open_data, reading_of, say_notes, trained_reading
from riskcard.cli.rows.row_division import read_texts
from riskcard.cli.rows.training import check_weights
from riskcard.cli.times import require_english_kind
from riskcard.data.files.wanted_columns import Kind, Selection, require_columns
from riskcard.errors import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from riskcard.data.files.feature_table import FeatureTable
    from riskcard.data.files.table_file import TableFile
    from riskcard.data.levels import Label
    from riskcard.model.card import RiskCard


def load_labelled_card(options: Namespace) -> RiskCard:
    """The card of a file, with the labels that the options name."""
    from riskcard.model.card_json import load_card

    return in_words(options, load_card(options.card))


def in_words(options: Namespace, card: RiskCard) -> RiskCard:
    """A card with the labels, and in the language, that the options name."""
    card = card if options.labels is None else card.with_labels(options.labels)
    if options.language is None:
        return card
    if card.kind is not None:
        require_english_kind(options)
    return replace(card, labels=replace(card.labels, language=options.language))


def labelled_rows(options: Namespace, card: RiskCard) -> tuple[dict[str, Any], Any, Any]:
    """Open a file: its rows as the card takes them, its labels as the card writes them, weights."""
    return labelled_rows_of(open_data(options), options, card)


def labelled_rows_of(
    file: TableFile, options: Namespace, card: RiskCard
) -> tuple[dict[str, Any], Any, Any]:
    """The same for a file that is open already."""
    if card.kind is not None and not card.kind.has_events:
        card.require_yes_or_no("Commands that compare risks with labels")
    target = target_of(options, card)
    table = file.read(card_selection(file, options, card, target, options.weights))
    say_notes(table)
    weights = table.features[options.weights].values if options.weights else None
    check_weights(file.path, options.weights, weights)
    is_event = events_of(table.features[target], card.classes, target)

    import numpy as np

    labels = np.array(card.classes, dtype=object)[is_event.astype(int)]
    return card_columns(card, table), labels, weights


def target_of(options: Namespace, card: RiskCard) -> str:
    """The column with the outcome."""
    target = options.target or card.outcome
    if target is None:
        raise ParameterError("The card does not name its target. Give the column with --target.")
    return str(target)


def all_labelled_rows(
    file: TableFile, options: Namespace, card: RiskCard
) -> tuple[dict[str, Any], Any, Any]:
    """The same with all columns of training that can be read, without rows that were held out."""
    rows, labels, weights = labelled_rows_of(file, options, card)
    table = candidates(options, card, file)
    rows = {name: table[name] for name in table.column_names} | rows

    from riskcard.model.origin.held_out import find_held_out

    groups = drawn_groups(file, options, card)
    held_out = find_held_out(card, table.features, labels == card.classes[1], weights, groups)
    if held_out is None or held_out.all():
        return rows, labels, weights
    kept = {name: column[~held_out] for name, column in rows.items()}
    return kept, labels[~held_out], None if weights is None else weights[~held_out]


def drawn_groups(file: TableFile, options: Namespace, card: RiskCard) -> NDArray[Any] | None:
    """The column whose groups were held out of the fit as a whole; None without one."""
    held_out = None if card.recipe is None else card.recipe.held_out
    if held_out is None or held_out.groups not in file.names:
        return None
    return read_texts(
        file, held_out.groups, options, target_of(options, card), reading_of(options, card)
    )


def groups_of_rows(file: TableFile, options: Namespace, card: RiskCard) -> str | None:
    """The column whose rows belong together: that of ``--groups``, or by default that of the hold-out.

    A validation does the same, so that all commands judge the same rows alike. What is used without being
    asked for is said.
    """
    held_out = None if card.recipe is None else card.recipe.held_out
    if options.groups is not None or held_out is None or held_out.groups not in file.names:
        found: str | None = options.groups
        return found
    say(
        f"Rows with the same {held_out.groups!r} belong together, as when the card was learned; --groups "
        "names another column."
    )
    return held_out.groups


def card_selection(
    file: TableFile,
    options: Namespace,
    card: RiskCard,
    target: str | None = None,
    weights: str | None = None,
) -> Selection:
    """The columns that a card needs; at least one, so that rows can be counted."""
    levels = _levels_of(card)
    kinds = {one.name: Kind.TEXT if one.name in levels else Kind.NUMBER for one in card.features}
    if target in kinds:
        raise ParameterError(f"{target!r} is a feature of the card. Give another with --target.")
    require_columns(file, list(kinds), "needed by the card")
    require_columns(file, [target] if target else [], "the target")
    require_columns(file, [weights] if weights else [], "the weights")
    others = {weights: Kind.NUMBER} if weights else {}
    return Selection(
        kinds=others | {target or file.names[0]: Kind.TEXT} | kinds,
        required=frozenset(name for name in (target, weights) if name),
        reading=reading_of(options, card),
        trained=trained_reading(card),
        target=target,
        skip_missing_target=target is not None and options.skip_missing_target,
        known={name: frozenset(map(str, known)) for name, known in levels.items()},
    )


def candidates(options: Namespace, card: RiskCard, file: TableFile) -> FeatureTable:
    """All columns that the card was learned from, as far as the file has them and they can be read."""
    target = target_of(options, card)
    own = {one.name for one in card.features}
    kinds = {name: Kind.FEATURE for name in card.feature_names if name in file.names}
    for feature in card.features:
        kinds[feature.name] = Kind.CATEGORY if feature.levels else Kind.NUMBER
    wanted = Selection(
        kinds=kinds | {target: Kind.TEXT},
        required=frozenset([target]),
        optional=frozenset(kinds),
        reading=reading_of(options, card),
        trained=trained_reading(card),
        target=target,
        skip_missing_target=options.skip_missing_target,
    )
    try:
        table = file.read(wanted)
    except DataError:
        if own.issuperset(kinds):
            raise
        say(
            f"{file.path!r}: a column that the card does not use cannot be read as in training. Only the "
            "columns of the card are looked at."
        )
        needed = {name: kind for name, kind in wanted.kinds.items() if name in own | {target}}
        table = file.read(replace(wanted, kinds=needed))
    return table.only(name for name in card.feature_names if name in table.features)


def card_columns(card: RiskCard, table: FeatureTable) -> dict[str, Any]:
    """The columns of a card as it takes them: numbers, and the levels that it knows."""
    levels = _levels_of(card)
    found = {
        one.name: with_known_levels(table.features[one.name], levels[one.name])
        if one.name in levels
        else table.features[one.name].values
        for one in card.features
    }
    # a card without features still has rows to count
    return found or {name: feature.values for name, feature in table.features.items()}


def _levels_of(card: RiskCard) -> dict[str, tuple[Label, ...]]:
    """The levels of each categorical feature of a card."""
    return {one.name: one.levels for one in card.features if one.levels}
