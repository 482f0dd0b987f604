"""Cards whose scores and errors differ little between groups, and what that costs."""
