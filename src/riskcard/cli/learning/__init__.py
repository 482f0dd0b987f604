"""Commands that learn: one file per command."""
