"""The rows of a file as a card takes them: its columns, its levels, labels in its own words."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from riskcard.cli.labels import events_of, with_known_levels
from riskcard.cli.training import check_weights
from riskcard.data.files import Columns, read_columns
from riskcard.data.wanted_columns import Kind, MissingWords, Selection, require_columns
from riskcard.errors import ParameterError

if TYPE_CHECKING:
    from riskcard.data.levels import Label
    from riskcard.model.card import RiskCard


def labelled_rows(options: Namespace, card: RiskCard) -> tuple[dict[str, Any], Any, Any]:
    """The rows of a file as the card takes them, their labels in its own words, their weights."""
    target = options.target or card.outcome
    if target is None:
        raise ParameterError("The card does not name its target. Give the column with --target.")
    columns = read_columns(options.data, card_selection(options, card, target, options.weights))
    weights = columns.features[options.weights].values if options.weights else None
    check_weights(options, weights)
    is_event = events_of(columns.features[target], card.classes, target)

    import numpy as np

    if options.class_weight is not None:
        from riskcard.data.target import weigh_classes

        ones = np.ones(is_event.size) if weights is None else weights
        signs = np.where(is_event, np.int8(1), np.int8(-1))
        weights = weigh_classes(ones, signs, card.classes, options.class_weight)
    labels = np.array(card.classes, dtype=object)[is_event.astype(int)]
    return card_columns(card, columns), labels, weights


def card_selection(
    options: Namespace, card: RiskCard, target: str | None = None, weights: str | None = None
) -> Callable[[list[str]], Selection]:
    """Which columns a card needs; one at least, so that rows can be counted."""
    levels = _levels_of(card)
    kinds = {one.name: Kind.TEXT if one.name in levels else Kind.NUMBER for one in card.features}
    if target in kinds:
        raise ParameterError(f"{target!r} is a feature of the card. Give another with --target.")
    required = [name for name in (target, weights) if name]

    def select(names: list[str]) -> Selection:
        path = options.data
        require_columns(path, names, list(kinds), "the card needs it")
        require_columns(path, names, [target] if target else [], "the target")
        require_columns(path, names, [weights] if weights else [], "the weights")
        wanted = {weights: Kind.NUMBER} if weights else {}
        wanted |= {target or names[0]: Kind.TEXT}
        return Selection(
            kinds=wanted | kinds,
            required=frozenset(required),
            missing=MissingWords(tuple(options.missing)),
            known={name: frozenset(map(str, known)) for name, known in levels.items()},
        )

    return select


def card_columns(card: RiskCard, columns: Columns) -> dict[str, Any]:
    """The columns of a card as it takes them: numbers, and the levels that it knows."""
    levels = _levels_of(card)
    found = {
        one.name: with_known_levels(columns.features[one.name], levels[one.name])
        if one.name in levels
        else columns.features[one.name].values
        for one in card.features
    }
    # a card without features still has rows to count
    return found or {name: feature.values for name, feature in columns.features.items()}


def _levels_of(card: RiskCard) -> dict[str, tuple[Label, ...]]:
    """The levels of each categorical feature of a card."""
    return {one.name: one.levels for one in card.features if one.levels}
