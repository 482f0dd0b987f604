"""The records of the proof for few conditions, field by field.

Conditions are arranged in *chains*: each condition of a chain implies the next one. Chains that
depend on one and the same feature form a *group*: a row has one code for the whole group, which
tells the place of the row in each of its chains. Condition ``q`` of a chain holds where the place
is at most ``q``. The conditions of chain ``f`` have the numbers ``first[f] .. first[f + 1] - 1``,
and its places, of which there is one more, are at ``first[f] + f`` and behind in arrays by place.

A condition has a coefficient of either sign. It may be confined to one of them: each sign of each
condition is in a slot, or in none (`NOWHERE`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NOWHERE = -1
#: Rows of the slots of a node: of positive and of negative coefficients.
RISING, FALLING = 0, 1
#: Weights with and without the event.
EVENT, OTHER = 0, 1
#: Ends of the interval of a coefficient.
LEAST, MOST = 0, 1
#: A node has the conditions of its parent; or fewer; or fewer, but is expected to be far from closed;
#: or far fewer, as a list of groups has become a single one.
SAME, FEWER, FAR, FEW_GROUPS = 0, 1, 2, 3
#: What `explore_families` is told and tells.
CUTOFF, WORK_LEFT, NODES_LEFT, N_STATE = 0, 1, 2, 3
#: What it counts.
N_OPEN, N_LEAVES, N_NODES, N_FITS, N_COUNTS = 0, 1, 2, 3, 4


class Family(NamedTuple):
    """All conditions of a problem, in chains, and the rows."""

    codes: np.ndarray  # (groups, rows) uint8
    weights: np.ndarray  # (2, rows) of EVENT and OTHER
    first: np.ndarray  # (chains + 1,) the first condition of each chain
    chain_of: np.ndarray  # (conditions,)
    chains: np.ndarray  # (groups + 1,) the first chain of each group
    group_of: np.ndarray  # (chains,)
    base: np.ndarray  # (groups + 1,) where the codes of each group are in arrays by code
    places: np.ndarray  # (chains, codes) the place of each code of the chain's group
    is_basis: np.ndarray  # (conditions,) int8, whether the others of its group can be spared
    ends: np.ndarray  # (2, conditions) LEAST <= 0 and MOST >= 0 of each coefficient, in log-odds
    offsets: np.ndarray  # (2,) LEAST and MOST of the offset
    max_terms: int


class Branches(NamedTuple):
    """Nodes: `slots[RISING, c]` is the slot of condition ``c`` with a positive coefficient."""

    slots: np.ndarray  # (nodes, 2, conditions) int8
    terms: np.ndarray  # (nodes, terms) int8, how many terms of a card are in each slot
    bounds: np.ndarray  # (nodes,)
    depths: np.ndarray  # (nodes,) int32
    is_new: np.ndarray  # (nodes,) int8, SAME, FEWER, FAR or FEW_GROUPS
    expected: np.ndarray  # (nodes,) about the least loss of the regression


def empty_branches(n_nodes: int, n_conditions: int, n_terms: int) -> Branches:
    """Room for nodes."""
    return Branches(
        slots=np.empty((n_nodes, 2, n_conditions), dtype=np.int8),
        terms=np.zeros((n_nodes, n_terms), dtype=np.int8),
        bounds=np.zeros(n_nodes),
        depths=np.zeros(n_nodes, dtype=np.int32),
        is_new=np.zeros(n_nodes, dtype=np.int8),
        expected=np.zeros(n_nodes),
    )


class Tables(NamedTuple):
    """Rows that are alike in the conditions of a node are one row; a table for some depths."""

    codes: np.ndarray  # (groups, room) uint8
    weights: np.ndarray  # (2, room)
    begins: np.ndarray  # (depths + 1,) where the rows of each table begin; tables follow each other
    of_depth: np.ndarray  # (depths,) the table of the node at each depth
    sizes: np.ndarray  # (depths,) conditions that each table tells apart
    ages: np.ndarray  # (depths,) the number of the table: how many were made before it


class Merging(NamedTuple):
    """How `merge_rows` divided rows into sorts, group after group; the last line is scratch."""

    groups: np.ndarray  # (lines,) the group by which each line divides further
    sorts: np.ndarray  # (lines, rows) int32
    counts: np.ndarray  # (lines,) sorts
    kept: np.ndarray  # (4,) the rows that they are of: begin, end, age; and the lines that are kept
    codes_of: np.ndarray  # (lines, codes) what each code is taken for
    first_of: np.ndarray  # (rows * codes,) int64, scratch
    order: np.ndarray  # (groups,) scratch


def empty_merging(family: Family) -> Merging:
    """Room for the sorts of as many groups as a card has terms, and one."""
    n_rows, n_lines = family.codes.shape[1], family.max_terms + 1
    widest = family.places.shape[1]
    return Merging(
        groups=np.full(n_lines, -1),
        sorts=np.zeros((n_lines, n_rows), dtype=np.int32),
        counts=np.zeros(n_lines, dtype=np.int64),
        kept=np.full(4, -1),
        codes_of=np.full((n_lines, widest), -1),
        first_of=np.zeros(n_rows * widest, dtype=np.int64),
        order=np.zeros(family.codes.shape[0], dtype=np.int64),
    )


#: Vectors of a fit, by row.
LOG_ODDS, CHANGE, RISK, SLOPE, CURVE, N_ROW_VECTORS = 0, 1, 2, 3, 4, 5
#: Vectors of a fit, by condition, the offset last.
GRADIENT, DIRECTION, TRIAL, STEP, LOW, HIGH, N_VECTORS = 0, 1, 2, 3, 4, 5, 6
#: Vectors of a fit, by place; the first serves any sums.
SUMS, LEVELS, WAY, PRODUCT, REST, CURVES, N_PLACE_VECTORS = 0, 1, 2, 3, 4, 5, 6
#: Lists of a fit: conditions that may move, those not held, what is held, groups that are used,
#: conditions that are in the regression.
FREE, LEFT, HELD, GROUPS, IS_USED, N_LISTS = 0, 1, 2, 3, 4, 5
#: Square matrices of a fit.
HESSIAN, FACTOR = 0, 1


class Fits(NamedTuple):
    """What is known of the regression of the node at each depth, and scratch of one fit."""

    recent: np.ndarray  # (conditions + 1,) coefficients of the last node without a list
    theta: np.ndarray  # (depths, conditions + 1) coefficients, the offset last
    curves: np.ndarray  # (depths, codes) curvature of the rows of each code
    rows: np.ndarray  # (N_ROW_VECTORS, rows)
    vectors: np.ndarray  # (N_VECTORS, conditions + 1)
    by_place: np.ndarray  # (N_PLACE_VECTORS, conditions + chains)
    by_code: np.ndarray  # (codes,)
    lists: np.ndarray  # (N_LISTS, conditions + 1) int64
    squares: np.ndarray  # (2, conditions + 1, conditions + 1)
    pairs: np.ndarray  # (2, codes * codes) curvature by a pair of codes, and of places
    gains: np.ndarray  # (terms, terms) the best gains of each slot


def empty_fits(family: Family, n_depths: int) -> Fits:
    """Room for the fits of one thread."""
    n, n_chains = family.chain_of.size, family.group_of.size
    n_codes, widest = int(family.base[-1]), int(np.diff(family.first).max()) + 1
    return Fits(
        recent=np.zeros(n + 1),
        theta=np.zeros((n_depths, n + 1)),
        curves=np.zeros((n_depths, n_codes)),
        rows=np.full((N_ROW_VECTORS, family.codes.shape[1]), 0.5),
        vectors=np.zeros((N_VECTORS, n + 1)),
        by_place=np.zeros((N_PLACE_VECTORS, n + n_chains)),
        by_code=np.zeros(n_codes),
        lists=np.zeros((N_LISTS, n + 1), dtype=np.int64),
        squares=np.zeros((2, n + 1, n + 1)),
        pairs=np.zeros((2, max(widest, family.places.shape[1]) ** 2)),
        gains=np.zeros((family.max_terms, family.max_terms)),
    )


def empty_tables(family: Family, n_depths: int) -> Tables:
    """The table of all rows, and room for those of nodes."""
    n_groups, n_rows = family.codes.shape
    room = 5 * n_rows + 64  # each table has at most 0.75 times the rows of the one before
    codes, weights = np.zeros((n_groups, room), dtype=np.uint8), np.zeros((2, room))
    codes[:, :n_rows], weights[:, :n_rows] = family.codes, family.weights
    begins = np.zeros(n_depths + 1, dtype=np.int64)
    begins[1] = n_rows
    sizes = np.zeros(n_depths, dtype=np.int64)
    sizes[0] = family.chain_of.size
    zeros = np.zeros((2, n_depths), dtype=np.int64)
    return Tables(codes, weights, begins, zeros[0], sizes, zeros[1])
