"""Cards of other outcomes on the command line: which options go together, and their validation."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from riskcard.cli.remarks import put, say
from riskcard.errors import DataError, ParameterError
from riskcard.output_files import write_whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from riskcard.model.card import RiskCard

#: Options that cards for outcomes other than yes or no do not have yet, and the values that mean nothing.
_WITHOUT_TIME = {
    "proof": None,
    "limit_groups": None,
    "no_proxies": None,
    "hold_out": None,
    "class_weight": None,
    "scale": "calibrated",
    "max_log_odds": "auto",
    "plot": None,
}
#: Options of a validation that are about one risk, or are not there yet.
_NOT_OF_KINDS = "sites", "by", "risk_groups", "total_groups", "flag_from", "tables"


def require_times(options: Namespace) -> None:
    """Refuse options that do not go with ``--time``, and those that need it, before rows are read."""
    if options.time is None:
        for name in ("entry", "horizon"):
            if getattr(options, name) is not None:
                raise ParameterError(
                    f"--{name} has no effect without --time, the column that says how long each row was "
                    "followed. Give both, or neither."
                )
        return
    require_yes_or_no_options(options, "--time")
    require_english_kind(options)


def require_yes_or_no_options(options: Namespace, other: str) -> None:
    """Refuse options that are about yes or no next to another one that is not."""
    for name, nothing in _WITHOUT_TIME.items():
        if getattr(options, name, nothing) != nothing:
            raise ParameterError(
                f"--{name.replace('_', '-')} is for outcomes of yes or no, and cannot be used together with {other}. "
                "Leave one of them out."
            )
    if options.command == "stability" and options.cv is not None:
        raise ParameterError(
            f"--cv chooses the size again in every resample, which fits with {other} cannot do. Leave it out."
        )
    if getattr(options, "scoring", "neg_log_loss") != "neg_log_loss":
        raise ParameterError(
            f"--scoring is for outcomes of yes or no: with {other} sizes are compared by the held-out loss of the "
            "kind of card. Leave it out."
        )
    require_english_kind(options)


def require_english_kind(options: Namespace) -> None:
    """Refuse another language for cards of other kinds than yes or no."""
    if getattr(options, "language", None) not in (None, "en"):
        raise ParameterError(
            f"--language is {options.language!r}, but cards of outcomes other than yes or no speak English "
            "only. Leave the option out."
        )


def check_times(path: str, names: Mapping[str, str], times: Mapping[str, NDArray[Any]]) -> None:
    """Refuse times that cannot be, by the number of the row in the file.

    Parameters
    ----------
    path
        Of the file.
    names, times
        The column of "time", and that of "entry" where rows entered late: names, and values.
    """
    for role, values in times.items():
        is_late = values >= times["time"] if role == "entry" else values < 0
        if not (wrong := (values < 0) | is_late).any():
            continue
        row = int(wrong.argmax())
        what = "negative" if values[row] < 0 else f"not before the time, {times['time'][row]:g}"
        raise DataError(
            f"{path!r}, column {names[role]!r}: the {role} of row {row + 1} is {values[row]:g}, which is "
            f"{what}. Correct such rows, or leave them out."
        )


def judges_kind(options: Namespace, card: RiskCard) -> bool:
    """Whether a validation is not one of yes or no; options that do not go with the card are refused."""
    from riskcard.model.outcome_kinds import Counts, TimeToEvent, what_it_gives

    owners = {"time": TimeToEvent, "entry": TimeToEvent, "horizon": TimeToEvent, "exposure": Counts}
    for name, owner in owners.items():
        if getattr(options, name) is not None and not isinstance(card.kind, owner):
            what = "counts" if owner is Counts else "the time to an event"
            raise ParameterError(
                f"--{name} is for cards of {what}, and this is none. Leave it out."
            )
    if card.kind is None:
        return False
    refused = dict.fromkeys(_NOT_OF_KINDS, "")
    if not isinstance(card.kind, TimeToEvent):
        refused["against_column"] = " and times to an event"
    for name, more in refused.items():
        if getattr(options, name):
            raise ParameterError(
                f"--{name.replace('_', '-')} is for outcomes of yes or no{more}, but this card gives "
                f"{what_it_gives(card.kind)}. Leave it out."
            )
    return True


def validate_kind(options: Namespace, card: RiskCard) -> int:
    """Judge a card of another outcome than yes or no; nothing is written before everything is there."""
    from riskcard.cli.rows.kind_rows import read_kind_rows
    from riskcard.cli.rows.reading import open_data
    from riskcard.cli.rows.validation_rows import clusters_of, rival_cards, timed_rivals
    from riskcard.model.outcome_kinds import TimeToEvent
    from riskcard.validation.estimated.estimates import validate_estimates
    from riskcard.validation.horizons.by_horizon import validate_survival

    file = open_data(options)
    rows = read_kind_rows(options, card, file)
    found: Any
    if isinstance(card.kind, TimeToEvent):
        found = validate_survival(
            card, rows.features, rows.y, sample_weight=rows.weights, horizons=options.horizon,
            groups=clusters_of(file, options, card), against=timed_rivals(file, options, card),
            **rows.further,
        )  # fmt: skip
    else:
        found = validate_estimates(
            card, rows.features, rows.y, sample_weight=rows.weights,
            groups=clusters_of(file, options, card), against=rival_cards(file, options, card),
            **rows.further,
        )  # fmt: skip
    put(f"{found}\n")
    contents = {}
    if options.output is not None:
        contents[options.output] = found.to_html()
    if options.json is not None:
        contents[options.json] = f"{json.dumps(found.to_dict(), indent=2)}\n"
    for path, content in contents.items():
        write_whole(path, content)
    if contents:
        say(f"Wrote {', '.join(contents)}.")
    return 0
