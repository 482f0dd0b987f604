"""Proving how good a card is: trees, bounds, leaves.

- `conditions` arranges all conditions of a problem for the kernels.
- `tree` is the branch and bound over slots of conditions, in rounds of `tasks` that threads share;
  `frontier` keeps its open nodes, `leaves` finds the best points where all conditions are chosen.
- `support_tree` is the branch and bound for few conditions, which `chains` arranges.

What is claimed of each bound, and why it holds, is written where it is computed: the bound of a wide
node in `kernels.proof.hull.bound`, of a narrow one in `kernels.proof.bounding`, of a leaf in
`kernels.proof.leaf`, of a family of conditions in `kernels.proof.supports.fit_family`.
"""
