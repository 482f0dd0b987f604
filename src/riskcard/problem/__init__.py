"""What is solved: frozen data, numpy only."""
