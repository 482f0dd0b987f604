"""The command ``riskcard export``: a card as something that runs elsewhere."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riskcard.cli.card_rows import labelled_rows
from riskcard.cli.parser import add_labelled_rows
from riskcard.cli.remarks import say
from riskcard.errors import ParameterError
from riskcard.output_files import require_writable, write_whole

if TYPE_CHECKING:
    from riskcard.model.card import RiskCard

#: Formats, here by name only, so that '--help' imports nothing else.
_FORMATS = ("python", "sql", "javascript", "xlsx", "pmml", "onnx", "json", "credit")
_DIALECTS = ("standard", "sqlite", "duckdb", "postgresql")

#: Options of the command by the names that the formats have for them.
_OPTIONS = (
    "table", "dialect", "keep", "rows", "reasons", "missing_text",
    "points_to_double_odds", "odds", "at", "higher_is_safer",
)  # fmt: skip


def add_export(commands: Any) -> None:
    """Add the command."""
    export = commands.add_parser(
        "export",
        help="write a card as Python, SQL, JavaScript, a workbook, PMML or ONNX",
        description="Write a card as something that gives the same total and risk elsewhere. The "
        "format follows from the ending of the file: .py, .sql, .mjs and .js, .xlsx, .pmml, .onnx, "
        ".json. '--to credit' scales the points so that a given number of them doubles the odds.",
    )
    export.add_argument("card", help="JSON file of a card")
    export.add_argument("-o", "--output", metavar="FILE", help="write here, not to the screen")
    export.add_argument(
        "--to", choices=_FORMATS, help="the format, when the ending does not say it"
    )
    sql = export.add_argument_group("SQL")
    sql.add_argument("--table", metavar="NAME", help="the table with the rows (data)")
    sql.add_argument("--dialect", choices=_DIALECTS, help="the database (standard)")
    sql.add_argument(
        "--keep", nargs="*", metavar="COLUMN", help="show only these columns beside the scores"
    )
    other = export.add_argument_group("other formats")
    other.add_argument("--rows", type=int, metavar="N", help="rows of a workbook (100)")
    other.add_argument("--reasons", type=int, metavar="N", help="reason codes in PMML (0)")
    other.add_argument(
        "--missing-text", metavar="TEXT", help="what a missing text is in ONNX (the empty text)"
    )
    credit = export.add_argument_group("credit points")
    credit.add_argument(
        "--points-to-double-odds", type=float, metavar="N", help="so many double the odds (20)"
    )
    credit.add_argument("--odds", type=float, metavar="X", help="the odds, X to 1 (50), ...")
    credit.add_argument("--at", type=float, metavar="N", help="... at this total (600)")
    credit.add_argument(
        "--higher-is-riskier", dest="higher_is_safer", action="store_false", default=None,
        help="the odds are those of the event; by default those of no event",
    )  # fmt: skip
    credit.add_argument(
        "--data", metavar="FILE", help="say what rounding costs on the rows of this file"
    )
    add_labelled_rows(credit, "positive row weights")


def run_export(options: Namespace) -> int:
    """Write a card in another format."""
    from riskcard.export.formats import FORMATS, format_of, render
    from riskcard.model.card_json import load_card

    if options.to is None and options.output is None:
        raise ParameterError("Give a file with -o FILE, or a format with --to.")
    name = options.to or format_of(options.output)
    if options.output is not None:
        require_writable(options.output)
    elif not FORMATS[name].is_text:
        raise ParameterError(f"{name} cannot be shown on a screen. Give a file with -o FILE.")
    if options.data is not None and name != "credit":
        raise ParameterError("--data is for '--to credit'. Leave it out.")
    given = {key: value for key in _OPTIONS if (value := getattr(options, key)) is not None}
    card = load_card(options.card)
    ending = "" if options.output is None else Path(options.output).suffix.lower()
    content = render(card, name, ending, **given)
    if name == "credit":
        _say_cost(options, card, given)
    if options.output is None:
        sys.stdout.write(str(content))
        return 0
    write_whole(options.output, content)
    say(f"Wrote {options.output}.")
    return 0


def _say_cost(options: Namespace, card: RiskCard, given: dict[str, Any]) -> None:
    """The scale in words, and the loss on the rows of a file when there is one."""
    from riskcard.export.credit import to_credit_points

    scaling = to_credit_points(card, **given)
    say(str(scaling))
    if options.data is None:
        return
    rows, labels, weights = labelled_rows(options, card)
    loss = scaling.losses(rows, labels, weights)
    share = (loss.after - loss.before) / loss.before if loss.before > 0 else 0.0
    say(f"Loss on these rows: {loss.before:.4f} before, {loss.after:.4f} after ({share:+.2%}).")
