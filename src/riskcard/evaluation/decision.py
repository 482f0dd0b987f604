"""What acting on risks is worth: net benefit against the threshold at which one acts."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from riskcard.errors import ParameterError
from riskcard.evaluation.measures import Floats
from riskcard.evaluation.outcomes import Outcomes

#: From 1 % to 99 %.
THRESHOLDS: Floats = np.arange(1, 100) / 100


@dataclass(frozen=True, slots=True)
class DecisionCurve:
    """Net benefit per row, in true positives: a false positive costs ``threshold / (1 - threshold)``.

    Attributes
    ----------
    thresholds
        Risks from which one acts; between 0 and 1.
    net_benefit
        Of acting on rows whose risk is at least the threshold.
    act_on_all
        Of acting on every row; acting on none is worth 0.
    """

    thresholds: Floats
    net_benefit: Floats
    act_on_all: Floats

    @property
    def useful(self) -> tuple[float, float] | None:
        """The widest unbroken range of thresholds at which risks beat acting on all and on none."""
        better = self.net_benefit > np.maximum(self.act_on_all, 0.0) + 1e-12
        edges = np.flatnonzero(np.diff(np.concatenate([[False], better, [False]]).astype(int)))
        runs = edges.reshape(-1, 2)
        if not runs.size:
            return None
        first, end = runs[np.argmax(runs[:, 1] - runs[:, 0])]
        return float(self.thresholds[first]), float(self.thresholds[end - 1])


def decision_curve(outcomes: Outcomes, thresholds: Any = None) -> DecisionCurve:
    """Compute the net benefit of some rows.

    Parameters
    ----------
    outcomes
        The rows.
    thresholds
        Ascending, between 0 and 1; by default every whole per cent.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> rows = read_outcomes([0.1, 0.6, 0.7, 0.8], [0, 0, 1, 1])
    >>> decision_curve(rows, [0.5]).net_benefit.tolist()  # (2 true - 1 false positive) / 4
    [0.25]
    """
    at = np.asarray(THRESHOLDS if thresholds is None else thresholds, dtype=np.float64)
    if at.ndim != 1 or not at.size or not ((at > 0) & (at < 1)).all():
        raise ParameterError("Thresholds are risks between 0 and 1, without the ends.")
    odds = at / (1 - at)
    true, false = (
        _share_from(outcomes, some, at) for some in (outcomes.is_event, ~outcomes.is_event)
    )
    rate = outcomes.base_rate
    return DecisionCurve(at, true - false * odds, rate - (1 - rate) * odds)


def _share_from(outcomes: Outcomes, some: Any, thresholds: Floats) -> Floats:
    """Rows of one kind with a risk of at least each threshold, as a share of all rows."""
    order = np.argsort(outcomes.risks[some], kind="stable")
    ranked = outcomes.risks[some][order]
    from_here = np.concatenate([np.cumsum(outcomes.weights[some][order][::-1])[::-1], [0.0]])
    above = from_here[np.searchsorted(ranked, thresholds, side="left")]
    shares: Floats = above / outcomes.weights.sum()
    return shares
