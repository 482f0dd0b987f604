"""What the relaxation of a node leaves out: the two classes must share their cuts.

In the relaxation a row with the event has the points of a slot if some condition of the slot gives
them, a row without the event only if all of them do. A single cut of an interval cannot do both.
For a cut after code 4 of the interval ``2..6`` of the side "<=", the undecided rows by code::

    code            3  4 | 5  6
    with the event  .  . | c  c     in conflict: the relaxation gave them the points
    without it      c  c | .  .     in conflict: the relaxation gave them none

Wherever the cut is, some rows are in conflict with it. The least that they cost, over all cuts of
the interval, may be added to the loss.
"""

import riskcard.kernels.proof.layout as at
from riskcard.kernels.jit import bare_inner_kernel
from riskcard.kernels.proof.rounding import ROUNDING, ROUNDING_PER_ROW


@bare_inner_kernel
def least_conflict(rows, weights, chances, cell_of_row, span):
    """Claim: for every cut of an interval, the chances in conflict add up to at least the result.

    Parameters
    ----------
    rows, weights
        The rows of a column in order of their codes, and their weights. Within a code come first
        those that a cut from there on is in conflict with, so that the least sum over all places is
        the least over the places between codes.
    chances
        For each cell, the class included: the chance of what did not happen. Times the sign of
        ``span`` it is above 0 where a cut beyond the row is in conflict with it, and below 0 where
        a cut before it is.
    span
        Begin and end of the interval's undecided rows in ``rows``, and the sign.

    Notes
    -----
    Let ``v[i]`` be the signed chances. A cut before all rows is in conflict with those of negative
    sign, whose sizes add up to ``(sum |v| - sum v) / 2``. Each row that the cut passes adds
    ``v[i]``: a row of positive sign comes into conflict, one of negative sign no longer is. So the
    answer is that sum plus the least of all partial sums of ``v``, where the empty one is 0.

    The two halves of the rows are walked at the same time, which lets the processor overlap the
    additions: the least partial sum is that of the first half, or the whole first half plus that of
    the second. Each of the three sums errs by at most ``2**-53`` for each row, times ``sum |v|``;
    the result is lowered by more than that.
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
    rounding = max(ROUNDING, ROUNDING_PER_ROW * (end - begin))
    return max(0.0, 0.5 * (total - run) + low - rounding * total)


@bare_inner_kernel
def price_conflicts(conditions, work, depth):
    """Write the least cost of a unit of each slot into ``work.costs``; returns the rows seen.

    Claim: no card of the node has a loss below the minimum over the box of the relaxed loss's
    tangent at ``w`` plus ``costs . w'``. The tables of the depth must be those of its ``w``, and
    ``cell_of_row`` the cells of its node.

    Proof: let ``p`` be the chance of what did not happen for each row under the relaxation at ``w``
    (the slope of its loss by its margin is ``-p``). A card with steps ``w'`` has in a row the
    margin of the relaxation at ``w'``, less the steps of the conditions in conflict with the row.
    By convexity, row by row, its loss is at least

        loss(w) + gradient(w) . (w' - w) + sum over its conditions of step * conflict(condition),

    where ``conflict`` is the sum of ``weight * p`` over the rows in conflict. Every condition of a
    slot has at least the slot's least conflict, so the last sum is at least ``costs . w'``.
    """
    n_slots = int(work.path.counts[depth])
    tables = work.tables[depth]
    chances = work.chances
    class_bit = 1 << conditions.limits.max_terms
    # the chance of what did not happen, by class, with the sign of the class
    for cell in range(1 << n_slots):
        chances[cell] = tables[at.CHANCE_OF_OTHER, cell]
        chances[cell | class_bit] = -tables[at.CHANCE_OF_EVENT, cell]
    n_rows = work.cell_of_row.size
    n_seen = 0
    work.costs[at.OFFSET] = 0.0
    for j in range(n_slots):
        work.costs[j + 1] = 0.0
        slot = work.path.slots[depth, j]
        # is anything undecided, and on one column?
        if slot[at.LOW] == slot[at.HIGH]:
            continue
        column = slot[at.SIDE] >> 1
        is_above = slot[at.SIDE] & 1
        # both classes' rows in `rows` begin where the column's do, the second after all events
        offset = conditions.offsets[column]
        both = column * n_rows + conditions.n_events
        first = offset + slot[at.LOW] + 1
        last = offset + slot[at.HIGH] + 1
        begin = conditions.starts[at.EVENT, first] + conditions.starts[at.OTHER, first] - both
        end = conditions.starts[at.EVENT, last] + conditions.starts[at.OTHER, last] - both
        work.costs[j + 1] = least_conflict(
            conditions.mixed_rows[is_above],
            conditions.mixed_weights[is_above],
            chances,
            work.cell_of_row,
            (begin, end, 1.0 if is_above == 1 else -1.0),
        )
        n_seen += end - begin
    return n_seen
