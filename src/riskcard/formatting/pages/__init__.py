"""Documents and pieces of pages: as HTML, for phones, as Word."""
