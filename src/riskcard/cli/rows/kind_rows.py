"""The rows of a file for a card of times or of counts: its columns, and what the rows came to."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from riskcard.cli.rows.card_rows import candidates, card_columns, card_selection, target_of
from riskcard.cli.rows.labels import events_of
from riskcard.cli.rows.reading import open_data, say_notes
from riskcard.cli.rows.training import check_weights
from riskcard.cli.times import check_times
from riskcard.data.files.wanted_columns import Kind, require_columns
from riskcard.errors import ParameterError
from riskcard.model.outcome_kinds import Counts, TimeToEvent

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
        Events with times, or counts.
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
    """Read a file for a card of times or of counts.

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
    if isinstance(card.kind, Counts):
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
    if isinstance(card.kind, Counts):
        return KindRows(features, table.features[target].values, own, columns)
    check_times(file.path, roles, columns)
    is_event = events_of(table.features[target], card.classes, target)
    y = {"event": is_event, "time": columns.pop("time")}
    return KindRows(features, y, own, columns)


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
