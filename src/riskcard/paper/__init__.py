"""The paper's part: its formulations, their solvers, Algorithm 1, its data and its experiments."""
