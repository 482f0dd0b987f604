"""Kernels of the search for good cards."""
