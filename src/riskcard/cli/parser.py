"""The options of the command line; nothing is imported here that takes time."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from riskcard.paper.experiments.methods import DEFAULT_LIMIT, METHODS
from riskcard.paper.experiments.table_rows import TABLES
from riskcard.parameters import Kind, Parameter, parameters_of
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
    # these use what is defined below
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
    add_card_options(fit)
    given = fit.add_argument_group("improving a card")
    given.add_argument("--improve", metavar="CARD.json", help="change this card in few terms")
    add_parameters(given, "improve")
    pool = fit.add_argument_group("a pool of cards")
    add_parameters(pool, "pool")
    pool.add_argument("--choose", type=int, metavar="I", help="take card I of the pool")
    work = fit.add_argument_group("the work")
    add_parameters(work, "work")
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


def add_card_options(parser: argparse.ArgumentParser, **defaults: Any) -> None:
    """Which cards are allowed, what people want of them, and what keeps them from following chance."""
    card = parser.add_argument_group("the card")
    add_parameters(card, "card", **defaults)
    add_parameters(parser.add_argument_group("rules for the whole card"), "rules")
    add_parameters(parser.add_argument_group("regularization, part by part"), "regularization")


def add_parameters(container: argparse._ActionsContainer, *groups: str, **defaults: Any) -> None:
    """Options for the parameters of some groups, from the one table.

    Parameters that make up an object, such as rules, have no default: they are only there when they
    are given.

    Parameters
    ----------
    container
        What the options are added to.
    groups
        Of ``riskcard.parameters``.
    defaults
        Where they differ from those of the table; ``...`` leaves a parameter out.
    """
    for name, one in parameters_of(*groups).items():
        default = defaults.get(name, one.default)
        if not one.metavar or default is ...:
            continue
        words = _help_of(one, default)
        if one.kind is Kind.FLAG:
            container.add_argument(one.option, action="store_true", help=words)
            continue
        has_default = one.group in ("card", "work", "size", "resamples")
        container.add_argument(
            one.option, type=_reader_of(one), metavar=one.metavar, help=words, dest=name,
            default=default if has_default else argparse.SUPPRESS,
        )  # fmt: skip


def _help_of(one: Parameter, default: Any) -> str:
    text = (one.on_command_line or one.help).removesuffix(".")
    text = text[0].lower() + text[1:]
    text += f"; 'auto': {one.auto}" if one.auto and not one.on_command_line else ""
    if one.kind is not Kind.FLAG:
        text += f" ({one.none if default is None else default})"
    return text.replace("%", "%%")


def _reader_of(one: Parameter) -> Callable[[str], Any]:
    """From the text of an option to the value of its parameter."""
    words = [*one.words, *(["auto"] if one.auto else [])]
    special = _SPECIAL.get(one.name)
    number = special or _NUMBERS.get(one.kind)
    known = [] if number is None else ["a number" if special else one.kind.value]
    known += [*map(repr, words), *(["'none'"] if one.none else [])]

    def read(text: str) -> Any:
        if one.none and text.lower() == "none":
            return None
        if text in words or one.name in ("rules", "scoring"):
            return text
        try:
            return (number or _not_a_number)(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not {' or '.join(known)}") from None

    return read


def _not_a_number(text: str) -> float:
    raise ValueError(text)


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
        "write each table as CSV and Markdown, next to the published figures. Finished runs are "
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
        help="further words that mean a missing value, next to NA, NaN, null, ? and empty cells",
    )  # fmt: skip


def _count_or_share(text: str) -> int | float:
    """A whole number, or a share below 1: ``20``, ``0.05`` or ``5%``."""
    if text.endswith("%"):
        share = _share(text)
        if not 0 <= share < 1:
            raise argparse.ArgumentTypeError(f"{text!r} is not a share from 0% to below 100%")
        return share
    try:
        return int(text)
    except ValueError:
        return float(text)


def _share(text: str) -> float:
    """A number, or one in per cent."""
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


#: How the numbers of parameters are read that check themselves.
_SPECIAL: dict[str, Callable[[str], float]] = {
    "scale": float,
    "cv": int,
    "random_state": int,
    "n_jobs": int,
}
#: How the numbers of each kind are read.
_NUMBERS: dict[Kind, Callable[[str], float]] = {
    Kind.WHOLE: int,
    Kind.NUMBER: _count_or_share,
    Kind.SHARE: _share,
    Kind.AMOUNT: _count_or_share,
}


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
        raise argparse.ArgumentTypeError(f"{seconds!r} is not a positive number of seconds")
    return name or None, limit


# argparse names it in its messages
time_limit_of.__name__ = "number of seconds"
