"""The risks of some rows and what happened: the input of every figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.data.raw_columns import is_missing, read_raw, rows_in_words
from riskcard.data.target import read_labels, read_target, read_weights
from riskcard.errors import DataError
from riskcard.evaluation.measures import Floats, Tally

Integers = NDArray[np.intp]

#: Risks of exactly 0 and 1 are moved inwards by this much where their log-odds are needed.
_SMALLEST_RISK = 1e-15


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Some rows: the risk of each, whether it had the event, and its weight.

    Rows that are alike may be given once, with their count. Then every entry stands for so many independent
    rows of equal weight, and all figures and intervals are those of the single rows.

    Attributes
    ----------
    risks, is_event, weights
        One per row, or per entry: its weight is the sum of those of its rows.
    clusters
        A whole number from 0 for each row: rows with the same number belong together, such as the
        visits of a patient, and all intervals allow for it. None where rows are independent. A row
        that occurs several times, as in repeated folds, is a cluster of its copies.
    counts
        How many rows each entry stands for; None where each is one row, as it is with clusters.
    """

    risks: Floats
    is_event: NDArray[np.bool_]
    weights: Floats
    clusters: Integers | None = None
    counts: NDArray[np.int64] | None = None

    @property
    def is_plain(self) -> bool:
        """Rows are independent and have equal weights."""
        own = self.row_weights
        return self.clusters is None and bool((own == own[:1]).all())

    @property
    def row_weights(self) -> Floats:
        """The weight of a single row of each entry."""
        return self.weights if self.counts is None else self.weights / self.counts

    def count(self, chosen: NDArray[np.bool_] | None = None) -> int:
        """The number of rows, all or some."""
        some = np.ones(self.risks.size, dtype=bool) if chosen is None else chosen
        return int(some.sum()) if self.counts is None else int(self.counts[some].sum())

    @property
    def has_both(self) -> bool:
        """There are rows with the event and rows without it."""
        return bool(self.is_event.any() and not self.is_event.all())

    @property
    def log_odds(self) -> Floats:
        """The risks as log-odds, all finite."""
        inner = np.clip(self.risks, _SMALLEST_RISK, 1 - _SMALLEST_RISK)
        return np.log(inner) - np.log1p(-inner)

    @property
    def base_rate(self) -> float:
        """Share of the rows with the event, by weight."""
        return float(self.weights[self.is_event].sum() / self.weights.sum())

    def tally(self, scores: Floats | None = None) -> Tally:
        """The rows counted by their scores, which are the risks by default."""
        return Tally.of(self.risks if scores is None else scores, self.is_event, self.weights)

    def take(self, rows: NDArray[Any]) -> Outcomes:
        """Some of the rows, which stay in their clusters."""
        clusters = None if self.clusters is None else self.clusters[rows]
        counts = None if self.counts is None else self.counts[rows]
        return Outcomes(self.risks[rows], self.is_event[rows], self.weights[rows], clusters, counts)


def read_outcomes(
    risks: Any, y: Any, sample_weight: Any = None, event: Any = None, clusters: Any = None
) -> Outcomes:
    """Check risks, labels, weights and clusters.

    Parameters
    ----------
    risks
        One per row, from 0 to 1; or what ``predict_proba`` returns, whose column of the event is used.
    y
        One label per row, with two different values.
    sample_weight
        One weight per row; rows of weight 0 are left out.
    event
        The label of the event; None where the labels say so themselves, as for ``RiskScoreClassifier``.
    clusters
        One label per row; rows with the same one belong together, such as the visits of a patient.

    Examples
    --------
    >>> read_outcomes([0.1, 0.9], ["no", "yes"]).is_event.tolist()
    [False, True]
    """
    found = np.asarray(risks)
    labels = read_target(y, len(found) if found.ndim else 1)
    signs, classes = read_labels(labels, event)
    if found.ndim == 2 and found.shape[1] == 2:
        found = found[:, int(classes[1] > classes[0])]  # scikit-learn sorts the classes
    numbers, is_event = _read_risks(found), signs > 0
    weights = read_weights(sample_weight, numbers.size)
    kept = weights > 0
    if not is_event[kept].any() or is_event[kept].all():
        raise DataError("The rows with a weight have one class only. Give rows of both classes.")
    return Outcomes(numbers, is_event, weights, read_clusters(clusters, numbers.size)).take(kept)


def read_clusters(clusters: Any, n_rows: int) -> Integers | None:
    """Number the clusters from 0, in order; None where every row is its own cluster.

    Parameters
    ----------
    clusters
        One label per row, without missing ones; None for independent rows.
    n_rows
        The number of rows.
    """
    if clusters is None:
        return None
    labels = read_raw(clusters).as_array()
    if labels.shape != (n_rows,):
        raise DataError(
            f"There are {n_rows} rows, but the clusters have shape {labels.shape}. Give one label per row."
        )
    is_bad = np.array([is_missing(label) for label in labels.tolist()], dtype=bool)
    if is_bad.any():
        raise DataError(
            f"The cluster is missing in {rows_in_words(is_bad)}. Give these rows a label, or leave them out."
        )
    try:
        found, codes = np.unique(labels, return_inverse=True)
    except TypeError:  # labels of several types
        found, codes = np.unique(labels.astype(str), return_inverse=True)
    if found.size < 2:
        raise DataError(
            f"All rows are in the cluster {labels[0]!r}. Intervals need at least two clusters."
        )
    return None if found.size == n_rows else codes.astype(np.intp)


def _read_risks(array: NDArray[Any]) -> Floats:
    if array.ndim != 1:
        raise DataError(
            f"The risks have shape {array.shape}. Give one risk per row, or what predict_proba returns."
        )
    try:
        numbers = array.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError("The risks are not numbers. Give one number from 0 to 1 per row.") from None
    is_bad = ~((numbers >= 0) & (numbers <= 1))
    if is_bad.any():
        row = int(np.flatnonzero(is_bad)[0])
        raise DataError(
            f"The risk of row {row} is {numbers[row]:g}. Give probabilities from 0 to 1, not totals "
            "or log-odds."
        )
    return numbers


def effective_rows(weights: Floats, counts: NDArray[np.int64] | None = None) -> float:
    """Kish's effective number of rows; without weights, the number of rows.

    With counts each weight is the sum of those of so many rows of equal weight.
    """
    shares = weights / (weights.max(initial=0.0) or 1.0)  # in any unit: squares must not overflow
    squares = float(shares @ (shares if counts is None else shares / counts))
    return float(shares.sum()) ** 2 / squares if squares > 0 else 0.0
