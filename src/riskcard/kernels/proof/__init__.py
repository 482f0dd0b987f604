"""Kernels of the proof: the bounds, and the exploration that makes the most of them.

A reader who wants to check the proof can take the modules in this order:

1. `layout`: the records, field by field.
2. `slots`: sets of conditions, the rows that they leave undecided, and the limits on a card.
3. `relaxation` and `newton`: a convex problem on the cells of a node, its minimum, and the tangent
   that bounds it from below (`lower_bound_at`).
4. `shared_cuts`: what a card loses beyond the relaxation, since both classes share their cuts.
5. `bounding`: why all this bounds every card of a node, and when a node is pruned.
6. `rounding`: why rounding does not spoil the bounds.
7. `nodes` and `explore`: children, and the depth-first search; why no card gets lost.
8. `leaf`: whole points, once all conditions are chosen and the scale is free.

9. `hull.bound` and `hull.branch`: the bound of wide nodes, and how they are divided; `hull.model`
   only chooses where its tangent touches, on the cells of `hull.cells`.
10. `supports`: another tree, for few conditions.

A node splits until it is pruned or a leaf::

    a list of sides --take_out_side--> intervals of one side each --divide_slot--> narrow ones  (hull)
                                                                                      |
                            one condition each <--...-- smaller slots <--split_slot_at-- slots
                                     |
                    fixed scale: divide the intervals of the coefficients (SPLIT_POINTS)
                    free scale: `choose_leaf_points`

The claims rest on four facts: the loss is convex in the log-odds; more points for rows with the
event, and fewer for those without, only lower it; the children of a node have all its cards; and
every sum is lowered by more than its rounding error.
"""
