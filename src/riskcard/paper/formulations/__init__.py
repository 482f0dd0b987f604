"""The paper's models, given to other people's solvers, and its heuristic."""
