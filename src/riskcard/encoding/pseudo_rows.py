"""Prior rows: pseudo-rows with the table's event rate, spread over all rows, that keep risks from extremes.

``T`` prior rows add to the loss of every card what ``T`` rows would that lie where the rows of the
table lie and have the event as often as all of them together::

    T * sum over rows of  weight / W * (r * loss if the event + (1 - r) * loss if not)

with ``W`` the sum of the weights and ``r`` the event rate by weight. That is the loss of a table in
which every row stands with both labels, so nothing that solves, proves or enumerates needs to know
of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import ParameterError
from riskcard.logistic import log_loss
from riskcard.problem.ranked_data import RankedData

#: Prior rows of the card that shows how many are fitting.
FIRST = 40.0
#: Longer tables get none of themselves: they would change next to nothing, and double the work.
MOST_ROWS = 10_000
#: Prior rows for each term where a card explains half of the differences between labels.
PER_TERM = 4.0
#: Prior rows that are found fitting are at most this part of the weight of the rows.
LARGEST_SHARE = 0.5


def count_prior_rows(value: Any, weights: NDArray[np.float64]) -> float:
    """Read the user's ``prior_rows``: a number of rows, or a share (below 1) of the weight.

    Parameters
    ----------
    value
        As given.
    weights
        Of the rows; a prior row weighs 1.
    """
    is_number = isinstance(value, (int, float, np.integer, np.floating))
    if not is_number or isinstance(value, bool) or not 0 <= value < float("inf"):
        raise ParameterError(
            f"prior_rows is {value!r}. Use a number of rows, a share of them below 1 such as 0.05, "
            "'auto', or 0 for none."
        )
    return float(value * weights.sum()) if value < 1 else float(value)


def explained_share(
    log_odds: NDArray[np.float64], labels: NDArray[np.int8], weights: NDArray[np.float64]
) -> float:
    """How much of the variance of the labels (as 0 and 1) the risks of a card have."""
    risks = np.exp(-np.logaddexp(0.0, -log_odds))
    rate, mean = (float(np.average(values, weights=weights)) for values in (labels > 0, risks))
    return float(np.average((risks - mean) ** 2, weights=weights)) / (rate * (1 - rate))


def fitting_prior_rows(explained: float, max_terms: int, weight: float) -> float:
    """The number of prior rows for cards that explain a share of the variance of the labels.

    Suppose that the true risks of groups of rows scatter about the event rate ``r`` with variance
    ``v``. Then the best guess at the risk of a group counts ``r * (1 - r) / v - 1`` rows of rate
    ``r`` besides its own: few where risks differ much, many where they hardly do. With ``v`` the
    variance of the risks of a card that is ``(1 - explained) / explained`` for each group, of which
    a card has the more the more terms it has.

    Parameters
    ----------
    explained
        The share.
    max_terms
        Of the cards.
    weight
        Of all rows.
    """
    most = LARGEST_SHARE * weight
    if explained <= 0:
        return most
    return min(PER_TERM * max_terms * max(0.0, 1 - explained) / explained, most)


def add_prior_rows(data: RankedData, number: float) -> RankedData:
    """The same columns on twice as many rows: all as they are, then all with the other label.

    Parameters
    ----------
    data
        The rows of the table.
    number
        Prior rows; with 0 the data is returned as it is.
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


def loss_with_prior_rows(
    log_odds: NDArray[np.float64],
    labels: NDArray[np.int8],
    weights: NDArray[np.float64],
    number: float,
) -> float:
    """The loss of the rows of a table and of its prior rows."""
    loss = log_loss(log_odds, labels, weights)
    if number == 0:
        return loss
    own, other = _weights(labels, weights, number)
    loss += log_loss(log_odds, labels, own)
    return loss + log_loss(log_odds, -labels, other)


def _weights(
    labels: NDArray[np.int8], weights: NDArray[np.float64], number: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What prior rows weigh in the place of each row, those with its own label and with the other."""
    whole = float(weights.sum())
    rate = float(weights[labels > 0].sum()) / whole
    spread = weights * (number / whole)
    is_event = labels > 0
    return spread * np.where(is_event, rate, 1 - rate), spread * np.where(is_event, 1 - rate, rate)
