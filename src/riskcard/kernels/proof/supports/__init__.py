"""Kernels of the proof for few conditions: regressions on many conditions at once, and their tree.

1. `records`: what is read and what is written.
2. `fit_family`: a logistic regression on all conditions that the cards of a node may have, and the
   tangent that bounds these cards from below (`family_bound`).
3. `divide`: where a node is divided.
4. `explore_families`: the depth-first search; why no card gets lost.
5. `points`: whole points of either sign, once all conditions are chosen.
"""
