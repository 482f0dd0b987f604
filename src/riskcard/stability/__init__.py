"""How much a card depends on the particular rows that it was learned from."""
