"""The command ``riskcard credit``: a card on labelled rows, in the figures that banks ask for."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from riskcard.cli.remarks import in_english, say, warnings_as_sentences, write_all_or_print
from riskcard.cli.rows.card_rows import (
    groups_of_rows,
    labelled_rows_of,
    load_labelled_card,
    target_of,
)
from riskcard.cli.rows.reading import open_data, reading_of
from riskcard.cli.rows.row_division import read_division_of
from riskcard.data.files.wanted_columns import Kind, Selection, require_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from riskcard.data.files.table_file import TableFile
    from riskcard.model.card import RiskCard


def run_credit(options: Namespace) -> int:
    """Print the figures, or write them as a page or as JSON."""
    if options.html is not None:
        from riskcard.plots.drawing import require_matplotlib

        require_matplotlib()
    card = load_labelled_card(options)
    with card.labels.spoken():
        return _judge(options, card)


def _judge(options: Namespace, card: RiskCard) -> int:
    """The same in the language of the card."""
    from riskcard.credit.judgement import judge_credit
    from riskcard.credit.judgement_document import judgement_document

    file = open_data(options)
    options.groups = groups_of_rows(file, options, card)
    rows, labels, weights = labelled_rows_of(file, options, card)
    existing = None if options.existing is None else _existing(file, options, card)
    division = read_division_of(file, options, target_of(options, card), reading_of(options, card))
    groups, later = division.groups, division.is_later
    if later is not None:
        rows = {name: column[later] for name, column in rows.items()}
        labels, weights = labels[later], None if weights is None else weights[later]
        existing = None if existing is None else existing[later]
        groups = None if groups is None else groups[later]
        say(f"Judged on the {labels.size:,} later rows of {later.size:,}.")
    with warnings_as_sentences():
        found = judge_credit(
            card,
            rows,
            labels,
            weights,
            groups=groups,
            existing=existing,
            existing_is_safer=not options.existing_is_riskier,
            existing_name=options.existing or "",
            approval_rate=options.approve,
            band_begins=options.bands or None,
            grades=options.grades or None,
        )
    shown = judgement_document(found, pictures=options.html is not None)
    files = {
        options.html: shown.to_page,
        options.json: lambda: in_english(found.to_dict),
    }
    write_all_or_print(shown.to_text(), files)
    return 0


def _existing(file: TableFile, options: Namespace, card: RiskCard) -> NDArray[Any]:
    """The column with the score in use."""
    target = target_of(options, card)
    require_columns(file, [options.existing], "named by --existing")
    wanted = Selection(
        kinds={options.existing: Kind.NUMBER, target: Kind.TEXT},
        required=frozenset([target, options.existing]),
        reading=reading_of(options, card),
        target=target,
        skip_missing_target=options.skip_missing_target,
    )
    return file.read(wanted).features[options.existing].values
