"""How well expected numbers, counts and levels hold on other rows: facts, then one page."""
