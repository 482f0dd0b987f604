"""The frozen card in the user's units; importing it loads neither numba nor scikit-learn."""
