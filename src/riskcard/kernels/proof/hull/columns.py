"""The model of a node of the hull: a sum of monotone step functions, whose steps are columns.

Nothing here bears on the truth of a bound: it only chooses where a tangent touches.
"""

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
