"""Steps that several of the older methods share."""
