"""A card in use: whether the rows that it meets, and what happened to them, are as in its reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from riskcard.credit.score_bands import ScoreBand, score_bands
from riskcard.data.target import read_target, read_weights
from riskcard.errors import DataError
from riskcard.evaluation.calibration import Calibration, calibration_of
from riskcard.evaluation.measures import Floats, Tally, area_under_curve
from riskcard.evaluation.monitoring.card_drift import CardDrift, card_drift
from riskcard.evaluation.monitoring.drift import LARGE_CHANGE, Drift, Reading
from riskcard.evaluation.outcomes import read_clusters, read_outcomes
from riskcard.evaluation.separation import Separation, separation_of
from riskcard.formatting.figures import amount, plain, share, with_interval
from riskcard.formatting.plain_values import as_plain
from riskcard.formatting.speech import say
from riskcard.model.card import RiskCard
from riskcard.model.origin.row_role import RowRole, role_of_rows

#: A Gini that is this much lower asks for action, if chance does not explain it.
LARGE_DROP = 0.1
#: Expected events for each observed one, beyond which risks ask for action.
FAR_FROM_RIGHT = (0.8, 1.25)
#: Shares of values that training did not have, from which on to watch and to act.
SOME_UNKNOWN, MANY_UNKNOWN = 0.01, 0.05


class Light(str, Enum):
    """What a finding asks for."""

    NOT_JUDGED = "not judged"
    IN_ORDER = "in order"
    WATCH = "watch"
    ACT = "act"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the overview.

    Attributes
    ----------
    subject
        What was looked at.
    light
        What it asks for.
    words
        The figure and its reading.
    """

    subject: str
    light: Light
    words: str


@dataclass(frozen=True, slots=True)
class OutcomesInUse:
    """What happened to the new rows.

    Attributes
    ----------
    rows, events
        Counts.
    separation, calibration
        On the new rows.
    bands
        By the total.
    reference_gini
        On the reference rows; None where it is not known.
    reference_role
        What the reference rows are to the card: on training rows a Gini is too high.
    """

    rows: int
    events: int
    separation: Separation
    calibration: Calibration
    bands: tuple[ScoreBand, ...]
    reference_gini: float | None
    reference_role: RowRole

    @property
    def is_apparent(self) -> bool:
        """The Gini of the reference is too high."""
        return self.reference_role is RowRole.TRAINING


@dataclass(frozen=True, slots=True)
class SameOutcome:
    """All new rows have the event, or none: nothing can be separated, and no scale judged.

    Attributes
    ----------
    has_event
        Which of the two.
    rows
        How many rows there are.
    expected
        Events expected by the card, by weight.
    """

    has_event: bool
    rows: int
    expected: float

    @property
    def in_words(self) -> str:
        """What is known, and what is not."""
        return say(
            "monitor_all_have" if self.has_event else "monitor_none_has",
            rows=amount(self.rows),
            expected=plain(self.expected, 1),
        )


@dataclass(frozen=True, slots=True)
class Monitoring:
    """A card in use; ``print`` it.

    Attributes
    ----------
    title
        Whose risk the card gives.
    rows
        How many new rows there are.
    reference_rows
        How many they are compared with; None where the card does not know.
    drift
        The total, the features, and values that training did not have.
    outcomes
        What happened; None where it is not known, or is the same in all rows.
    same_outcome
        Where it is the same in all rows: what all of them have.
    clusters
        The number of groups within which rows are not independent; None where all are.
    points_rows
        Where the reference is what a recalibrated card stores: the rows that its points were learned from,
        with which features are compared; the total is compared with those of the recalibration.
    role
        What the new rows are to the card, where their outcomes are known.
    """

    title: str
    rows: int
    reference_rows: int | None
    drift: CardDrift
    outcomes: OutcomesInUse | None = None
    same_outcome: SameOutcome | None = None
    clusters: int | None = None
    points_rows: int | None = None
    role: RowRole = RowRole.UNKNOWN

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The overview."""
        return tuple(_findings(self))

    @property
    def light(self) -> Light:
        """The most urgent of all findings."""
        order = list(Light)
        return max((one.light for one in self.findings), key=order.index, default=Light.IN_ORDER)

    @property
    def light_in_words(self) -> str:
        """The most urgent finding, and what was not judged at all."""
        missing = [one.subject for one in self.findings if one.light is Light.NOT_JUDGED]
        if not missing or self.light is Light.NOT_JUDGED:
            return light_words(self.light)
        return say(
            "monitor_light_partly", light=light_words(self.light), missing=", ".join(missing)
        )

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain dicts, lists, texts and numbers, ready for JSON."""
        drifts = [*([] if self.drift.total is None else [self.drift.total]), *self.drift.features]
        found: dict[str, Any] = as_plain(self)
        readings = [{"name": one.name, "reading": one.in_words} for one in drifts]
        return found | {
            "light": str(self.light),
            "findings": as_plain(self.findings),
            "readings": readings,
        }

    def __str__(self) -> str:
        from riskcard.credit.monitoring_document import monitoring_document

        return monitoring_document(self).to_text()

    def _repr_html_(self) -> str:
        from riskcard.credit.monitoring_document import monitoring_document

        return monitoring_document(self).to_box()


def monitor_card(
    card: RiskCard,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    groups: Any = None,
    reference: Any = None,
    reference_y: Any = None,
    reference_weight: Any = None,
    reference_groups: Any = None,
) -> Monitoring:
    """Compare the rows that a card meets with its reference.

    Parameters
    ----------
    card
        The card in use.
    X, y, sample_weight
        The new rows; labels where the outcome is known already, and weights. Where all labels are the
        same, the rows are compared without them.
    groups, reference_groups
        One label per row; rows with the same one belong together, such as the loans of a customer:
        intervals allow for it, and so does what chance makes of a stability index.
    reference, reference_y, reference_weight
        The rows to compare with, usually those that the card was learned from. By default the counts
        of the training rows that the card stores.

    Examples
    --------
    >>> from riskcard import FeaturePoints
    >>> card = RiskCard([FeaturePoints("debts", [2], [0, 3])], offset=-1.0)
    >>> found = monitor_card(card, {"debts": [1] * 50 + [3] * 50}, reference={"debts": [1] * 90 + [3] * 10})
    >>> str(found.light), round(found.drift.total.index, 3)
    ('act', 0.879)
    """
    card.require_yes_or_no("Comparisons with new rows")
    drift = card_drift(
        card,
        X,
        reference,
        sample_weight,
        reference_weight,
        groups=groups,
        reference_groups=reference_groups,
    )
    totals = card.total_points(X)
    n_reference = n_points = None
    if reference is not None:
        n_reference = len(card.total_points(reference))
    elif card.training is not None:
        n_reference, n_points = card.training.rows, card.training.points_rows
    clusters = read_clusters(groups, totals.size)
    found = Monitoring(
        card.title,
        totals.size,
        n_reference,
        drift,
        clusters=None if clusters is None else np.unique(clusters).size,
        points_rows=n_points,
    )
    if y is None:
        return found
    found = replace(found, role=role_of_rows(card, X, y, sample_weight, groups))
    weights = read_weights(sample_weight, totals.size)
    same = _same_outcome(card, totals, y, weights)
    if same is not None:
        return replace(found, same_outcome=same)
    risks = card.risk_of_total(totals)
    rows = read_outcomes(risks, y, weights, card.classes[1], groups)
    outcomes = OutcomesInUse(
        rows=rows.risks.size,
        events=int(rows.is_event.sum()),
        separation=separation_of(rows),
        calibration=calibration_of(rows),
        bands=score_bands(rows, totals[weights > 0], card.higher_is_safer),
        reference_gini=_reference_gini(card, reference, reference_y, reference_weight),
        reference_role=_reference_role(card, reference, reference_y, reference_weight),
    )
    return replace(found, outcomes=outcomes)


def _same_outcome(card: RiskCard, totals: Any, y: Any, weights: Floats) -> SameOutcome | None:
    """What all rows have; None where some have the event and some do not."""
    labels = read_target(y, totals.size)[weights > 0].tolist()
    if any(label != labels[0] for label in labels):
        return None
    if labels[0] not in card.classes:
        raise DataError(
            f"All labels are {labels[0]!r}, but the card knows {card.classes[0]!r} and "
            f"{card.classes[1]!r}. Give the labels of the card."
        )
    expected = float(weights @ card.risk_of_total(totals))
    return SameOutcome(labels[0] == card.classes[1], len(labels), expected)


def _reference_gini(card: RiskCard, rows: Any, y: Any, sample_weight: Any) -> float | None:
    if rows is not None:
        if y is None or len(set(read_target(y, len(y)).tolist())) < 2:
            return None
        return separation_of(
            read_outcomes(card.risk(rows), y, sample_weight, event=card.classes[1])
        ).gini
    counts = () if card.training is None else card.training.totals
    if not counts:
        return None
    sign = -1 if card.higher_is_safer else 1
    ordered = sorted(counts, key=lambda one: sign * one.low)
    events = np.array([one.event_weight for one in ordered])
    others = np.array([one.weight for one in ordered]) - events
    places = np.arange(events.size, dtype=np.float64)
    return 2 * area_under_curve(Tally(places, events, others)) - 1


def _reference_role(card: RiskCard, rows: Any, y: Any, sample_weight: Any) -> RowRole:
    """What the reference rows are to the card."""
    if rows is not None:
        return RowRole.UNKNOWN if y is None else role_of_rows(card, rows, y, sample_weight)
    is_recalibrated = card.training is not None and card.training.is_recalibrated
    return RowRole.RECALIBRATION if is_recalibrated else RowRole.TRAINING


# --- what is found ------------------------------------------------------------------------------


def _findings(found: Monitoring) -> Iterator[Finding]:
    total = found.drift.total
    if total is None:
        yield Finding(say("drift_total"), Light.NOT_JUDGED, say("monitor_no_totals"))
    else:
        yield _drift_finding(say("drift_total"), "PSI", total)
    for one in found.drift.features:
        yield _drift_finding(one.name, "CSI", one)
    for fault in found.drift.faults:
        for part, words in (
            (fault.outside, "monitor_outside_range"),
            (fault.unseen, "monitor_unseen_levels"),
        ):
            if part:
                light = _light_by(part, SOME_UNKNOWN, MANY_UNKNOWN)
                yield Finding(fault.name, light, say(words, share=share(part)))
    if found.outcomes is not None:
        yield _gini_finding(found.outcomes)
        yield _calibration_finding(found.outcomes.calibration)
    if found.same_outcome is not None:
        yield Finding(
            say("monitor_subject_outcomes"), Light.NOT_JUDGED, found.same_outcome.in_words
        )


def _drift_finding(subject: str, index: str, drift: Drift) -> Finding:
    light = light_of(drift)
    name = "monitor_drift_unclear" if light is Light.NOT_JUDGED else "monitor_drift"
    words = say(name, name=index, index=plain(drift.index), reading=drift.in_words)
    return Finding(subject, light, words)


def light_words(light: Light) -> str:
    """What a finding asks for, in the language that is spoken."""
    return say(f"monitor_light_{light.name.lower()}")


def light_of(drift: Drift) -> Light:
    """The usual limits of a stability index, where chance does not explain it.

    Nothing is judged where even a large change would be within chance, as with a handful of rows.
    """
    if not drift.is_beyond_chance and drift.chance_limit >= LARGE_CHANGE:
        return Light.NOT_JUDGED
    if not drift.is_beyond_chance or drift.reading is Reading.STABLE:
        return Light.IN_ORDER
    return Light.WATCH if drift.reading is Reading.SOME else Light.ACT


def _light_by(figure: float, some: float, many: float) -> Light:
    if figure < some:
        return Light.IN_ORDER
    return Light.WATCH if figure < many else Light.ACT


def _gini_finding(outcomes: OutcomesInUse) -> Finding:
    one, before = outcomes.separation, outcomes.reference_gini
    gini, subject = with_interval(one.gini, one.gini_interval), say("monitor_subject_separation")
    if before is None:
        return Finding(subject, Light.NOT_JUDGED, say("monitor_gini_alone", gini=gini))
    name = {
        RowRole.TRAINING: "monitor_gini_training",
        RowRole.RECALIBRATION: "monitor_gini_recalibration",
    }.get(outcomes.reference_role, "monitor_gini")
    words = say(name, gini=gini, before=plain(before))
    ends = one.gini_interval
    if ends is None or ends[0] <= 0 < before <= ends[1]:
        return Finding(subject, Light.NOT_JUDGED, say("monitor_too_few", words=words))
    if before <= ends[1]:
        return Finding(subject, Light.IN_ORDER, words)
    return Finding(subject, Light.ACT if before - one.gini >= LARGE_DROP else Light.WATCH, words)


def _calibration_finding(calibration: Calibration) -> Finding:
    ends, ratio = calibration.ratio_interval, calibration.ratio
    subject, words = (
        say("monitor_subject_risks"),
        say("monitor_ratio", ratio=with_interval(ratio, ends)),
    )
    if ends is None or (ends[0] < FAR_FROM_RIGHT[0] and FAR_FROM_RIGHT[1] < ends[1]):
        return Finding(subject, Light.NOT_JUDGED, say("monitor_too_few", words=words))
    if ends[0] <= 1 <= ends[1]:
        return Finding(subject, Light.IN_ORDER, words)
    words = say("monitor_ratio_high" if ratio > 1 else "monitor_ratio_low", words=words)
    is_far = not FAR_FROM_RIGHT[0] <= ratio <= FAR_FROM_RIGHT[1]
    return Finding(subject, Light.ACT if is_far else Light.WATCH, words)
