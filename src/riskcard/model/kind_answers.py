"""What a card gives where its outcome is not yes or no, and what it is then refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import ParameterError
from riskcard.model.outcome_kinds import (
    Numbers,
    OrderedLevels,
    TimeToEvent,
    is_plain_rate,
    relative,
    what_it_gives,
)

if TYPE_CHECKING:
    from riskcard.model.card import RiskCard


class KindAnswers:
    """The answers of a card by its ``kind``: relative hazards, risks by horizons, levels, expected numbers."""

    __slots__ = ()

    @property
    def _card(self) -> RiskCard:
        return cast("RiskCard", self)

    def require_yes_or_no(self, what: str) -> None:
        """Refuse what is made for outcomes of yes or no on a card of another kind.

        Parameters
        ----------
        what
            What was asked for, in the plural: the start of the error.
        """
        if self._card.kind is not None:
            page = "Numbers, ordered levels, competing events"
            if is_plain_rate(self._card.kind):
                page = "Times to an event, and counts"
            raise ParameterError(
                f"{what} are for outcomes of yes or no, but this card gives {what_it_gives(self._card.kind)}. "
                f"What such a card can do is listed in the documentation, on the page '{page}'."
            )

    def relative_of_total(self, total: Any) -> NDArray[np.float64]:
        """The relative hazard of a total, or the rate where the card is about counts."""
        if isinstance(self._card.kind, Numbers):
            raise ParameterError(
                "This card gives expected values: it has no hazards or rates. Use linear_of_total."
            )
        if self._card.kind is None:
            raise ParameterError(
                "The outcome of this card is yes or no: it has no hazards or rates. Use risk_of_total."
            )
        return relative(self._card.linear_of_total(total))

    def risk_by_of_total(self, total: Any, horizon: float) -> NDArray[np.float64]:
        """The risk by a horizon that belongs to a total.

        Parameters
        ----------
        total
            One total, or several.
        horizon
            A time within the follow-up of the training rows, whether it is on the card or not.
        """
        if not isinstance(self._card.kind, TimeToEvent):
            raise ParameterError(
                "This card is not about the time to an event: it has no risks by horizons. Use risk."
            )
        return self._card.kind.risk_by(horizon, self.relative_of_total(total))

    def relative(self, values: Any) -> NDArray[np.float64]:
        """The relative hazard of each row, or its rate where the card is about counts."""
        return self.relative_of_total(self._card.total_points(values))

    def expected(self, values: Any) -> NDArray[np.float64]:
        """The expected number of each row, of a card that gives one."""
        if not isinstance(self._card.kind, Numbers):
            raise ParameterError(
                "This card gives no expected values: its outcome is not a number. Use risk or relative."
            )
        return self._card.linear_of_total(self._card.total_points(values))

    def level_probabilities(self, values: Any) -> NDArray[np.float64]:
        """The probability of each level for each row, of a card of ordered levels: rows by levels."""
        if not isinstance(self._card.kind, OrderedLevels):
            raise ParameterError(
                "This card is not about ordered levels: it has no probabilities of them."
            )
        return self._card.kind.probabilities(
            self._card.linear_of_total(self._card.total_points(values))
        )

    def risk_by(self, values: Any, horizon: float) -> NDArray[np.float64]:
        """The risk of each row that the event has come by a horizon."""
        return self.risk_by_of_total(self._card.total_points(values), horizon)
