"""How much a card depends on the very rows that it was learned from."""
