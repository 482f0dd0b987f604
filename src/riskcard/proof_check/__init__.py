"""Checkers of proof files: each a single file that shares no code with the solver, nor with the other."""
