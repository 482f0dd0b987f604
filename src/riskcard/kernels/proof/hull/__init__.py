"""The hull of one-sided slots: a strong bound while the cuts of a node are still open."""
