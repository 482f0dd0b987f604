"""Proving how good a card is: trees, bounds, leaves."""
