"""From the parameters of an estimator to what is to be done: the one reader for every kind of outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any

from riskcard.errors import ParameterError
from riskcard.estimators.base import count_threads, seed_of
from riskcard.estimators.fitted import Procedure, Training
from riskcard.estimators.learning import Request, Task
from riskcard.estimators.recipe_values import plain_values
from riskcard.estimators.regularization import Regularization
from riskcard.rules.card_rules import CardRules
from riskcard.search.options import Options

#: The parameters that say which cards are allowed.
LIMITS = (
    "max_terms",
    "max_features",
    "max_cuts_per_feature",
    "max_points",
    "scale",
    "max_log_odds",
)


@dataclass(eq=False, repr=False)
class SharedParameters:
    """The parameters that estimators of every kind of outcome have; each adds its own."""

    max_terms: int = 5
    _: KW_ONLY
    max_features: int | None = None
    max_cuts_per_feature: int | None = None
    max_points: int = 5
    rules: CardRules | str | Path | None = None
    regularization: Regularization | str | None = "auto"
    identifiers: Any = "auto"
    certify: bool = False
    time_limit: float | None = 60.0
    gap: float = 0.0
    random_state: Any = 0
    n_jobs: int | None = None
    verbose: bool = False


def make_task(estimator: SharedParameters, checked: Mapping[str, Any], request: Request) -> Task:
    """What to do, from checked parameters.

    Parameters
    ----------
    estimator
        Its ``rules``, ``regularization``, ``random_state`` and ``n_jobs`` check themselves here.
    checked
        All other parameters.
    request
        What is asked for in addition.
    """
    rules = card_rules_of(estimator.rules)
    regularization = Regularization.of(estimator.regularization)
    # rounded cuts, and those of an earlier card, may be none of the preselected ones
    is_free = rules.round_cuts is None and request.kept is None
    options = Options(
        certify=checked["certify"],
        time_limit=checked["time_limit"],
        gap=checked["gap"],
        n_jobs=count_threads(estimator.n_jobs),
        random_state=seed_of(estimator.random_state),
        max_changes=request.max_changes,
        min_gain=float(rules.min_gain or 0.0),
        pool_tolerance=request.pool_tolerance,
        pool_size=request.pool_size,
        preselects=is_free and regularization.shortlist == "auto",
    )
    limits = {name: checked[name] for name in LIMITS}
    return Task(limits, rules, regularization, options, request, checked["verbose"])


def without_left_out(task: Task, training: Training) -> Task:
    """The same task where rules are about features only, not about columns that were left out."""
    if not training.table.left_out:
        return task
    task.rules.check_names(training.table.columns)
    return replace(task, rules=task.rules.only(training.table.names))


def procedure_of(estimator: Any, names: Iterable[str], task: Task) -> Procedure:
    """What the recipe says: all parameters, the rules of a file and the seed that was drawn."""
    parameters = {name: getattr(estimator, name) for name in names}
    parameters["random_state"] = task.options.random_state
    if estimator.rules is not None:
        parameters["rules"] = task.rules
    return Procedure(task.request.method, plain_values(parameters), task.request.further)


def card_rules_of(rules: Any) -> CardRules:
    """The parameter ``rules``: none, those of a file, or as they are."""
    if rules is None:
        return CardRules()
    if isinstance(rules, (str, Path)):
        return CardRules.load(rules)
    if not isinstance(rules, CardRules):
        raise ParameterError(
            f"rules is {rules!r}. Use CardRules, or the path of a TOML or CSV file."
        )
    return rules
