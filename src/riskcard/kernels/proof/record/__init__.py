"""Kernels that write a proof down: the tree once more, each closed node with chances that close it.

`chances` has the arithmetic that a checker repeats, `closing` finds out whether chances close a node,
`walk` goes through the tree, and `points` through the whole points of a leaf. What is written is
described in ``docs/proof_format.md``.
"""
