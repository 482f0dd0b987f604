"""From the cells of a column to values: numbers, dates and categories as people write them."""
