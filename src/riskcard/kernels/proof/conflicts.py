"""What the relaxation of a node leaves out: the two classes must share their cuts.

In the relaxation every row with the event has the points of a slot that some condition of it gives,
and a row without the event only those that all of them give. A real cut of an interval is in
conflict with that: rows with the event beyond it lose the points, rows without it before it get
them.
"""

from riskcard.kernels.jit import bare_inner_kernel

#: Relative allowance for rounding, far above the error of a sum of a million chances.
ROUNDING = 1e-11


@bare_inner_kernel
def least_conflict(rows, weights, chances, cell_of_row, span):
    """The least sum of chances in conflict over all cuts of an interval, lowered for rounding.

    Parameters
    ----------
    rows, weights
        The rows of a feature in order of their codes, and their weights. Within a code come first
        those that a cut from there on is in conflict with, so that the least sum over all places is
        the least over the places between codes.
    chances
        For each cell, the class included: the chance of what did not happen. Times the sign of
        ``span`` it is above 0 where a cut beyond the row is in conflict with it, and below 0 where a
        cut before it is.
    span
        Begin and end of the interval's undecided rows in ``rows``, and the sign.

    Notes
    -----
    Before all rows, a cut is in conflict with all those of negative sign; each row that it passes
    adds its chance with its sign. The two halves are walked at the same time, which lets the
    processor overlap the additions: the second half's least sum is that of the first half as a whole
    plus the least of its own.
    """
    begin, end, sign = span
    half = (end - begin) // 2
    total, run, low = 0.0, 0.0, 0.0
    total_after, run_after, low_after = 0.0, 0.0, 0.0
    for i in range(begin, begin + half):
        value = weights[i] * chances[cell_of_row[rows[i]]]
        total += abs(value)
        run += sign * value
        low = min(low, run)
        value = weights[i + half] * chances[cell_of_row[rows[i + half]]]
        total_after += abs(value)
        run_after += sign * value
        low_after = min(low_after, run_after)
    for i in range(begin + 2 * half, end):
        value = weights[i] * chances[cell_of_row[rows[i]]]
        total_after += abs(value)
        run_after += sign * value
        low_after = min(low_after, run_after)
    low = min(low, run + low_after)
    run += run_after
    total += total_after
    return max(0.0, 0.5 * (total - run) + low - ROUNDING * total)


@bare_inner_kernel
def price_conflicts(conditions, work, depth):
    """Write into ``work.costs`` what a unit of each slot costs at least; returns the rows looked at.

    Why the costs may be added to the relaxation: let ``p`` be the chance of what did not happen for
    each row under the relaxation at ``w`` (the slope of its loss by its margin is ``-p``). A card
    with steps ``w'`` has in a row the margin of the relaxation at ``w'`` less the steps of the
    conditions in conflict with the row. By convexity, row by row, its loss is at least

        loss(w) + gradient(w) . (w' - w) + sum over its conditions of step * conflict(condition),

    where ``conflict`` is the sum of ``weight * p`` over the rows in conflict. Every condition of a
    slot has at least the slot's least conflict, so the last sum is at least ``costs . w'``. Nothing
    is claimed for a cluster of several features: its cost is 0.

    The tables of the depth must be those of its ``w``, and ``cell_of_row`` the cells of its node.
    """
    n_slots = work.counts[depth]
    tables = work.tables[depth]
    chances = work.chances
    class_bit = 1 << conditions.limits[0]
    for cell in range(1 << n_slots):
        chances[cell] = tables[2, cell]
        chances[cell | class_bit] = -tables[3, cell]
    n_rows = work.cell_of_row.size
    n_seen = 0
    work.costs[0] = 0.0
    for j in range(n_slots):
        work.costs[j + 1] = 0.0
        slot = work.slots[depth, j]
        if slot[0] >= 0 or slot[2] == slot[3]:
            continue
        feature = slot[1] >> 1
        side = slot[1] & 1
        # both classes' rows in `rows` begin where the feature's do, the second after all events
        at = conditions.offsets[feature]
        both = feature * n_rows + conditions.limits[3]
        first = at + slot[2] + 1
        last = at + slot[3] + 1
        begin = conditions.starts[0, first] + conditions.starts[1, first] - both
        end = conditions.starts[0, last] + conditions.starts[1, last] - both
        work.costs[j + 1] = least_conflict(
            conditions.mixed_rows[side],
            conditions.mixed_weights[side],
            chances,
            work.cell_of_row,
            (begin, end, 1.0 if side == 1 else -1.0),
        )
        n_seen += end - begin
    return n_seen
