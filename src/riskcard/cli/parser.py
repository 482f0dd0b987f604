"""The options of the command line; nothing is imported here that takes time."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from riskcard.paper.experiments.methods import DEFAULT_LIMIT, METHODS
from riskcard.paper.experiments.table_rows import TABLES
from riskcard.version import __version__


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
    # these use what stands below
    from riskcard.cli.commands.calculator import add_calculator
    from riskcard.cli.commands.demo import add_demo
    from riskcard.cli.commands.explain import add_explain
    from riskcard.cli.commands.export import add_export
    from riskcard.cli.commands.report import add_report
    from riskcard.cli.commands.show import add_show
    from riskcard.cli.tune_options import add_stability, add_tune

    _add_fit(commands)
    add_show(commands)
    _add_predict(commands)
    _add_check(commands)
    _add_recalibrate(commands)
    add_demo(commands)
    _add_experiment(commands)
    add_tune(commands)
    add_stability(commands)
    add_explain(commands)
    add_report(commands)
    add_calculator(commands)
    add_export(commands)
    return parser


def _add_fit(commands: argparse._SubParsersAction[_Parser]) -> None:
    fit = commands.add_parser(
        "fit",
        help="learn a card from a table",
        description="Learn a card from a CSV or Parquet file. All columns but the target are "
        "candidates: numbers, texts and booleans, with values missing or not. Ctrl-C ends a proof "
        "early: the best card so far is kept, with the bound proven so far.",
    )
    fit.add_argument("data", help="CSV or Parquet file")
    fit.add_argument("-o", "--output", metavar="FILE", help="write the card to this JSON file")
    add_column_options(fit)
    add_card_options(fit.add_argument_group("the card"))
    add_rule_options(fit.add_argument_group("what is allowed"))

    given = fit.add_argument_group("an existing card")
    given.add_argument("--start", metavar="CARD.json", help="start from this card")
    given.add_argument(
        "--max-changes", type=int, metavar="N", help="change at most N terms of it (no limit)"
    )
    pool = fit.add_argument_group("other cards")
    pool.add_argument(
        "--pool-tolerance", type=_share, metavar="T",
        help="list cards whose loss is at most this share above the best, such as 2%%",
    )  # fmt: skip
    pool.add_argument("--pool-size", type=int, metavar="N", help="list at most N of them")
    pool.add_argument("--choose", type=int, metavar="I", help="take card I of the list")
    work = fit.add_argument_group("the work")
    work.add_argument("--certify", action="store_true", help="prove how good the card is")
    work.add_argument(
        "--time-limit",
        type=time_limit_of,
        default=60.0,
        metavar="S",
        help="seconds (60), or 'none'",
    )
    work.add_argument(
        "--gap", type=float, default=0.0, metavar="G", help="stop at this relative gap (0)"
    )
    work.add_argument("--jobs", type=int, default=1, metavar="N", help="threads (1)")
    work.add_argument("--seed", type=int, default=0, metavar="N", help="of the search (0)")
    work.add_argument("-q", "--quiet", action="store_true", help="no progress, no card shown")


def add_column_options(parser: argparse.ArgumentParser) -> None:
    """Which columns are read, and how: the options of every command that learns from a table."""
    columns = parser.add_argument_group("columns")
    columns.add_argument("--target", required=True, metavar="COLUMN", help="what to predict")
    columns.add_argument("--positive", metavar="VALUE", help="the target's value that is the event")
    columns.add_argument("--weights", metavar="COLUMN", help="positive row weights")
    _add_names(columns, "--columns", "use these columns only")
    _add_names(columns, "--drop", "leave these columns out")
    _add_names(columns, "--categorical", "take these columns for categories, numbers or not")
    add_missing(columns)


def add_card_options(size: argparse._ArgumentGroup, max_terms: int = 5) -> None:
    """The limits of a card; ``max_terms`` is the default."""
    size.add_argument(
        "--max-terms", type=int, default=max_terms, metavar="N", help=f"cuts in all ({max_terms})"
    )
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
        "--max-log-odds", type=float, metavar="L",
        help="a term moves the log-odds by at most L, up to 30: 2.3 multiplies the odds by 10 (odds times 1,000)",
    )  # fmt: skip
    size.add_argument(
        "--grid", type=grid_of, metavar="N",
        help="at most N cuts a feature to choose from (all); 'auto': few in a small table",
    )  # fmt: skip
    size.add_argument(
        "--sturdy", action="store_true",
        help="a card for new rows: short for --grid auto --prior-rows auto --shortlist auto",
    )  # fmt: skip


def add_rule_options(rules: argparse._ArgumentGroup, has_class_weight: bool = True) -> None:
    """What people want of a card beside a small loss; class weights may stand elsewhere."""
    rules.add_argument("--rules", metavar="FILE", help="rules for features, in TOML or CSV")
    rules.add_argument(
        "--budget", type=float, metavar="B", help="the costs in the rules add up to at most this"
    )
    rules.add_argument(
        "--min-bin-rows", type=_count_or_share, metavar="N",
        help="rows in every bin: a number, or a share such as 5%%",
    )  # fmt: skip
    rules.add_argument(
        "--min-bin-events", type=_count_or_share, metavar="N",
        help="rows with the event in every bin: a number, or a share of all events",
    )  # fmt: skip
    rules.add_argument(
        "--min-gain", type=float, metavar="G", help="a term that lowers the loss by less stays out"
    )
    rules.add_argument(
        "--prior-rows", type=_prior_rows, metavar="N",
        help="learn from so many rows of the base rate besides: a number, a share such as 5%%, or 'auto'",
    )  # fmt: skip
    rules.add_argument(
        "--shortlist", type=grid_of, metavar="N",
        help="choose from the N conditions only that a lasso takes up first; 'auto': few in a small table",
    )  # fmt: skip
    rules.add_argument(
        "--round-cuts", type=_share, metavar="T",
        help="take rounder cuts while the loss rises by at most this share, such as 1%%",
    )  # fmt: skip
    if has_class_weight:
        _add_class_weight(rules)


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
    add_missing(predict)


def _add_check(commands: argparse._SubParsersAction[_Parser]) -> None:
    check = commands.add_parser(
        "check",
        help="audit a card against the rows that it was learned from",
        description="Recompute what the card claims from the raw rows. The exit code is 0 when "
        "every check passes and 1 otherwise.",
    )
    check.add_argument("card", help="JSON file of a card")
    check.add_argument("data", help="CSV or Parquet file that the card was learned from")
    add_labelled_rows(check, "the row weights used in fitting")


def _add_recalibrate(commands: argparse._SubParsersAction[_Parser]) -> None:
    recalibrate = commands.add_parser(
        "recalibrate",
        help="fit the scale of a card to new rows, leaving its points alone",
        description="The points and cuts stay; the way from total to risk is fitted to the rows of a "
        "file, such as those of another hospital.",
    )
    recalibrate.add_argument("card", help="JSON file of a card")
    recalibrate.add_argument("data", help="CSV or Parquet file with new rows")
    recalibrate.add_argument("-o", "--output", metavar="FILE", help="write the new card here")
    add_labelled_rows(recalibrate, "positive row weights")
    recalibrate.add_argument("-q", "--quiet", action="store_true", help="no card shown")


def add_labelled_rows(parser: argparse._ActionsContainer, weights: str) -> None:
    """The options for rows with a target that a card is held against."""
    parser.add_argument("--target", metavar="COLUMN", help="by default the one the card names")
    parser.add_argument("--weights", metavar="COLUMN", help=weights)
    _add_class_weight(parser)
    add_missing(parser)


def _add_class_weight(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--class-weight", choices=["balanced"], help="give event and no event the same weight"
    )


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


def add_missing(parser: argparse._ActionsContainer) -> None:
    """The words that mean a missing value."""
    parser.add_argument(
        "--missing", nargs="+", action="extend", default=[], metavar="WORD",
        help="further words that mean a missing value, beside NA, NaN, null, ? and empty cells",
    )  # fmt: skip


def _count_or_share(text: str) -> int | float:
    """A whole number, or a share below 1: ``20``, ``0.05`` or ``5%``."""
    if text.endswith("%"):
        share = _share(text)
        if not 0 <= share < 1:
            raise argparse.ArgumentTypeError(f"{text!r} is no share from 0% to below 100%")
        return share
    try:
        return int(text)
    except ValueError:
        return float(text)


def _prior_rows(text: str) -> int | float | str:
    """A count or a share, or the word "auto"."""
    return text if text == "auto" else _count_or_share(text)


def grid_of(text: str) -> int | str:
    """A number of cuts, or the word "auto"."""
    return text if text == "auto" else int(text)


def _share(text: str) -> float:
    """A number, or one in per cent."""
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def _scale(text: str) -> float | str:
    """A number where it is one; what else it may be is checked where the problem is made."""
    try:
        return float(text)
    except ValueError:
        return text


def time_limit_of(text: str) -> float | None:
    """Seconds, or None for no limit."""
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
time_limit_of.__name__ = "number of seconds"
_count_or_share.__name__ = "count or share"
grid_of.__name__ = "number or 'auto'"
_prior_rows.__name__ = "count, share or 'auto'"
_share.__name__ = "share"
