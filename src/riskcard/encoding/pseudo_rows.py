"""Pseudo-observations: rows in addition to those of the table, which keep a card from following chance.

They have the features of the rows of the table, and the event with a given probability, ``risk``::

    T / n * sum over rows of  weight * (risk * loss if the event + (1 - risk) * loss if not)

is what ``T`` of them add to the loss of every card, with ``n`` the number of rows: each weighs as much
as an average row. That is the loss of a table in which rows occur with both labels, so search, proof
and enumeration need not know about them. There are two kinds. The *average* ones have the event rate
of the table as their risk, and shrink the risks of a card towards it. The *smooth* ones have the risks
of a regression (``smooth_risks``), and pull the choice of features, cuts and points towards what all
rows show together. In long tables both are placed at only some of the rows.
"""

from dataclasses import dataclass, replace

import numpy as np

from riskcard.arrays import Floats, Integers, Labels
from riskcard.logistic import log_loss
from riskcard.problem.ranked_data import RankedData

#: Average pseudo-observations per term where half of the variance of the labels is explained.
PER_TERM = 2.0
#: "auto" gives at most this share of the rows.
LARGEST_SHARE = 0.5
#: As many smooth pseudo-observations as rows in a short table, but never more than this.
MOST_SMOOTH = 10_000


@dataclass(frozen=True, slots=True)
class PseudoRows:
    """The pseudo-observations of a problem.

    Attributes
    ----------
    average
        Number of those with the event rate of the table.
    smooth
        Number of those with smooth risks.
    rows
        The rows that they are placed at; None for all.
    risks
        The smooth risk of each of these rows; None where there are no smooth ones.
    counts
        How many rows each row of the table stands for; None where each stands for itself. Then ``rows``
        may name a row several times.
    """

    average: float = 0.0
    smooth: float = 0.0
    rows: Integers | None = None
    risks: Floats | None = None
    counts: Integers | None = None

    @property
    def number(self) -> float:
        """All of them."""
        return self.average + self.smooth

    def weigh(self, labels: Labels, weights: Floats) -> tuple[Floats, Floats]:
        """What they weigh at each of their rows: those with its own label, and with the other."""
        is_event = labels > 0
        # each rate from its own sum: a light class would vanish in the difference from 1
        events, others = float(weights[is_event].sum()), float(weights[~is_event].sum())
        rate, rest = events / (events + others), others / (events + others)
        if self.rows is not None:
            is_event = is_event[self.rows]
        mean = weights.mean()
        if self.counts is not None:
            mean = weights.sum() / self.counts.sum()
            weights = weights if self.rows is None else weights / self.counts
        at_rows = weights if self.rows is None else weights[self.rows]
        spread = at_rows * (mean / at_rows.sum())
        if_event, if_not = spread * (self.average * rate), spread * (self.average * rest)
        if self.risks is not None:
            if_event = if_event + spread * self.smooth * self.risks
            if_not = if_not + spread * self.smooth * (1 - self.risks)
        return np.where(is_event, if_event, if_not), np.where(is_event, if_not, if_event)


NO_PSEUDO_ROWS = PseudoRows()


def fitting_average_rows(explained: float, max_terms: int, n_rows: float) -> float:
    """How many average pseudo-observations suit rows of which a share of the variance is explained.

    Suppose that the true risks of groups of rows scatter about the event rate ``r`` with variance
    ``v``. Then the best guess at the risk of a group counts ``r * (1 - r) / v - 1`` rows of rate
    ``r`` in addition to its own: few where risks differ much, many where they hardly do. With ``v``
    the variance that a regression explains, that is ``(1 - explained) / explained`` for each group.
    The number of groups grows with the number of terms.

    Parameters
    ----------
    explained
        The share.
    max_terms
        Of the cards.
    n_rows
        What the training rows are worth.
    """
    most = LARGEST_SHARE * n_rows
    if explained <= 0:
        return most
    return min(PER_TERM * max_terms * max(0.0, 1 - explained) / explained, most)


def fitting_smooth_rows(n_rows: float) -> float:
    """How many smooth pseudo-observations suit a table: about as many as rows, where these are few."""
    return n_rows / (1 + n_rows / MOST_SMOOTH)


def add_pseudo_rows(data: RankedData, pseudo: PseudoRows) -> RankedData:
    """The same columns on more rows: all as they are, then those with pseudo-observations again, with
    the other label.

    Parameters
    ----------
    data
        The rows of the table.
    pseudo
        Without any, the data are returned unchanged.
    """
    if pseudo.number == 0:
        return data
    own, other = pseudo.weigh(data.labels, data.weights)
    rows = np.arange(data.n_rows) if pseudo.rows is None else pseudo.rows
    weights = data.weights.copy()
    if pseudo.counts is None:
        weights[rows] += own
    else:
        np.add.at(weights, rows, own)  # a row may occur several times
    return replace(
        data,
        codes=np.concatenate([data.codes, data.codes[:, rows]], axis=1),
        labels=np.concatenate([data.labels, -data.labels[rows]]),
        weights=np.concatenate([weights, other]),
    )


def loss_with_pseudo_rows(
    log_odds: Floats, labels: Labels, weights: Floats, pseudo: PseudoRows
) -> float:
    """The loss of the rows of a table and of its pseudo-observations."""
    loss = log_loss(log_odds, labels, weights)
    if pseudo.number == 0:
        return loss
    own, other = pseudo.weigh(labels, weights)
    if pseudo.rows is not None:
        log_odds, labels = log_odds[pseudo.rows], labels[pseudo.rows]
    loss += log_loss(log_odds, labels, own)
    return loss + log_loss(log_odds, -labels, other)
