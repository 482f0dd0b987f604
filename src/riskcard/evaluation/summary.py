"""All figures about the risks of some rows, together."""

from dataclasses import dataclass

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
        Mean squared difference between risk and what happened (0 or 1).
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
    return Evaluation(
        rows=outcomes.risks.size,
        events=int(outcomes.is_event.sum()),
        base_rate=outcomes.base_rate,
        log_loss=mean_log_loss(outcomes.tally(outcomes.log_odds)),
        brier=brier_score(outcomes.tally()),
        roc=roc_curve(outcomes),
        calibration=calibration_of(outcomes),
        bins=bins,
        histogram=risk_histogram(outcomes, end_of_scale(bins)),
        decision=decision_curve(outcomes),
    )
