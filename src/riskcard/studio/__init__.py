"""The studio: a page on this machine to open a table, see the card, change it and see what that costs."""
