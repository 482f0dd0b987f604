"""The rows of a file for a card of another outcome than yes or no: its columns, and what the rows came to."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from riskcard.cli.rows.card_rows import candidates, card_columns, card_selection, target_of
from riskcard.cli.rows.labels import events_of, texts_of
from riskcard.cli.rows.reading import open_data, say_notes
from riskcard.cli.rows.training import check_weights
from riskcard.cli.times import check_times
from riskcard.data.files.wanted_columns import Kind, as_number, require_columns
from riskcard.errors import DataError, ParameterError
from riskcard.model.outcome_kinds import Counts, Numbers, OrderedLevels, TimeToEvent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from riskcard.data.columns import FeatureValues
    from riskcard.data.files.table_file import TableFile
    from riskcard.model.card import RiskCard

#: What each option is for, and what its column is.
_PURPOSES = {
    "time": "the time, which --time names",
    "entry": "the entry, which --entry names",
    "exposure": "the exposure, which --exposure names",
}


@dataclass(frozen=True, slots=True)
class KindRows:
    """Rows as the card takes them.

    Attributes
    ----------
    features
        The columns of the card, and where they are asked for those that it was learned from.
    y
        Events with times, codes of events with times, counts, numbers or levels.
    weights
        One per row; None without.
    further
        "entry" or "exposure", where there is one: as arguments of ``fit``.
    """

    features: dict[str, Any]
    y: Any
    weights: NDArray[Any] | None = None
    further: Mapping[str, Any] = field(default_factory=dict)


def read_kind_rows(
    options: Namespace, card: RiskCard, file: TableFile | None = None, *, has_all: bool = False
) -> KindRows:
    """Read a file for a card of another outcome than yes or no.

    Parameters
    ----------
    options
        With ``data``, ``target`` and how files are read; ``weights``, ``time``, ``entry`` and ``exposure`` where
        the command has them.
    card
        A card of another kind than yes or no.
    file
        The file, where it is open already.
    has_all
        With all columns that the card was learned from, as far as they can be read.
    """
    file, target = file or open_data(options), target_of(options, card)
    roles = _roles(options, card)
    for role, name in roles.items():
        require_columns(file, [name], _PURPOSES[role])
    weights = getattr(options, "weights", None)
    wanted = card_selection(file, options, card, target, weights)
    kinds = {**wanted.kinds, **dict.fromkeys(roles.values(), Kind.NUMBER)}
    if isinstance(card.kind, Counts | Numbers):
        kinds[target] = Kind.NUMBER
    required = frozenset({*wanted.required, *roles.values()})
    table = file.read(replace(wanted, kinds=kinds, required=required))
    say_notes(table)
    columns = {role: table.features[name].values for role, name in roles.items()}
    own = table.features[weights].values if weights else None
    check_weights(file.path, weights or "", own)
    features = card_columns(card, table)
    if has_all:
        known = candidates(options, card, file)
        features = {name: known[name] for name in known.column_names} | features
    if isinstance(card.kind, Counts | Numbers):
        return KindRows(features, table.features[target].values, own, columns)
    if isinstance(card.kind, OrderedLevels):
        return KindRows(
            features, _levels_of(card.kind, table.features[target], target), own, columns
        )
    assert isinstance(card.kind, TimeToEvent)
    check_times(file.path, roles, columns)
    if card.kind.competing is not None:
        events: Any = _codes_of(card, table.features[target], target)
    else:
        events = events_of(table.features[target], card.classes, target)
    return KindRows(features, {"event": events, "time": columns.pop("time")}, own, columns)


def _levels_of(kind: OrderedLevels, column: FeatureValues, target: str) -> NDArray[Any]:
    """The level of each row, in the words of the card; numbers as the card writes them."""
    import numpy as np

    texts = texts_of(column)
    if not set(texts) <= set(kind.levels):
        numbers = {text: as_number(text) for text in texts}
        texts = [text if isinstance(one, str) else f"{one:g}" for text, one in numbers.items()]
    if unknown := [text for text in texts if text not in kind.levels]:
        raise DataError(
            f"The target {target!r} has the value {unknown[0]!r}, but the card knows the levels "
            f"{', '.join(map(repr, kind.levels))}. Correct the value, or give another column with --target."
        )
    return np.array(texts, dtype=object)[column.codes()]


def _codes_of(card: RiskCard, column: FeatureValues, target: str) -> NDArray[Any]:
    """1 for the event, 2 for what competes with it, 0 for all other values."""
    import numpy as np

    assert isinstance(card.kind, TimeToEvent)
    texts = texts_of(column)
    competing = str(card.kind.competing)
    words = [f"{target} = {text}" for text in texts]
    listed = competing.split(" or ")
    codes = [
        1 if text == str(card.classes[1]) else 2 * (word in listed or word == competing)
        for text, word in zip(texts, words, strict=True)
    ]
    if 2 not in codes:
        raise DataError(
            f"The target {target!r} has no value that is {competing}, as the card says, but only "
            f"{', '.join(map(repr, texts[:5]))}. Give the column by which the card was learned with --target."
        )
    return np.array(codes)[column.codes()]


def require_no_kind(options: Namespace) -> None:
    """Refuse the columns of other kinds for a card of yes or no."""
    for role in _PURPOSES:
        if getattr(options, role, None) is not None:
            raise ParameterError(
                f"--{role} is for cards of another kind of outcome than this one. Leave it out."
            )


def _roles(options: Namespace, card: RiskCard) -> dict[str, str]:
    """The columns that rows have in addition to features and target, by what they are."""
    kind = card.kind
    named = {role: getattr(options, role, None) for role in _PURPOSES}
    known: dict[str, str | None] = {}
    if isinstance(kind, TimeToEvent):
        known = {"time": kind.time, "entry": None}
    if isinstance(kind, Counts):
        known = {"exposure": kind.exposure}
    for role, name in named.items():
        if name is not None and role not in known:
            raise ParameterError(
                f"--{role} is for cards of another kind of outcome than this one. Leave it out."
            )
    found = {role: named[role] or known[role] for role in known}
    return {role: name for role, name in found.items() if name is not None}
