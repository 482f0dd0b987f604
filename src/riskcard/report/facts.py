"""Everything that a report says, as numbers and strings, before anything is drawn."""

from dataclasses import dataclass

import numpy as np

from riskcard.audit.findings import AuditReport
from riskcard.evaluation.distribution import Distribution
from riskcard.evaluation.summary import Evaluation
from riskcard.model.card import RiskCard
from riskcard.model.totals import TotalCount
from riskcard.stability.result import CardStability


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """One candidate feature of the table.

    Attributes
    ----------
    name
        The column.
    kind
        "number", "category", "ordered category" or "boolean".
    is_on_card
        The card uses it.
    missing
        Rows without a value.
    summary
        Where its values lie, in words: quartiles, or the most common levels.
    with_event, without_event
        The same for the rows with and without the event.
    """

    name: str
    kind: str
    is_on_card: bool
    missing: int
    summary: str
    with_event: str
    without_event: str


@dataclass(frozen=True, slots=True)
class DataFacts:
    """A table: how many rows, how many events, and its columns."""

    rows: int
    events: int
    base_rate: float
    is_weighted: bool
    columns: tuple[ColumnFacts, ...]
    complete_rows: int  # without any missing value


@dataclass(frozen=True, slots=True)
class RowFacts:
    """A card on some rows.

    Attributes
    ----------
    name
        Which rows these are, in a few words.
    data
        The table.
    evaluation
        The figures about its risks.
    totals
        Rows and events of each total, or band of totals.
    guesses
        Sentences on values that the card had no points for.
    """

    name: str
    data: DataFacts
    evaluation: Evaluation
    totals: tuple[TotalCount, ...]
    guesses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MethodFacts:
    """One method of learning, on held-out rows.

    Attributes
    ----------
    name, description
        What it is, and how it was set up.
    evaluation
        All rows, each with the risk from the fold that held it out.
    fold_areas, fold_losses
        AUC and mean log-loss of each fold.
    size
        The number of its parts, in words.
    """

    name: str
    description: str
    evaluation: Evaluation
    fold_areas: tuple[float, ...]
    fold_losses: tuple[float, ...]
    size: str = ""

    @property
    def mean_area(self) -> float:
        """Mean AUC over the folds."""
        return float(np.mean(self.fold_areas))

    @property
    def mean_loss(self) -> float:
        """Mean log-loss over the folds."""
        return float(np.mean(self.fold_losses))


@dataclass(frozen=True, slots=True)
class ValidationFacts:
    """Methods on the same folds, the card first.

    Attributes
    ----------
    folds
        Number of folds.
    methods
        The card's own procedure, then others.
    is_refitted
        The card was refitted in every fold; if not, the first method is the card unchanged.
    """

    folds: int
    methods: tuple[MethodFacts, ...]
    is_refitted: bool


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file that was read: what for, its name, its bytes and their SHA-256."""

    role: str
    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Origin:
    """How the report came about.

    Attributes
    ----------
    made
        When.
    files
        What was read.
    options
        Names and values, as texts.
    refit
        The parameters with which the card was refitted.
    versions
        Of the programs.
    seconds
        How long the work took.
    """

    made: str
    files: tuple[FileFacts, ...]
    options: tuple[tuple[str, str], ...]
    refit: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """All facts.

    Attributes
    ----------
    card
        The card.
    audit
        What it claims, recomputed from the rows.
    is_training
        The rows are those that the card was learned from: the loss is the one it claims.
    distributions
        The values of each feature of the card.
    rows
        The card on these rows.
    test
        The card on other rows; None when there are none.
    validation
        Cross-validation; None when it was not requested or not possible.
    stability
        The bootstrap; None when it was not requested or not possible.
    notes
        What a reader should know: what was left out, and why.
    origin
        How the report came about.
    """

    card: RiskCard
    audit: AuditReport
    is_training: bool
    distributions: tuple[Distribution, ...]
    rows: RowFacts
    test: RowFacts | None
    validation: ValidationFacts | None
    stability: CardStability | None
    notes: tuple[str, ...]
    origin: Origin
