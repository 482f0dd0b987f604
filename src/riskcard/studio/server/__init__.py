"""The server of the page: what it may ask for, who is let in, what it shows and what leaves it."""
