"""The command ``riskcard labels``: a file of labels to fill in, for a card or a table."""

from __future__ import annotations

from argparse import Namespace

from riskcard.cli.remarks import write_or_print
from riskcard.cli.rows.card_rows import load_labelled_card
from riskcard.cli.rows.reading import open_data, reading_of
from riskcard.errors import ParameterError


def run_labels(options: Namespace) -> int:
    """Write the template."""
    from riskcard.model.words.labels_file import template_of

    if options.source.lower().endswith(".json"):
        options.card = options.source
        content = template_of(load_labelled_card(options), options.words)
    elif options.words or options.labels:
        raise ParameterError("--words and --labels are for a card. Give the JSON file of one.")
    else:
        content = _template_of_table(options)
    write_or_print(options.output, content)
    return 0


def _template_of_table(options: Namespace) -> str:
    """One entry for each column of a table but the target."""
    from riskcard.data.files.wanted_columns import Kind, Selection, require_columns
    from riskcard.model.lines import show_level
    from riskcard.model.value_range import ValueRange
    from riskcard.model.words.labels import Labels
    from riskcard.model.words.labels_file import Column, template

    file, target = open_data(options, options.source), options.target
    require_columns(file, [target] if target else [], "the target")
    names = [name for name in file.names if name != target]
    table = file.read(
        Selection(
            dict.fromkeys(names, Kind.FEATURE),
            optional=frozenset(names),
            reading=reading_of(options),
        )
    )
    columns = []
    for name, one in table.features.items():
        if one.levels is None:
            numbers = one.values[one.values == one.values]
            columns.append(Column(name, seen=ValueRange.of(numbers)))
        else:
            levels = [show_level(level) for level in one.levels.names]
            columns.append(Column(name, dict(zip(levels, levels, strict=True))))
    title = None if target is None else f"Risk of {target}"
    return template(Labels(title=title, event=target), columns)
