"""How well risks agree with what happened: figures, intervals and the points of curves."""
