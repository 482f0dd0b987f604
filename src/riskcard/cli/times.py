"""Cards for the time to an event on the command line: what goes with ``--time``, and the fit."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riskcard.cli.given import given, regularization_of
from riskcard.cli.remarks import put, say
from riskcard.errors import DataError, ParameterError
from riskcard.output_files import write_whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from riskcard.cli.training import Training
    from riskcard.model.card import RiskCard

#: Options that cards for the time to an event do not have yet, and the values that mean nothing.
_WITHOUT_TIME = {
    "improve": None,
    "tolerance": None,
    "proof": None,
    "limit_groups": None,
    "no_proxies": None,
    "hold_out": None,
    "class_weight": None,
    "scale": "calibrated",
    "max_log_odds": "auto",
}
#: Options of a validation that are about one risk, or are not there yet.
_NOT_BY_HORIZON = (
    "weights", "groups", "sites", "by", "risk_groups", "total_groups", "flag_from", "against",
    "against_column", "tables",
)  # fmt: skip


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
    for name, nothing in _WITHOUT_TIME.items():
        if getattr(options, name, nothing) != nothing:
            option = "pool-tolerance" if name == "tolerance" else name.replace("_", "-")
            raise ParameterError(
                f"--{option} is for outcomes of yes or no, and cannot be used together with --time. "
                "Leave one of them out."
            )
    require_english_kind(options)


def require_english_kind(options: Namespace) -> None:
    """Refuse another language for cards of other kinds than yes or no."""
    if getattr(options, "language", None) not in (None, "en"):
        raise ParameterError(
            f"--language is {options.language!r}, but cards of times and counts speak English only. Leave "
            "the option out."
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


def judges_times(options: Namespace, card: RiskCard) -> bool:
    """Whether a validation is one by horizons; options that do not go with the card are refused."""
    from riskcard.model.outcome_kinds import TimeToEvent

    if not isinstance(card.kind, TimeToEvent):
        card.require_yes_or_no("Validations")
        for name in ("time", "entry", "horizon"):
            if getattr(options, name) is not None:
                raise ParameterError(
                    f"--{name} is for cards of the time to an event, and this is none. Leave it out."
                )
        return False
    for name in _NOT_BY_HORIZON:
        if getattr(options, name):
            raise ParameterError(
                f"--{name.replace('_', '-')} is for outcomes of yes or no, but the card is about the time "
                "to an event. Leave it out."
            )
    return True


def validate_times(options: Namespace, card: RiskCard) -> int:
    """Judge a card for the time to an event; nothing is written before everything is there."""
    from riskcard.cli.card_rows import card_columns, card_selection, target_of
    from riskcard.cli.labels import events_of
    from riskcard.cli.reading import open_data, say_notes
    from riskcard.data.files.wanted_columns import Kind, require_columns
    from riskcard.model.outcome_kinds import TimeToEvent
    from riskcard.validation.by_horizon import validate_survival

    assert isinstance(card.kind, TimeToEvent)
    file, target = open_data(options), target_of(options, card)
    named = [options.time or card.kind.time, *([options.entry] if options.entry else [])]
    require_columns(file, named, "the time, which --time names, or the entry")
    wanted = card_selection(file, options, card, target)
    kinds = {**wanted.kinds, **dict.fromkeys(named, Kind.NUMBER)}
    table = file.read(replace(wanted, kinds=kinds, required=frozenset({*wanted.required, *named})))
    say_notes(table)
    times = [table.features[name].values for name in named]
    y = {
        "event": events_of(table.features[target], card.classes, target),
        "time": times[0],
    }
    names = dict(zip(("time", "entry"), named, strict=False))
    check_times(file.path, names, dict(zip(names, times, strict=True)))
    rows = card_columns(card, table)
    entry = times[1] if options.entry else None
    found = validate_survival(card, rows, y, entry=entry, horizons=options.horizon)
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


def fit_times(options: Namespace, training: Training) -> RiskCard:
    """Learn a card of risks by horizons."""
    import numpy as np

    from riskcard.estimators.rate_estimator import YES_OR_NO_ONLY
    from riskcard.estimators.survival import RiskScoreSurvival

    parameters = {
        name: value
        for name, value in given(options, "card", "work").items()
        if name not in YES_OR_NO_ONLY
    }
    parameters |= {"rules": training.rules, "identifiers": None} | regularization_of(options)
    model = RiskScoreSurvival(horizons=options.horizon, verbose=not options.quiet, **parameters)
    target = np.empty(training.is_event.size, dtype=[("event", bool), (options.time, float)])
    target["event"], target[options.time] = training.is_event, training.time
    model.fit(training.table, target, sample_weight=training.weights, entry=training.entry)
    return replace(model.card_, classes=training.classes)
