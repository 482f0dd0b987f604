"""A rival: the best card that a short search finds within the kind that a certificate states.

A rival with a loss below the bound refutes the certificate. The audit works out its loss by hand, as
it does for the card itself, so that nothing depends on the solver being right. Only a proof that is
repeated, when that is asked for, relies on the solver.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.audit.raw_outcome import RawOutcome
from riskcard.data.columns import FeatureValues
from riskcard.data.features import read_features
from riskcard.data.files.feature_table import FeatureTable
from riskcard.data.frames import column_names, find_columns
from riskcard.errors import RiskcardError, RiskcardWarning
from riskcard.model.card import RiskCard
from riskcard.model.origin.certificate import Certificate
from riskcard.model.origin.recipe import RowOrigin, matches
from riskcard.model.outcome_kinds import Numbers, TimeToEvent, event_code

#: The largest number of terms about which riskcard proves anything.
MOST_PROVEN_TERMS = 12
#: Seconds of a search for a rival.
SEARCH_SECONDS = 10.0
#: What a certificate says about the kind of cards; its recipe gives the same.
KIND = (
    "max_terms", "max_features", "max_cuts_per_feature", "max_points", "scale", "max_log_odds",
    "is_grid_full", "grid", "shortlist", "all_conditions", "rules", "pseudo_rows", "smooth_rows",
    "min_gain", "min_line_rows",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rival:
    """What a search for another card gave.

    Attributes
    ----------
    card
        The card that was found; None where there was no search.
    why_not
        Why there was none.
    seconds
        How long the search took.
    is_of_recipe
        The kind is that of the recipe; otherwise that of the certificate itself.
    has_automatic_shortlist
        The kind depends on a shortlist whose length was worked out again.
    """

    card: RiskCard | None = None
    why_not: str = ""
    seconds: float = 0.0
    is_of_recipe: bool = False
    has_automatic_shortlist: bool = False


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Rows as they are given to ``fit``, and whether they are those of training.

    Attributes
    ----------
    table
        The columns that the rows have, of those that the card was learned from.
    labels, weights
        As given; the weights without those of the classes, None where there are none.
    origin
        Whether the rows are those that the card was learned from.
    has_all
        Whether no column is missing.
    needs_weights
        The card was learned from weighted rows.
    fit
        The target and further arguments of ``fit`` that give these rows; the labels where there are none.
    """

    table: FeatureTable
    labels: NDArray[Any]
    weights: NDArray[np.float64] | None
    origin: RowOrigin
    has_all: bool
    needs_weights: bool = False
    fit: Mapping[str, Any] = field(default_factory=dict)

    @property
    def why_not_training(self) -> str:
        """Why these are not known to be all training rows with all columns; empty where they are."""
        if self.origin is RowOrigin.OTHER:
            return "these are not the rows that the card was learned from"
        if not self.has_all:
            return "columns of training are missing here"
        if self.origin is RowOrigin.TRAINING:
            return ""
        if self.needs_weights and self.weights is None:
            return "the card was learned from weighted rows, and the weights are not here"
        return "columns that the card does not use have other values here than in training"


def read_training_rows(
    card: RiskCard, X: Any, outcome: RawOutcome, weights: NDArray[np.float64] | None
) -> TrainingRows | str:
    """All columns of training that the rows have; a text says why they cannot be used."""
    names = column_names(X)
    wanted = list(card.feature_names)
    if names is not None and all(isinstance(name, str) for name in names):
        wanted = [name for name in wanted if name in names]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RiskcardWarning)
            columns = find_columns(X, card.feature_names, wanted)
            if isinstance(X, FeatureTable):
                features = {name: X.features[name] for name in wanted}
            else:
                read = read_features(columns)
                features = {
                    name: FeatureValues(read.values[:, f], read.levels[f])
                    for f, name in enumerate(read.names)
                }
    except RiskcardError as error:
        return str(error)
    labels = outcome.labels
    is_event = np.array(labels.astype(object) == card.classes[1], dtype=bool)
    origin = matches(card, features, is_event, weights, outcome.features)
    table = FeatureTable(features, len(labels))
    needs_weights = card.recipe is not None and card.recipe.is_weighted
    has_all = len(wanted) == len(card.feature_names)
    return TrainingRows(table, labels, weights, origin, has_all, needs_weights, outcome.fit)


def find_rival(card: RiskCard, rows: TrainingRows, prove: float | None = None) -> Rival:
    """Search within the kind of a card for another one.

    Parameters
    ----------
    card
        With a certificate.
    rows
        Those that it was learned from.
    prove
        Seconds for a proof; None searches without one.
    """
    certificate = card.certificate
    assert certificate is not None
    n_rows = len(rows.table) if rows.weights is None else int((rows.weights > 0).sum())
    model = _model_of_recipe(card, n_rows)
    is_of_recipe = model is not None
    why_not = "no bound is stated" if certificate.bound <= 0 else ""
    why_not = why_not or _obstacle(card, rows, is_of_recipe)
    if why_not:
        return Rival(why_not=why_not)
    if model is None:
        model = _model_of_certificate(card, certificate, n_rows)
    limit = SEARCH_SECONDS if prove is None else prove
    work: dict[str, Any] = {
        "certify": prove is not None,
        "time_limit": limit,
        "verbose": False,
        "n_jobs": None,
    }
    if card.kind is None:
        work["event"] = card.classes[1]
    model.set_params(**work)
    return _search(model, rows, is_of_recipe)


def _obstacle(card: RiskCard, rows: TrainingRows, is_of_recipe: bool) -> str:
    """Why no search within the kind of the card is possible; empty where one is."""
    certificate, recipe = card.certificate, card.recipe
    assert certificate is not None
    if certificate.max_terms == 0:
        return "the card may not have terms"
    if certificate.max_terms > MOST_PROVEN_TERMS:
        return f"riskcard proves nothing about more than {MOST_PROVEN_TERMS} terms"
    if is_of_recipe:
        assert recipe is not None
        if recipe.method == "improve":
            return "the card that was improved is not stored"
        if recipe.method == "fit_within_limits":
            return "the groups that its limits are about are not stored"
        return rows.why_not_training
    if certificate.rules or certificate.min_gain or not certificate.is_grid_full:
        return "without a recipe it is not known which cards are of this kind"
    return ""


def _model_of_recipe(card: RiskCard, n_rows: int) -> Any:
    """The classifier behind a card, with what "auto" became; None where it is not known.

    A shortlist is left to be found again: its length does not say how many conditions were asked for.
    """
    from riskcard.estimators.regularization import Regularization

    if card.recipe is None:
        return None
    try:
        model = _class_for(card).from_recipe(card.recipe)
        given = Regularization.of(model.regularization)
    except (RiskcardError, TypeError):  # the recipe of another method, or one that was edited
        return None
    resolved = card.recipe.resolved
    settled = {
        name: resolved[name]
        for name in ("grid", "pseudo_rows", "smooth_rows")
        if getattr(given, name, None) is not None and name in resolved
    }
    for name in settled.keys() & {"pseudo_rows", "smooth_rows"}:
        settled[name] = _pseudo_rows(settled[name], n_rows)
    model.set_params(regularization=replace(given, **settled))
    return model


def _pseudo_rows(number: float, n_rows: int) -> float | None:
    """A number of pseudo-observations as a parameter, which is a share of the rows if it is below 1."""
    return (number if number >= 1 else number / n_rows) or None


def _model_of_certificate(card: RiskCard, certificate: Certificate, n_rows: int) -> Any:
    """A classifier for the kind of cards that a certificate without rules is about."""
    from riskcard.estimators.regularization import Regularization

    is_given, weights = not isinstance(certificate.scale, str), certificate.class_weights
    own: dict[str, Any] = {"max_log_ratio": certificate.max_log_odds}
    if isinstance(card.kind, Numbers):
        most = certificate.max_log_odds * card.kind.deviation
        own = {"loss": "squared_error", "max_change": most}
    if isinstance(card.kind, TimeToEvent) and card.kind.competing is not None:
        own["event_of_interest"] = event_code(card.recipe)
    if card.kind is None:
        factors = None if weights is None else (weights.no_event, weights.event)
        own = {
            "scale": certificate.scale,
            "max_log_odds": None if is_given else certificate.max_log_odds,
            "class_weight": factors and dict(zip(card.classes, factors, strict=True)),
        }
    return _class_for(card)(
        certificate.max_terms,
        max_features=certificate.max_features or None,
        max_cuts_per_feature=certificate.max_cuts_per_feature or None,
        max_points=certificate.max_points,
        regularization=Regularization.only(
            pseudo_rows=_pseudo_rows(certificate.pseudo_rows, n_rows),
            smooth_rows=_pseudo_rows(certificate.smooth_rows, n_rows),
            min_line_rows=certificate.min_line_rows if certificate.min_line_rows > 1 else None,
        ),
        **own,
    )


def _class_for(card: RiskCard) -> Any:
    """The estimator that learns cards of a kind."""
    from riskcard.estimators.other_outcomes.of_kind import estimator_of

    return estimator_of(card)


def _search(model: Any, rows: TrainingRows, is_of_recipe: bool) -> Rival:
    begun = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(
                rows.table, **(dict(rows.fit) or {"y": rows.labels}), sample_weight=rows.weights
            )
    except RiskcardError as error:
        return Rival(why_not=f"riskcard cannot search there: {error}")
    is_automatic = getattr(model.regularization, "shortlist", None) == "auto"
    return Rival(model.card_, "", time.perf_counter() - begun, is_of_recipe, is_automatic)
