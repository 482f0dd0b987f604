"""Credit scaling: a card whose points double the odds at a fixed rate, and what rounding costs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riskcard.checks import finite_number
from riskcard.data.target import read_target, read_weights
from riskcard.errors import DataError, ParameterError
from riskcard.logistic import log_loss
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import CardFeature
from riskcard.model.totals import TotalCount, count_totals


class Losses(NamedTuple):
    """Sums of log-losses on some rows, of the card before and after it was scaled."""

    before: float
    after: float


@dataclass(frozen=True, slots=True)
class CreditScaling:
    """A card with credit points, and the card that it was made from.

    Attributes
    ----------
    card
        The scaled card. Its ``risk`` is that of the event, as on the first card; where a higher
        total is safer, its multiplier is negative.
    original
        The card that it was made from.
    points_to_double_odds, odds, at, higher_is_safer
        The scale.
    largest_error
        No row's log-odds were moved farther than this by rounding.
    """

    card: RiskCard
    original: RiskCard
    points_to_double_odds: float
    odds: float
    at: float
    higher_is_safer: bool
    largest_error: float

    def losses(self, X: Any, y: Any, sample_weight: Any = None) -> Losses:
        """What rounding costs on some rows.

        Parameters
        ----------
        X, y, sample_weight
            Rows, their labels (those of the original card) and weights.

        Returns
        -------
        Losses
            The loss of the original card and that of the scaled one.
        """
        totals = self.original.total_points(X)
        weights = read_weights(sample_weight, totals.size)
        signs = _signs(self.original, read_target(y, totals.size))
        return Losses(
            log_loss(self.original.log_odds_of_total(totals), signs, weights),
            log_loss(self.card.log_odds(X), signs, weights),
        )

    def counted(self, X: Any, y: Any, sample_weight: Any = None) -> RiskCard:
        """The scaled card with the rows and events of its own totals, for display and monitoring.

        Parameters
        ----------
        X, y, sample_weight
            The rows that the first card was learned from.

        Returns
        -------
        RiskCard
            The card as it is where the first card counted other rows, or none.
        """
        training = self.original.training
        totals = self.original.total_points(X)
        weights = read_weights(sample_weight, totals.size)
        is_event = _signs(self.original, read_target(y, totals.size)) > 0
        own = count_totals(totals, is_event, weights, self.original.reachable_totals())
        known = () if training is None else training.totals
        if training is None or not known or _counts(own) != _counts(known):
            return self.card
        new = self.card.total_points(X)
        counts = count_totals(new, is_event, weights, self.card.reachable_totals())
        return replace(self.card, training=replace(training, totals=counts))

    def __str__(self) -> str:
        side, better = ("against", "safer") if self.higher_is_safer else ("for", "riskier")
        return (
            f"{self.odds:g} to 1 {side} the event ({self.card.event}) at {self.at:g} points, and "
            f"twice these odds for every {self.points_to_double_odds:g} points more: a higher total is "
            f"{better}. Rounding moves no row's log-odds by more than {self.largest_error:.4f}."
        )


def to_credit_points(
    card: RiskCard,
    points_to_double_odds: float = 20,
    odds: float = 50,
    at: float = 600,
    higher_is_safer: bool = True,
) -> CreditScaling:
    """Scale a card so that a given number of points doubles the odds.

    Parameters
    ----------
    card
        Any card.
    points_to_double_odds
        How many more points double the odds.
    odds, at
        The odds at a total of ``at``: 50 is 50 to 1.
    higher_is_safer
        The odds are those against the event, as is usual in credit: a higher total is safer.
        Otherwise they are those of the event. The risk is that of the event either way.

    Returns
    -------
    CreditScaling
        The new card, with whole points from 0 in each feature, and what rounding costs. It has no
        certificate: what was proven was about the points of the first card.

    Examples
    --------
    >>> from riskcard import FeaturePoints
    >>> card = RiskCard([FeaturePoints("debts", [2], [0, 3])], multiplier=2.0, offset=-4.0)
    >>> scaled = to_credit_points(card)
    >>> scaled.card.features[0].points, scaled.card.base
    ((43, 0), 559)
    >>> print(scaled)
    50 to 1 against the event (class 1) at 600 points, and twice these odds for every 20 points more...
    """
    card.require_yes_or_no("Credit points")
    per_log_odds = _positive("points_to_double_odds", points_to_double_odds) / math.log(2)
    log_odds, at = math.log(_positive("odds", odds)), finite_number("at", at)
    sign = -1 if higher_is_safer else 1  # -1: the total rises as the log-odds of the event fall
    scaled = [_scaled(one, sign * per_log_odds / card.multiplier) for one in card.features]
    exact = at + per_log_odds * (sign * (card.base / card.multiplier + card.offset) - log_odds)
    exact += sum(one.lowest for one in scaled)
    base = _nearest(exact)
    errors = [
        sum(ends) + base - exact for ends in zip(*(one.errors for one in scaled), strict=True)
    ]
    return CreditScaling(
        card=replace(
            card,
            features=tuple(one.feature for one in scaled),
            base=base,
            multiplier=sign * per_log_odds,
            offset=sign * (log_odds - at / per_log_odds),
            # the totals have changed, and with them the rows of each
            training=None if card.training is None else replace(card.training, totals=()),
            certificate=None,
            recipe=None if card.recipe is None else replace(card.recipe, digest=""),
        ),
        original=card,
        points_to_double_odds=float(points_to_double_odds),
        odds=float(odds),
        at=at,
        higher_is_safer=higher_is_safer,
        largest_error=max(map(abs, errors or [base - exact])) / per_log_odds,
    )


def credit_card_as_json(card: RiskCard, **scale: Any) -> str:
    """The scaled card as JSON; parameters as for ``to_credit_points``."""
    return to_credit_points(card, **scale).card.to_json()


class _Scaled(NamedTuple):
    """A feature with scaled points from 0 up, what was subtracted, and the errors of rounding."""

    feature: CardFeature
    lowest: float
    errors: tuple[float, float]  # the least and the most


def _scaled(feature: CardFeature, factor: float) -> _Scaled:
    exact = {points: factor * points for points in feature.possible_points}
    lowest = min(exact.values())
    rounded = {points: _nearest(value - lowest) for points, value in exact.items()}
    errors = [rounded[points] - (value - lowest) for points, value in exact.items()]
    return _Scaled(_with_points(feature, rounded), lowest, (min(errors), max(errors)))


def _with_points(feature: CardFeature, worth: Mapping[int, int]) -> CardFeature:
    """The same feature with other points everywhere."""
    changes: dict[str, Any] = {
        "points": tuple(worth[one] for one in feature.points),
        "missing": None if feature.missing is None else worth[feature.missing],
    }
    if feature.codes:
        changes["codes"] = tuple((code, worth[one]) for code, one in feature.codes)
    return replace(feature, **changes)


def _signs(card: RiskCard, labels: NDArray[Any]) -> NDArray[np.int8]:
    is_event, is_other = labels == card.classes[1], labels == card.classes[0]
    if not np.all(is_event | is_other):
        row = int(np.flatnonzero(~(is_event | is_other))[0])
        raise DataError(
            f"The label of row {row} is {labels.tolist()[row]!r}, but the card is about "
            f"{list(card.classes)}. Give the labels of the card."
        )
    return np.where(is_event, np.int8(1), np.int8(-1))


def _counts(totals: tuple[TotalCount, ...]) -> list[tuple[int, int, int, int]]:
    return [(one.low, one.high, one.rows, one.events) for one in totals]


def _nearest(value: float) -> int:
    return math.floor(value + 0.5)


def _positive(name: str, value: Any) -> float:
    number = finite_number(name, value)
    if number <= 0:
        raise ParameterError(f"{name} is {number:g}. Use a positive number.")
    return number
