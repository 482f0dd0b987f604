"""Figures about times, counts, numbers and levels."""
