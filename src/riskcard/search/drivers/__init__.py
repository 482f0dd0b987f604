"""One driver per kind of problem: plain, in parts, with a charge per term, from a given card, a pool."""
