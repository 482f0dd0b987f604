"""An existing card on new rows: its points stay, only the scale from total to risk is refitted."""

from dataclasses import replace
from typing import Any

import numpy as np

from riskcard.data.table import Table, make_table
from riskcard.data.target import read_target, read_weights, two_classes
from riskcard.encoding.fit_card_scale import CardScale, fit_card_scale
from riskcard.encoding.write_certificate import training_facts_of
from riskcard.errors import DataError, ParameterError, warn
from riskcard.estimators.other_outcomes.recalibrate_kinds import recalibrate_kind
from riskcard.evaluation.intervals import Interval, rate_interval
from riskcard.evaluation.linearisation import Cells
from riskcard.evaluation.monitoring.updating import (
    FEW_ROWS,
    choose_update,
    rarer_rows,
    require_rows_for,
)
from riskcard.evaluation.outcomes import Outcomes, read_outcomes
from riskcard.model.card import RiskCard
from riskcard.model.origin.certificate import TrainingFacts
from riskcard.model.origin.recipe import Recipe, hash_for_scale
from riskcard.model.origin.row_role import RowRole, role_of_rows

#: What rows are to a card that do not show how often the event happens among people who are new to it.
_ROLES_OF_POINTS = RowRole.TRAINING, RowRole.PARTLY


def recalibrate(
    card: RiskCard,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    update: str = "auto",
    groups: Any = None,
    **further: Any,
) -> RiskCard:
    """Fit the scale of a card to new rows; its points stay as they are.

    Parameters
    ----------
    card
        Any card, learned or written by hand.
    X, y, sample_weight
        Rows, their labels and weights; the labels must be those of the card.
    update
        What is fitted: "offset" moves all log-odds by one number, "both" also stretches them by a
        slope, and "none" leaves the card as it is. "auto" takes the least that the rows support: see
        ``riskcard.evaluation.monitoring.updating.choose_update``.
    groups
        One label per row; rows with the same one belong together, such as the visits of a patient. The choice
        of "auto" and the intervals allow for it. For cards of yes and no only.
    **further
        ``entry`` of times to an event, ``exposure`` of counts. On a card of another outcome than yes or no "offset"
        fits the baseline, the rate, the hazards of levels or the mean, and "both" the slope too.

    Returns
    -------
    RiskCard
        The same points with another offset and multiplier, ``log-odds = total / multiplier +
        offset``. It has no certificate: nothing is claimed about its points on these rows. It says
        which rows its points are from, and which its scale; its recipe is that of the points. Where
        nothing is updated, the card itself. The 95 % intervals of its risks are those of the shares
        among these rows; there are none if rows that its points are from are among them.

    Warns
    -----
    RiskcardWarning
        When an update has few rows with the event, or without: below 50 for the offset, below 100 for
        both. Below 10 and 20 it is refused. Also when the points are known to be from some of these
        rows.

    Examples
    --------
    >>> from riskcard import FeaturePoints, RiskCard
    >>> card = RiskCard([FeaturePoints("age", [60], [0, 3])], base=-1)
    >>> ages, died = [50] * 150 + [70] * 150, [1, 0, 0] * 50 + [1, 1, 0] * 50
    >>> recalibrate(card, {"age": ages}, died, update="both").risk({"age": [50, 70]}).round(3).tolist()
    [0.333, 0.667]
    """
    if card.kind is not None:
        if groups is not None:
            raise ParameterError("groups are for outcomes of yes or no. Leave them out.")
        return recalibrate_kind(card, X, y, sample_weight, update, further)
    if further:
        raise ParameterError(
            f"{min(further)} is given, but the outcome of this card is yes or no. Leave it out."
        )
    totals = card.total_points(X)
    n_rows = totals.size
    table = _table_of(card, n_rows, y, sample_weight)
    outcomes = read_outcomes(card.risk_of_total(totals), y, sample_weight, card.classes[1], groups)
    if table.labels.size != n_rows:  # rows of weight 0
        totals = totals[np.asarray(sample_weight, dtype=np.float64) > 0]
    if update == "auto":
        update = choose_update(outcomes).choice
    rarer = rarer_rows(outcomes)
    require_rows_for(update, rarer)
    if update == "none":
        return card
    new = _with_scale(card, totals, table, is_slope_given=update == "offset")
    role = role_of_rows(card, X, y, sample_weight, groups)
    if role is RowRole.PARTLY:
        warn(
            "Among these rows are those that the points of the card were learned from, next to those that were "
            "held out, so a scale that is fitted to them is likely to be too steep, and the new card has no "
            "intervals. Give rows that it has not seen."
        )
    is_new = role not in _ROLES_OF_POINTS and not _has_same_rows(new.training, card.training)
    if is_new and new.training is not None:
        new = replace(new, training=_with_intervals(new.training, totals, outcomes))
    weights = read_weights(sample_weight, n_rows)
    new = replace(new, recipe=_recipe_of(card, X, read_target(y, n_rows), weights))
    if rarer < FEW_ROWS[update]:
        warn(
            f"There are {rarer:.3g} rows of the rarer kind (with or without the event), which is few for "
            f"this update: at least {FEW_ROWS[update]} are advisable. Use more rows, or judge the new card "
            "on others."
        )
    return new


def _table_of(card: RiskCard, n_rows: int, y: Any, sample_weight: Any) -> Table:
    """The labels and weights of the rows that have a weight."""
    found = two_classes(read_target(y, n_rows))
    if set(found) != set(card.classes):
        raise DataError(
            f"The labels are {list(found)}, but the card is about {list(card.classes)}. "
            "Give the labels of the card."
        )
    return make_table(
        np.zeros((n_rows, 1)), y, sample_weight, drop_zero_weights=True, event=card.classes[1]
    )


def _with_scale(card: RiskCard, totals: Any, table: Table, *, is_slope_given: bool) -> RiskCard:
    """The card with the scale that fits the rows best."""
    sign = -1 if card.higher_is_safer else 1
    start = CardScale(1.0 / abs(card.multiplier), card.offset)
    is_event = table.labels > 0
    scale = fit_card_scale(
        sign * totals, is_event, table.weights, start, is_slope_given=is_slope_given
    )
    if not scale.rises:
        raise DataError(
            f"The total of the card does not {'fall' if sign < 0 else 'rise'} with the risk on these "
            "rows, so no scale fits it. "
            "Check the labels, or fit a new card."
        )
    return replace(
        card,
        multiplier=card.multiplier if is_slope_given else sign / scale.slope,
        offset=scale.offset,
        training=_facts_of(card, totals, table),
        certificate=None,
    )


def _recipe_of(card: RiskCard, X: Any, labels: Any, weights: Any) -> Recipe | None:
    """The recipe of the points, with the hash of the rows that the scale is from."""
    if card.recipe is None:
        return None
    is_event = np.asarray(labels == card.classes[1], dtype=bool)
    hashed = hash_for_scale(card, X, is_event, weights)
    return replace(card.recipe, scale_rows=hashed, digest="")


def _facts_of(card: RiskCard, totals: Any, table: Table) -> TrainingFacts:
    """The rows that the scale is from, and those that the points are from."""
    signed = replace(table, labels=np.where(table.labels > 0, 1, -1).astype(np.int8))
    facts = training_facts_of(signed, totals, card.reachable_totals())
    first = card.training
    if first is None:  # written by hand
        return replace(facts, points_rows=0, points_events=0)
    is_new = first.points_rows is None
    return replace(
        facts,
        points_rows=first.rows if is_new else first.points_rows,
        points_events=first.events if is_new else first.points_events,
    )


def _has_same_rows(facts: TrainingFacts | None, first: TrainingFacts | None) -> bool:
    """Whether each total has as many rows and events among both."""
    shares = [
        [] if known is None else [(one.low, one.rows, one.events) for one in known.totals]
        for known in (facts, first)
    ]
    return shares[0] == shares[1]


def _with_intervals(facts: TrainingFacts, totals: Any, outcomes: Outcomes) -> TrainingFacts:
    """The facts with the interval of each share.

    Rows that did not choose the points are new people to the card: the interval of their share holds,
    however well the card fits them. Rows that belong together say less than as many others.
    """
    intervals: list[Interval | None] = [
        rate_interval(one.rate, one.effective_rows) for one in facts.totals
    ]
    if outcomes.clusters is not None:
        places = np.searchsorted([one.high for one in facts.totals], totals)
        cells = Cells.of(outcomes, places, len(facts.totals))
        own = np.arange(len(facts.totals)).repeat(2)
        intervals = [
            cells.rate(cells.is_event, own == place).interval()
            for place in range(len(facts.totals))
        ]
    counts = (
        replace(one, interval=interval)
        for one, interval in zip(facts.totals, intervals, strict=True)
    )
    return replace(facts, totals=tuple(counts))
