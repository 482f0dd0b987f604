"""What cards of hazards, rates, levels and numbers have in common: parameters, reading, learning."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from riskcard.arrays import Booleans, Floats
from riskcard.data.table import make_table
from riskcard.data.target import read_weights
from riskcard.errors import DataError, ParameterError
from riskcard.estimators.base import CardEstimator
from riskcard.estimators.fitted import Training
from riskcard.estimators.learning import Request, learn
from riskcard.estimators.other_outcomes.fitted_rates import Finished, RateOutcome, finish_rates
from riskcard.estimators.recipe_values import parameters_from
from riskcard.estimators.tasks import SharedParameters, make_task, procedure_of, without_left_out
from riskcard.model.origin.recipe import Recipe
from riskcard.parameters import Parameter, parameters_of
from riskcard.problem.other_losses import OtherLoss
from riskcard.problem.result import Pool
from riskcard.status import Status

#: Cards for yes or no have a scale, an event and class weights in addition; here the offset is always fitted.
SHARED = frozenset(one.name for one in fields(SharedParameters))


@dataclass(eq=False, repr=False)
class RateEstimator(SharedParameters, CardEstimator):
    """An estimator whose outcome is not yes or no; how rows are read is up to its subclass."""

    takes_any_table = True
    #: The group of its own parameters.
    group: ClassVar[str]

    _: KW_ONLY
    max_log_ratio: float | str | None = "auto"

    @classmethod
    def _parameters(cls) -> dict[str, Parameter]:
        """All parameters by name: those that it shares with cards for yes or no, and its own."""
        shared = parameters_of("card", "work")
        kept = {name: one for name, one in shared.items() if name in SHARED}
        return kept | parameters_of(cls.group)

    def fit_as(self, request: Request, X: Any, y: Any, sample_weight: Any, **further: Any) -> Any:
        """The same as ``fit``, for what a function asks for in addition, such as a note on the card."""
        self._request = request
        try:
            return self.fit(X, y, sample_weight, **further)
        finally:
            del self._request

    def fit_pool(
        self, request: Request, X: Any, y: Any, sample_weight: Any, **further: Any
    ) -> tuple[Pool, list[Any]]:
        """The pool that a request asks for, and a fitted estimator for each of its cards; this one has the best."""
        self.fit_as(request, X, y, sample_weight, **further)
        (result, problem, layout), training, outcome = self._learned
        del self._learned
        assert result.pool is not None
        models = []
        for solution, loss in zip(result.pool.cards, result.pool.losses, strict=True):
            status = result.status if solution == result.solution else Status.CHOSEN
            if result.status is Status.HEURISTIC:
                status = result.status
            one = replace(result, solution=solution, loss=loss, status=status)
            models.append(copy.copy(self))
            models[-1]._keep(finish_rates(one, problem, layout, training, outcome))
        return result.pool, models

    #: Find the card; what is further given depends on the outcome.
    fit: ClassVar[Callable[..., Any]]

    @classmethod
    def from_recipe(cls, recipe: Recipe) -> Any:
        """The unfitted estimator that a card was learned with.

        On the same rows ``fit`` gives the same card, unless a time limit ended the work.
        """
        if recipe.parameters.keys() != {*cls._parameters(), "identifiers"}:
            raise ParameterError(
                f"The card was made by {recipe.method}, which has other parameters. Give the recipe of a card "
                f"that {cls.__name__} learned."
            )
        return cls(**parameters_from(recipe.parameters))

    def _read_rows(
        self,
        X: Any,
        is_event: Booleans,
        sample_weight: Any,
        name: str | None,
        outcome_words: str | None = None,
    ) -> tuple[Training, Booleans]:
        """The checked rows without those of weight 0, and which are left.

        Parameters
        ----------
        X, sample_weight
            As they were given.
        is_event
            Whether each row has the event; of numbers and levels, whether it is in the upper half.
        name, outcome_words
            What the target is called, and what it is where rows have no event.
        """
        checked = {key: one.checked(getattr(self, key)) for key, one in self._parameters().items()}
        request = getattr(self, "_request", None) or Request(method=type(self).__name__)
        checked |= {"scale": "calibrated", "max_log_odds": checked["max_log_ratio"]}
        self._task = make_task(self, checked, request)
        weights = read_weights(sample_weight, is_event.size)
        start = () if request.start is None else request.start.features
        table = make_table(
            X,
            name,
            weights,
            drop_zero_weights=True,
            identifiers=self.identifiers,
            kept=self._task.rules.wanted | {one.name for one in start},
            is_event=is_event,
        )
        self._know_columns(X, table)
        kept = weights > 0
        if not is_event[kept].any():
            raise DataError(
                "Every row with an event has the weight 0. Give some a positive weight."
            )
        counts_events = outcome_words is None
        self._describe(X, table, self.max_terms, counts_events, outcome_words)
        names = {**self._parameters(), "identifiers": None}
        procedure = procedure_of(self, names, self._task)
        known = {"identifiers": self.identifiers_ or None}
        procedure = replace(procedure, parameters={**procedure.parameters, **known})
        training = Training(table, table.weights, None, procedure)
        self._task = without_left_out(self._task, training)
        return training, kept

    def _learn(self, training: Training, rates: OtherLoss, outcome: RateOutcome) -> None:
        """Learn a card from rows with their loss, and keep it."""
        training = replace(training, rates=rates)
        learned = learn(training, self._task)
        if self._task.options.pool_tolerance is not None:
            self._learned = learned, training, outcome
        del self._task
        self._keep(finish_rates(*learned, training, outcome))

    def _keep(self, finished: Finished) -> None:
        """Keep a card and what is proven about it."""
        self.card_, self.result_ = finished
        certificate = self.card_.certificate
        assert certificate is not None
        self.loss_ = certificate.loss
        self.lower_bound_ = certificate.bound
        self.gap_ = certificate.gap
        self.status_ = str(certificate.status)

    def _relative(self, X: Any) -> Floats:
        """The relative hazard, or the rate, of each row."""
        return self.card_.relative_of_total(self.total_points(X))

    def __call__(self, X: Any) -> Floats:
        """The logarithm of the relative hazard, or of the rate; of numbers the expected one."""
        return np.asarray(self.card_.linear_of_total(self.total_points(X)), dtype=np.float64)
