"""Inner loops: arrays in, arrays out, compiled by numba; no objects of the other parts.

`jit` says how they are compiled. `scale`, `scores` and `ranks` serve search and proof alike;
`heuristic` finds cards, `proof` bounds what any card can reach. Without compilation
(``NUMBA_DISABLE_JIT=1``) all kernels run as plain Python.
"""
