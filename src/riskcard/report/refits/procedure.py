"""The procedure behind a card, to be repeated in folds and resamples: from its recipe or its classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone

from riskcard.data.frames import column_names
from riskcard.errors import ParameterError
from riskcard.estimators.classifier import RiskScoreClassifier
from riskcard.estimators.cross_validation.cv import RiskScoreClassifierCV
from riskcard.formatting.speech import say
from riskcard.model.card import RiskCard
from riskcard.model.origin.recipe import Recipe

#: Parameters of the refits that are listed even where they are the default.
_ALWAYS_SHOWN = ("max_terms", "max_points", "scale", "regularization")
#: Nothing is proven in folds and resamples, and nothing is said.
_QUIET = {"certify": False, "verbose": False, "n_jobs": None}
#: Methods that need more than a recipe holds.
_NOT_REPEATED = ("improve", "fit_within_limits")


@dataclass(frozen=True, slots=True)
class Procedure:
    """How a card was learned.

    Attributes
    ----------
    estimator
        The classifier, unfitted; None where the procedure cannot be repeated.
    note
        A sentence on what is not repeated; empty where everything is.
    """

    estimator: Any
    note: str = ""

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """The parameters that are not the default, as texts."""
        if self.estimator is None:
            return ()
        defaults = type(self.estimator)().get_params(deep=False)
        shown = {
            name: value
            for name, value in self.estimator.get_params(deep=False).items()
            if name in _ALWAYS_SHOWN or value != defaults[name]
        }
        return tuple((name, str(value)) for name, value in shown.items() if name != "verbose")

    def for_rows(self, card: RiskCard, table: Any) -> Procedure:
        """The same for labels that are true or false, and for the candidate features of a card."""
        if self.estimator is None:
            return self
        others = [name for name in column_names(table) or () if str(name) not in card.feature_names]
        known = {"event": None, "identifiers": [str(name) for name in others] or None}
        changes = {}
        for name in self.estimator.get_params():
            last = name.rpartition("__")[2]
            if last in known:
                changes[name] = known[last]
        return replace(self, estimator=clone(self.estimator).set_params(**changes))

    def limited(self, seconds: float) -> Any:
        """The classifier with at most some seconds for each fit; at least one second."""
        if self.estimator is None or seconds == float("inf"):
            return self.estimator
        limits = [name for name in self.estimator.get_params() if name.endswith("time_limit")]
        if not limits:
            return self.estimator
        own = self.estimator.get_params()[limits[0]]
        allowed = max(1.0, seconds)
        limit = allowed if own is None else min(own, allowed)
        return clone(self.estimator).set_params(**{limits[0]: limit})


def procedure_of(card: RiskCard, changes: Mapping[str, Any] | None = None) -> Procedure:
    """The procedure that the recipe of a card describes, without a proof.

    Parameters
    ----------
    card
        The card.
    changes
        Other parameters of the classifier than those of the recipe.
    """
    with card.labels.spoken():
        return _procedure(card.recipe, changes or {})


def _procedure(recipe: Recipe | None, changes: Mapping[str, Any]) -> Procedure:
    if recipe is None:
        return Procedure(None, say("note_no_recipe"))
    if recipe.scale_rows:
        return Procedure(None, say("note_recalibrated"))
    if recipe.method in _NOT_REPEATED:
        return Procedure(None, say(f"note_{recipe.method}"))
    try:
        inner = RiskScoreClassifier.from_recipe(recipe).set_params(**_QUIET, **changes)
    except ParameterError:
        return Procedure(None, say("note_method", method=recipe.method))
    if recipe.method == RiskScoreClassifierCV.__name__:
        return _sized(recipe, inner)
    return Procedure(inner, say("note_find_pool") if recipe.method == "find_pool" else "")


def _sized(recipe: Any, inner: RiskScoreClassifier) -> Procedure:
    """The choice of the size by folds, where the recipe has their number."""
    if isinstance(recipe.further.get("cv"), int):
        try:
            model = RiskScoreClassifierCV.from_recipe(recipe)
        except ParameterError:  # a score without a name
            pass
        else:
            return Procedure(model.set_params(estimator=inner, verbose=False, n_jobs=None))
    return Procedure(inner, say("note_size"))


def procedure_of_model(model: Any) -> Procedure:
    """The classifier itself, unfitted and without a proof.

    Where it did not find its card alone, as that of a pool, the recipe of the card says what is repeated.
    """
    recipe = model.card_.recipe
    if recipe is not None and recipe.method in (*_NOT_REPEATED, "find_pool"):
        return procedure_of(model.card_)
    procedure = clone(model)
    if isinstance(procedure, RiskScoreClassifierCV):
        inner = procedure.estimator or RiskScoreClassifier()
        return Procedure(
            procedure.set_params(
                estimator=inner.set_params(certify=False, verbose=False), verbose=False
            )
        )
    known = procedure.get_params(deep=False)
    quiet = {name: value for name, value in _QUIET.items() if name in known and name != "n_jobs"}
    return Procedure(procedure.set_params(**quiet))
