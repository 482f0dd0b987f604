"""Scores of rows: the sum of the points of a card's terms, and their tally by label."""

import numpy as np

from riskcard.kernels.jit import kernel


@kernel
def score_rows(codes, card, lowest, is_event, keys):
    """Write ``2 * (score - lowest) + is_event`` of every row into ``keys``.

    ``card`` holds columns, cuts and jumps, shape (3, terms).
    """
    for row in range(keys.size):
        keys[row] = np.int64(is_event[row]) - 2 * lowest
    for term in range(card.shape[1]):
        column, cut, worth = codes[card[0, term]], card[1, term], 2 * card[2, term]
        for row in range(keys.size):
            if column[row] <= cut:
                keys[row] += worth


@kernel
def tally_scores(column, cut, jump, keys, weights, n_scores):
    """Weight by score and label when one more term is added to the scores in ``keys``.

    Entry ``2 * score + is_event``, the scores counted from the lowest possible one.
    """
    tally = np.zeros(2 * (n_scores + abs(jump)))
    below, above = 2 * max(jump, 0), 2 * max(-jump, 0)
    for row in range(keys.size):
        tally[keys[row] + (below if column[row] <= cut else above)] += weights[row]
    return tally
