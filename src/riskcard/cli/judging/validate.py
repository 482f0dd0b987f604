"""The command ``riskcard validate``: judge a card on rows that it was not learned from."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from riskcard.cli.remarks import put, say
from riskcard.cli.rows.card_rows import in_words
from riskcard.cli.rows.reading import open_data
from riskcard.cli.rows.validation_rows import given_rows, other_cards
from riskcard.cli.shown_options import shown_options
from riskcard.cli.sources import validate_source, wants_source
from riskcard.cli.times import judges_kind, validate_kind
from riskcard.data.files.csv_text import read_bytes
from riskcard.errors import FormatError
from riskcard.output_files import require_ending, require_separate, require_writable, write_whole

if TYPE_CHECKING:
    from riskcard.validation.validate import Validation

#: Options that name files, or are shown elsewhere.
_HIDDEN = {"command", "card", "data", "output", "json", "tables", "labels", "against"}


def run_validate(options: Namespace) -> int:
    """Judge a card; nothing is written before everything is there."""
    if options.output is not None:
        from riskcard.plots.drawing import require_matplotlib

        require_ending(options.output, ".html", ".htm")
        require_matplotlib()
    from riskcard.data.files.file_facts import file_facts
    from riskcard.model.card_json import card_from_bytes
    from riskcard.validation.gather import ValidationOptions, gather_facts
    from riskcard.validation.validate import Validation

    content = read_bytes(options.card, "a card file that can be read")
    card = in_words(options, card_from_bytes(content, options.card))
    if judges_kind(options, card):
        return validate_kind(options, card)
    if wants_source(options):
        shown = shown_options(options, _HIDDEN)
        own = [file_facts("Card", options.card, content)]
        return _show(options, validate_source(options, card, own, shown))
    others = other_cards(options.against, card)
    file = open_data(options)
    with card.labels.spoken():  # names of groups
        given = given_rows(file, options, card, others)
    files = [
        file_facts("Card", options.card, content),
        file_facts("Data", file.path, file.content),
        *(
            file_facts("Other card", path, read_bytes(path, "a card file that can be read"))
            for path in options.against
        ),
    ]
    found = Validation(
        gather_facts(
            card,
            given,
            ValidationOptions(
                risk_groups=tuple(options.risk_groups),
                total_groups=tuple(options.total_groups),
                flag_from=tuple(options.flag_from),
                n_bootstraps=options.n_bootstraps,
                random_state=options.random_state,
                files=tuple(files),
                shown_options=tuple(shown_options(options, _HIDDEN)),
            ),
        )
    )
    return _show(options, found)


def _show(options: Namespace, found: Validation) -> int:
    """Print what was found, and write it where the options say."""
    put(str(found))
    written = _write(options, found)
    if written:
        say(f"Wrote {', '.join(written)}.")
    return 0


def _write(options: Namespace, found: Validation) -> list[str]:
    """Write the page, JSON and tables that the options ask for; give the names of the files."""
    contents = {}
    if options.output is not None:
        contents[options.output] = found.to_html()
    if options.json is not None:
        contents[options.json] = f"{found.to_json()}\n"
    if options.tables is not None:
        tables = {
            str(Path(options.tables) / f"{name}.csv"): text
            for name, text in found.tables_as_csv().items()
        }
        _require_folder(options, list(tables))
        contents |= tables
    for path, content in contents.items():
        write_whole(path, content)
    return list(contents)


def _require_folder(options: Namespace, paths: list[str]) -> None:
    """Make the folder, and refuse to write over a file that was read."""
    folder = Path(options.tables)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise FormatError(
            f"The folder {options.tables!r} cannot be made: {error.strerror or error}. "
            "Choose another place."
        ) from None
    read = {"the card": options.card, "the data": options.data}
    read |= {f"--against {path}": path for path in options.against}
    others = {
        name: path
        for name, path in (("--output", options.output), ("--json", options.json))
        if path
    }
    require_separate(read | others, {f"--tables {path}": path for path in paths})
    require_writable(*paths)
