"""From rows to the solver's answer: lay out the table, regularise, pose the problem, solve."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from riskcard.encoding.decode_solution import Layout, PrintedCuts
from riskcard.encoding.encode_card import points_of_numbers, terms_of_card
from riskcard.encoding.encode_rules import apply_rules
from riskcard.encoding.pseudo_rows import add_pseudo_rows
from riskcard.encoding.rank_table import rank_table
from riskcard.encoding.rare_values import tie_rare_values
from riskcard.estimators.advice import hints_on
from riskcard.estimators.base import notes_on, require_rows
from riskcard.estimators.fitted import Training
from riskcard.estimators.regularization import Regularization, keep_only
from riskcard.model.card import RiskCard
from riskcard.problem.merge_rows import merge_equal_rows
from riskcard.problem.objective import loss_of
from riskcard.problem.other_losses import as_yes_or_no
from riskcard.problem.problem import Problem, make_problem
from riskcard.problem.result import SolveResult
from riskcard.progress import ProgressDisplay
from riskcard.rules.card_rules import CardRules
from riskcard.rules.least_bins import LeastBins
from riskcard.search.drivers.round_cuts import round_cuts
from riskcard.search.drivers.solve_other_losses import solve_other_loss
from riskcard.search.empty_card import best_empty_card
from riskcard.search.interrupt import catch_interrupt
from riskcard.search.options import Options
from riskcard.search.posed import is_kept, keep_posed, kept_posed
from riskcard.search.shortlist import shortlist_for_proof
from riskcard.search.solve import has_too_many_conditions, solve
from riskcard.search.warmup import tell_of_compilation
from riskcard.status import Progress, Status
from riskcard.threads import one_blas_thread

#: The regressions before the search use one thread up to this many rows: the matrices of a small table take
#: less time than threads need to wait for each other.
MOST_ROWS_ALONE = 100_000
KEPT_CONDITIONS = "The conditions of the card it started from were candidates in addition."
PRESELECTED = (
    "The proof is about {some:,} of {all:,} conditions (cuts and groups of levels): those of this card and "
    "others that a lasso preselected. The search looked at all of them. A card with the remaining ones might fit "
    "better; shortlist=None (--shortlist none) proves about all."
)
EMPTY_CARD = "The card has no terms: it gives every row the same risk, the share of events."


@dataclass(frozen=True, slots=True)
class Request:
    """What a fit is asked for in addition to its parameters.

    Attributes
    ----------
    method, further
        What the user called, and its own parameters: for the recipe.
    start
        A card that the search starts from.
    keeps_start
        Whether its conditions are candidates whatever regularization leaves out. If not, the
        problem does not depend on it.
    max_changes
        The largest number of its terms that may change; None for any number.
    pool_tolerance, pool_size
        Look for a pool of cards; None for no pool.
    is_empty
        The card has no terms.
    notes
        Further sentences for the certificate.
    outcome
        The name of the target, where the labels do not have it.
    watch
        Called with every moment of the work, in place of a line on the screen.
    """

    method: str = "RiskScoreClassifier"
    further: Mapping[str, Any] = field(default_factory=dict)
    start: RiskCard | None = None
    keeps_start: bool = True
    max_changes: int | None = None
    pool_tolerance: float | None = None
    pool_size: int = 100
    is_empty: bool = False
    notes: tuple[str, ...] = ()
    outcome: str | None = None
    watch: Callable[[Progress], None] | None = None

    @property
    def kept(self) -> RiskCard | None:
        """The card whose conditions are candidates whatever regularization leaves out."""
        return self.start if self.keeps_start else None

    @property
    def posed_about(self) -> tuple[RiskCard | None, int | None, str | None]:
        """What the problem depends on."""
        return self.kept, self.max_changes, self.outcome


@dataclass(frozen=True, slots=True)
class Task:
    """Everything that a fit needs to know but the rows; all of it is checked.

    Attributes
    ----------
    limits
        The parameters of ``make_problem``.
    rules, regularization
        What cards keep, and what keeps them from following chance.
    options
        How to work.
    request
        What is asked for in addition.
    verbose
        Show progress.
    """

    limits: Mapping[str, Any]
    rules: CardRules
    regularization: Regularization
    options: Options
    request: Request
    verbose: bool

    def pose(self, layout: Layout, is_rough: bool = False) -> Problem:
        """The problem to be solved on a table; a rough one where an outcome is not yes or no."""
        form = None if layout.rates is None else layout.rates.form(is_rough)
        if form is None:
            rows = add_pseudo_rows(layout.data, layout.pseudo)
        else:
            rows = as_yes_or_no(layout.data, form)
        problem = make_problem(merge_equal_rows(rows), **self.limits)
        if form is not None:
            problem = form.pose(problem)
        require_rows(layout, problem)
        table, rules, least = layout.table, layout.rules, layout.least
        if rules.restricts_features or least != LeastBins():
            problem = apply_rules(problem, table.names, table.levels, rules, least)
        return problem.without(layout.closed) if layout.closed else problem


class Learned(NamedTuple):
    """A solver's answer, what was solved, and what its numbers mean."""

    result: SolveResult
    problem: Problem
    layout: Layout


def learn(training: Training, task: Task) -> Learned:
    """Find a card of some rows, in the solver's units.

    After Ctrl-C there is a card only if its proof was under way.
    """
    with catch_interrupt() as interrupt:
        learned = _learn(training, task)
    if interrupt.is_set() and learned.result.status is not Status.INTERRUPTED:
        raise KeyboardInterrupt
    return learned


class Posed(NamedTuple):
    """What was posed for some rows: kept in `ProofNotes`, since a proof file is about the same problem.

    With the conditions that were preselected for its proof, once they are known.
    """

    rows: tuple[object, ...]
    task: Task
    layout: Layout
    problem: Problem
    shortlist: tuple[tuple[int, int], ...] | None = None

    def is_for(self, rows: tuple[object, ...] | None, task: Task) -> bool:
        """Would other rows and another task come to the same layout and problem?"""
        one, two = self.task, task
        return (
            self.rows == rows
            and (one.limits, one.rules) == (two.limits, two.rules)
            and one.regularization == two.regularization
            and one.request.posed_about == two.request.posed_about
        )


def pose(training: Training, task: Task, card: RiskCard | None = None) -> tuple[Layout, Problem]:
    """What is to be solved for some rows, or what the proof about a card is about.

    The second answer is the first without conditions where a proof is about some of them only.
    """
    rows = training.key if is_kept() else None
    posed = kept_posed()
    if isinstance(posed, Posed) and posed.is_for(rows, task):
        layout, problem = posed.layout, posed.problem
    else:
        layout, problem = _pose(training, task)
        if rows is not None:
            keep_posed(Posed(rows, task, layout, problem))
    if card is None or not has_too_many_conditions(problem, task.options):
        return layout, problem
    own = [(column, cut) for column, cut, _ in terms_of_card(card, layout)]
    known = posed.shortlist if isinstance(posed, Posed) and posed.problem is problem else None
    some = shortlist_for_proof(problem) if known is None else known
    layout = keep_only(layout, problem, [*some, *own])
    return layout, task.pose(layout)


def _pose(training: Training, task: Task) -> tuple[Layout, Problem]:
    """Lay out the rows, regularise, and pose the problem."""
    is_small = training.table.labels.size <= MOST_ROWS_ALONE
    with one_blas_thread() if is_small else nullcontext():
        layout = task.regularization.apply(
            _lay_out(training, task),
            training.table,
            task.pose,
            task.limits["max_terms"],
            task.request.kept,
        )
    return layout, task.pose(layout)


def _learn(training: Training, task: Task) -> Learned:
    tell_of_compilation(task.verbose)
    start, kept = task.request.start, task.request.kept
    layout, problem = pose(training, task)
    if task.request.is_empty:
        return _without_terms(problem, layout, task)
    # in rows of average weight
    charge = task.options.min_gain * layout.table.mean_weight / layout.table.weight_unit
    charge /= 1.0 if layout.rates is None else layout.rates.loss_unit
    options = replace(task.options, min_gain=charge)
    if start is not None:
        options = replace(options, start=tuple(terms_of_card(start, layout)))
    unit = layout.table.weight_unit
    with ProgressDisplay() if task.verbose else nullcontext(task.request.watch) as show:
        tell = None if show is None else lambda moment: show(_shown(moment, layout))
        options = replace(options, progress=tell)
        if layout.rates is None:
            result = solve(problem, options)
        else:
            rough, options = task.pose(layout, is_rough=True), replace(options, preselects=False)
            result = solve_other_loss(problem, rough, layout.rates, options)
    if result.preselected is not None:
        posed = kept_posed()
        if isinstance(posed, Posed) and posed.problem is problem:
            keep_posed(posed._replace(shortlist=result.preselected))
        chosen = [*result.preselected, *result.solution.conditions]
        n_all, layout = problem.n_conditions, keep_only(layout, problem, chosen)
        problem = task.pose(layout)
        note = PRESELECTED.format(some=problem.n_conditions, all=n_all)
        result = replace(result, notes=(*result.notes, note))
    if task.rules.round_cuts is not None:
        stay = () if task.request.max_changes is None else options.start
        rates = layout.rates
        whole = None if rates is None else rates.bound(result.loss) / rates.loss_unit
        printed, tolerance = PrintedCuts(layout), task.rules.round_cuts
        result = round_cuts(result, problem, printed, tolerance, stay, whole)
    hints = hints_on(result, problem) if layout.rates is None else []
    notes = [*result.notes, *notes_on(layout), *hints, *task.request.notes]
    if kept is not None and (layout.closed or not layout.cut_grid.is_full):
        notes.append(KEPT_CONDITIONS)
    return Learned(replace(result.in_unit(unit), notes=tuple(notes)), problem, layout)


def _shown(moment: Progress, layout: Layout) -> Progress:
    """A moment of a proof in the user's units, where the outcome is not yes or no those of its own loss."""
    rates = layout.rates
    if rates is not None:
        moment = replace(moment, loss=rates.bound(moment.loss), bound=rates.bound(moment.bound))
    return moment.in_unit(layout.table.weight_unit)


def _lay_out(training: Training, task: Task) -> Layout:
    """The table as the solver sees it."""
    table, rules = training.table, task.rules
    if task.request.outcome is not None:
        table = replace(table, outcome=task.request.outcome)
    least = LeastBins.of_counts(rules, table.n_rows, table.count(table.labels > 0))
    # an earlier card keeps the points that it has for rare values
    line_rows = 1 if task.request.kept else task.regularization.least_rows(table)
    table, ties = tie_rare_values(table, rules, line_rows)
    grid, n_jobs = task.regularization.cuts_for(table, training.rates), task.options.n_jobs
    needs_atoms = least != LeastBins()
    card, changes = task.request.kept, task.request.max_changes
    kept = None if card is None else points_of_numbers(card, table)
    own, merged = table.in_own_unit(), table.merged
    data, cut_grid = rank_table(own, grid, n_jobs, rules, needs_atoms, kept, is_even=True)
    return Layout(
        table,
        data,
        cut_grid,
        rules,
        least,
        grid,
        all_conditions=None if merged is None else merged.all_conditions,
        max_changes=changes,
        ties=ties,
        min_line_rows=line_rows,
        rates=None if training.rates is None else training.rates.times(1 / table.weight_unit),
    )


def _without_terms(problem: Problem, layout: Layout, task: Task) -> Learned:
    """The best card without terms, which is known exactly."""
    problem = replace(problem, limits=replace(problem.limits, max_terms=0))
    solution = best_empty_card(problem)
    loss = loss_of(solution, problem)
    status, bound = (Status.OPTIMAL, loss) if task.options.certify else (Status.HEURISTIC, 0.0)
    notes = (EMPTY_CARD, *task.request.notes)
    result = SolveResult(solution, loss, bound, status, notes=notes)
    return Learned(result.in_unit(layout.table.weight_unit), problem, layout)
