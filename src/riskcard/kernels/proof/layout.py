"""The memory of the proof: every record that its kernels read and write, field by field.

Kernels work on plain arrays. This module names the places in them, so that no other module needs
to know an offset: the others import it as ``at`` and write ``slot[at.LOW]``. The records, from the
whole problem down to a single term::

    Conditions   what never changes: the rows, all conditions, the limits
    Nodes        many nodes of the tree, one per line: on the path, open, or leaves
      slot       a set of conditions from which some terms of the card come
      w, box     what the terms of each slot add to the log-odds, and between which limits
    Workspace    what one thread changes while it explores, by depth
      branch     how a node on the path is split, and which child comes next
      moves      which rows changed sides when the node was entered
    control      what the tree tells a thread that explores
    Results      what the thread reports: open nodes, leaves, counters
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

# --- a slot: whole numbers ------------------------------------------------------------------------
SIDE = 0  # 2 * column, plus 1 if the points are given above the cut; -1 for the list of a hull
LOW = 1  # first and last cut of an interval
HIGH = 2
MULTIPLICITY = 3  # how many conditions of the card come from the slot
SLOT_FIELDS = 4

# --- coefficients and their box -------------------------------------------------------------------
OFFSET = 0  # the log-odds of a row without points; the coefficient of slot j comes at j + 1
LEAST, MOST = 0, 1  # the ends of the interval of each coefficient

# --- cells: rows of one class that have the points of the same slots ------------------------------
EVENT, OTHER = 0, 1  # the classes, in `cells` and in `starts`
# tables by cell at some coefficients, see `tabulate_losses`, and scratch of `differentiate`
LOSS_IF_EVENT, LOSS_IF_OTHER, CHANCE_OF_OTHER, CHANCE_OF_EVENT, SLOPE, CURVE = range(6)
N_TABLES, N_KEPT_TABLES = 6, 4

# --- a branch: whole numbers ----------------------------------------------------------------------
KIND = 0
WHICH = 1  # the slot, or the coefficient, that is split
WHERE = 2  # the last cut, or the last number of points, of the left half
NEXT_CHILD, LAST_CHILD = 3, 4  # children are numbered by the conditions that go to the left half
BRANCH_FIELDS = 5
# kinds of branches
SPLIT_SLOT = 0  # replace a slot by its halves
SPLIT_POINTS = 1  # divide the interval of a coefficient between two whole numbers of points

# --- moves of rows on entering a node -------------------------------------------------------------
BEGIN, END = 0, 1  # a range of `Conditions.rows`
BIT = 2  # the bit of their cell that changes
MOVE_FIELDS = 3
SOURCE, ADDED = 0, 1  # the slot that a new slot starts as a copy of, and the new one; 0 if none

# --- what is known of columns and clashes ---------------------------------------------------------
FEATURE, FIRST_COLUMN, N_COLUMNS, CLASHES = 0, 1, 2, 3  # see `Conditions.families`
CLASH_AFTER, CLASH_BEFORE = 0, 1  # cuts strictly between these clash with a condition

# --- what the tree tells a thread, and what the thread counts -------------------------------------
CUTOFF = 0  # prune nodes with at least this bound
TARGET = 1  # set aside nodes with at least this bound
BUDGET = 2  # stop after this much work
STOP = 3  # stop at once when not 0; written by another thread
CLOSENESS = 4  # of the hull: how near to its loss the bound of an open node is brought, see `hull`
NARROW = 5  # of the hull: nodes with at most this many undecided rows are left to `explore`
CONTROL_FIELDS = 6
SAVED, LEAVES, DONE, NODES, STEPS, WORK = range(6)
COUNTERS = 6


class ProofLimits(NamedTuple):
    """Limits on a card, as `within_limits` checks them."""

    max_terms: int
    max_features: int
    max_cuts_per_feature: int
    budget: float
    must_differ: bool  # whether every card can be filled up to `max_terms` different conditions
    has_clashes: bool  # whether some pairs of conditions exclude each other
    is_by_card: bool  # whether costs, groups or required features limit the card as a whole


class Patterns(NamedTuple):
    """The rows again, for the hull: each pattern of codes once, with both classes."""

    codes: np.ndarray  # (columns, patterns)
    events: np.ndarray  # (patterns,) weight of the rows with the event
    others: np.ndarray  # (patterns,) weight of those without it
    order: np.ndarray  # (columns, patterns) in order of code
    starts: np.ndarray  # where each code of each column begins in its order, end to end
    offsets: np.ndarray  # (columns,) where a column begins in `starts`
    sides: np.ndarray  # the sides that have conditions
    n_codes: np.ndarray  # (columns,)
    commonest: np.ndarray  # (columns,) the code that most patterns have
    kept_least: np.ndarray  # (slots of a root,) the least step of a term that is kept, else 0
    kept_room: np.ndarray  # (slots of a root,) how much larger it may be; -1 where none is kept


class Conditions(NamedTuple):
    """Every condition that may be on a card, as arrays; rows with the event come first.

    Cuts that are not allowed are left out: their codes are merged, and the others renumbered.
    """

    codes: np.ndarray  # (columns, rows)
    weights: np.ndarray  # (rows,)
    n_events: int
    rows: np.ndarray  # row numbers: each column's in order of code, by class
    starts: np.ndarray  # (2, .) by class: where in `rows` the codes >= a code of a column begin
    offsets: np.ndarray  # (columns,) where a column's codes begin in `starts`
    mixed_rows: np.ndarray  # (2, .) for "<=" and ">": each column's rows in order of code
    mixed_weights: np.ndarray  # (2, .) their weights
    reach: np.ndarray  # (sides,) the largest step in log-odds that one condition may make
    unit: float  # a point in log-odds; 0 where the scale is free
    rate: float  # log-odds of the base rate
    steepest: float  # the largest reach
    cuts: np.ndarray  # (.,) the cut of the problem behind each cut here, column by column
    patterns: Patterns
    # limits
    limits: ProofLimits
    capacity: np.ndarray  # (features,) the most terms that a card may have on a feature
    families: np.ndarray  # (columns, 4) FEATURE, FIRST_COLUMN and N_COLUMNS of it, first of CLASHES
    clashes: np.ndarray  # (., 2) by condition and column of its feature, see `Atoms.clashes`
    needs: np.ndarray  # (features,) 1 if a card must use the feature
    costs: np.ndarray  # (features,) what each feature costs
    groups: np.ndarray  # (groups, features) 1 for its members
    most_of_group: np.ndarray  # (groups,) how many features of a group may be used


Kind = TypeVar("Kind", bound="Lines")


class Lines:
    """What any nodes can do: a record of arrays that each have one line per node."""

    __slots__ = ()

    @property
    def size(self: Any) -> int:
        """The number of nodes."""
        return int(self.counts.shape[0])

    @property
    def bytes_per_node(self: Any) -> int:
        """The memory that a node takes."""
        return sum(part[:1].nbytes for part in self)

    def take(self: Kind, which: Any) -> Kind:
        """The nodes at some places: a slice, a mask or numbers."""
        return _changed(self, lambda part: part[which])

    def copy(self: Kind) -> Kind:
        """The same nodes in arrays of their own."""
        return _changed(self, np.ndarray.copy)


def _changed(lines: Kind, change: Any) -> Kind:
    """The lines with another array for each of theirs."""
    record: Any = lines
    changed: Kind = record._make([change(part) for part in record])
    return changed


class _NodeFields(NamedTuple):
    """The fields of `Nodes`."""

    counts: np.ndarray  # (nodes,) number of slots
    is_solved: np.ndarray  # (nodes,) 1 if its relaxation was solved before it was set aside
    slots: np.ndarray  # (nodes, terms, SLOT_FIELDS)
    bounds: np.ndarray  # (nodes,)
    w: np.ndarray  # (nodes, terms + 1)
    box: np.ndarray  # (nodes, 2, terms + 1)


class Nodes(_NodeFields, Lines):
    """Nodes of the tree, one per line of every array. Lines beyond a node's slots mean nothing.

    One node with the slots s0, s1 of a card with up to three terms::

        counts  2
        slots   [s0, s1, -]                    s = (SIDE, LOW, HIGH, MULTIPLICITY)
        w       [offset, w of s0, w of s1, -]  where its relaxation was last solved
        box     [LEAST ...], [MOST ...]        the interval of each coefficient
        bounds  no card of the node has a smaller loss
    """

    __slots__ = ()


def empty_nodes(n_nodes: int, n_terms: int, make: Any = np.zeros) -> Nodes:
    """Room for nodes of cards with up to ``n_terms`` terms; ``make`` makes an array of a shape."""
    return Nodes(
        counts=make(n_nodes, dtype=np.int16),
        is_solved=make(n_nodes, dtype=np.int16),
        slots=make((n_nodes, n_terms, SLOT_FIELDS), dtype=np.int32),
        bounds=make(n_nodes),
        w=make((n_nodes, n_terms + 1)),
        box=make((n_nodes, 2, n_terms + 1)),
    )


def join_nodes(parts: list[Any]) -> Any:
    """The nodes of all parts, of one kind, one after another."""
    joint = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]
    return type(parts[0])._make(joint)


class NewtonScratch(NamedTuple):
    """Arrays of one projected Newton step; the Hessian is kept in its lower half."""

    gradient: np.ndarray
    hessian: np.ndarray
    direction: np.ndarray
    factor: np.ndarray  # (variables + 1, variables) Cholesky's; the last line lists free variables
    trial: np.ndarray


class Workspace(NamedTuple):
    """What one thread writes while it explores."""

    cell_of_row: np.ndarray  # (rows,) the cell of each row in the node last entered, see `nodes`
    path: Nodes  # the node at each depth, from the one that was loaded down
    cells: np.ndarray  # (depth, 2, cells) weights of the rows of each class and cell
    tables: np.ndarray  # (depth, N_TABLES, cells) losses and chances at w
    branch: np.ndarray  # (depth, BRANCH_FIELDS)
    moves: np.ndarray  # (depth, 2, MOVE_FIELDS) rows that changed sides on entering, by half
    columns: np.ndarray  # (depth, 2) SOURCE and ADDED of the slot that is new
    newton: NewtonScratch
    costs: np.ndarray  # (terms + 1,) see price_conflicts
    chances: np.ndarray  # (2 * cells,) scratch of price_conflicts


def empty_workspace(n_rows: int, n_terms: int) -> Workspace:
    """Room for the exploration of cards with up to ``n_terms`` terms."""
    n_cells, n_variables, depth = 1 << n_terms, n_terms + 1, 64 + 24 * n_terms
    return Workspace(
        cell_of_row=np.zeros(n_rows, dtype=np.uint16),
        path=empty_nodes(depth, n_terms),
        cells=np.zeros((depth, 2, n_cells)),
        tables=np.zeros((depth, N_TABLES, n_cells)),
        branch=np.zeros((depth, BRANCH_FIELDS), dtype=np.int64),
        moves=np.zeros((depth, 2, MOVE_FIELDS), dtype=np.int64),
        columns=np.zeros((depth, 2), dtype=np.int64),
        newton=NewtonScratch(
            gradient=np.zeros(n_variables),
            hessian=np.zeros((n_variables, n_variables)),
            direction=np.zeros(n_variables),
            factor=np.zeros((n_variables + 1, n_variables)),
            trial=np.zeros(n_variables),
        ),
        costs=np.zeros(n_variables),
        chances=np.zeros(2 * n_cells),
    )


class Results(NamedTuple):
    """What one call of `explore` reports; all of it is written."""

    still_open: Nodes
    leaves: Nodes
    leaf_cells: np.ndarray  # (leaves, 2, cells) weights of the cells of each leaf
    counters: np.ndarray  # SAVED still open, LEAVES, DONE: begun, NODES bounded, STEPS, WORK


def empty_results(n_open: int, n_leaves: int, n_terms: int) -> Results:
    """Room for nodes that stay open, and for leaves.

    It is not cleared, which would take longer than a short proof: a node is written before it is
    counted, and only nodes that are counted are read.
    """
    still_open, leaves = (empty_nodes(n, n_terms, np.empty) for n in (n_open, n_leaves))
    cells = np.empty((n_leaves, 2, 1 << n_terms))
    return Results(still_open, leaves, cells, np.zeros(COUNTERS))
