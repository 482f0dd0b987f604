"""The options of ``riskcard tune`` and ``riskcard stability``."""

from __future__ import annotations

import argparse
from typing import Any

from riskcard.cli.parser import (
    add_card_options,
    add_column_options,
    add_rule_options,
    time_limit_of,
)

#: Options of ``riskcard fit`` that make no sense where the size is open or fits are many.
_NOT_HERE: dict[str, Any] = {
    "start": None,
    "max_changes": None,
    "pool_size": None,
    "pool_tolerance": None,
}


def add_tune(commands: Any) -> None:
    """Add the command that chooses the number of terms."""
    tune = commands.add_parser(
        "tune",
        help="choose the number of terms by cross-validation",
        description="Fit cards of 0, 1, 2, ... terms in every fold, score them on the rows held "
        "out, and take the smallest size within one standard error of the best. The card of that "
        "size, from all rows, is shown. Ctrl-C before it is there writes nothing.",
    )
    tune.add_argument("data", help="CSV or Parquet file")
    tune.add_argument("-o", "--output", metavar="FILE", help="write the card to this JSON file")
    tune.add_argument("--csv", metavar="FILE", help="write the scores of all sizes to this file")
    tune.add_argument(
        "--plot", metavar="FILE",
        help="draw score against number of terms: .png, .svg or .pdf (needs matplotlib)",
    )  # fmt: skip
    add_column_options(tune)
    choice = tune.add_argument_group("the choice")
    _add_choice(choice)
    choice.add_argument("--cv", type=int, default=5, metavar="K", help="folds (5)")
    choice.add_argument(
        "--repeats", type=int, default=1, metavar="R", help="divide the rows anew so often (1)"
    )
    choice.add_argument(
        "--groups", metavar="COLUMN", help="rows with the same value stay in one fold"
    )
    add_card_options(tune.add_argument_group("the card"), max_terms=10)
    add_rule_options(tune.add_argument_group("what is allowed"))
    work = tune.add_argument_group("the work")
    work.add_argument("--certify", action="store_true", help="prove how good the last card is")
    work.add_argument(
        "--gap", type=float, default=0.0, metavar="G", help="stop the proof at this gap (0)"
    )
    _add_work(work, "of folds and search (0)", "no progress, nothing shown")
    tune.set_defaults(**_NOT_HERE)


def add_stability(commands: Any) -> None:
    """Add the command that fits again on resamples."""
    stability = commands.add_parser(
        "stability",
        help="fit again on resampled rows: which features stay, how optimistic are the figures",
        description="Bootstrap the whole fit: how often each feature enters, the spread of its cuts "
        "and points, and AUC, log-loss and calibration slope corrected for optimism.",
    )
    stability.add_argument("data", help="CSV or Parquet file")
    stability.add_argument("--csv", metavar="FILE", help="write the features to this file")
    add_column_options(stability)
    add_card_options(stability.add_argument_group("the card"))
    choice = stability.add_argument_group("the size")
    choice.add_argument(
        "--cv", type=int, metavar="K",
        help="choose the size anew in every resample, from 0 to --max-terms, in K folds",
    )  # fmt: skip
    _add_choice(choice)
    add_rule_options(stability.add_argument_group("what is allowed"))
    work = stability.add_argument_group("the work")
    work.add_argument(
        "--bootstraps", type=int, default=100, metavar="N", help="number of resamples (100)"
    )
    _add_work(work, "of resamples and search (0)", "no progress")
    stability.set_defaults(certify=False, gap=0.0, **_NOT_HERE)


def _add_choice(choice: argparse._ArgumentGroup) -> None:
    choice.add_argument(
        "--scoring", default="neg_log_loss", metavar="NAME",
        help="one of scikit-learn's scorers, such as roc_auc (neg_log_loss)",
    )  # fmt: skip
    choice.add_argument(
        "--rule", choices=["one_se", "best"], default="one_se",
        help="the smallest size within one standard error of the best (default), or the best",
    )  # fmt: skip


def _add_work(work: argparse._ArgumentGroup, seed: str, quiet: str) -> None:
    work.add_argument(
        "--time-limit", type=time_limit_of, default=60.0, metavar="S",
        help="seconds for each fit (60), or 'none'",
    )  # fmt: skip
    work.add_argument("--jobs", type=int, default=1, metavar="N", help="threads (1)")
    work.add_argument("--seed", type=int, default=0, metavar="N", help=seed)
    work.add_argument("-q", "--quiet", action="store_true", help=quiet)
