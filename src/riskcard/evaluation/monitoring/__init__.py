"""A card in use: how far its rows have moved, and whether its scale needs an update."""
