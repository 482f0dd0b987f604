"""What a given card or score costs on a table, against the proven optimum of its kind."""
