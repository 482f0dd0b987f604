"""Where a card comes from: its recipe, the rows behind it, and what was proven about it."""
