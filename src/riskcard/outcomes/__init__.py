"""Outcomes other than yes or no: reading them, and what belongs to times and hazards."""
