"""What a first look at a table finds: the event, identifiers, leaks, and a summary in a few lines."""
