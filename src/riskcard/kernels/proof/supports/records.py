"""The records of the proof for few conditions, field by field.

Conditions are arranged in *chains*: each condition of a chain implies the next one. So the
conditions of a chain that hold in a row are told by one code: condition ``q`` of the chain holds
where ``code <= q``. The conditions of chain ``f`` have the numbers ``first[f] .. first[f + 1] - 1``.

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
#: or far fewer, as a list of chains has become a single one.
SAME, FEWER, FAR, FEW_CHAINS = 0, 1, 2, 3
#: What `explore_families` is told and tells.
CUTOFF, WORK_LEFT, NODES_LEFT, LOWEST, N_STATE = 0, 1, 2, 3, 4
#: What it counts.
N_OPEN, N_LEAVES, N_NODES, N_FITS, N_COUNTS = 0, 1, 2, 3, 4


class Family(NamedTuple):
    """All conditions of a problem, in chains, and the rows."""

    codes: np.ndarray  # (chains, rows) uint8
    weights: np.ndarray  # (2, rows) of EVENT and OTHER
    first: np.ndarray  # (chains + 1,) the first condition of each chain
    chain_of: np.ndarray  # (conditions,)
    ends: np.ndarray  # (2, conditions) LEAST <= 0 and MOST >= 0 of each coefficient, in log-odds
    offsets: np.ndarray  # (2,) LEAST and MOST of the offset
    max_terms: int


class Branches(NamedTuple):
    """Nodes: `slots[RISING, c]` is the slot of condition ``c`` with a positive coefficient."""

    slots: np.ndarray  # (nodes, 2, conditions) int8
    terms: np.ndarray  # (nodes, terms) int8, how many terms of a card are in each slot
    bounds: np.ndarray  # (nodes,)
    depths: np.ndarray  # (nodes,) int32
    is_new: np.ndarray  # (nodes,) int8, SAME, FEWER, FAR or FEW_CHAINS
    expected: np.ndarray  # (nodes,) about the least loss of the regression


def empty_branches(n_nodes: int, n_conditions: int, n_terms: int) -> Branches:
    """Room for nodes."""
    return Branches(
        slots=np.full((n_nodes, 2, n_conditions), NOWHERE, dtype=np.int8),
        terms=np.zeros((n_nodes, n_terms), dtype=np.int8),
        bounds=np.zeros(n_nodes),
        depths=np.zeros(n_nodes, dtype=np.int32),
        is_new=np.zeros(n_nodes, dtype=np.int8),
        expected=np.zeros(n_nodes),
    )


class Tables(NamedTuple):
    """Rows that are alike in the conditions of a node are one row; a table for some depths."""

    codes: np.ndarray  # (chains, room) uint8
    weights: np.ndarray  # (2, room)
    begins: np.ndarray  # (depths + 1,) where the rows of each table begin; tables follow each other
    of_depth: np.ndarray  # (depths,) the table of the node at each depth
    sizes: np.ndarray  # (depths,) conditions that each table tells apart
    ages: np.ndarray  # (depths,) the number of the table: how many were made before it


class Merging(NamedTuple):
    """How `merge_rows` divided rows into groups, chain after chain; the last line is scratch."""

    chains: np.ndarray  # (lines,) the chain by which each line divides further
    groups: np.ndarray  # (lines, rows) int32
    counts: np.ndarray  # (lines,) groups
    kept: np.ndarray  # (4,) the rows that they are of: begin, end, age; and the lines that are kept
    codes_of: np.ndarray  # (lines, codes) what each code is taken for
    places: np.ndarray  # (rows * codes,) int64, scratch
    order: np.ndarray  # (chains,) scratch


def empty_merging(family: Family) -> Merging:
    """Room for the groups of as many chains as a card has terms, and one."""
    n_rows, n_lines = family.codes.shape[1], family.max_terms + 1
    widest = int(np.diff(family.first).max()) + 1
    return Merging(
        chains=np.full(n_lines, -1),
        groups=np.zeros((n_lines, n_rows), dtype=np.int32),
        counts=np.zeros(n_lines, dtype=np.int64),
        kept=np.full(4, -1),
        codes_of=np.full((n_lines, widest), -1),
        places=np.zeros(n_rows * widest, dtype=np.int64),
        order=np.zeros(family.codes.shape[0], dtype=np.int64),
    )


class Fits(NamedTuple):
    """What is known of the regression of the node at each depth, and scratch of one fit."""

    recent: np.ndarray  # (conditions + 1,) coefficients of the last node without a list
    theta: np.ndarray  # (depths, conditions + 1) coefficients, the offset last
    curves: np.ndarray  # (depths, conditions + chains) curvature of the rows of each code
    log_odds: np.ndarray  # (rows,)
    change: np.ndarray  # (rows,)
    risk: np.ndarray  # (rows,)
    slope: np.ndarray  # (rows,)
    curve: np.ndarray  # (rows,)
    sums: np.ndarray  # (conditions + chains,) of a chain's coefficients, by code
    gradient: np.ndarray  # (conditions + 1,)
    hessian: np.ndarray  # (conditions + 1, conditions + 1)
    factor: np.ndarray  # (conditions + 1, conditions + 1)
    step: np.ndarray  # (conditions + 1,)
    held: np.ndarray  # (conditions + 1,) int8
    left: np.ndarray  # (conditions + 1,) int64
    direction: np.ndarray  # (conditions + 1,)
    trial: np.ndarray  # (conditions + 1,)
    box: np.ndarray  # (2, conditions)
    free: np.ndarray  # (conditions + 1,) int64
    chains: np.ndarray  # (chains,) int64
    pairs: np.ndarray  # (codes, codes) curvature by a pair of codes
    gains: np.ndarray  # (terms, terms) the best gains of each slot


def empty_fits(family: Family, n_depths: int) -> Fits:
    """Room for the fits of one thread."""
    n_chains, n_rows = family.codes.shape
    n = family.chain_of.size
    widest = int(np.diff(family.first).max()) + 1
    return Fits(
        recent=np.zeros(n + 1),
        theta=np.zeros((n_depths, n + 1)),
        curves=np.zeros((n_depths, n + n_chains)),
        log_odds=np.zeros(n_rows),
        change=np.zeros(n_rows),
        risk=np.full(n_rows, 0.5),
        slope=np.zeros(n_rows),
        curve=np.zeros(n_rows),
        sums=np.zeros(n + n_chains),
        gradient=np.zeros(n + 1),
        hessian=np.zeros((n + 1, n + 1)),
        factor=np.zeros((n + 1, n + 1)),
        step=np.zeros(n + 1),
        held=np.zeros(n + 1, dtype=np.int8),
        left=np.zeros(n + 1, dtype=np.int64),
        direction=np.zeros(n + 1),
        trial=np.zeros(n + 1),
        box=np.zeros((2, n)),
        free=np.zeros(n + 1, dtype=np.int64),
        chains=np.zeros(n_chains, dtype=np.int64),
        pairs=np.zeros(widest * widest),
        gains=np.zeros((family.max_terms, family.max_terms)),
    )


def empty_tables(family: Family, n_depths: int) -> Tables:
    """The table of all rows, and room for those of nodes."""
    n_chains, n_rows = family.codes.shape
    room = 5 * n_rows + 64  # each table has at most 0.75 times the rows of the one before
    codes, weights = np.zeros((n_chains, room), dtype=np.uint8), np.zeros((2, room))
    codes[:, :n_rows], weights[:, :n_rows] = family.codes, family.weights
    begins = np.zeros(n_depths + 1, dtype=np.int64)
    begins[1] = n_rows
    sizes = np.zeros(n_depths, dtype=np.int64)
    sizes[0] = family.chain_of.size
    zeros = np.zeros((2, n_depths), dtype=np.int64)
    return Tables(codes, weights, begins, zeros[0], sizes, zeros[1])
