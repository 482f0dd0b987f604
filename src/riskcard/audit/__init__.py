"""Claims of a card recomputed from raw rows, by code that shares nothing with scoring."""
