"""The hull of one-sided slots: a strong bound while the cuts of a node are still open.

Read `layout` first, then `bound` (the claim, and the rounds that look for a good tangent), `branch`
and `explore`. `columns`, `cells` and `model` minimise the loss over a few columns; no claim rests on where
they end, only on the losses and slopes there, from `logarithms`.
"""
