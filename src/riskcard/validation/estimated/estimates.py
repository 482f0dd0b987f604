"""A card of counts, numbers or ordered levels on rows that it was not learned from: facts, text, a page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from riskcard.errors import DataError, ParameterError
from riskcard.evaluation.other_outcomes.counts import CountFigures, count_figures
from riskcard.evaluation.other_outcomes.estimates import (
    LevelFigures,
    NumberFigures,
    level_figures,
    number_figures,
)
from riskcard.formatting.pages.document import Document
from riskcard.formatting.plain_values import as_plain
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import Counts, Numbers, OrderedLevels, OutcomeKind
from riskcard.outcomes.levels import level_order, read_levels
from riskcard.outcomes.targets import read_counts, read_exposure, read_squarable

#: Groups of rows of similar estimates.
N_GROUPS = 5


@dataclass(frozen=True, slots=True)
class EstimateValidation:
    """A card on other rows; ``print`` it.

    Attributes
    ----------
    title
        Of the card.
    rows
        Count.
    unit
        What a rate is per; empty where the card gives no rates.
    decimals
        Of numbers.
    figures
        Those of its kind of outcome.
    """

    title: str
    rows: int
    unit: str
    decimals: int
    figures: CountFigures | NumberFigures | LevelFigures

    def __str__(self) -> str:
        return self.document.to_text()

    def _repr_html_(self) -> str:
        return self.document.to_box()

    def to_html(self) -> str:
        """One page of HTML, with pictures where matplotlib is there."""
        from riskcard.validation.estimated.estimate_document import estimate_document

        return estimate_document(self, pictures=find_spec("matplotlib") is not None).to_page()

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values, ready for JSON; None for what is not known."""
        plain: dict[str, Any] = as_plain(asdict(self))
        return plain

    @property
    def document(self) -> Document:
        """The sentences and tables."""
        from riskcard.validation.estimated.estimate_document import estimate_document

        return estimate_document(self)


def validate_estimates(card: Any, X: Any, y: Any, *, exposure: Any = None) -> EstimateValidation:
    """Judge a card of counts, numbers or ordered levels on rows that it was not learned from.

    Parameters
    ----------
    card
        Such a card, or the fitted estimator.
    X
        Rows by features.
    y
        Counts, numbers, or levels as the card names them.
    exposure
        Of counts: what the events of each row were counted in; None for 1.

    Examples
    --------
    >>> from riskcard import RiskScoreRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y = 3.0 * (X[:, 0] > 0) + rng.normal(size=400)
    >>> model = RiskScoreRegressor(max_terms=1, loss="squared_error").fit(X[:200], y[:200])
    >>> found = validate_estimates(model, X[200:], y[200:])
    >>> round(found.figures.explained.value, 2)
    0.53
    """
    card = getattr(card, "card_", card)
    kind = card.kind if isinstance(card, RiskCard) else None
    if not isinstance(kind, Counts | Numbers | OrderedLevels):
        raise ParameterError(
            "A validation of estimates needs a card of counts, numbers or ordered levels. Use validate for "
            "outcomes of yes or no, and validate_survival for times."
        )
    if exposure is not None and not isinstance(kind, Counts):
        raise ParameterError("exposure is for cards of counts, and this is none. Leave it out.")
    linear = np.asarray(card.linear_of_total(card.total_points(X)), dtype=np.float64)
    if linear.size < 2:
        raise DataError("There is one row. Give at least 2.")
    figures: CountFigures | NumberFigures | LevelFigures
    if isinstance(kind, Counts):
        exposed = read_exposure(exposure, linear.size)
        figures = count_figures(linear, read_counts(y, linear.size), exposed, N_GROUPS)
    elif isinstance(kind, Numbers):
        figures = number_figures(linear, read_squarable(y, linear.size), N_GROUPS)
    else:
        order = None if card.recipe is None else card.recipe.parameters.get("levels")
        codes = read_levels(y, linear.size, level_order(y, kind.levels, order)).codes
        figures = level_figures(kind.at_least(linear), codes, words_of_levels(kind), N_GROUPS)
    return EstimateValidation(card.title, linear.size, *unit_and_decimals(kind), figures)


def words_of_levels(kind: OrderedLevels) -> list[str]:
    """What each level but the lowest is called, as one or a higher one."""
    return [one.heading for one in kind.figures(0.0)]


def unit_and_decimals(kind: OutcomeKind) -> tuple[str, int]:
    """What a rate is per, where the card gives one; and the decimals of numbers."""
    unit = kind.unit if isinstance(kind, Counts) else ""
    return unit, (kind.figures(0.0)[0].decimals or 0) if isinstance(kind, Numbers) else 0
