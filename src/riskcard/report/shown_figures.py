"""The tables and pictures of a report, from its facts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from riskcard.card.sentences import training_words as learned_words
from riskcard.evaluation.measures import Performance
from riskcard.evaluation.summary import Evaluation
from riskcard.formatting.html import Number
from riskcard.plots.calibration import draw_calibration
from riskcard.plots.decision import draw_decision
from riskcard.plots.points import draw_points
from riskcard.plots.risk import draw_risk
from riskcard.plots.roc import draw_roc
from riskcard.report.facts import ReportFacts, ValidationFacts
from riskcard.report.figure_sentences import (
    plain,
    proof_in_short,
    share,
    signed,
    slope_words,
    with_interval,
)
from riskcard.report.pictures import Picture, drawn

#: What rows are called in a sentence.
PLACES = {
    "own rows": "the rows that it was learned from",
    "these rows": "these rows",
    "held out": "held-out rows",
    "test rows": "the test rows",
}
#: Columns of a table that are listed at most; those of the card come first.
_MOST_COLUMNS = 60
_ROWS: tuple[tuple[str, Callable[[Evaluation], str]], ...] = (
    ("AUC", lambda one: with_interval(one.roc.area, one.roc.interval)),
    ("Log-loss, mean per row", lambda one: plain(one.log_loss)),
    ("Brier score", lambda one: plain(one.brier)),
    ("Brier score, scaled", lambda one: share(one.scaled_brier)),
    (
        "Calibration slope",
        lambda one: with_interval(one.calibration.slope, one.calibration.slope_interval, 2),
    ),
    (
        "Calibration intercept",
        lambda one: with_interval(one.calibration.intercept, one.calibration.intercept_interval, 2),
    ),
    ("Expected per observed event", lambda one: plain(one.calibration.ratio, 2)),
)
#: The figures that the bootstrap corrects, by their row.
_CORRECTED = {0: "auc", 1: "log_loss", 4: "slope"}


class Glance(NamedTuple):
    """The figures that people look for first, and what to keep in mind."""

    boxes: list[tuple[str, str]]
    across: int
    cautions: list[str]


class ShownTable(NamedTuple):
    """A table as texts; a ``Number`` is aligned to the right."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left_out: int = 0


class Price(NamedTuple):
    """The card next to models that nobody can use with a pencil."""

    best: str
    gain: float
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def evaluations(facts: ReportFacts) -> dict[str, Evaluation]:
    """The same figures on different rows, by what these are called."""
    own = "own rows" if facts.is_training else "these rows"
    found = {own: facts.rows.evaluation}
    held_out = _held_out(facts)
    if held_out is not None:
        found["held out"] = held_out
    if facts.test is not None:
        found["test rows"] = facts.test.evaluation
    return found


def most_honest(facts: ReportFacts) -> tuple[Evaluation, str]:
    """Test rows before held-out rows before the card's own, and what they are called."""
    name, evaluation = list(evaluations(facts).items())[-1]
    return evaluation, PLACES[name]


def _held_out(facts: ReportFacts) -> Evaluation | None:
    validation = facts.validation
    if validation is None or not validation.is_refitted:
        return None
    return validation.methods[0].evaluation


# --- at a glance --------------------------------------------------------------------------------


def glance_of(facts: ReportFacts) -> Glance:
    """The boxes at the top of a report, and the cautions below them."""
    data = facts.rows.data
    rate = share(data.base_rate).replace(" ", "\u00a0")
    boxes = [
        (f"{data.rows:,}", f"rows, {data.events:,} with the event ({rate})"),
        proof_in_short(facts.card.certificate),
        *_area_boxes(facts),
    ]
    judged = list(evaluations(facts).items())[-1]
    if judged[0] in ("held out", "test rows"):
        slope = plain(judged[1].calibration.slope, 2)
        boxes.append((slope, f"calibration slope, {judged[0]}"))
    if facts.stability is not None:
        words = "of the resamples give a card with the same features"
        boxes.append((share(facts.stability.same_features, 0), words))
    # two rows of about equal length rather than one box alone in the second
    across = len(boxes) if len(boxes) <= 6 else -(-len(boxes) // 2)
    return Glance(boxes, across, _cautions(facts))


def _area_boxes(facts: ReportFacts) -> list[tuple[str, str]]:
    where = "on its own rows" if facts.is_training else "on these rows"
    boxes = [(plain(facts.rows.evaluation.roc.area), f"AUC {where}")]
    held_out = _held_out(facts)
    if held_out is not None:
        boxes.append((plain(held_out.roc.area), "AUC of refitted cards on held-out rows"))
    if facts.test is not None:
        boxes.append((plain(facts.test.evaluation.roc.area), "AUC on the test rows"))
    return boxes


def _cautions(facts: ReportFacts) -> list[str]:
    sentences = list(facts.notes)
    held_out = _held_out(facts)
    if held_out is not None and held_out.calibration.slope_interval is not None:
        low, high = held_out.calibration.slope_interval
        if not low <= 1 <= high:
            sentences.insert(0, f"On held-out rows {slope_words(held_out.calibration)}.")
    if facts.card.training is not None and not facts.is_training:
        words = learned_words(facts.card.training)
        sentences.insert(
            0,
            f"These are not the rows that the card was learned from: {words[0].lower()}{words[1:]}",
        )
    tested = facts.test.guesses if facts.test is not None else ()
    return [*sentences, *facts.rows.guesses, *tested]


# --- tables -------------------------------------------------------------------------------------


def columns_table(facts: ReportFacts) -> ShownTable:
    """One line per candidate feature, those of the card first."""
    columns = sorted(facts.rows.data.columns, key=lambda one: not one.is_on_card)
    shown = columns[:_MOST_COLUMNS]
    header = ["Feature", "On the card", "Kind", Number("Missing"), "Values"]
    rows: list[list[str]] = [
        [
            one.name,
            "yes" if one.is_on_card else "",
            one.kind,
            Number(_part(one.missing, facts.rows.data.rows)),
            one.summary,
        ]
        for one in shown
    ]
    if facts.test is not None:
        header.insert(4, Number("Missing, test"))
        missing = {one.name: one.missing for one in facts.test.data.columns}
        for one, row in zip(shown, rows, strict=True):
            known = one.name in missing
            part = _part(missing[one.name], facts.test.data.rows) if known else ""
            row.insert(4, Number(part))
    return ShownTable(header, rows, len(columns) - len(shown))


def _part(number: int, rows: int) -> str:
    return f"{number:,} ({share(number / rows)})" if number else "0"


def figures_table(facts: ReportFacts) -> ShownTable:
    """Every figure on every kind of rows."""
    shown = evaluations(facts)
    header = ["", *map(Number, shown)]
    rows = [[title, *(Number(show(one)) for one in shown.values())] for title, show in _ROWS]
    if facts.stability is not None:
        header.insert(2, Number("corrected"))
        for place, row in enumerate(rows):
            row.insert(2, Number(_corrected(facts.stability.corrected, place)))
    return ShownTable(header, rows)


def _corrected(figures: Performance, place: int) -> str:
    name = _CORRECTED.get(place)
    return plain(getattr(figures, name), 2 if name == "slope" else 3) if name else ""


def price_of(validation: ValidationFacts) -> Price:
    """The methods on the same folds, and what the best other model gains."""
    first, *others = validation.methods
    best = max(others, key=lambda one: float(np.mean(one.fold_areas)))
    numbers = ("AUC", "difference", "Log-loss", "difference", "Brier", "Slope")
    rows = [
        [
            one.name,
            Number(plain(float(np.mean(one.fold_areas)))),
            Number("" if one is first else _difference(one.fold_areas, first.fold_areas)),
            Number(plain(float(np.mean(one.fold_losses)))),
            Number("" if one is first else _difference(one.fold_losses, first.fold_losses)),
            Number(plain(one.evaluation.brier)),
            Number(plain(one.evaluation.calibration.slope, 2)),
            one.size,
        ]
        for one in validation.methods
    ]
    gain = float(np.mean(best.fold_areas) - np.mean(first.fold_areas))
    return Price(best.name, gain, ["", *map(Number, numbers), "To know by heart"], rows)


def _difference(one: tuple[float, ...], card: tuple[float, ...]) -> str:
    differences = np.array(one) - np.array(card)
    error = differences.std(ddof=1) / math.sqrt(differences.size)
    return f"{signed(float(differences.mean()))} ±\u00a0{plain(float(error))}"


# --- pictures -----------------------------------------------------------------------------------


def points_pictures(facts: ReportFacts) -> list[Picture]:
    """The points of each feature over the distribution of its values."""
    return [
        drawn(
            partial(draw_points, feature=feature, distribution=shown),
            f"Points of {feature.name} over the distribution of its values.",
            size=(3.2, 2.6),
        )
        for feature, shown in zip(facts.card.features, facts.distributions, strict=True)
    ]


def roc_picture(facts: ReportFacts) -> Picture:
    """The ROC curves of all kinds of rows."""
    curves = {name: one.roc for name, one in evaluations(facts).items()}
    return drawn(
        lambda ax: draw_roc(ax, curves),
        "ROC curve: true positives against false positives at every threshold.",
        "ROC curve: every dot is a total at which one could act. In brackets: 95 % intervals.",
        (4.8, 4.8),
    )


def calibration_pictures(facts: ReportFacts) -> list[Picture]:
    """Observed rates against risks, one picture per kind of rows."""
    panels = [(facts.rows.evaluation, facts.rows.histogram, _title(facts))]
    if facts.validation is not None and facts.validation.is_refitted:
        first = facts.validation.methods[0]
        panels.append((first.evaluation, first.histogram, "Held-out rows"))
    if facts.test is not None:
        panels.append((facts.test.evaluation, facts.test.histogram, "Test rows"))
    size = (3.05, 3.6) if len(panels) > 2 else (4.3, 4.7)
    return [_calibration_picture(*panel, size) for panel in panels]


def _calibration_picture(
    evaluation: Evaluation, histogram: Any, title: str, size: tuple[float, float]
) -> Picture:
    bars = np.array(histogram[0]), np.array(histogram[1])
    return drawn(
        lambda ax: draw_calibration(ax, evaluation.bins, evaluation.calibration, bars),
        f"Calibration, {title}: observed rate against risk.",
        f"{title}.",
        size,
    )


def _title(facts: ReportFacts) -> str:
    return "Own rows" if facts.is_training else "These rows"


def risk_pictures(facts: ReportFacts) -> list[Picture]:
    """Risk and observed rate of each total."""
    shown = [(facts.rows.totals, _title(facts).lower())]
    if facts.test is not None:
        shown.append((facts.test.totals, "test rows"))
    captions = [f"Risk and observed rate of each total, {where}." for _, where in shown]
    return [
        drawn(partial(draw_risk, card=facts.card, counts=counts), caption, caption, (4.6, 3.3))
        for (counts, _), caption in zip(shown, captions, strict=True)
    ]


def decision_picture(facts: ReportFacts) -> Picture:
    """Net benefit against the threshold."""
    curves = {name: one.decision for name, one in evaluations(facts).items()}
    return drawn(
        lambda ax: draw_decision(ax, curves),
        "Decision curve: net benefit against the threshold.",
        size=(5.8, 3.7),
    )
