"""Commands that use a card: one file per command."""
