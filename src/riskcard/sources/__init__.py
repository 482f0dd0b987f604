"""Tables that are read in pieces or where they are: all that a fit asks them for is counts and a sample."""
