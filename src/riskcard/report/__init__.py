"""A report on a card: facts gathered first, then one page that needs nothing else."""
