"""What is known about a card: the rows it was learned from, and what was proven about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from riskcard.checks import LOG_ODDS_LIMIT, finite_number, set_fields, set_numbers, whole_number
from riskcard.errors import ParameterError
from riskcard.model.totals import TotalCount
from riskcard.status import Status, relative_gap
from riskcard.version import __version__

if TYPE_CHECKING:
    from riskcard.model.origin.proof_record import ProofRecord

#: Whole numbers of a certificate that may be None.
_COUNTS = ("grid", "shortlist", "all_conditions")


@dataclass(frozen=True, slots=True)
class TrainingFacts:
    """The rows that a card was learned from.

    Attributes
    ----------
    rows
        Number of rows.
    events
        Number of rows with the event.
    weight
        Sum of the row weights; equal to ``rows`` when there were none.
    event_weight
        Sum of the weights of the rows with the event.
    totals
        How many rows had each total (or band of totals), without totals that no row had; empty when
        that is not known.
    is_weighted
        Some rows had a ``sample_weight`` other than 1. Class weights do not count as row weights.
    points_rows, points_events
        Rows and events that the points were learned from, where the scale was fitted to the other
        rows above; None where both are from the same rows, 0 where the card does not know.
    """

    rows: int
    events: int
    weight: float
    event_weight: float
    totals: tuple[TotalCount, ...] = ()
    is_weighted: bool = False
    points_rows: int | None = None
    points_events: int | None = None

    def __post_init__(self) -> None:
        set_numbers(self, whole_number, "rows", "events")
        if self.points_rows is not None or self.points_events is not None:
            set_numbers(self, whole_number, "points_rows", "points_events")
        set_numbers(self, finite_number, "weight", "event_weight")
        set_fields(self, totals=tuple(self.totals), is_weighted=bool(self.is_weighted))
        is_plain = self.weight == self.rows and self.event_weight == self.events
        if not self.is_weighted and not is_plain:
            raise ParameterError(
                f"{self.rows} rows without weights have the weight {self.weight:g}, and {self.events} "
                f"events have {self.event_weight:g}. Give the counts, or say is_weighted=True."
            )

    @property
    def is_recalibrated(self) -> bool:
        """The scale was fitted to these rows, and the points were learned from others."""
        return self.points_rows is not None


@dataclass(frozen=True, slots=True)
class ClassWeights:
    """The class weights that the points of a card were chosen with, and its scale under them.

    The scale that the card itself has is fitted without class weights, so that its risks are those
    of the rows as they are. Loss and bound of the certificate are about this one.

    Attributes
    ----------
    no_event, event
        The factors by which rows without and with the event count.
    multiplier, offset
        From total to log-odds.
    """

    no_event: float
    event: float
    multiplier: float
    offset: float

    def __post_init__(self) -> None:
        set_numbers(self, finite_number, "no_event", "event", "multiplier", "offset")
        for name in ("no_event", "event", "multiplier"):
            if getattr(self, name) <= 0:
                raise ParameterError(
                    f"{name} of the class weights is {getattr(self, name)}. Use a positive number."
                )


@dataclass(frozen=True, slots=True)
class Certificate:
    """The problem that was solved, the loss reached and the bound proven.

    Attributes
    ----------
    loss
        Sum of the log-losses of the card on its training rows, times their weights, and on
        ``pseudo_rows``; with ``class_weights``, of the class-weighted rows at the scale stored there.
    bound
        No card of the problem has a lower loss, or, with ``min_gain``, a lower loss plus
        ``min_gain`` for each of its terms; 0 when nothing was proven.
    status
        Why the solver stopped.
    max_terms, max_features, max_cuts_per_feature, max_points, scale
        The problem's parameters; ``scale`` is "calibrated", "multiplier" or the multiplier.
    is_grid_full
        Every gap between neighbouring data values was a candidate cut.
    grid
        Candidate cuts per feature, at quantiles of the rows, in which both outcomes count the same;
        None where there was no such limit.
    shortlist
        Number of preselected conditions to choose from; None where all conditions were candidates.
    all_conditions
        Number of conditions that those of the shortlist were preselected from; None without one.
    nodes, seconds
        The work done.
    version
        The version of riskcard that solved it.
    notes
        Sentences that a reader should know, such as what a rounder cut cost.
    rules
        Sentences on the rules that every card of the kind keeps, such as "age: rises".
    pseudo_rows
        Number of pseudo-observations with the overall event rate, spread over the training rows,
        which loss and bound include. Each weighs as much as an average row.
    smooth_rows
        The same for those with the risks of a smooth regression on all features.
    max_log_odds
        With a free scale: the most by which a term may change the log-odds.
    min_gain, charged_terms
        What each term of a card is charged in addition to its loss, and the terms of this card;
        both are 0 without ``CardRules(min_gain=...)``.
    class_weights
        Those of ``class_weight``; None where there were none.
    min_line_rows
        Missing values, special codes and levels with fewer rows counted as a typical value.
    proof
        The proof file; None where none goes with the card.
    """

    loss: float
    bound: float
    status: Status
    max_terms: int
    max_features: int
    max_cuts_per_feature: int
    max_points: int
    scale: float | str
    is_grid_full: bool = True
    grid: int | None = None
    shortlist: int | None = None
    all_conditions: int | None = None
    nodes: int = 0
    seconds: float = 0.0
    version: str = __version__
    notes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    pseudo_rows: float = 0.0
    smooth_rows: float = 0.0
    max_log_odds: float = LOG_ODDS_LIMIT
    min_gain: float = 0.0
    charged_terms: int = 0
    class_weights: ClassWeights | None = None
    min_line_rows: int = 1
    proof: ProofRecord | None = None

    def __post_init__(self) -> None:
        sizes = ("max_terms", "max_features", "max_cuts_per_feature", "max_points")
        set_numbers(self, whole_number, *sizes, "nodes", "charged_terms", "min_line_rows")
        given = [name for name in _COUNTS if getattr(self, name) is not None]
        set_numbers(self, whole_number, *given)
        set_numbers(self, finite_number, "loss", "bound", "min_gain", "seconds", "max_log_odds")
        set_numbers(self, finite_number, "pseudo_rows", "smooth_rows")
        for name in ("pseudo_rows", "smooth_rows"):
            if getattr(self, name) < 0:
                number = getattr(self, name)
                raise ParameterError(f"{name} is {number}. Use a number of at least 0.")
        self._check_shortlist()
        if not 0 < self.max_log_odds <= LOG_ODDS_LIMIT:
            raise ParameterError(
                f"max_log_odds is {self.max_log_odds}. Use a number above 0, at most {LOG_ODDS_LIMIT:g}."
            )
        if self.scale not in ("calibrated", "multiplier"):
            set_numbers(self, finite_number, "scale")
            if self.max_log_odds != LOG_ODDS_LIMIT:
                raise ParameterError(
                    f"scale is {self.scale} and max_log_odds is {self.max_log_odds}. With a given "
                    "multiplier there is no limit on log-odds: leave max_log_odds out."
                )
        try:
            set_fields(self, status=Status(self.status))
        except ValueError:
            words = ", ".join(repr(str(status)) for status in Status)
            raise ParameterError(f"status is {self.status!r}. Use one of {words}.") from None
        set_fields(
            self,
            is_grid_full=bool(self.is_grid_full),
            version=str(self.version),
            notes=tuple(map(str, self.notes)),
            rules=tuple(map(str, self.rules)),
        )

    def _check_shortlist(self) -> None:
        """Refuse a shortlist of more conditions than there were, or from nobody knows how many."""
        some, every = self.shortlist, self.all_conditions
        is_known = (some is None) == (every is None)
        if not is_known or (some is not None and every is not None and some > every):
            raise ParameterError(
                f"shortlist is {some} and all_conditions is {every}. Give both, the second not below the "
                "first, or neither."
            )

    @property
    def objective(self) -> float:
        """What was minimised: the loss, plus what the terms of the card are charged."""
        return self.loss + self.min_gain * self.charged_terms

    @property
    def objective_name(self) -> str:
        """What was minimised, in words, and what the bound is about."""
        return "loss" if self.min_gain == 0 else f"loss plus {self.min_gain:.6g} per term"

    @property
    def gap(self) -> float:
        """Relative gap between objective and bound, in [0, 1]."""
        return relative_gap(self.objective, self.bound)

    @property
    def is_regularised(self) -> bool:
        """The problem was not just the lowest loss on the training rows."""
        has_fewer = self.grid is not None or self.shortlist is not None
        return has_fewer or self.all_pseudo_rows > 0

    @property
    def all_pseudo_rows(self) -> float:
        """The number of pseudo-observations of both kinds."""
        return self.pseudo_rows + self.smooth_rows

    def _repr_html_(self) -> str:
        from riskcard.card.certificate_html import certificate_as_html

        return certificate_as_html(self)

    def with_note(self, note: str) -> Certificate:
        """The same certificate with one more sentence."""
        return replace(self, notes=(*self.notes, note))
