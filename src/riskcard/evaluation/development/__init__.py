"""Figures about a development: how many rows it needs, how much single risks depend on them."""
