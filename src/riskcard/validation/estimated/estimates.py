"""A card of counts, numbers or ordered levels on rows that it was not learned from: facts, text, a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from riskcard.arrays import Floats
from riskcard.errors import DataError, ParameterError
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.linearisation import linearise
from riskcard.evaluation.other_outcomes.counts import CountFigures, count_figures, row_deviances
from riskcard.evaluation.other_outcomes.estimates import (
    LevelFigures,
    NumberFigures,
    level_figures,
    level_losses,
    number_figures,
)
from riskcard.evaluation.other_outcomes.row_units import RowUnits, read_units
from riskcard.formatting.pages.document import Document
from riskcard.formatting.plain_values import as_plain
from riskcard.model.card import RiskCard
from riskcard.model.outcome_kinds import Counts, Numbers, OrderedLevels, OutcomeKind
from riskcard.outcomes.levels import level_order, read_levels
from riskcard.outcomes.targets import read_counts, read_exposure, read_squarable

#: Groups of rows of similar estimates.
N_GROUPS = 5


@dataclass(frozen=True, slots=True)
class ComparedLoss:
    """The card against another one: the mean deviance of counts, squared error of numbers or log-loss of levels.

    Attributes
    ----------
    name
        Of the other one.
    own, other
        Mean losses per row.
    difference
        The first less the second, with a paired 95 % interval: below 0 the card is better.
    """

    name: str
    own: float
    other: float
    difference: Figure


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
    against
        Comparisons with other cards.
    is_weighted
        Whether rows have weights.
    clusters
        How many groups of rows that belong together there are; 0 where rows are independent.
    """

    title: str
    rows: int
    unit: str
    decimals: int
    figures: CountFigures | NumberFigures | LevelFigures
    against: tuple[ComparedLoss, ...] = ()
    is_weighted: bool = False
    clusters: int = 0

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


def validate_estimates(
    card: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    exposure: Any = None,
    groups: Any = None,
    against: Mapping[str, Any] | None = None,
) -> EstimateValidation:
    """Judge a card of counts, numbers or ordered levels on rows that it was not learned from.

    Parameters
    ----------
    card
        Such a card, or the fitted estimator.
    X
        Rows by features.
    y
        Counts, numbers, or levels as the card names them.
    sample_weight
        One positive weight per row.
    exposure
        Of counts: what the events of each row were counted in; None for 1.
    groups
        One label per row; rows with the same one belong together, such as the visits of a patient, and intervals
        allow for it.
    against
        Other cards of the same kind of outcome to compare with on the same rows, by name.

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
    units = read_units(sample_weight, groups, linear.size)
    observed = _read(card, kind, y, exposure, linear.size)
    losses = _losses(kind, linear, observed)
    return EstimateValidation(
        card.title,
        linear.size,
        *unit_and_decimals(kind),
        _figures(kind, linear, observed, units),
        against=tuple(
            _compare(name, one, (card, X), (losses, observed), units)
            for name, one in (against or {}).items()
        ),
        is_weighted=bool((units.weights != units.weights[0]).any()),
        clusters=0 if units.clusters is None else int(units.clusters.max()) + 1,
    )


#: Counts with their exposure, numbers, or places of levels.
_Observed = tuple[Any, ...]


def _read(
    card: RiskCard, kind: Counts | Numbers | OrderedLevels, y: Any, exposure: Any, n_rows: int
) -> _Observed:
    if isinstance(kind, Counts):
        return read_counts(y, n_rows), read_exposure(exposure, n_rows)
    if isinstance(kind, Numbers):
        return (read_squarable(y, n_rows),)
    order = None if card.recipe is None else card.recipe.parameters.get("levels")
    return (read_levels(y, n_rows, level_order(y, kind.levels, order)).codes,)


def _figures(
    kind: Counts | Numbers | OrderedLevels, linear: Floats, observed: _Observed, units: RowUnits
) -> CountFigures | NumberFigures | LevelFigures:
    if isinstance(kind, Counts):
        counts, exposed = observed
        return count_figures(linear, counts, exposed, N_GROUPS, units)
    if isinstance(kind, Numbers):
        return number_figures(linear, observed[0], N_GROUPS, units)
    words = words_of_levels(kind)
    return level_figures(kind.at_least(linear), observed[0], words, N_GROUPS, units)


def _losses(kind: Counts | Numbers | OrderedLevels, linear: Floats, observed: _Observed) -> Floats:
    """What each row adds to what is compared: its deviance, squared error or log-loss."""
    if isinstance(kind, Counts):
        counts, exposed = observed
        return row_deviances(counts, exposed * np.exp(linear))
    if isinstance(kind, Numbers):
        squares: Floats = (observed[0] - linear) ** 2
        return squares
    return level_losses(kind.at_least(linear), observed[0])


def _compare(
    name: str,
    given: Any,
    own: tuple[RiskCard, Any],
    known: tuple[Floats, _Observed],
    units: RowUnits,
) -> ComparedLoss:
    """The mean loss of the card less that of another one, on the same rows."""
    (card, X), (losses, observed) = own, known
    if isinstance(given, tuple):  # with rows of its own, as a file has them
        given, X = given
    other = getattr(given, "card_", given)
    kind = other.kind if isinstance(other, RiskCard) else None
    if (
        not isinstance(kind, Counts | Numbers | OrderedLevels)
        or type(kind) is not type(card.kind)
        or getattr(kind, "levels", None) != getattr(card.kind, "levels", None)
    ):
        raise ParameterError(
            f"{name!r} is no card of the same kind of outcome, with the same levels if it has any. Compare with one "
            "that is."
        )
    linear = np.asarray(other.linear_of_total(other.total_points(X)), dtype=np.float64)
    theirs, shares = _losses(kind, linear, observed), units.weights / units.weights.sum()
    value = float(shares @ (losses - theirs))
    found = linearise(units, value, shares * (losses - theirs - value))
    return ComparedLoss(name, float(shares @ losses), float(shares @ theirs), found.figure())


def words_of_levels(kind: OrderedLevels) -> list[str]:
    """What each level but the lowest is called, as one or a higher one."""
    return [one.heading for one in kind.figures(0.0)]


def unit_and_decimals(kind: OutcomeKind) -> tuple[str, int]:
    """What a rate is per, where the card gives one; and the decimals of numbers."""
    unit = kind.unit if isinstance(kind, Counts) else ""
    return unit, (kind.figures(0.0)[0].decimals or 0) if isinstance(kind, Numbers) else 0
