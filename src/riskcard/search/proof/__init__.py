"""Proving how good a card is: trees, bounds, leaves.

- `conditions` arranges all conditions of a problem for the kernels.
- `tree` is the branch and bound over slots of conditions, in rounds of threads; `frontier` keeps
  its open nodes, `leaves` finds the best points where all conditions are chosen.
- `hull_tree` is a second branch and bound, for large problems, with the stronger but slower bound
  of `hull`.
- `support_tree` is the branch and bound for few conditions, which `chains` arranges.

What is claimed of each bound, and why it holds, is written where it is computed: the bound of a
node in `kernels.proof.bounding`, of a leaf in `kernels.proof.leaf`, of the hull in
`hull.tangent_bound`, of few conditions in `kernels.proof.supports.fit_family`.
"""
