"""The crossing between the user's units and the solver's codes, both ways."""
