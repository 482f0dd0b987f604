"""The frozen card in the user's units: it scores, explains and exports itself without training."""
