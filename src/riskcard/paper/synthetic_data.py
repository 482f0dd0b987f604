"""The paper's synthetic data: uniform values, labels from a card that is known."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riskcard.checks import is_whole, whole_number
from riskcard.errors import ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints

#: The card behind the labels: cut, weight at or below it and weight above it, for each feature.
REFERENCE_CUTS = (0.4, 0.2, 0.7, 0.8, 0.1)
REFERENCE_BELOW = (2, 0, 3, -1, 0)
REFERENCE_ABOVE = (0, -5, 0, 0, 4)
#: The seed that is set before each data set.
SEED = 0


class PaperData(NamedTuple):
    """Rows of the paper's kind, and the card that gave them their labels.

    Attributes
    ----------
    X
        Values, rows by features, uniform on [0, 1].
    y
        1 for the event, 0 otherwise.
    card
        The reference card. It need not be the best card for its own rows: labels are not drawn
        from its risks, they are what it finds more likely.
    """

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    card: RiskCard


def paper_data(n_rows: int, n_features: int) -> PaperData:
    """Make a data set of the paper's experiments.

    Parameters
    ----------
    n_rows
        The paper has 200, 1000, 5000, 10000, 15000 and 20000.
    n_features
        1 to 5: the first features of the reference card, which has five.

    Notes
    -----
    Columns are drawn one after another from numpy's legacy generator with seed 0. A row has the
    event when the reference card gives it a risk *above* 0.5. The paper's text says "at least 0.5",
    but its published figures come out only with "above": with one feature more than half of the rows
    have a score of 0, so a risk of exactly 0.5.

    Examples
    --------
    >>> X, y, card = paper_data(200, 1)
    >>> X.shape, int(y.sum())
    ((200, 1), 75)
    >>> print(card.terms[0])
    x1 <= 0.4: 2
    """
    n_rows, most = whole_number("n_rows", n_rows, least=1), len(REFERENCE_CUTS)
    if not is_whole(n_features) or not 1 <= n_features <= most:
        raise ParameterError(
            f"n_features is {n_features!r}. Use 1 to {most}: the paper's card has {most} features."
        )
    card = _reference_card(n_features)
    generator = np.random.RandomState(SEED)
    X = np.column_stack([generator.uniform(0, 1, n_rows) for _ in range(n_features)])
    return PaperData(X, (card.log_odds(X) > 0).astype(np.int64), card)


def _reference_card(n_features: int) -> RiskCard:
    parts = zip(REFERENCE_CUTS, REFERENCE_BELOW, REFERENCE_ABOVE, strict=True)
    features = [
        FeaturePoints(f"x{place}", (cut,), (below, above))
        for place, (cut, below, above) in enumerate(parts, start=1)
    ]
    return RiskCard(tuple(features[:n_features]))
