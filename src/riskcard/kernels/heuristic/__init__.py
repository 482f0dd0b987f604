"""Kernels of the search for good cards.

- `sets` changes a set of conditions one term at a time; `swaps` screens all exchanges for it in one
  pass over the rows, and `cells` fits real-valued points.
- `integer_points` rounds these to whole points; `exchange` then replaces one term at a time.
- `histogram` has the sums by bin that both `swaps` and `exchange` start with.
"""
