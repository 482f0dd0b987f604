"""The command ``riskcard monitor``: whether a card in use meets the rows that it was made for."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from riskcard.cli.card_rows import (
    card_columns,
    card_selection,
    labelled_rows_of,
    load_labelled_card,
)
from riskcard.cli.reading import open_data, say_notes
from riskcard.cli.remarks import say, write_all_or_print

if TYPE_CHECKING:
    from riskcard.data.files.table_file import TableFile
    from riskcard.model.card import RiskCard


def run_monitor(options: Namespace) -> int:
    """Print what is found, or write it as a page or as JSON."""
    import warnings

    from riskcard.credit.monitoring import monitor_card
    from riskcard.credit.monitoring_shown import monitoring_document
    from riskcard.errors import RiskcardWarning

    if options.html is not None:
        from riskcard.plots.drawing import require_matplotlib

        require_matplotlib()
    card = load_labelled_card(options)
    rows, labels, weights = _rows(open_data(options), options, card)
    before: tuple[Any, Any, Any] = (None, None, None)
    if options.reference is not None:
        before = _rows(open_data(options, options.reference), options, card)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RiskcardWarning)  # the page counts unknown values
        found = monitor_card(
            card,
            rows,
            labels,
            weights,
            reference=before[0],
            reference_y=before[1],
            reference_weight=before[2],
        )
    shown = monitoring_document(found, pictures=options.html is not None)
    files = {
        options.html: shown.to_page,
        options.json: lambda: json.dumps(found.to_dict(), indent=2, ensure_ascii=False) + "\n",
    }
    write_all_or_print(shown.to_text(), files)
    if options.html is not None or options.json is not None:
        say(f"Overall: {found.light}.")
    return 0


def _rows(file: TableFile, options: Namespace, card: RiskCard) -> tuple[Any, Any, Any]:
    """The rows of a file, with labels and weights where it has them."""
    target = options.target or card.outcome
    if target is not None and (options.target is not None or target in file.names):
        return labelled_rows_of(file, options, card)
    table = file.read(card_selection(file, options, card, weights=options.weights))
    say_notes(table)
    weights = table.features[options.weights].values if options.weights else None
    return card_columns(card, table), None, weights
