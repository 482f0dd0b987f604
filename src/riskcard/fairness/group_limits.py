"""How far a card may treat groups of rows differently: measures by group, and limits on differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

import numpy as np

from riskcard.arrays import Booleans, Floats
from riskcard.checks import finite_number, set_numbers
from riskcard.errors import DataError, ParameterError
from riskcard.fairness.groups import Groups


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """Rows with the log-odds that a card gives them.

    Attributes
    ----------
    log_odds
        One per row.
    is_event
        Whether the row had the event.
    weights
        Row weights.
    groups
        The group of each row.
    threshold
        Rows with at least this risk are flagged; None where no measure needs it.
    """

    log_odds: Floats
    is_event: Booleans
    weights: Floats
    groups: Groups
    threshold: float | None = None

    @property
    def risks(self) -> Floats:
        """The log-odds as risks."""
        return 1 / (1 + np.exp(-self.log_odds))

    @property
    def is_flagged(self) -> Booleans:
        """Whether the risk reaches the threshold."""
        assert self.threshold is not None
        # at the threshold itself the last bit of a risk must not decide
        least = np.log(self.threshold) - np.log1p(-self.threshold) - 1e-12
        flagged: Booleans = self.log_odds >= least
        return flagged

    def mean_by_group(self, values: Floats, among: Booleans | None = None) -> Floats:
        """Weighted mean of some values in each group, among some of the rows."""
        weights = self.weights if among is None else self.weights * among
        codes, number = self.groups.codes, len(self.groups.names)
        sums = np.bincount(codes, weights, minlength=number)
        return np.bincount(codes, weights * values, minlength=number) / sums


#: What is compared between groups: one figure per group.
MEASURES: Mapping[str, Callable[[ScoredRows], Floats]] = {
    "mean_log_odds": lambda rows: rows.mean_by_group(rows.log_odds),
    "mean_risk": lambda rows: rows.mean_by_group(rows.risks),
    "flagged": lambda rows: rows.mean_by_group(rows.is_flagged.astype(float)),
    "false_positive_rate": lambda rows: rows.mean_by_group(
        rows.is_flagged.astype(float), ~rows.is_event
    ),
    "false_negative_rate": lambda rows: rows.mean_by_group(
        (~rows.is_flagged).astype(float), rows.is_event
    ),
}
#: Those that need a threshold, and the rows among which errors are counted.
AT_THRESHOLD = ("flagged", "false_positive_rate", "false_negative_rate")
_IN_WORDS = {
    "mean_log_odds": "mean log-odds",
    "mean_risk": "mean risk",
    "flagged": "share flagged",
    "false_positive_rate": "false positive rate",
    "false_negative_rate": "false negative rate",
}


@dataclass(frozen=True, slots=True)
class GroupLimits:
    """The largest differences between groups that a card may have on its training rows.

    The difference is that between the group with the highest and the group with the lowest figure.
    None means no limit.

    Attributes
    ----------
    mean_log_odds
        Of the mean score, as log-odds. Bounds that are proven take this limit into account.
    mean_risk
        Of the mean risk, from 0 to 1.
    flagged
        Of the share of rows whose risk is at least ``threshold``.
    false_positive_rate
        Of the share flagged among rows without the event.
    false_negative_rate
        Of the share not flagged among rows with the event.
    threshold
        The risk from which a row is flagged.

    Examples
    --------
    >>> GroupLimits(mean_risk=0.05).given
    {'mean_risk': 0.05}
    """

    mean_log_odds: float | None = None
    mean_risk: float | None = None
    flagged: float | None = None
    false_positive_rate: float | None = None
    false_negative_rate: float | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        named = [one.name for one in fields(self) if getattr(self, one.name) is not None]
        set_numbers(self, finite_number, *named)
        for name, limit in self.given.items():
            if limit < 0:
                raise ParameterError(f"The limit {name} is {limit}. Use a number of at least 0.")
        if self.threshold is not None and not 0 < self.threshold < 1:
            raise ParameterError(f"threshold is {self.threshold}. Use a risk between 0 and 1.")
        needing = [name for name in AT_THRESHOLD if getattr(self, name) is not None]
        if needing and self.threshold is None:
            raise ParameterError(
                f"The limit {needing[0]} needs a threshold: the risk from which a row is flagged."
            )
        if not self.given:
            raise ParameterError(f"No limit is given. Give one of {', '.join(MEASURES)}.")

    @property
    def given(self) -> dict[str, float]:
        """The limits that there are, by their measure."""
        return {name: getattr(self, name) for name in MEASURES if getattr(self, name) is not None}

    def in_words(self, column: str) -> list[str]:
        """The limits as rules that a card keeps.

        Examples
        --------
        >>> GroupLimits(flagged=0.1, threshold=0.5).in_words("sex")
        ["share flagged (risk at least 0.5) differs between groups of 'sex' by at most 0.1"]
        """
        return [
            f"{self.measure_in_words(name)} differs between groups of {column!r} by at most {limit:g}"
            for name, limit in self.given.items()
        ]

    def measure_in_words(self, name: str) -> str:
        """A measure, with the threshold that it is at."""
        at = f" (risk at least {self.threshold:g})" if name in AT_THRESHOLD else ""
        return _IN_WORDS[name] + at

    def differences(self, rows: ScoredRows) -> dict[str, float]:
        """The largest difference between groups, for each limited measure."""
        return {name: float(np.ptp(MEASURES[name](rows))) for name in self.given}

    def require_rows(self, is_event: Booleans, weights: Floats, groups: Groups) -> None:
        """Refuse groups that a limited measure says nothing about."""
        among = {"false_positive_rate": ~is_event, "false_negative_rate": is_event}
        for name in among.keys() & self.given.keys():
            counts = np.bincount(groups.codes, weights * among[name], minlength=len(groups.names))
            if (counts == 0).any():
                lacking = groups.names[int(np.argmin(counts))]
                which = "with" if name == "false_negative_rate" else "without"
                raise DataError(
                    f"Group {lacking!r} of {groups.column!r} has no rows {which} the event, so it has no "
                    f"{_IN_WORDS[name]}. Leave out this limit, or merge the group with another."
                )
