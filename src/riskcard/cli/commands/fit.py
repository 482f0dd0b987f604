"""The command ``riskcard fit``: read the rows, learn a card, show it and write it."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riskcard.cli.commands.show import show_card
from riskcard.cli.remarks import say
from riskcard.cli.training import Training, read_training
from riskcard.errors import ParameterError
from riskcard.output_files import require_writable

if TYPE_CHECKING:
    from riskcard.estimators.classifier import RiskScoreClassifier
    from riskcard.model.card import RiskCard

_INTERRUPTED = 130

#: Options that are parameters of the classifier by the same name; passed on when they are given.
WISHES = (
    "min_bin_rows",
    "min_bin_events",
    "min_gain",
    "prior_rows",
    "shortlist",
    "round_cuts",
    "class_weight",
)
_FURTHER = (*WISHES, "max_log_odds", "max_changes", "pool_size", "pool_tolerance")

#: Up to so many rows, cards of the default settings fit chance: on the other halves of all eight tables of the
#: benchmark with so few, `sturdy` had the lower log-loss.
FEW_ROWS = 1000
#: Options against that.
_GUARDS = ("grid", "prior_rows", "shortlist", "min_bin_rows", "min_bin_events", "min_gain")

#: Options that mean nothing without another.
_NEEDED = {"max_changes": "start", "pool_size": "pool_tolerance", "choose": "pool_tolerance"}


def run_fit(options: Namespace) -> int:
    """Learn a card, show it and write it."""
    if options.output is not None:
        require_writable(options.output)
    _require_company(options)
    training = read_training(options)
    # not before the rows are read: where they cannot be, nobody would wait for the process
    if options.certify:
        from riskcard.problem.problem import Scale
        from riskcard.search.warmup import start_compilation

        start_compilation(Scale.parse(options.scale).kind)
    model = _fit(options, training)
    card = replace(model.card_, classes=training.classes, outcome=options.target)
    if options.output is not None:
        card.save(options.output)
    if not options.quiet:
        pool = f"\n{model.pool_}\n" if options.pool_tolerance is not None else ""
        show_card(card)
        sys.stdout.write(pool)
        say(f"Wrote {options.output}." if options.output else "Not saved; -o FILE saves the card.")
        _remark_on_few_rows(options, training)
    return exit_code(card)


def _remark_on_few_rows(options: Namespace, training: Training) -> None:
    """Tell who has few rows, and does nothing against chance, of the settings that do."""
    rows = len(training.is_event)
    is_guarded = options.sturdy or any(getattr(options, name) for name in _GUARDS)
    if rows <= FEW_ROWS and not is_guarded:
        say(
            f"{rows:,} rows are few to choose cuts from: on new rows a card learned with --sturdy mostly predicts "
            "better."
        )


def exit_code(card: RiskCard) -> int:
    """0, or 130 when the user ended the proof."""
    is_interrupted = card.certificate is not None and card.certificate.status == "interrupted"
    return _INTERRUPTED if is_interrupted else 0


def _require_company(options: Namespace) -> None:
    """Refuse options that mean nothing without another, before the rows are read."""
    for name, needed in _NEEDED.items():
        if getattr(options, name) is not None and getattr(options, needed) is None:
            raise ParameterError(
                f"--{name.replace('_', '-')} means nothing without --{needed.replace('_', '-')}. "
                "Give both, or none."
            )


def _fit(options: Namespace, training: Training) -> RiskScoreClassifier:
    from riskcard.estimators.classifier import RiskScoreClassifier

    model = RiskScoreClassifier(**parameters_of(options, training))
    model.fit(training.table, training.is_event, sample_weight=training.weights)
    return model if options.choose is None else model.choose(options.choose)


def parameters_of(options: Namespace, training: Training) -> dict[str, Any]:
    """The parameters of the classifier that the options mean."""
    parameters = {
        "max_terms": options.max_terms,
        "max_features": options.max_features,
        "max_cuts_per_feature": options.max_cuts_per_feature,
        "max_points": options.max_points,
        "scale": options.scale,
        "certify": options.certify,
        "time_limit": options.time_limit,
        "gap": options.gap,
        "n_jobs": options.jobs,
        "random_state": options.seed,
        "verbose": not options.quiet,
        "grid": options.grid,
    }
    given = {name: getattr(options, name) for name in _FURTHER}
    if options.sturdy:
        for name in ("grid", "prior_rows", "shortlist"):
            given[name] = "auto" if getattr(options, name) is None else getattr(options, name)
    if training.rules is not None:
        given["rules"] = training.rules
    if options.start is not None:
        given["start"] = _starting_card(options.start, training.classes)
    return parameters | {name: value for name, value in given.items() if value is not None}


def _starting_card(path: str, classes: tuple[Any, Any]) -> RiskCard:
    """The card to start from; it must be about the same event."""
    from riskcard.model.card_json import load_card

    card = load_card(path)
    if card.classes != classes:
        raise ParameterError(
            f"The card {path!r} tells {card.classes[0]!r} from the event {card.classes[1]!r}, but "
            f"the target tells {classes[0]!r} from {classes[1]!r}. Choose the event with "
            "--positive, or another card."
        )
    return replace(card, classes=(False, True))
