"""An existing card on new rows: its points stay, only the scale from total to risk is refitted."""

from dataclasses import replace
from typing import Any

import numpy as np

from riskcard.data.table import make_table
from riskcard.data.target import read_target, two_classes
from riskcard.encoding.fit_card_scale import CardScale, fit_card_scale
from riskcard.encoding.write_certificate import training_facts_of
from riskcard.errors import DataError, warn
from riskcard.model.card import RiskCard

#: With fewer rows of either kind, the slope and the offset of a scale are mostly chance.
_FEW_EVENTS = 20


def recalibrate(card: RiskCard, X: Any, y: Any, sample_weight: Any = None) -> RiskCard:
    """Fit the scale and offset of a card to new rows; its points stay as they are.

    Parameters
    ----------
    card
        Any card, learned or written by hand.
    X, y, sample_weight
        Rows, their labels and weights; the labels must be those of the card.

    Returns
    -------
    RiskCard
        The same points with another multiplier and offset, ``log-odds = total / multiplier +
        offset``. It has no certificate: nothing is claimed about its points on these rows. It says
        which rows its points are from, and which its scale.

    Warns
    -----
    RiskcardWarning
        When fewer than 20 rows have the event, or have it not.

    Examples
    --------
    >>> from riskcard import FeaturePoints, RiskCard
    >>> card = RiskCard([FeaturePoints("age", [60], [0, 3])], base=-1)
    >>> new = recalibrate(card, {"age": [50, 55, 65, 70]}, [0, 1, 0, 1])
    Traceback (most recent call last):
    riskcard.errors.DataError: The total of the card does not rise with the risk on these rows...
    """
    totals = card.total_points(X)
    found = two_classes(read_target(y, totals.size))
    if set(found) != set(card.classes):
        raise DataError(
            f"The labels are {list(found)}, but the card is about {list(card.classes)}. "
            "Give the labels of the card."
        )
    table = make_table(
        np.zeros((totals.size, 1)), y, sample_weight, drop_zero_weights=True, event=card.classes[1]
    )
    is_event = table.labels > 0
    if table.labels.size != totals.size:
        weights = np.asarray(sample_weight, dtype=np.float64)
        totals = totals[weights > 0]
    sign = -1 if card.higher_is_safer else 1
    start = CardScale(1.0 / abs(card.multiplier), card.offset)
    scale = fit_card_scale(sign * totals, is_event, table.weights, start)
    if not scale.rises:
        raise DataError(
            f"The total of the card does not {'fall' if sign < 0 else 'rise'} with the risk on these "
            "rows, so no scale fits it. "
            "Check the labels, or fit a new card."
        )
    signed = replace(table, labels=np.where(is_event, 1, -1).astype(np.int8))
    facts = training_facts_of(signed, totals, card.reachable_totals())
    if (first := card.training) is not None:
        is_new = first.points_rows is None
        facts = replace(
            facts,
            points_rows=first.rows if is_new else first.points_rows,
            points_events=first.events if is_new else first.points_events,
        )
    if facts.events < _FEW_EVENTS or facts.rows - facts.events < _FEW_EVENTS:
        warn(
            f"Only {facts.events:,} of {facts.rows:,} rows have the event: fewer than {_FEW_EVENTS} rows of "
            "either kind are too few to fit a scale well. Use more rows, or keep the card as it is."
        )
    return replace(
        card,
        multiplier=sign / scale.slope,
        offset=scale.offset,
        training=facts,
        certificate=None,
    )
