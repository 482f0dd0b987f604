"""The memory of the hull: nodes with a list of sides, and what one thread writes.

A node of the hull has slots as any node. The first is the *list*, of terms whose side is still
open: any of those that are not excluded. Every other slot is an interval of cuts of one side. The
model of a node is a sum of *parts*, one for each side with columns in a slot::

    part    (slot, side)               a monotone step function of one feature
    column  (part, cut), theta >= 0    one of its steps
    level   of a row in a part         how many of its columns hold in the row
    cell    rows with the same levels in all parts
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from riskcard.kernels.proof.layout import SLOT_FIELDS, Lines

#: The list is the first slot; intervals come after it.
LIST, FIRST_INTERVAL = 0, 1
#: Most columns of a part, parts of a node, and columns of a node.
MOST_STEPS, MOST_PARTS, MOST_COLUMNS = 24, 32, 100
N_LEVELS = MOST_STEPS + 1
#: Most conditions of the list that become columns in one round, and of all slots.
MOST_LISTED, MOST_FOUND = 4, 40
#: Most cells whose curvature is looked at; of more, every second, third and so on.
MOST_CURVES = 1000
#: Most cells of a model; a few hundred are usual.
MOST_CELLS = 1 << 16

# --- how well a node is bounded -------------------------------------------------------------------
SETTLED, NEW, ROUGH = (
    0,
    1,
    2,
)  # as asked for; not at all; only far enough to be left open or set aside

# --- a saved column -------------------------------------------------------------------------------
COLUMN_SLOT, COLUMN_SIDE, COLUMN_CUT = 0, 1, 2

# --- a part ---------------------------------------------------------------------------------------
PART_SLOT, PART_SIDE, PART_SIZE, PART_FIRST = 0, 1, 2, 3  # FIRST: the variable of its first column
PART_FIELDS = 4

# --- what is known of a node while it is bounded --------------------------------------------------
N_PARTS, N_CELLS, N_VARIABLES, IS_BY_ROW = 0, 1, 2, 3


class _HullFields(NamedTuple):
    """The fields of `HullNodes`."""

    counts: np.ndarray  # (nodes,) number of slots, the list included
    slots: np.ndarray  # (nodes, FIRST_INTERVAL + terms, SLOT_FIELDS)
    bounds: np.ndarray  # (nodes,)
    excluded: np.ndarray  # (nodes, words) bits of the sides that the list no longer has
    n_columns: np.ndarray  # (nodes,)
    columns: np.ndarray  # (nodes, MOST_COLUMNS, 3)
    thetas: np.ndarray  # (nodes, MOST_COLUMNS)
    offsets: np.ndarray  # (nodes,)
    state: np.ndarray  # (nodes,) SETTLED, NEW or ROUGH
    division: (
        np.ndarray
    )  # (nodes, 2) a slot, or -1, and a side of the list or a cut: where to divide


class HullNodes(_HullFields, Lines):
    """Nodes of the hull, one per line of every array."""

    __slots__ = ()


def empty_hull_nodes(n_nodes: int, n_terms: int, n_sides: int, make: Any = np.zeros) -> HullNodes:
    """Room for nodes of cards with up to ``n_terms`` terms."""
    return HullNodes(
        counts=make(n_nodes, dtype=np.int16),
        slots=make((n_nodes, FIRST_INTERVAL + n_terms, SLOT_FIELDS), dtype=np.int32),
        bounds=make(n_nodes),
        excluded=make((n_nodes, (n_sides + 63) // 64), dtype=np.uint64),
        n_columns=make(n_nodes, dtype=np.int16),
        columns=make((n_nodes, MOST_COLUMNS, 3), dtype=np.int32),
        thetas=make((n_nodes, MOST_COLUMNS)),
        offsets=make(n_nodes),
        state=make(n_nodes, dtype=np.int16),
        division=make((n_nodes, 2), dtype=np.int32),
    )


class HullWork(NamedTuple):
    """What one thread writes while it bounds a node of the hull."""

    sizes: np.ndarray  # (4,) N_PARTS, N_CELLS, N_VARIABLES, IS_BY_ROW: each row is a cell
    parts: np.ndarray  # (MOST_PARTS, PART_FIELDS)
    cuts: np.ndarray  # (MOST_PARTS, MOST_STEPS) cuts of a part, so that level > b: column b holds
    theta: np.ndarray  # (MOST_COLUMNS + 1,) offset, then the columns part by part
    caps: np.ndarray  # (slots,) the most that the columns of a slot add up to
    # rows
    key: np.ndarray  # (rows,) the cell of each row
    table: np.ndarray  # from keys to cells
    slopes: np.ndarray  # (rows,) slope of each row's loss
    # cells
    first: np.ndarray  # (cells,) a row of each cell
    levels: np.ndarray  # (MOST_PARTS, cells)
    events: np.ndarray
    others: np.ndarray
    z: np.ndarray
    chance: np.ndarray  # of the event
    rest: np.ndarray  # of no event
    slope: np.ndarray  # also each cell's loss, for a while
    curve: np.ndarray
    design: np.ndarray  # (variables, some cells) 1.0 where a column holds
    some_curves: np.ndarray  # of these cells
    weighed: np.ndarray  # a column times them
    # the quadratic model
    gradient: np.ndarray
    hessian: np.ndarray
    x: np.ndarray
    q: np.ndarray
    step: np.ndarray
    factor: np.ndarray
    state: np.ndarray  # (variables,) 1 free, 0 held at 0, 2 pivot of a full slot
    pivot: np.ndarray  # (slots,) the pivot of a full slot, 0 if none
    slot_of: np.ndarray  # (variables,)
    free: np.ndarray
    values: np.ndarray  # (MOST_PARTS, N_LEVELS) what each level of a part adds to the log-odds
    pair: np.ndarray  # (N_LEVELS, N_LEVELS)
    # conditions that may become columns
    n_found: np.ndarray  # (1,)
    found: np.ndarray  # (MOST_FOUND, 3) COLUMN_SLOT, COLUMN_SIDE, COLUMN_CUT
    found_slope: np.ndarray  # (MOST_FOUND,)
    by_code: np.ndarray
    # by code, to choose a division
    mass_by_code: np.ndarray
    curve_by_code: np.ndarray


def empty_hull_work(n_rows: int, n_terms: int, n_codes: int) -> HullWork:
    """Room for bounding nodes of the hull."""
    n, n_cells = MOST_COLUMNS + 1, min(n_rows, MOST_CELLS)
    return HullWork(
        sizes=np.zeros(4, dtype=np.int64),
        parts=np.zeros((MOST_PARTS, PART_FIELDS), dtype=np.int64),
        cuts=np.zeros((MOST_PARTS, MOST_STEPS), dtype=np.int64),
        theta=np.zeros(n),
        caps=np.zeros(FIRST_INTERVAL + n_terms),
        key=np.zeros(n_rows, dtype=np.int32),
        table=np.zeros(max(1 << 16, N_LEVELS * n_cells), dtype=np.int32),
        slopes=np.zeros(n_rows),
        first=np.zeros(n_cells, dtype=np.int32),
        levels=np.zeros((MOST_PARTS, n_cells), dtype=np.int8),
        events=np.zeros(n_cells),
        others=np.zeros(n_cells),
        z=np.zeros(n_cells),
        chance=np.zeros(n_cells),
        rest=np.zeros(n_cells),
        slope=np.zeros(n_cells),
        curve=np.zeros(n_cells),
        design=np.zeros((n, MOST_CURVES)),
        some_curves=np.zeros(MOST_CURVES),
        weighed=np.zeros(MOST_CURVES),
        gradient=np.zeros(n),
        hessian=np.zeros((n, n)),
        x=np.zeros(n),
        q=np.zeros(n),
        step=np.zeros(n),
        factor=np.zeros((n, n)),
        state=np.zeros(n, dtype=np.int64),
        pivot=np.zeros(FIRST_INTERVAL + n_terms, dtype=np.int64),
        slot_of=np.zeros(n, dtype=np.int64),
        free=np.zeros(n, dtype=np.int64),
        values=np.zeros((MOST_PARTS, N_LEVELS)),
        pair=np.zeros((N_LEVELS, N_LEVELS)),
        n_found=np.zeros(1, dtype=np.int64),
        found=np.zeros((MOST_FOUND, 3), dtype=np.int64),
        found_slope=np.zeros(MOST_FOUND),
        by_code=np.zeros(n_codes + 1),
        mass_by_code=np.zeros(n_codes + 1),
        curve_by_code=np.zeros(n_codes + 1),
    )
