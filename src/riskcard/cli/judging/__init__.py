"""Commands that judge a card: one file per command."""
