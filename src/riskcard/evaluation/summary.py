"""All figures about the risks of some rows, together."""

from dataclasses import dataclass

import numpy as np
from scipy.special import entr

from riskcard.evaluation.calibration import (
    Calibration,
    RiskBin,
    calibration_bins,
    calibration_of,
    end_of_scale,
    risk_histogram,
)
from riskcard.evaluation.decision import DecisionCurve, decision_curve
from riskcard.evaluation.discrimination import RocCurve, roc_curve
from riskcard.evaluation.intervals import Interval
from riskcard.evaluation.linearisation import Linearised, linearise, mean_of
from riskcard.evaluation.measures import Floats, brier_score, mean_log_loss
from riskcard.evaluation.outcomes import Outcomes


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is known about the risks of some rows.

    Attributes
    ----------
    rows, events
        The number of rows, and of rows with the event.
    base_rate
        Share with the event, by weight.
    log_loss
        Mean of ``-log(risk given to what happened)``.
    brier
        Mean squared difference between the risk and the outcome (0 or 1).
    log_loss_interval, brier_interval, scaled_brier_interval
        95 % intervals; None where there is none.
    roc, calibration, bins, decision
        The curves and their figures.
    histogram
        Weights of the rows with and without the event in bars of risk, up to the end of the scale
        on which the bins are drawn.
    """

    rows: int
    events: int
    base_rate: float
    log_loss: float
    brier: float
    log_loss_interval: Interval | None
    brier_interval: Interval | None
    scaled_brier_interval: Interval | None
    roc: RocCurve
    calibration: Calibration
    bins: tuple[RiskBin, ...]
    histogram: tuple[Floats, Floats]
    decision: DecisionCurve

    @property
    def base_rate_loss(self) -> float:
        """The mean log-loss of giving everyone the base rate."""
        return float(entr(self.base_rate) + entr(1 - self.base_rate))

    @property
    def scaled_brier(self) -> float:
        """How far the Brier score is below that of the base rate, as a share of it: 1 is perfect."""
        return 1 - self.brier / (self.base_rate * (1 - self.base_rate))


def evaluate(outcomes: Outcomes, n_bins: int = 10) -> Evaluation:
    """Compute everything.

    Examples
    --------
    >>> from riskcard.evaluation.outcomes import read_outcomes
    >>> evaluate(read_outcomes([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1])).roc.area
    0.875
    """
    bins = calibration_bins(outcomes, n_bins)
    loss, brier = loss_linearised(outcomes), brier_linearised(outcomes)
    return Evaluation(
        rows=outcomes.count(),
        events=outcomes.count(outcomes.is_event),
        base_rate=outcomes.base_rate,
        log_loss=mean_log_loss(outcomes.tally(outcomes.log_odds)),
        brier=brier_score(outcomes.tally()),
        log_loss_interval=loss.interval(),
        brier_interval=brier.interval(),
        scaled_brier_interval=scaled_brier_linearised(outcomes).interval(),
        roc=roc_curve(outcomes),
        calibration=calibration_of(outcomes),
        bins=bins,
        histogram=risk_histogram(outcomes, end_of_scale(bins)),
        decision=decision_curve(outcomes),
    )


def loss_linearised(outcomes: Outcomes) -> Linearised:
    """The mean log-loss."""
    signs = np.where(outcomes.is_event, -1.0, 1.0)
    return mean_of(outcomes, np.logaddexp(0, signs * outcomes.log_odds))


def brier_linearised(outcomes: Outcomes) -> Linearised:
    """The Brier score."""
    return mean_of(outcomes, (outcomes.is_event - outcomes.risks) ** 2)


def scaled_brier_linearised(outcomes: Outcomes) -> Linearised:
    """One minus the Brier score divided by that of the base rate, which is estimated too."""
    rate, squares = outcomes.base_rate, (outcomes.is_event - outcomes.risks) ** 2
    shares, plain = outcomes.weights / outcomes.weights.sum(), rate * (1 - rate)
    ratio = float(shares @ squares) / plain
    moves = shares * (squares - ratio * plain - ratio * (1 - 2 * rate) * (outcomes.is_event - rate))
    return linearise(outcomes, 1 - ratio, -moves / plain)
