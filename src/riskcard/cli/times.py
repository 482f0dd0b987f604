"""Cards for the time to an event on the command line: what goes with ``--time``, and the fit."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from riskcard.cli.given import given, regularization_of
from riskcard.errors import ParameterError

if TYPE_CHECKING:
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
