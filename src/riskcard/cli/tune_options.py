"""The options of ``riskcard tune`` and ``riskcard stability``."""

from __future__ import annotations

from typing import Any

from riskcard.cli.parser import add_card_options, add_column_options, add_parameters


def add_tune(commands: Any) -> None:
    """Add the command that chooses the number of terms."""
    tune = commands.add_parser(
        "tune",
        help="choose the number of terms by cross-validation",
        description="Fit cards of 0, 1, 2, ... terms in every fold, score them on the held-out rows, "
        "and take the smallest size within one standard error of the best. The card of that size, "
        "from all rows, is shown. Ctrl-C before it is there writes nothing.",
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
    add_parameters(choice, "size", max_terms=...)
    choice.add_argument(
        "--repeats", type=int, default=1, metavar="R", help="divide the rows into folds R times (1)"
    )
    choice.add_argument(
        "--groups", metavar="COLUMN", help="rows with the same value stay in one fold"
    )
    add_card_options(tune, max_terms=10)
    work = tune.add_argument_group("the work; only the last card is proven")
    add_parameters(work, "work")
    work.add_argument("-q", "--quiet", action="store_true", help="no progress, nothing shown")


def add_stability(commands: Any) -> None:
    """Add the command that refits on resamples."""
    stability = commands.add_parser(
        "stability",
        help="refit on resampled rows: which features stay, how optimistic are the figures",
        description="Bootstrap the whole fit: how often each feature enters, the spread of its cuts "
        "and points, and AUC, log-loss and calibration slope corrected for optimism.",
    )
    stability.add_argument("data", help="CSV or Parquet file")
    stability.add_argument("--csv", metavar="FILE", help="write the features to this file")
    add_column_options(stability)
    add_card_options(stability)
    choice = stability.add_argument_group("the size, where --cv chooses it again in every resample")
    add_parameters(choice, "size", max_terms=..., cv=None)
    work = stability.add_argument_group("the work")
    add_parameters(work, "resamples")
    add_parameters(work, "work", certify=..., gap=...)
    work.add_argument("-q", "--quiet", action="store_true", help="no progress")
