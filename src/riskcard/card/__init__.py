"""How a card looks: one ScoreCard of numbers and strings, one renderer per file."""
