"""Figures about times and counts."""
