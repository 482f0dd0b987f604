"""The parameters that the options of a command give."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riskcard.parameters import parameters_of

if TYPE_CHECKING:
    from riskcard.rules.card_rules import CardRules


def given(options: Namespace, *groups: str) -> dict[str, Any]:
    """The parameters of some groups that the options have."""
    return {
        name: getattr(options, name) for name in parameters_of(*groups) if hasattr(options, name)
    }


def regularization_of(options: Namespace) -> dict[str, Any]:
    """The parameter ``regularization``: all of it, a part of it changed, or none."""
    from riskcard.estimators.regularization import Regularization

    whole, parts = None if options.lowest_loss else "auto", given(options, "regularization")
    return {"regularization": replace(Regularization.of(whole), **parts) if parts else whole}


def parameters_of_rates(options: Namespace, rules: CardRules | None) -> dict[str, Any]:
    """The parameters of an estimator whose outcome is not yes or no."""
    from riskcard.estimators.other_outcomes.rate_estimator import SHARED

    shared = {name: one for name, one in given(options, "card", "work").items() if name in SHARED}
    own = {"rules": rules, "identifiers": None, "verbose": not options.quiet}
    return shared | own | regularization_of(options)
