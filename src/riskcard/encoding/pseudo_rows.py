"""Pseudo-observations: rows with the table's event rate, spread over its rows, which shrink risks.

``T`` pseudo-observations add to the loss of every card what ``T`` rows would add that have the
features of the rows of the table and the event as often as all of them together::

    T / n * sum over rows of  weight * (r * loss if the event + (1 - r) * loss if not)

with ``n`` the number of rows and ``r`` the event rate by weight: a pseudo-observation weighs as much
as an average row. That is the loss of a table in which every row occurs with both labels, so search,
proof and enumeration need not know about them.
"""

from dataclasses import replace

import numpy as np

from riskcard.arrays import Floats, Labels
from riskcard.logistic import log_loss
from riskcard.problem.ranked_data import RankedData

#: Pseudo-observations of the first card, which shows how many are right.
FIRST = 40.0
#: Longer tables get none from "auto": they would hardly change anything, and double the work.
MOST_ROWS = 10_000
#: Pseudo-observations per term where a card explains half of the variance of the labels.
PER_TERM = 4.0
#: "auto" gives at most this share of the rows.
LARGEST_SHARE = 0.5


def explained_share(log_odds: Floats, labels: Labels, weights: Floats) -> float:
    """The share of the variance of the labels (as 0 and 1) that the risks of a card have."""
    risks = np.exp(-np.logaddexp(0.0, -log_odds))
    rate, mean = (float(np.average(values, weights=weights)) for values in (labels > 0, risks))
    return float(np.average((risks - mean) ** 2, weights=weights)) / (rate * (1 - rate))


def fitting_pseudo_rows(explained: float, max_terms: int, n_rows: int) -> float:
    """How many pseudo-observations suit cards that explain a share of the variance of the labels.

    Suppose that the true risks of groups of rows scatter about the event rate ``r`` with variance
    ``v``. Then the best guess at the risk of a group counts ``r * (1 - r) / v - 1`` rows of rate
    ``r`` in addition to its own: few where risks differ much, many where they hardly do. With ``v``
    the variance of the risks of a card, that is ``(1 - explained) / explained`` for each group. The
    number of groups grows with the number of terms.

    Parameters
    ----------
    explained
        The share.
    max_terms
        Of the cards.
    n_rows
        Training rows.
    """
    most = LARGEST_SHARE * n_rows
    if explained <= 0:
        return most
    return min(PER_TERM * max_terms * max(0.0, 1 - explained) / explained, most)


def add_pseudo_rows(data: RankedData, number: float) -> RankedData:
    """The same columns on twice as many rows: all as they are, then all with the other label.

    Parameters
    ----------
    data
        The rows of the table.
    number
        Pseudo-observations; with 0 the data are returned unchanged.
    """
    if number == 0:
        return data
    own, other = _weights(data.labels, data.weights, number)
    return replace(
        data,
        codes=np.concatenate([data.codes, data.codes], axis=1),
        labels=np.concatenate([data.labels, -data.labels]),
        weights=np.concatenate([data.weights + own, other]),
    )


def loss_with_pseudo_rows(
    log_odds: Floats, labels: Labels, weights: Floats, number: float
) -> float:
    """The loss of the rows of a table and of its pseudo-observations."""
    loss = log_loss(log_odds, labels, weights)
    if number == 0:
        return loss
    own, other = _weights(labels, weights, number)
    loss += log_loss(log_odds, labels, own)
    return loss + log_loss(log_odds, -labels, other)


def _weights(labels: Labels, weights: Floats, number: float) -> tuple[Floats, Floats]:
    """What pseudo-observations at each row weigh: those with its own label, and with the other."""
    is_event = labels > 0
    # each rate from its own sum: a light class would vanish in the difference from 1
    events, others = float(weights[is_event].sum()), float(weights[~is_event].sum())
    rate, rest = events / (events + others), others / (events + others)
    spread = weights * (number / weights.size)
    return spread * np.where(is_event, rate, rest), spread * np.where(is_event, rest, rate)
