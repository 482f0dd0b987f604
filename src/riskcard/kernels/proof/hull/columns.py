"""The columns of a node of the hull, by parts, and the cells of rows that they tell apart (see `layout`).

Nothing here bears on the truth of a bound: columns and cells only say what its model is made of.
"""

import numpy as np

import riskcard.kernels.proof.hull.layout as hull
from riskcard.kernels.jit import bare_inner_kernel


@bare_inner_kernel
def find_part(work, slot, side):
    """The part of a slot's side; -1 if there is none."""
    for part in range(work.sizes[hull.N_PARTS]):
        if work.parts[part, hull.PART_SLOT] == slot and work.parts[part, hull.PART_SIDE] == side:
            return part
    return -1


@bare_inner_kernel
def add_part(work, slot, side):
    """A new part without columns; -1 if there is no room."""
    part = work.sizes[hull.N_PARTS]
    if part >= hull.MOST_PARTS:
        return -1
    work.parts[part, hull.PART_SLOT] = slot
    work.parts[part, hull.PART_SIDE] = side
    work.parts[part, hull.PART_SIZE] = 0
    work.parts[part, hull.PART_FIRST] = work.sizes[hull.N_VARIABLES]
    work.sizes[hull.N_PARTS] = part + 1
    return part


@bare_inner_kernel
def add_column(work, slot, side, cut, theta):
    """Add a column, or to its theta where it is there; returns False if nothing was added."""
    part = find_part(work, slot, side)
    if part < 0:
        part = add_part(work, slot, side)
        if part < 0:
            return False
    size = work.parts[part, hull.PART_SIZE]
    is_above = side & 1
    place = 0
    while place < size and (
        work.cuts[part, place] < cut if is_above else work.cuts[part, place] > cut
    ):
        place += 1
    first = work.parts[part, hull.PART_FIRST]
    if place < size and work.cuts[part, place] == cut:
        work.theta[first + place] += theta
        return False
    n_variables = work.sizes[hull.N_VARIABLES]
    if size >= hull.MOST_STEPS or n_variables > hull.MOST_COLUMNS:
        return False
    for b in range(size, place, -1):
        work.cuts[part, b] = work.cuts[part, b - 1]
    work.cuts[part, place] = cut
    for v in range(n_variables, first + place, -1):
        work.theta[v] = work.theta[v - 1]
    work.theta[first + place] = theta
    work.parts[part, hull.PART_SIZE] = size + 1
    for other in range(part + 1, work.sizes[hull.N_PARTS]):
        work.parts[other, hull.PART_FIRST] += 1
    work.sizes[hull.N_VARIABLES] = n_variables + 1
    return True


@bare_inner_kernel
def drop_idle_columns(work):
    """Forget the columns whose coefficient is 0."""
    place = 1
    for part in range(work.sizes[hull.N_PARTS]):
        first = work.parts[part, hull.PART_FIRST]
        kept = 0
        begin = place
        for b in range(work.parts[part, hull.PART_SIZE]):
            if work.theta[first + b] > 0.0:
                work.cuts[part, kept] = work.cuts[part, b]
                work.theta[place] = work.theta[first + b]
                kept += 1
                place += 1
        work.parts[part, hull.PART_SIZE] = kept
        work.parts[part, hull.PART_FIRST] = begin
    work.sizes[hull.N_VARIABLES] = place


@bare_inner_kernel
def number_cells(n_keys, work):
    """Replace the keys of the rows by numbers of cells, in order of appearance; how many there are.

    0 if there are more cells than room for them.
    """
    n_cells = 0
    key, table, first = work.key, work.table, work.first
    for k in range(n_keys):
        table[k] = -1
    for row in range(key.size):
        number = table[key[row]]
        if number < 0:
            if n_cells == first.size:
                return 0
            number = n_cells
            table[key[row]] = number
            first[number] = row
            n_cells += 1
        key[row] = number
    return n_cells


@bare_inner_kernel
def try_cells(patterns, work):
    """Find the cell of each row; how many cells there are, or 0 if there is no room for them."""
    key = work.key
    n_rows = key.size
    for row in range(n_rows):
        key[row] = 0
    n_keys = np.int64(1)
    for part in range(work.sizes[hull.N_PARTS]):
        size = work.parts[part, hull.PART_SIZE]
        if size == 0:
            continue
        if n_keys * (size + 1) > work.table.size:
            n_keys = number_cells(n_keys, work)
            if n_keys == 0:
                return 0
        n_keys *= size + 1
        side = work.parts[part, hull.PART_SIDE]
        codes = patterns.codes[side >> 1]
        for row in range(n_rows):
            key[row] *= size + 1
        for b in range(size):
            cut = work.cuts[part, b]
            if side & 1:
                for row in range(n_rows):
                    key[row] += codes[row] > cut
            else:
                for row in range(n_rows):
                    key[row] += codes[row] <= cut
    return number_cells(n_keys, work)


@bare_inner_kernel
def find_cells(patterns, work):
    """Find the cell of each row, and levels and weights of each cell.

    Where there are too many cells, the part with the most columns loses them.
    """
    n_rows, key = work.key.size, work.key
    n_cells = try_cells(patterns, work)
    while n_cells == 0:
        largest = 0
        for part in range(1, work.sizes[hull.N_PARTS]):
            if work.parts[part, hull.PART_SIZE] > work.parts[largest, hull.PART_SIZE]:
                largest = part
        first = work.parts[largest, hull.PART_FIRST]
        for b in range(work.parts[largest, hull.PART_SIZE]):
            work.theta[first + b] = 0.0
        drop_idle_columns(work)
        n_cells = try_cells(patterns, work)
    work.sizes[hull.N_CELLS] = n_cells
    events, others = work.events, work.others
    for cell in range(n_cells):
        events[cell] = 0.0
        others[cell] = 0.0
        row = work.first[cell]
        for part in range(work.sizes[hull.N_PARTS]):
            side = work.parts[part, hull.PART_SIDE]
            code = patterns.codes[side >> 1, row]
            level = 0
            for b in range(work.parts[part, hull.PART_SIZE]):
                level += (code > work.cuts[part, b]) == (side & 1 == 1)
            work.levels[cell, part] = level
    for row in range(n_rows):
        events[key[row]] += patterns.events[row]
        others[key[row]] += patterns.others[row]
