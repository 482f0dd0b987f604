"""A fit on a table that is not in memory: candidate cuts from a sample, counts of all rows, merged rows."""
