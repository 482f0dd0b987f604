"""The cells of a model: rows with the same levels in all parts; their log-odds, losses, slopes and curvatures.

Where many rows share a cell, a cell stands for all of them. Where most would have one of their own, each row gets
one: that needs no numbering, and everything is read in the order of memory.
"""

import numpy as np

import riskcard.kernels.proof.hull.layout as hull
from riskcard.kernels.jit import bare_inner_kernel, reordered_kernel
from riskcard.kernels.proof.hull.columns import drop_idle_columns
from riskcard.kernels.proof.hull.logarithms import find_losses

#: Cells are numbered while they are at most this part of the rows, or this many.
MOST_SHARED, FEW_CELLS = 0.2, 400
#: The offset is settled when the slopes add up to this part of their sizes.
SMALL_SLOPE = 1e-9


@bare_inner_kernel
def number_cells(n_keys, most, work):
    """Replace the keys of the rows by numbers of cells, in order of appearance; how many there are.

    0 if there are more cells than ``most``.
    """
    n_cells = 0
    key, table, first = work.key, work.table, work.first
    for k in range(n_keys):
        table[k] = -1
    for row in range(key.size):
        number = table[key[row]]
        if number < 0:
            if n_cells == most:
                return 0
            number = n_cells
            table[key[row]] = number
            first[number] = row
            n_cells += 1
        key[row] = number
    return n_cells


@bare_inner_kernel
def try_cells(patterns, most, work):
    """Find the cell of each row; how many cells there are, or 0 if they are more than ``most``."""
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
            n_keys = number_cells(n_keys, most, work)
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
    return number_cells(n_keys, most, work)


@bare_inner_kernel
def make_room(work):
    """Take the columns from the part with the most of them."""
    largest = 0
    for part in range(1, work.sizes[hull.N_PARTS]):
        if work.parts[part, hull.PART_SIZE] > work.parts[largest, hull.PART_SIZE]:
            largest = part
    first = work.parts[largest, hull.PART_FIRST]
    for b in range(work.parts[largest, hull.PART_SIZE]):
        work.theta[first + b] = 0.0
    drop_idle_columns(work)


@bare_inner_kernel
def find_levels_of_rows(patterns, work):
    """Each row is a cell: levels and weights."""
    n_rows = work.key.size
    for row in range(n_rows):
        work.key[row] = row
        work.events[row] = patterns.events[row]
        work.others[row] = patterns.others[row]
    for part in range(work.sizes[hull.N_PARTS]):
        side = work.parts[part, hull.PART_SIDE]
        codes, levels = patterns.codes[side >> 1], work.levels[part]
        for row in range(n_rows):
            levels[row] = 0
        for b in range(work.parts[part, hull.PART_SIZE]):
            cut = work.cuts[part, b]
            if side & 1:
                for row in range(n_rows):
                    levels[row] += codes[row] > cut
            else:
                for row in range(n_rows):
                    levels[row] += codes[row] <= cut


@bare_inner_kernel
def find_levels_of_cells(patterns, n_cells, work):
    """Rows share cells: levels from one row of each cell, weights from all."""
    n_rows, key, first = work.key.size, work.key, work.first
    events, others = work.events, work.others
    for cell in range(n_cells):
        events[cell] = 0.0
        others[cell] = 0.0
    for row in range(n_rows):
        events[key[row]] += patterns.events[row]
        others[key[row]] += patterns.others[row]
    for part in range(work.sizes[hull.N_PARTS]):
        side = work.parts[part, hull.PART_SIDE]
        codes, levels = patterns.codes[side >> 1], work.levels[part]
        for cell in range(n_cells):
            code = codes[first[cell]]
            level = 0
            for b in range(work.parts[part, hull.PART_SIZE]):
                level += (code > work.cuts[part, b]) == (side & 1 == 1)
            levels[cell] = level


@bare_inner_kernel
def find_cells(patterns, work):
    """Find the cell of each row, and levels and weights of each cell.

    Where there is no room for the cells, the part with the most columns loses them.
    """
    n_rows, room = work.key.size, work.first.size
    most = room if n_rows > room else min(room, max(FEW_CELLS, int(MOST_SHARED * n_rows)))
    n_cells = 0
    if not (n_rows <= room and work.sizes[hull.IS_BY_ROW]):
        n_cells = try_cells(patterns, most, work)
        while n_cells == 0 and n_rows > room:
            make_room(work)
            n_cells = try_cells(patterns, most, work)
    work.sizes[hull.IS_BY_ROW] = n_cells == 0
    if n_cells == 0:
        n_cells = n_rows
        find_levels_of_rows(patterns, work)
    else:
        find_levels_of_cells(patterns, n_cells, work)
    work.sizes[hull.N_CELLS] = n_cells


@reordered_kernel
def add_up(values, n):
    """The sum of the first ``n`` values."""
    total = 0.0
    for i in range(n):
        total += values[i]
    return total


@reordered_kernel
def add_up_where(values, levels, n):
    """The sum of the first ``n`` values, each times its level."""
    total = 0.0
    for i in range(n):
        total += values[i] * levels[i]
    return total


@bare_inner_kernel
def loss_at(patterns, work, theta):
    """The loss at some coefficients; writes log-odds and chances of the cells."""
    n_cells, z = work.sizes[hull.N_CELLS], work.z
    for cell in range(n_cells):
        z[cell] = theta[0]
    for part in range(work.sizes[hull.N_PARTS]):
        least = patterns.kept_least[work.parts[part, hull.PART_SLOT]]
        total = 0.0
        first, size = work.parts[part, hull.PART_FIRST], work.parts[part, hull.PART_SIZE]
        levels, values = work.levels[part], work.values[part]
        values[0] = 0.0
        for b in range(size):
            total += theta[first + b]
            values[b + 1] = total + least
        if size == 1:
            value = values[1]
            for cell in range(n_cells):
                z[cell] += value * levels[cell]
        elif size > 1:
            for cell in range(n_cells):
                z[cell] += values[levels[cell]]
    find_losses(n_cells, work)
    return add_up(work.slope, n_cells)


@bare_inner_kernel
def settle_offset(work, loss):
    """Newton steps of the offset alone, until the slopes of all rows add up to nearly 0."""
    n_cells = work.sizes[hull.N_CELLS]
    for _ in range(4):
        for cell in range(n_cells):
            up = work.others[cell] * work.chance[cell]
            down = work.events[cell] * work.rest[cell]
            work.slope[cell] = up - down
            work.curve[cell] = up + down
        slope, size = add_up(work.slope, n_cells), add_up(work.curve, n_cells)
        for cell in range(n_cells):
            weight = work.events[cell] + work.others[cell]
            work.curve[cell] = weight * work.chance[cell] * work.rest[cell]
        curve = add_up(work.curve, n_cells)
        if abs(slope) <= SMALL_SLOPE * size or curve <= 0.0:
            break
        change = -min(max(slope / curve, -1.0), 1.0)
        work.theta[0] += change
        for cell in range(n_cells):
            work.z[cell] += change
        find_losses(n_cells, work)
        loss = add_up(work.slope, n_cells)
    return loss


@bare_inner_kernel
def find_slopes(work):
    """Write the slopes and curvatures of the cells, and the gradient."""
    n_cells = work.sizes[hull.N_CELLS]
    gradient, slope, pair = work.gradient, work.slope, work.pair
    for cell in range(n_cells):
        chance = work.chance[cell]
        rest = work.rest[cell]
        slope[cell] = work.others[cell] * chance - work.events[cell] * rest
        work.curve[cell] = (work.events[cell] + work.others[cell]) * chance * rest
    gradient[0] = add_up(slope, n_cells)
    for part in range(work.sizes[hull.N_PARTS]):
        size, first = work.parts[part, hull.PART_SIZE], work.parts[part, hull.PART_FIRST]
        levels = work.levels[part]
        if size == 0:
            continue
        if size == 1:
            gradient[first] = add_up_where(slope, levels, n_cells)
            continue
        # four sums a level, so that none waits for the one before
        for level in range(size + 1):
            for k in range(4):
                pair[k, level] = 0.0
        whole = n_cells - n_cells % 4
        for cell in range(0, whole, 4):
            pair[0, levels[cell]] += slope[cell]
            pair[1, levels[cell + 1]] += slope[cell + 1]
            pair[2, levels[cell + 2]] += slope[cell + 2]
            pair[3, levels[cell + 3]] += slope[cell + 3]
        for cell in range(whole, n_cells):
            pair[0, levels[cell]] += slope[cell]
        total = 0.0
        for b in range(size - 1, -1, -1):
            total += (pair[0, b + 1] + pair[1, b + 1]) + (pair[2, b + 1] + pair[3, b + 1])
            gradient[first + b] = total


@reordered_kernel
def add_products(values, others, n):
    """The sum of the products of the first ``n`` values."""
    total = 0.0
    for i in range(n):
        total += values[i] * others[i]
    return total


@bare_inner_kernel
def sample_columns(work):
    """Write the columns, the offset first, and the curvatures of some of the cells; how many cells these are."""
    n_cells = work.sizes[hull.N_CELLS]
    stride = 1 + n_cells // hull.MOST_CURVES
    n = (n_cells + stride - 1) // stride
    for i in range(n):
        work.some_curves[i] = work.curve[i * stride]
        work.design[0, i] = 1.0
    factor = add_up(work.curve, n_cells) / add_up(work.some_curves, n)
    for i in range(n):
        work.some_curves[i] *= factor
    for part in range(work.sizes[hull.N_PARTS]):
        first, levels = work.parts[part, hull.PART_FIRST], work.levels[part]
        for b in range(work.parts[part, hull.PART_SIZE]):
            column = work.design[first + b]
            for i in range(n):
                column[i] = 1.0 if levels[i * stride] > b else 0.0
    return n


@bare_inner_kernel
def find_curves(work):
    """Write the Hessian, both halves."""
    n = sample_columns(work)
    design, weighed = work.design, work.weighed
    for v in range(work.sizes[hull.N_VARIABLES]):
        for i in range(n):
            weighed[i] = work.some_curves[i] * design[v, i]
        for u in range(v + 1):
            total = add_products(weighed, design[u], n)
            work.hessian[v, u] = total
            work.hessian[u, v] = total
