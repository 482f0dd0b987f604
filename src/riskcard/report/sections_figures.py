"""The second half of a report: how well the card predicts, what it is worth, what it costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from riskcard.evaluation.measures import Performance
from riskcard.evaluation.summary import Evaluation
from riskcard.formatting.html import Number, html_table, paragraphs
from riskcard.model.card import RiskCard
from riskcard.model.totals import TotalCount
from riskcard.plots.calibration import draw_calibration
from riskcard.plots.decision import draw_decision
from riskcard.plots.risk import draw_risk
from riskcard.plots.roc import draw_roc
from riskcard.report.facts import MethodFacts, ReportFacts, ValidationFacts
from riskcard.report.figure_sentences import (
    area_sentence,
    calibration_sentence,
    count,
    decision_sentence,
    plain,
    share,
    signed,
    with_interval,
)
from riskcard.report.pictures import figure, side_by_side
from riskcard.stability.html import feature_table
from riskcard.stability.text import feature_sentences

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
    ("Expected for each observed event", lambda one: plain(one.calibration.ratio, 2)),
)
#: What rows are called in a sentence.
_PLACES = {
    "own rows": "the rows that it was learned from",
    "these rows": "these rows",
    "held out": "rows held out",
    "test rows": "the test rows",
}
#: The figures that the bootstrap corrects, by their row.
_CORRECTED = {0: "auc", 1: "log_loss", 4: "slope"}


def evaluations(facts: ReportFacts) -> dict[str, Evaluation]:
    """The same figures on different rows, by what these are called."""
    own = "own rows" if facts.is_training else "these rows"
    found = {own: facts.rows.evaluation}
    if facts.validation is not None and facts.validation.is_refitted:
        found["held out"] = facts.validation.methods[0].evaluation
    if facts.test is not None:
        found["test rows"] = facts.test.evaluation
    return found


def discrimination_section(facts: ReportFacts) -> str:
    """The table of all figures, and the ROC curve."""
    shown = evaluations(facts)
    curves = {name: one.roc for name, one in shown.items()}
    return (
        paragraphs([area_sentence(*_most_honest(facts)), *_column_sentences(facts)])
        + _figures_table(facts, shown)
        + figure(
            lambda ax: draw_roc(ax, curves),
            "ROC curve: true positives against false positives at every threshold.",
            "ROC curve: every dot is a total at which one could act. In brackets 95 % intervals.",
            (4.8, 4.8),
        )
    )


def _most_honest(facts: ReportFacts) -> tuple[Evaluation, str]:
    """Test rows before held-out ones before the card's own, and what they are called."""
    name, evaluation = list(evaluations(facts).items())[-1]
    return evaluation, _PLACES[name]


def _column_sentences(facts: ReportFacts) -> list[str]:
    sentences = []
    if facts.is_training:
        sentences.append(
            "“Own rows” are those that the card was learned from: figures there are too good."
        )
    if facts.stability is not None:
        sentences.append(
            "“Corrected” are the same figures less their optimism, by the bootstrap "
            f"({count(len(facts.stability.cards), 'resample')})."
        )
    if facts.validation is not None and facts.validation.is_refitted:
        sentences.append(
            f"“Held out”: the rows are divided into {facts.validation.folds} folds, and the card is learned "
            "again, features, cuts, points and scale, without each of them; the figures are about these cards on "
            "the rows that they have not seen."
        )
    return [" ".join(sentences)] if sentences else []


def _figures_table(facts: ReportFacts, shown: dict[str, Evaluation]) -> str:
    names = list(shown)
    header = ["", *(Number(name) for name in names)]
    rows = [[title, *(Number(show(one)) for one in shown.values())] for title, show in _ROWS]
    if facts.stability is not None:
        header.insert(2, Number("corrected"))
        corrected = facts.stability.corrected
        for place, row in enumerate(rows):
            row.insert(2, Number(_corrected(corrected, place)))
    return f'<div class="stacked">{html_table(header, rows)}</div>'


def _corrected(figures: Performance, place: int) -> str:
    name = _CORRECTED.get(place)
    return plain(getattr(figures, name), 2 if name == "slope" else 3) if name else ""


# --- calibration --------------------------------------------------------------------------------


def calibration_section(facts: ReportFacts) -> str:
    """Observed rates against risks, and risk against total."""
    panels = [(facts.rows.evaluation, facts.rows.histogram, _title(facts))]
    if facts.validation is not None and facts.validation.is_refitted:
        first = facts.validation.methods[0]
        panels.append((first.evaluation, first.histogram, "Rows held out"))
    if facts.test is not None:
        panels.append((facts.test.evaluation, facts.test.histogram, "Test rows"))
    size = (3.05, 3.6) if len(panels) > 2 else (4.3, 4.7)
    pictures = [_calibration_picture(*panel, size) for panel in panels]
    sentences = [
        calibration_sentence(one, _PLACES[name]) for name, one in evaluations(facts).items()
    ]
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f"<ul>{items}</ul>{side_by_side(*pictures)}{_risks(facts)}"


def _calibration_picture(
    evaluation: Evaluation, histogram: Any, title: str, size: tuple[float, float]
) -> str:
    bars = np.array(histogram[0]), np.array(histogram[1])

    def draw(ax: Any) -> None:
        draw_calibration(ax, evaluation.bins, evaluation.calibration, bars)

    return figure(draw, f"Calibration, {title}: observed rate against risk.", f"{title}.", size)


def _title(facts: ReportFacts) -> str:
    return "Own rows" if facts.is_training else "These rows"


def _risks(facts: ReportFacts) -> str:
    pairs = [(facts.rows.totals, f"Risk and observed rate of each total, {_title(facts).lower()}.")]
    if facts.test is not None:
        pairs.append((facts.test.totals, "Risk and observed rate of each total, test rows."))
    pictures = [_risk_picture(facts.card, counts, caption) for counts, caption in pairs]
    return f"<h3>Risk and total</h3>{side_by_side(*pictures)}"


def _risk_picture(card: RiskCard, counts: tuple[TotalCount, ...], caption: str) -> str:
    return figure(lambda ax: draw_risk(ax, card, counts), caption, caption, (4.6, 3.3))


# --- decisions ----------------------------------------------------------------------------------


def decision_section(facts: ReportFacts) -> str:
    """Net benefit against the threshold."""
    shown = evaluations(facts)
    curves = {name: one.decision for name, one in shown.items()}
    words = (
        "Suppose that one acts on everyone whose risk is at least some threshold. At a threshold of 20 % one "
        "accepts four false alarms for one true one, so a false alarm counts a quarter. The net benefit is the "
        "number of true alarms less that of false ones, weighed so, for every 100 rows."
    )
    sentences = [decision_sentence(one, _PLACES[name]) for name, one in curves.items()]
    picture = figure(
        lambda ax: draw_decision(ax, curves),
        "Decision curve: net benefit against the threshold.",
        size=(5.8, 3.7),
    )
    return paragraphs([words]) + picture + paragraphs(sentences[-1:])


# --- the price ----------------------------------------------------------------------------------


def price_section(facts: ReportFacts) -> str:
    """The card beside models that nobody can use with a pencil."""
    validation = facts.validation
    if validation is None:
        return paragraphs(["There was no cross-validation, and so no comparison."])
    first, *others = validation.methods
    header = ["", *map(Number, ("AUC", "difference", "Log-loss", "difference", "Brier", "Slope")), "To know by heart"]  # fmt: skip
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
    explained = (
        f"Means over the same {validation.folds} folds, on the rows held out; above, the rows of all folds were "
        "taken together, so that figures differ a little. Differences from the card are given with their standard "
        "error over the folds, which is a rough guide with so few of them."
    )
    described = [f"{one.name}: {one.description}" for one in others]
    return (
        paragraphs([_verdict(first, others, validation)])
        + f'<div class="stacked">{html_table(header, rows)}</div>'
        + paragraphs([explained, *described])
    )


def _difference(one: tuple[float, ...], card: tuple[float, ...]) -> str:
    differences = np.array(one) - np.array(card)
    error = differences.std(ddof=1) / math.sqrt(differences.size)
    return f"{signed(float(differences.mean()))} ±\u00a0{plain(float(error))}"


def _verdict(first: MethodFacts, others: list[MethodFacts], validation: ValidationFacts) -> str:
    """What the best other model gains, in a sentence."""
    best = max(others, key=lambda one: float(np.mean(one.fold_areas)))
    gain = float(np.mean(best.fold_areas) - np.mean(first.fold_areas))
    subject = "the card" if validation.is_refitted else "this card, as it is,"
    if gain <= 0:
        return (
            f"On rows held out neither logistic regression nor gradient boosting, with all features, has a "
            f"higher AUC than {subject}: it costs nothing here."
        )
    return (
        f"On rows held out {best.name.lower()} with all features has an AUC higher by {plain(gain)} than "
        f"{subject}: that is the price of points that can be added up by hand."
    )


# --- stability ----------------------------------------------------------------------------------


def stability_section(facts: ReportFacts) -> str:
    """What stays when rows are drawn anew."""
    stability = facts.stability
    if stability is None:
        return paragraphs(["The card was not learned again on resamples."])
    words = (
        f"The rows were drawn anew {len(stability.cards):,} times, with replacement, and a card was learned from "
        "each drawing. A feature that enters seldom, or cuts that wander, say that other rows would have given "
        "another card."
    )
    return paragraphs([words]) + feature_table(stability) + paragraphs(feature_sentences(stability))
