"""How well risks go with what happened: figures and the points of curves; numpy only."""
