"""The options of the command line; nothing is imported here that takes time."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from riskcard.experiments.methods import DEFAULT_LIMIT, METHODS
from riskcard.experiments.rows import TABLES
from riskcard.version import __version__

__all__ = ["make_parser"]


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"riskcard: {message}. See '{self.prog} --help'.\n")
        raise SystemExit(2)


def make_parser() -> argparse.ArgumentParser:
    """All commands and options."""
    parser = _Parser(
        prog="riskcard",
        description="Small cards of integer points, learned from a table and proven optimal.",
        epilog="'riskcard COMMAND --help' explains the options of a command.",
    )
    parser.add_argument("--version", action="version", version=f"riskcard {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_fit(commands)
    _add_show(commands)
    _add_predict(commands)
    _add_check(commands)
    demo = commands.add_parser(
        "demo", help="fit a card to the breast cancer data of scikit-learn, with a proof"
    )
    demo.add_argument("-q", "--quiet", action="store_true", help="no progress")
    _add_experiment(commands)
    return parser


def _add_fit(commands: argparse._SubParsersAction[_Parser]) -> None:
    fit = commands.add_parser(
        "fit",
        help="learn a card from a table",
        description="Learn a card from a CSV or Parquet file. All columns but the target are "
        "candidates; they must be numeric. Ctrl-C ends a proof early: the best card so far is kept, "
        "with the bound proven so far.",
    )
    fit.add_argument("data", help="CSV or Parquet file")
    fit.add_argument("-o", "--output", metavar="FILE", help="write the card to this JSON file")

    columns = fit.add_argument_group("columns")
    columns.add_argument("--target", required=True, metavar="COLUMN", help="what to predict")
    columns.add_argument("--positive", metavar="VALUE", help="the target's value that is the event")
    columns.add_argument("--weights", metavar="COLUMN", help="positive row weights")
    _add_names(columns, "--columns", "use these columns only")
    _add_names(columns, "--drop", "leave these columns out")

    size = fit.add_argument_group("the card")
    size.add_argument("--max-terms", type=int, default=5, metavar="N", help="cuts in all (5)")
    size.add_argument("--max-features", type=int, metavar="N", help="features in all (no limit)")
    size.add_argument(
        "--max-cuts-per-feature", type=int, metavar="N", help="cuts on one feature (no limit)"
    )
    size.add_argument("--max-points", type=int, default=5, metavar="N", help="points a term (5)")
    size.add_argument(
        "--scale",
        type=_scale,
        default="calibrated",
        help="'calibrated' (default), 'multiplier', or a number; 1 is the paper's problem",
    )
    size.add_argument(
        "--grid", type=int, metavar="N", help="at most N cuts a feature to choose from (all)"
    )

    work = fit.add_argument_group("the work")
    work.add_argument("--certify", action="store_true", help="prove how good the card is")
    work.add_argument(
        "--time-limit", type=_time_limit, default=60.0, metavar="S", help="seconds (60), or 'none'"
    )
    work.add_argument(
        "--gap", type=float, default=0.0, metavar="G", help="stop at this relative gap (0)"
    )
    work.add_argument("--jobs", type=int, default=1, metavar="N", help="threads (1)")
    work.add_argument("--seed", type=int, default=0, metavar="N", help="of the search (0)")
    work.add_argument("-q", "--quiet", action="store_true", help="no progress, no card shown")


def _add_show(commands: argparse._SubParsersAction[_Parser]) -> None:
    show = commands.add_parser("show", help="print a card")
    show.add_argument("card", help="JSON file of a card")
    show.add_argument(
        "--form",
        choices=["bins", "two-sided"],
        default="bins",
        help="one row a bin (default), or points on either side of each cut",
    )
    show.add_argument("--html", metavar="FILE", help="write a page to this file instead")


def _add_predict(commands: argparse._SubParsersAction[_Parser]) -> None:
    predict = commands.add_parser(
        "predict",
        help="score the rows of a table",
        description="For each row the total, the risk and the more likely label. Columns are looked "
        "up by name; further ones are ignored.",
    )
    predict.add_argument("card", help="JSON file of a card")
    predict.add_argument("data", help="CSV or Parquet file")
    predict.add_argument("-o", "--output", metavar="FILE", help="write here, not to the screen")


def _add_check(commands: argparse._SubParsersAction[_Parser]) -> None:
    check = commands.add_parser(
        "check",
        help="audit a card against the rows that it was learned from",
        description="Recompute what the card claims from the raw rows. The exit code is 0 when "
        "every check passes and 1 otherwise.",
    )
    check.add_argument("card", help="JSON file of a card")
    check.add_argument("data", help="CSV or Parquet file that the card was learned from")
    check.add_argument("--target", metavar="COLUMN", help="by default the one the card names")
    check.add_argument("--weights", metavar="COLUMN", help="the row weights used in fitting")


def _add_experiment(commands: argparse._SubParsersAction[_Parser]) -> None:
    experiment = commands.add_parser(
        "experiment",
        help="run the experiments of the paper again",
        description="Run the rows of the paper's tables with riskcard and with other solvers, and "
        "write each table as CSV and Markdown, with the published figures beside. Finished runs are "
        "kept in results.json of the folder: the same command goes on where it was interrupted.",
    )
    experiment.add_argument("table", choices=list(TABLES), help="which table")
    experiment.add_argument(
        "--time-limit",
        type=_method_limit,
        action="append",
        default=[],
        metavar="S",
        help=f"seconds for each run ({DEFAULT_LIMIT:g}), or METHOD=S for one method; may be repeated",
    )
    experiment.add_argument(
        "--solvers", nargs="+", choices=list(METHODS), metavar="METHOD",
        help=f"only these, of: {', '.join(METHODS)}",
    )  # fmt: skip
    experiment.add_argument(
        "--rows", nargs="+", default=[], metavar="ROW", help="only these, such as N=200,p=1"
    )
    experiment.add_argument(
        "-o", "--output", default="paper-experiments", metavar="FOLDER",
        help="where results and tables are written (paper-experiments)",
    )  # fmt: skip
    experiment.add_argument(
        "--fresh", action="store_true", help="make the chosen runs again, finished or not"
    )
    experiment.add_argument(
        "--page", metavar="FILE", help="also write a results page with pictures (needs matplotlib)"
    )
    experiment.add_argument("-q", "--quiet", action="store_true", help="no progress")


def _add_names(group: argparse._ArgumentGroup, option: str, meaning: str) -> None:
    group.add_argument(
        option, nargs="+", action="extend", default=[], metavar="COLUMN", help=meaning
    )


def _scale(text: str) -> float | str:
    """A number where it is one; what else it may be is checked where the problem is made."""
    try:
        return float(text)
    except ValueError:
        return text


def _time_limit(text: str) -> float | None:
    return None if text.lower() == "none" else float(text)


def _method_limit(text: str) -> tuple[str | None, float]:
    """Seconds for every method, or ``METHOD=S`` for one of them."""
    name, is_for_one, seconds = text.rpartition("=")
    if is_for_one and name not in METHODS:
        raise argparse.ArgumentTypeError(
            f"there is no method {name!r}; use one of {', '.join(METHODS)}"
        )
    try:
        limit = float(seconds)
    except ValueError:
        limit = 0.0
    if not 0 < limit < float("inf"):
        raise argparse.ArgumentTypeError(f"{seconds!r} is no positive number of seconds")
    return name or None, limit


# argparse names these in its messages
_time_limit.__name__ = "number of seconds"
