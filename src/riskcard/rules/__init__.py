"""What people want of a card: directions, bounds, groups, budgets."""
