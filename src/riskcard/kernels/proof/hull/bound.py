"""The bound of a node of the hull, and the rounds in which its model gets more columns.

The model is a sum of monotone step functions. Where it is the minimum over the node's hull, the bound
of its tangent is that minimum. A round takes Newton steps, bounds, and adds as columns the
conditions whose slopes say that they would lower the loss. A node whose model has a loss below the
cutoff is not closed by any tangent, since the bound holds for every point of the hull too: it is
left open at once, unless its own bound is asked for (``CLOSENESS`` below 1).
"""

import numpy as np

import riskcard.kernels.proof.hull.layout as hull
import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import bare_inner_kernel, inlined_kernel
from riskcard.kernels.proof.hull.cells import find_cells, find_slopes, loss_at, settle_offset
from riskcard.kernels.proof.hull.columns import add_column, drop_idle_columns
from riskcard.kernels.proof.hull.model import take_newton_step
from riskcard.kernels.proof.rounding import ROUNDING, ROUNDING_PER_ROW
from riskcard.kernels.proof.slots import slot_reach

PRUNED, OPEN = 0, 1
#: Rounds of a node that is only to be pruned; of one with terms in its list, whose hull needs many columns;
#: and of one whose bound is asked for.
MOST_ROUNDS, FEW_ROUNDS, MANY_ROUNDS = 12, 6, 30
#: Slopes are added up by code in the order of the rows where an interval has this many codes more than one, and this
#: part of all rows.
MANY_CODES, MANY_ROWS_OF_CODES = 15, 0.25
#: Newton steps of a round of a node that is only to be pruned; otherwise one, since more columns follow.
NEWTON_STEPS = 2


@bare_inner_kernel
def load_columns(conditions, patterns, nodes, index, work):
    """Begin the model of a node with its columns."""
    work.sizes[hull.N_PARTS] = 0
    work.sizes[hull.N_VARIABLES] = 1
    work.sizes[hull.IS_BY_ROW] = 0
    work.theta[0] = nodes.offsets[index]
    for c in range(nodes.n_columns[index]):
        column = nodes.columns[index, c]
        add_column(
            work,
            np.int64(column[hull.COLUMN_SLOT]),
            np.int64(column[hull.COLUMN_SIDE]),
            np.int64(column[hull.COLUMN_CUT]),
            nodes.thetas[index, c],
        )
    max_cuts = conditions.limits.max_cuts_per_feature
    for slot in range(nodes.counts[index]):
        if patterns.kept_room[slot] >= 0.0:
            work.caps[slot] = patterns.kept_room[slot]
        else:
            work.caps[slot] = slot_reach(conditions, nodes.slots[index, slot], max_cuts)
    # a child may have less room than its parent
    for slot in range(nodes.counts[index]):
        total = 0.0
        for part in range(work.sizes[hull.N_PARTS]):
            if work.parts[part, hull.PART_SLOT] == slot:
                first = work.parts[part, hull.PART_FIRST]
                for b in range(work.parts[part, hull.PART_SIZE]):
                    total += work.theta[first + b]
        if total > work.caps[slot]:
            for part in range(work.sizes[hull.N_PARTS]):
                if work.parts[part, hull.PART_SLOT] == slot:
                    first = work.parts[part, hull.PART_FIRST]
                    for b in range(work.parts[part, hull.PART_SIZE]):
                        work.theta[first + b] *= work.caps[slot] / total


@bare_inner_kernel
def save_columns(nodes, index, work):
    """Write the columns with a coefficient above 0 to a node."""
    count = 0
    nodes.offsets[index] = work.theta[0]
    for part in range(work.sizes[hull.N_PARTS]):
        first = work.parts[part, hull.PART_FIRST]
        for b in range(work.parts[part, hull.PART_SIZE]):
            if work.theta[first + b] > 0.0 and count < hull.MOST_COLUMNS:
                nodes.columns[index, count, hull.COLUMN_SLOT] = work.parts[part, hull.PART_SLOT]
                nodes.columns[index, count, hull.COLUMN_SIDE] = work.parts[part, hull.PART_SIDE]
                nodes.columns[index, count, hull.COLUMN_CUT] = work.cuts[part, b]
                nodes.thetas[index, count] = work.theta[first + b]
                count += 1
    nodes.n_columns[index] = count


@inlined_kernel
def note_condition(work, slot, side, cut, slope):
    """Remember a condition whose slope says that a column of it would lower the loss."""
    place = work.n_found[0]
    if slope >= 0.0 or place >= hull.MOST_FOUND:
        return
    work.found[place, hull.COLUMN_SLOT] = slot
    work.found[place, hull.COLUMN_SIDE] = side
    work.found[place, hull.COLUMN_CUT] = cut
    work.found_slope[place] = slope
    work.n_found[0] = place + 1


@bare_inner_kernel
def add_slopes(slopes, order, begin, end):
    """The sum of the slopes of rows that follow each other in an order."""
    place = begin
    total = 0.0
    if end - begin >= 8:
        # four sums, so that none waits for the one before
        two, three, four = 0.0, 0.0, 0.0
        while place + 4 <= end:
            total += slopes[order[place]]
            two += slopes[order[place + 1]]
            three += slopes[order[place + 2]]
            four += slopes[order[place + 3]]
            place += 4
        total = (total + two) + (three + four)
    while place < end:
        total += slopes[order[place]]
        place += 1
    return total


@bare_inner_kernel
def sum_codes(patterns, slopes, column, first, last, by_code):
    """Write the sum of the slopes of the rows with each code of a column, from one code to another.

    Where these are many codes and rows, in the order of the rows, which is that of memory.
    """
    order, starts, begin = patterns.order[column], patterns.starts, patterns.offsets[column]
    rows = starts[begin + last + 1] - starts[begin + first]
    if last - first >= MANY_CODES and rows > MANY_ROWS_OF_CODES * slopes.size:
        codes = patterns.codes[column]
        for code in range(patterns.n_codes[column]):
            by_code[code] = 0.0
        for row in range(slopes.size):
            by_code[codes[row]] += slopes[row]
        return
    for code in range(first, last + 1):
        by_code[code] = add_slopes(slopes, order, starts[begin + code], starts[begin + code + 1])


@bare_inner_kernel
def scan_interval(patterns, work, slot_index, slot, anchor, total):
    """The least slope of the conditions of an interval; notes the least on either side of a cut.

    ``anchor`` is that cut, and the sum of the slopes of the rows with codes up to it.
    """
    start, below = anchor
    side = int(slot[at.SIDE])
    by_code = work.by_code
    sum_codes(patterns, work.slopes, side >> 1, int(slot[at.LOW]) + 1, int(slot[at.HIGH]), by_code)
    is_above = side & 1 == 1
    here = total - below if is_above else below
    best = here
    best_cut = start
    run = below
    for cut in range(start + 1, int(slot[at.HIGH]) + 1):
        run += by_code[cut]
        own = total - run if is_above else run
        if own < best:
            best = own
            best_cut = cut
    note_condition(work, slot_index, side, best_cut, best)
    least = best
    best = here
    best_cut = -1
    run = below
    for cut in range(start - 1, int(slot[at.LOW]) - 1, -1):
        run -= by_code[cut + 1]
        own = total - run if is_above else run
        if own < best:
            best = own
            best_cut = cut
    if best_cut >= 0:
        note_condition(work, slot_index, side, best_cut, best)
    return min(least, best)


@bare_inner_kernel
def find_anchor(patterns, work, slot_index, slot, total):
    """A cut of an interval and the sum of the slopes of the rows with codes up to it."""
    side = int(slot[at.SIDE])
    for part in range(work.sizes[hull.N_PARTS]):
        if work.parts[part, hull.PART_SLOT] == slot_index and work.parts[part, hull.PART_SIZE] > 0:
            own = work.gradient[work.parts[part, hull.PART_FIRST]]
            cut = int(work.cuts[part, 0])
            return cut, total - own if side & 1 else own
    column = side >> 1
    cut = int(slot[at.LOW])
    below = 0.0
    order, starts = patterns.order[column], patterns.starts
    begin = patterns.offsets[column]
    for place in range(starts[begin], starts[begin + cut + 1]):
        below += work.slopes[order[place]]
    return cut, below


@bare_inner_kernel
def scan_column(patterns, work, column, total):
    """The least sum of the slopes of the rows up to a cut of a column, that cut, and the same for the rows above.

    0 and -1 where no sum is below 0. Rows with the commonest code are not looked at: sums come from the
    left up to it, and from the right down to it, and the sum of all other rows is ``total`` less these.
    """
    by_code, common = work.by_code, int(patterns.commonest[column])
    below, above = 0.0, 0.0
    cut_below, cut_above = -1, -1
    run = 0.0
    sum_codes(patterns, work.slopes, column, 0, common - 1, by_code)
    for code in range(common):
        run += by_code[code]
        if run < below:
            below, cut_below = run, code
        if total - run < above:
            above, cut_above = total - run, code
    run = 0.0
    last = int(patterns.n_codes[column]) - 1
    sum_codes(patterns, work.slopes, column, common + 1, last, by_code)
    for code in range(last, common, -1):
        run += by_code[code]
        if run < above:
            above, cut_above = run, code - 1
        if total - run < below:
            below, cut_below = total - run, code - 1
    return below, cut_below, above, cut_above


@bare_inner_kernel
def note_listed(work, begin, side, cut, slope):
    """Remember a condition of the list, if its side is one of the best."""
    if work.n_found[0] < begin + hull.MOST_LISTED:
        note_condition(work, hull.LIST, side, cut, slope)
        return
    worst = begin
    for place in range(begin + 1, begin + hull.MOST_LISTED):
        if work.found_slope[place] > work.found_slope[worst]:
            worst = place
    if slope < work.found_slope[worst]:
        work.found[worst, hull.COLUMN_SIDE] = side
        work.found[worst, hull.COLUMN_CUT] = cut
        work.found_slope[worst] = slope


@bare_inner_kernel
def scan_list(conditions, patterns, excluded, work, total):
    """The least product of slope and reach in the list; notes the best cut of the best sides."""
    least = 0.0
    begin = int(work.n_found[0])
    last = -1
    below, cut_below, above, cut_above = 0.0, -1, 0.0, -1
    for s in range(patterns.sides.size):
        side = int(patterns.sides[s])
        if (excluded[side >> 6] >> np.uint64(side & 63)) & np.uint64(1):
            continue
        if side >> 1 != last:
            last = side >> 1
            below, cut_below, above, cut_above = scan_column(patterns, work, last, total)
        best = (above if side & 1 else below) * conditions.reach[side]
        least = min(least, best)
        note_listed(work, begin, side, cut_above if side & 1 else cut_below, best)
    return least


@bare_inner_kernel
def tangent_bound(conditions, patterns, nodes, index, work, loss):
    """Claim: no card of the node has a loss below the number returned, wherever the model is.

    Proof: let ``z`` be the log-odds of the rows under the model, any at all, and ``r`` the slopes of
    the rows' losses there. The loss is convex in the log-odds, so that of a card with log-odds ``z'``
    is at least ``loss(z) + r . (z' - z)``. With its best offset, which `kernels.proof.bounding`
    confines, the card has ``z' = offset + sum of steps``. So ``r . z'`` is the offset times the sum of
    ``r``, taken at the worse end, plus for each term its step times the sum of ``r`` over the rows in
    which its condition holds. A step is between 0 and the reach, so that product is at least the
    smaller of 0 and reach times the least such sum in the term's slot; a slot has at most as many
    terms as its multiplicity says, and ``caps`` is their reach together. A kept term has a step of
    ``kept_least`` in any case, which counts in full, and up to ``kept_room`` more. In the list
    reaches differ by side, so the least product of slope and reach is taken.

    Sums over rows err by at most ``2 u`` for each row, times the sum of the sizes of all slopes, and
    are multiplied by reaches that add up to ``furthest``; the rest is as in `kernels.proof.rounding`.
    The result is lowered by more than that.
    """
    n_rows = work.slopes.size
    for row in range(n_rows):
        cell = work.key[row]
        work.slopes[row] = (
            patterns.others[row] * work.chance[cell] - patterns.events[row] * work.rest[cell]
        )
    find_slopes(work)
    total = work.gradient[0]
    # loss(z) - r . z
    bound = loss
    size = loss
    sum_of_sizes = 0.0
    for cell in range(work.sizes[hull.N_CELLS]):
        bound -= work.slope[cell] * work.z[cell]
        own = work.others[cell] * work.chance[cell] + work.events[cell] * work.rest[cell]
        size += own * abs(work.z[cell])
        sum_of_sizes += own
    furthest = 0.0
    work.n_found[0] = 0
    for slot in range(nodes.counts[index]):
        record = nodes.slots[index, slot]
        if slot == hull.LIST:
            if record[at.MULTIPLICITY] == 0:
                continue
            least = scan_list(conditions, patterns, nodes.excluded[index], work, total)
            bound += least * (work.caps[slot] / conditions.steepest)
        else:
            anchor = find_anchor(patterns, work, slot, record, total)
            least = scan_interval(patterns, work, slot, record, anchor, total)
            bound += min(0.0, least) * work.caps[slot] + least * patterns.kept_least[slot]
        furthest += work.caps[slot] + patterns.kept_least[slot]
    low = conditions.rate - furthest - conditions.unit
    high = conditions.rate + conditions.unit
    bound += min(total * low, total * high)
    size += sum_of_sizes * (abs(conditions.rate) + 2.0 * (furthest + conditions.unit))
    return bound - (ROUNDING + ROUNDING_PER_ROW * n_rows) * size


@bare_inner_kernel
def add_found_columns(work, loss):
    """Add the conditions that were found to be steep as columns; how many are new."""
    added = 0
    for place in range(work.n_found[0]):
        if work.found_slope[place] < -1e-9 * loss:
            added += add_column(
                work,
                work.found[place, hull.COLUMN_SLOT],
                work.found[place, hull.COLUMN_SIDE],
                work.found[place, hull.COLUMN_CUT],
                0.0,
            )
    return added


@bare_inner_kernel
def bound_hull_node(conditions, patterns, nodes, index, work, control):
    """Bound a node; returns PRUNED or OPEN, and the work done."""
    cutoff, closeness = control[at.CUTOFF], control[at.CLOSENESS]
    # until good bounds are asked for, no node is set aside
    target = control[at.TARGET] if closeness < 1.0 else np.inf
    state = hull.ROUGH
    n_slots = np.int64(nodes.counts[index])
    n_rows = work.key.size
    load_columns(conditions, patterns, nodes, index, work)
    is_listed = nodes.slots[index, hull.LIST, at.MULTIPLICITY] > 0
    most_rounds = FEW_ROUNDS if is_listed else MOST_ROUNDS
    if closeness < 1.0:
        most_rounds = MANY_ROUNDS
    is_changed = True
    newton_steps = NEWTON_STEPS if closeness >= 1.0 else 1
    loss = before = 0.0
    cost = 0.0
    outcome = OPEN
    for count in range(most_rounds):
        if count > 0:
            n_variables = work.sizes[hull.N_VARIABLES]
            drop_idle_columns(work)
            is_changed = work.sizes[hull.N_VARIABLES] != n_variables
            if add_found_columns(work, loss) > 0:
                is_changed = True
            # is the model at its minimum, and no condition missing?
            elif before - loss < 1e-7 * loss:
                state = hull.SETTLED
                break
        if is_changed:
            was_by_row = count > 0 and work.sizes[hull.IS_BY_ROW] == 1
            find_cells(patterns, work)
            # new columns begin at 0, so the log-odds of the rows stay as they are
            if not was_by_row:
                loss = loss_at(patterns, work, work.theta)
            cost += n_rows * (2.0 * n_slots + 0.1 * work.sizes[hull.N_VARIABLES])
        for _ in range(newton_steps):
            before = loss
            loss = take_newton_step(patterns, work, n_slots, loss)
            cost += work.sizes[hull.N_CELLS] * 40.0 + work.sizes[hull.N_VARIABLES] ** 3
            if before - loss < 1e-7 * loss or (loss < cutoff and closeness >= 1.0):
                break
        # can no tangent prune it?
        if loss < cutoff and closeness >= 1.0:
            break
        loss = settle_offset(work, loss)
        bound = tangent_bound(conditions, patterns, nodes, index, work, loss)
        nodes.bounds[index] = max(nodes.bounds[index], bound)
        cost += n_rows * 2.0 * n_slots
        if nodes.bounds[index] >= cutoff:
            outcome = PRUNED
            break
        left = cutoff - nodes.bounds[index]
        if loss < cutoff and loss - nodes.bounds[index] < closeness * left:
            state = hull.SETTLED
            break
        # is it far enough to be set aside, for now?
        if nodes.state[index] == hull.NEW and nodes.bounds[index] >= target:
            break
    else:
        state = hull.SETTLED
    save_columns(nodes, index, work)
    nodes.state[index] = state
    return outcome, cost
