"""Everything that a validation says, as numbers and texts, before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from riskcard.data.files.file_facts import FileFacts
from riskcard.evaluation.groups.fairness import Fairness
from riskcard.evaluation.groups.random_effects import SiteSummary
from riskcard.evaluation.groups.subgroups import GroupFigures
from riskcard.evaluation.intervals import Figure
from riskcard.evaluation.monitoring.card_drift import CardDrift
from riskcard.evaluation.monitoring.updating import ScaleUpdate
from riskcard.evaluation.smooth_calibration import SmoothCalibration
from riskcard.evaluation.summary import Evaluation
from riskcard.evaluation.thresholds import RiskGroup, Threshold
from riskcard.model.card import RiskCard
from riskcard.model.totals import TotalCount


class Rows(Enum):
    """Which rows a card is judged on."""

    HELD_OUT = "held out"
    OTHER = "other"
    UNKNOWN = "cannot tell"
    TRAINING = "training"


@dataclass(frozen=True, slots=True)
class RowFacts:
    """The rows.

    Attributes
    ----------
    origin
        Which rows they are.
    is_weighted
        Some have another weight than others.
    clusters
        Number of clusters; None where rows are independent.
    groups_column, sites_column
        What clusters and sites are called; empty without a name.
    left_out
        Rows that were not judged, such as the training rows in a file with held-out rows.
    is_scale_fitted
        The scale of the card was recalibrated on these rows, so they cannot judge its calibration.
    """

    origin: Rows
    is_weighted: bool
    clusters: int | None = None
    groups_column: str = ""
    sites_column: str = ""
    left_out: int = 0
    is_scale_fitted: bool = False

    @property
    def can_judge_risks(self) -> bool:
        """Neither points nor scale are from these rows, as far as is known."""
        return self.origin is not Rows.TRAINING and not self.is_scale_fitted


@dataclass(frozen=True, slots=True)
class ValueFacts:
    """Values of a feature that the training rows did not have.

    Attributes
    ----------
    feature
        Its name.
    missing
        Rows without a value, where the card has no points for that.
    unseen
        Rows with a level that training did not have.
    below, above
        Rows with a number below the lowest or above the highest in training.
    lowest, highest
        These two; None where the card does not know them.
    """

    feature: str
    missing: int
    unseen: int
    below: int
    above: int
    lowest: float | None
    highest: float | None

    @property
    def rows(self) -> int:
        """All rows with such a value."""
        return self.missing + self.unseen + self.below + self.above


@dataclass(frozen=True, slots=True)
class SubgroupFacts:
    """The groups that one column divides the rows into, each with its figures."""

    column: str
    groups: tuple[GroupFigures, ...]


@dataclass(frozen=True, slots=True)
class FairnessFacts:
    """Errors in the groups of one column, each compared with the reference group."""

    column: str
    found: Fairness


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """The figures of each site, and their random-effects summary."""

    column: str
    sites: tuple[GroupFigures, ...]
    summary: SiteSummary


@dataclass(frozen=True, slots=True)
class RivalFigure:
    """One figure of the card, of what it is compared with, and the paired difference of the two.

    The difference is None where it says nothing, as for slopes, of which the one nearer to 1 is better.
    """

    name: str
    own: Figure
    other: Figure
    difference: Figure | None


@dataclass(frozen=True, slots=True)
class RivalFacts:
    """What the card is compared with, on the same rows.

    Attributes
    ----------
    name
        Another card, or a column.
    kind
        "card", "risk" (a column of probabilities) or "score" (a column of any other numbers).
    rows, events
        Rows for which both have a value, and those of them with the event.
    figures
        AUC, and where both give risks also log-loss, Brier score, slope and expected / observed events.
    net_benefit
        The difference at each threshold that was asked for.
    is_reversed
        Higher scores go with fewer events, so the score was turned round.
    """

    name: str
    kind: str
    rows: int
    events: int
    figures: tuple[RivalFigure, ...]
    net_benefit: tuple[tuple[float, Figure], ...] = ()
    is_reversed: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """How the validation came about: when, from which files, with which options and versions."""

    made: str
    files: tuple[FileFacts, ...]
    options: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ValidationFacts:
    """All facts.

    Attributes
    ----------
    card
        The card, as it is.
    rows
        Which rows it is judged on.
    evaluation
        AUC, log-loss, Brier score, calibration and decision curve, with intervals.
    smooth
        The smooth calibration curve with its band, ICI, E50 and E90.
    totals
        Rows and events of each total, or band of totals.
    thresholds
        Acting from each total on: error rates, predictive values, likelihood ratios.
    risk_groups, groups_are_totals
        Groups that were asked for, by risk or by total; empty where none were.
    subgroups
        By column.
    fairness
        Error rates of these groups at the risks that were asked for; empty where none were.
    sites
        By site; None without sites.
    rivals
        Other cards and scores.
    values
        Values that training did not have, of each feature that has some.
    drift
        How far features and totals have moved from training; None where the card stores no counts.
    update
        What the rows say about the scale.
    notes
        What a reader should know.
    origin
        How it came about.
    """

    card: RiskCard
    rows: RowFacts
    evaluation: Evaluation
    smooth: SmoothCalibration
    totals: tuple[TotalCount, ...]
    thresholds: tuple[Threshold, ...]
    risk_groups: tuple[RiskGroup, ...]
    groups_are_totals: bool
    subgroups: tuple[SubgroupFacts, ...]
    fairness: tuple[FairnessFacts, ...]
    sites: SiteFacts | None
    rivals: tuple[RivalFacts, ...]
    values: tuple[ValueFacts, ...]
    drift: CardDrift | None
    update: ScaleUpdate
    notes: tuple[str, ...]
    origin: Origin
