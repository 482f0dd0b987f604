"""How the problem is solved: the search for good cards and the proof."""
