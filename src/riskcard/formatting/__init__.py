"""How numbers, names and markup are written."""
