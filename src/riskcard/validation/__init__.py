"""A card on rows that it was not learned from: facts first, then tables, text and one page."""
