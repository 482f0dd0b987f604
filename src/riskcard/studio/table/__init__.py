"""The table of a session: columns, rows for each purpose, and what a card costs on them."""
