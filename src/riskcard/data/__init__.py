"""Any table or file in, one form out: columns, labels, weights, levels."""
