"""Kernels of the proof for few conditions: regressions on many conditions at once, and their tree.

1. `records`: what is read and what is written.
2. `levels`: from coefficients to rows and back.
3. `family_bound`: the tangent that bounds all cards of a node from below, from any chances.
4. `fit_family`, `step`: a logistic regression on all conditions that the cards of a node may have.
5. `divide`: where a node is divided.
6. `merge`, `explore_families`: the depth-first search; why no card gets lost.
7. `points`: whole points of either sign, once all conditions are chosen.
"""
