"""Everything that a report says, as numbers and strings, before anything is drawn."""

from dataclasses import dataclass

from riskcard.audit.findings import AuditReport
from riskcard.data.files.file_facts import FileFacts
from riskcard.evaluation.comparison import Comparison
from riskcard.evaluation.development.instability import Instability
from riskcard.evaluation.development.sample_size import SampleSize
from riskcard.evaluation.distribution import Distribution
from riskcard.evaluation.summary import Evaluation
from riskcard.model.card import RiskCard
from riskcard.model.origin.proof_record import ProofRecord
from riskcard.model.totals import TotalCount
from riskcard.report.row_mode import RowMode
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
    conditions: int  # from which a card can choose


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
        The held-out rows, each with the risks from the folds that held it out.
    size
        The number of its parts, in words.
    against_card
        Its figures less those of the card, on the same held-out rows; None for the card itself.
    """

    name: str
    description: str
    evaluation: Evaluation
    size: str = ""
    against_card: Comparison | None = None


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """A site, judged by a card of all others.

    Attributes
    ----------
    name
        The site.
    rows, events
        Counts.
    evaluation
        The figures; None where all its rows are of one class.
    """

    name: str
    rows: int
    events: int
    evaluation: Evaluation | None


@dataclass(frozen=True, slots=True)
class ValidationFacts:
    """Methods on the same folds, the card first.

    Attributes
    ----------
    folds, repeats
        Number of folds, and how often they were drawn.
    methods
        The card's own procedure, then others.
    sites
        Where sites were held out in place of folds: each of them.
    """

    folds: int
    repeats: int
    methods: tuple[MethodFacts, ...]
    sites: tuple[SiteFacts, ...] = ()


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
class ProofFacts:
    """A proof file that goes with a report.

    Attributes
    ----------
    record
        The file, and the checker that accepted it with these rows while the report was made.
    content
        Its bytes.
    checker
        The checker that looked at it; empty where none did.
    refused
        Why that checker refused it; empty where it did not.
    target, weights
        The columns of the rows with the outcome and with the weights; an empty text for none.
    """

    record: ProofRecord
    content: bytes
    checker: str = ""
    refused: str = ""
    target: str = ""
    weights: str = ""


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """All facts.

    Attributes
    ----------
    card
        The card.
    mode
        What the rows are to the card: those of training, others, or unknown.
    audit
        What it claims, recomputed from the rows; None where the rows are others.
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
    instability
        How far the risks of the same rows differ between the cards of the resamples; None without them.
    sample_size
        The rows that Riley's criteria ask for; None where the rows are not those of training.
    notes
        What a reader should know: what was left out, and why.
    origin
        How the report came about.
    division
        What was held out: "folds", "groups", "sites" or "later rows".
    is_grouped
        Rows belong to groups, for which all intervals allow.
    proof
        The proof file; None where none was given.
    """

    card: RiskCard
    mode: RowMode
    audit: AuditReport | None
    distributions: tuple[Distribution, ...]
    rows: RowFacts
    test: RowFacts | None
    validation: ValidationFacts | None
    stability: CardStability | None
    instability: Instability | None
    sample_size: SampleSize | None
    notes: tuple[str, ...]
    origin: Origin
    division: str = "folds"
    is_grouped: bool = False
    proof: ProofFacts | None = None

    @property
    def is_training(self) -> bool:
        """The points of the card were learned from these rows."""
        return self.mode.is_training

    @property
    def events_per_condition(self) -> float:
        """Rows of the rarer outcome for each candidate condition."""
        data = self.rows.data
        return min(data.events, data.rows - data.events) / max(1, data.conditions)
