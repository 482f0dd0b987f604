"""The rows of a file that a card is judged on, with the columns that divide them or are compared."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riskcard.cli.rows.card_rows import (
    candidates,
    card_columns,
    card_selection,
    drawn_groups,
    labelled_rows_of,
    target_of,
)
from riskcard.cli.rows.reading import reading_of, trained_reading
from riskcard.data.files.wanted_columns import Kind, Selection, as_number, require_columns
from riskcard.errors import ParameterError

if TYPE_CHECKING:
    from riskcard.data.files.feature_table import FeatureTable
    from riskcard.data.files.table_file import TableFile
    from riskcard.model.card import RiskCard
    from riskcard.validation.rows import GivenRows, Rival


def given_rows(
    file: TableFile, options: Namespace, card: RiskCard, others: dict[str, RiskCard]
) -> GivenRows:
    """Read all columns that a validation needs.

    Parameters
    ----------
    file
        An open file.
    options
        Those of the command.
    card
        The card that is judged.
    others
        Cards that it is compared with, by their names.
    """
    from riskcard.validation.named_groups import groups_of, sites_of
    from riskcard.validation.rows import GivenRows

    rows, labels, weights = labelled_rows_of(file, options, card)
    cuts = _cuts_of(options.by, file.names)
    extra = _further_columns(file, options, card, cuts)
    sites = options.sites
    return GivenRows(
        for_card=rows,
        labels=labels,
        sample_weight=weights,
        features=candidates(options, card, file).features,
        clusters=_names_in(extra, options.groups) if options.groups else None,
        groups_column=options.groups or "",
        drawn_groups=drawn_groups(file, options, card),
        sites=sites_of(sites, _names_in(extra, sites)) if sites else None,
        by=tuple(groups_of(name, extra.features[name], ends) for name, ends in cuts.items()),
        rivals=tuple(_rivals(file, options, card, others, extra)),
    )


def clusters_of(file: TableFile, options: Namespace, card: RiskCard) -> Any:
    """The column that ``--groups`` names, one label per row; None without one."""
    if options.groups is None:
        return None
    alone = Namespace(**{**vars(options), "sites": None, "against_column": []})
    return _names_in(_further_columns(file, alone, card, {}), options.groups)


def _names_in(table: FeatureTable, column: str) -> list[Any]:
    """The values of a column that was read as texts; numbers if all of them are."""
    texts = [str(value) for value in table[column]]
    numbers = {text: as_number(text) for text in set(texts)}
    if any(isinstance(number, str) for number in numbers.values()):
        return texts
    return [numbers[text] for text in texts]


def other_cards(paths: list[str], card: RiskCard) -> dict[str, RiskCard]:
    """The cards of files, by the names of these; each must be about the same event."""
    from riskcard.model.card_json import load_card
    from riskcard.validation.validate import require_same_event

    found = {}
    for path in paths:
        name = Path(path).name
        name = path if name in found else name
        found[name] = load_card(path)
        require_same_event(card, found[name], name)
    return found


def rival_cards(file: TableFile, options: Namespace, card: RiskCard) -> dict[str, Any]:
    """Other cards with their columns, by the names of their files."""
    target, found = target_of(options, card), {}
    for name, other in other_cards(options.against, card).items():
        table = file.read(card_selection(file, options, other, target))
        found[name] = other, card_columns(other, table)
    return found


def timed_rivals(file: TableFile, options: Namespace, card: RiskCard) -> dict[str, Any]:
    """What a card for the time to an event is compared with: other cards with their risks, and columns."""
    from riskcard.model.outcome_kinds import TimeToEvent
    from riskcard.validation.horizons.compared import read_rival

    assert isinstance(card.kind, TimeToEvent)
    horizons = tuple(options.horizon or card.kind.horizons)
    found: dict[str, Any] = {
        name: read_rival(name, other, columns, horizons)
        for name, (other, columns) in rival_cards(file, options, card).items()
    }
    if options.against_column:
        alone = Namespace(**{**vars(options), "sites": None, "groups": None})
        extra = _further_columns(file, alone, card, {})
        found |= {name: extra[name] for name in options.against_column}
    return found


def _cuts_of(by: list[str], names: list[str]) -> dict[str, list[float] | None]:
    """From each column to its cuts, such as ``age=50,65``; None where there are none."""
    found: dict[str, list[float] | None] = {}
    for text in by:
        name, has_cuts, ends = text.rpartition("=")
        if text in names or not has_cuts:
            found[text] = None
            continue
        numbers = [as_number(end) for end in ends.split(",")]
        if any(isinstance(number, str) for number in numbers):
            raise ParameterError(
                f"--by {text}: the cuts of {name!r} are not numbers. Write them as {name}=50,65."
            )
        found[name] = [float(number) for number in numbers]
    return found


def _further_columns(
    file: TableFile, options: Namespace, card: RiskCard, cuts: dict[str, list[float] | None]
) -> FeatureTable:
    """The columns that the card itself does not need."""
    target = target_of(options, card)
    kinds: dict[str, Kind] = dict.fromkeys(cuts, Kind.FEATURE)
    kinds |= {name: Kind.NUMBER for name, ends in cuts.items() if ends is not None}
    kinds |= dict.fromkeys(options.against_column, Kind.NUMBER)
    named = {"--groups": options.groups, "--sites": options.sites}
    kinds |= {name: kinds.get(name, Kind.TEXT) for name in named.values() if name}
    if target in kinds:
        raise ParameterError(
            f"{target!r} is the target, so rows cannot be divided by it or compared with it. "
            "Name another column."
        )
    require_columns(file, list(kinds), "named by an option")
    wanted = Selection(
        kinds=kinds | {target: Kind.TEXT},
        required=frozenset([target, *(name for name in (options.groups, options.sites) if name)]),
        reading=reading_of(options, card),
        trained=trained_reading(card),
        named=frozenset(kinds),
        target=target,
        skip_missing_target=options.skip_missing_target,
    )
    table = file.read(wanted)
    unread = [name for name in kinds if name not in table.features]
    if unread:
        raise ParameterError(
            f"Column {unread[0]!r} of {file.path!r} has no values that make groups, such as dates. "
            "Name another column."
        )
    return table


def _rivals(
    file: TableFile,
    options: Namespace,
    card: RiskCard,
    others: dict[str, RiskCard],
    extra: FeatureTable,
) -> list[Rival]:
    from riskcard.validation.rivals import read_rival
    from riskcard.validation.rows import Rival

    target, found = target_of(options, card), []
    for name, other in others.items():
        table = file.read(card_selection(file, options, other, target))
        found.append(Rival(name, "card", other.risk(card_columns(other, table))))
    return found + [read_rival(name, extra[name], len(extra)) for name in options.against_column]
