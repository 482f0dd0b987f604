"""Finding good cards."""
