"""Proof files: what a proof rests on, described in the user's units, and the tree, in one file."""
