"""Arrays in, arrays out; the only place that knows numba."""
