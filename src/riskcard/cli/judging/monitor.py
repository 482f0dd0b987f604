"""The command ``riskcard monitor``: whether a card in use meets the rows that it was made for."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from riskcard.cli.remarks import in_english, say, write_all_or_print
from riskcard.cli.rows.card_rows import (
    card_columns,
    card_selection,
    groups_of_rows,
    labelled_rows_of,
    load_labelled_card,
)
from riskcard.cli.rows.reading import open_data, reading_of, say_notes
from riskcard.cli.rows.row_division import read_texts
from riskcard.data.files.wanted_columns import Kind, Selection, require_columns
from riskcard.errors import ParameterError

if TYPE_CHECKING:
    from riskcard.data.files.table_file import TableFile
    from riskcard.model.card import RiskCard


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows as the card takes them, with labels, weights and groups where there are any."""

    columns: dict[str, Any]
    labels: Any
    weights: Any
    groups: Any


def run_monitor(options: Namespace) -> int:
    """Print what is found, or write it as a page or as JSON."""
    if options.html is not None:
        from riskcard.plots.drawing import require_matplotlib

        require_matplotlib()
    card = load_labelled_card(options)
    with card.labels.spoken():
        return _monitor(options, card)


def _monitor(options: Namespace, card: RiskCard) -> int:
    """The same in the language of the card."""
    import warnings

    from riskcard.credit.monitoring import monitor_card
    from riskcard.credit.monitoring_document import monitoring_document
    from riskcard.errors import RiskcardWarning

    new = _rows(open_data(options), options, card)
    old = None
    if options.reference is not None:
        old = _rows(open_data(options, options.reference), options, card)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RiskcardWarning)  # the page counts unknown values
        found = monitor_card(
            card,
            new.columns,
            new.labels,
            new.weights,
            groups=new.groups,
            reference=None if old is None else old.columns,
            reference_y=None if old is None else old.labels,
            reference_weight=None if old is None else old.weights,
            reference_groups=None if old is None else old.groups,
        )
    shown = monitoring_document(found, pictures=options.html is not None)
    files = {
        options.html: shown.to_page,
        options.json: lambda: in_english(found.to_dict),
    }
    write_all_or_print(shown.to_text(), files)
    if options.html is not None or options.json is not None:
        say(f"Overall: {found.light}.")
    return 0


def _rows(file: TableFile, options: Namespace, card: RiskCard) -> _Rows:
    """The rows of a file, with labels, weights and groups where it has them."""
    target = options.target or card.outcome
    if (
        target is not None
        and options.target is None
        and not _has_values(file, options, card, target)
    ):
        target = None
    column, groups = groups_of_rows(file, options, card), None
    if column is not None:
        require_columns(file, [column], "named by --groups")
        if column in (target, options.weights):
            raise ParameterError(
                f"--groups is {column!r}, which is the target or the weights. Name another."
            )
        groups = read_texts(file, column, options, target, reading_of(options, card))
    if target is not None:
        return _Rows(*labelled_rows_of(file, options, card), groups)
    table = file.read(card_selection(file, options, card, weights=options.weights))
    say_notes(table)
    weights = table.features[options.weights].values if options.weights else None
    return _Rows(card_columns(card, table), None, weights, groups)


def _has_values(file: TableFile, options: Namespace, card: RiskCard, target: str) -> bool:
    """Whether a file has the outcome; a column that is still empty is said to be left out."""
    if target not in file.names:
        return False
    wanted = Selection(kinds={target: Kind.TEXT}, reading=reading_of(options, card))
    column = file.read(wanted).features[target]
    if (column.values == column.values).any():  # a missing value is NaN
        return True
    say(f"{file.path!r}: the outcome {target!r} is empty, so only rows are compared, not outcomes.")
    return False
