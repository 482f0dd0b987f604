"""The command ``riskcard predict``: score the rows of a table."""

from __future__ import annotations

import math
import warnings
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from riskcard.cli.remarks import say, write_or_print
from riskcard.cli.rows.card_rows import card_columns, card_selection
from riskcard.cli.rows.piece_scores import NO_TABLE, score_pieces
from riskcard.cli.rows.reading import open_data, say_notes
from riskcard.cli.sources import names_source
from riskcard.data.files.wanted_columns import Kind, MissingWords, Selection, require_columns
from riskcard.errors import ParameterError, RiskcardWarning
from riskcard.model.card_json import load_card
from riskcard.model.outcome_kinds import Figure, TimeToEvent
from riskcard.output_files import table_as_csv

if TYPE_CHECKING:
    from riskcard.data.files.table_file import TableFile
    from riskcard.model.card import RiskCard

#: The columns that are written in addition to those kept.
_OWN = ("total", "risk", "band", "prediction", "remarks", "rate", "relative_hazard", "expected")


def run_predict(options: Namespace) -> int:
    """Score the rows of a table."""
    card = load_card(options.card)
    bands = _checked_bands(options.bands)
    _require_fitting(options, card)
    if names_source(options.data):
        return score_pieces(options, card, bands)
    if options.into is not None:
        raise ParameterError(NO_TABLE)
    file = open_data(options)
    kept = _kept_columns(options, file)
    table = file.read(card_selection(file, options, card))
    say_notes(table)
    rows = card_columns(card, table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RiskcardWarning)  # the remarks say it for each row
        columns = kept | _scores(options, card, rows, bands)
    n_remarks = sum(map(bool, columns["remarks"]))
    if n_remarks:
        number = f"{n_remarks:,} of {len(columns['remarks']):,} rows"
        has = "has" if n_remarks == 1 else "have"
        say(
            f"{number} {has} values that training did not have: see the column 'remarks'. A level that "
            "training did not have, or a missing value where training had none, gets the points of the bin "
            "with the most training rows."
        )
    write_or_print(options.output, table_as_csv(columns))
    return 0


def _scores(
    options: Namespace, card: RiskCard, rows: dict[str, Any], bands: list[tuple[str, float]]
) -> dict[str, list[Any]]:
    """The columns to write: total and risk, what follows from the risk, and remarks."""
    from riskcard.model.rows.row_remarks import row_remarks

    totals = card.total_points(rows)
    if card.kind is not None:
        remarks = row_remarks(card, rows) if card.features else [""] * totals.size
        outlooks = _outlooks(options, card, totals)
        return {"total": totals.tolist(), **outlooks, "remarks": remarks}
    risks = card.risk_of_total(totals).tolist()
    columns = {"total": totals.tolist(), "risk": [_rounded(risk, options.digits) for risk in risks]}
    if bands:
        columns["band"] = [_band_of(risk, bands) for risk in risks]
    if options.threshold is not None:
        if not 0 <= options.threshold <= 1:
            raise ParameterError(
                f"--threshold is {options.threshold:g}. Use a risk from 0 to 1, such as 0.1 or 10%."
            )
        columns["prediction"] = [card.classes[risk >= options.threshold] for risk in risks]
    remarks = row_remarks(card, rows) if card.features else [""] * len(risks)
    return columns | {"remarks": remarks}


def _require_fitting(options: Namespace, card: RiskCard) -> None:
    """Refuse options that are about one risk on another card, and the other way round."""
    if card.kind is not None and (options.bands or options.threshold is not None):
        card.require_yes_or_no("--bands and --threshold")
    if options.horizon is not None and not isinstance(card.kind, TimeToEvent):
        raise ParameterError(
            "--horizon is for cards of the time to an event, and this is none. Leave it out."
        )


def _outlooks(options: Namespace, card: RiskCard, totals: Any) -> dict[str, list[Any]]:
    """What a card gives in place of one risk, by the names of its figures."""
    assert card.kind is not None
    linear = card.linear_of_total(totals)
    if isinstance(card.kind, TimeToEvent):
        figures = card.kind.figures(linear, options.horizon)
    else:
        figures = card.kind.figures(linear)
    return {one.name: _shown(one, options.digits) for one in figures}


def _shown(figure: Figure, digits: int | None) -> list[Any]:
    """The values of a figure: probabilities with some decimals, others with six digits."""
    values = figure.values.tolist()
    if figure.is_share:
        return [_rounded(one, digits) for one in values]
    return values if digits is None else [f"{one:.6g}" for one in values]


def _rounded(risk: float, digits: int | None) -> str | float:
    """A risk with some decimals; None for all digits.

    By default (-1) there are four, and more near 0 and 1, so that two digits tell it from there.

    Examples
    --------
    >>> _rounded(0.123456, -1), _rounded(0.0000123456, -1), _rounded(0.99999, -1), _rounded(0.1234, 2)
    ('0.1235', '0.000012', '0.9999900', '0.12')
    """
    if digits is None:
        return risk
    if digits < 0:
        least = min(risk, 1 - risk)
        digits = 4 if least <= 0 else max(4, 1 - math.floor(math.log10(least)))
    return f"{risk:.{digits}f}"


# --- bands --------------------------------------------------------------------------------------


def _checked_bands(given: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Names and the risks from which on they apply, ascending from 0."""
    bands = list(given)
    limits = [limit for _, limit in bands]
    if bands and (limits[0] != 0 or limits != sorted(set(limits)) or not limits[-1] <= 1):
        raise ParameterError(
            "--bands has to rise from 0 to at most 1. Give the name of the lowest band, then the "
            "others with the risk from which on they apply, such as --bands low middle=10% high=30%."
        )
    return bands


def _band_of(risk: float, bands: list[tuple[str, float]]) -> str:
    return [name for name, limit in bands if risk >= limit][-1]


# --- columns to keep ----------------------------------------------------------------------------


def _kept_columns(options: Namespace, file: TableFile) -> dict[str, list[Any]]:
    """Columns of the table as they are written there."""
    names = list(dict.fromkeys(options.keep))
    if names == ["all"] and "all" not in file.names:
        names = [name for name in file.names if not _is_own(name)]
        if len(names) < len(file.names):
            others = ", ".join(name for name in file.names if _is_own(name))
            say(f"Columns that predict itself writes are not kept: {others}.")
    require_columns(file, names, "named by --keep")
    for name in names:
        if _is_own(name):
            raise ParameterError(
                f"--keep names {name!r}, which is a column of the output. Rename it in the table."
            )
    if not names:
        return {}
    as_written = dict.fromkeys(names, MissingWords().among_texts)
    table = file.read(Selection(kinds=dict.fromkeys(names, Kind.TEXT), known=as_written))
    return {name: table[name].tolist() for name in names}


def _is_own(name: str) -> bool:
    """Whether a column is one that predict writes itself."""
    return name in _OWN or name.startswith(("risk_by_", "at_least_"))
