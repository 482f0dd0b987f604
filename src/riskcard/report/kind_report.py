"""A report on a card of another outcome than yes or no: one page of sentences, tables and pictures."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from riskcard.card.kind_card import kind_card_of
from riskcard.estimators.cross_validation.kind_words import shown_deviance, words_of
from riskcard.formatting.pages.document import Document, Section, ShownTable
from riskcard.formatting.plain_values import as_plain
from riskcard.model.origin.recipe import RowOrigin
from riskcard.model.outcome_kinds import (
    Numbers,
    OrderedLevels,
    OutcomeKind,
    TimeToEvent,
    name_of_kind,
)
from riskcard.output_files import write_whole
from riskcard.report.kind_facts import Judged, KindFacts
from riskcard.stability.text import (
    PERFORMANCE_HEADER,
    feature_header,
    feature_lines,
    feature_sentences,
    performance_lines,
    performance_sentence,
)
from riskcard.validation.estimated.estimate_document import estimate_sections
from riskcard.validation.estimated.estimates import unit_and_decimals
from riskcard.validation.horizons.horizon_document import (
    constancy_section,
    curve_section,
    horizon_section,
    in_words,
)

#: Fewer events than this, or rows where there are no events, are called few.
FEW_EVENTS = 100
#: What is too far apart where the slope is below 1.
_ESTIMATES = {
    "time_to_event": "hazards",
    "counts": "rates",
    "ordered_levels": "hazards",
    "numbers": "expected values",
}


@dataclass(frozen=True, slots=True, repr=False)
class KindReport:
    """A report: its facts, and the page that shows them."""

    facts: KindFacts

    def to_html(self) -> str:
        """The page, which needs nothing else: styles and pictures are in it."""
        return kind_document(self.facts, pictures=True).to_page()

    def to_dict(self) -> dict[str, Any]:
        """Every figure of the page as plain dicts, lists, texts and numbers, ready for JSON."""
        facts = self.facts
        found: dict[str, Any] = as_plain(replace(facts, stability=None, audit=None))
        found["card"] = json.loads(facts.card.to_json())
        found["audit"] = None if facts.audit is None else facts.audit.to_dict()
        found["stability"] = (
            None if facts.stability is None else as_plain(facts.stability.to_dict())
        )
        return found

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_word(self) -> bytes:
        """The page as the content of a Word document."""
        from riskcard.formatting.pages.word_document import page_as_word
        from riskcard.plots.embedded import pictures_as_png

        with pictures_as_png():
            return page_as_word(self.to_html())

    def save(self, path: str | Path) -> None:
        """Write the page to a file, whole or not at all; .docx makes it a Word document, .json the figures."""
        ending = Path(path).suffix.lower()
        if ending == ".docx":
            write_whole(path, self.to_word())
        else:
            write_whole(path, self.to_json() if ending == ".json" else self.to_html())

    def __str__(self) -> str:
        return kind_document(self.facts).to_text()

    def __repr__(self) -> str:
        return f"<Report on {self.facts.card.title!r}: save(path) writes the page>"

    def _repr_html_(self) -> str:
        return kind_document(self.facts).to_box()


def kind_document(facts: KindFacts, pictures: bool = False) -> Document:
    """All of it; pictures need matplotlib."""
    sections = [_glance(facts), *_card(facts), _rows(facts), _figures(facts)]
    sections += _judged(facts, pictures)
    if facts.constancy:
        sections.append(constancy_section(facts.constancy))
    if facts.stability is not None:
        sections.append(_stability(facts))
    if facts.audit is not None:
        sections.append(_audit(facts))
    return Document(f"Report: {facts.card.title}", _lead(facts), sections)


def _lead(facts: KindFacts) -> str:
    rows, events = f"{facts.data.rows:,}", f"{facts.data.events:,}"
    where = {
        RowOrigin.TRAINING: "These are the rows that the card was learned from, by the hash in its recipe.",
        RowOrigin.OTHER: "These are other rows than those that the card was learned from, by the hash in its recipe.",
        RowOrigin.UNKNOWN: "Whether the card was learned from these rows cannot be told",
    }[facts.origin]
    if facts.origin is RowOrigin.UNKNOWN:
        where += f": {facts.reason}. If it was, its figures here are too good."
    kind = facts.card.kind
    if isinstance(kind, Numbers | OrderedLevels):
        return f"{rows} rows. {where}"
    what = "the event" if isinstance(kind, TimeToEvent) else "an event"
    return f"{rows} rows, {events} of them with {what}. {where}"


def _glance(facts: KindFacts) -> Section:
    return Section("At a glance", list(_glance_sentences(facts)))


def _glance_sentences(facts: KindFacts) -> Iterator[str]:
    shown = facts.held_out or facts.own
    where = "on held-out rows" if facts.held_out is not None else "on these rows"
    yield from _ranking_sentences(facts.card.kind, shown, where)
    if facts.origin is RowOrigin.TRAINING and facts.held_out is None:
        yield "The card was learned from these rows, so these figures are too good."
    if isinstance(facts.card.kind, Numbers | OrderedLevels):
        if facts.data.rows < FEW_EVENTS:
            yield f"There are only {facts.data.rows} rows: all figures are uncertain."
    elif facts.data.events < FEW_EVENTS:
        yield f"Only {facts.data.events} rows have an event: all figures are uncertain."
    if facts.audit is not None:
        yield f"Recomputed from the rows: {facts.audit.summary}"
    yield from facts.notes


def _ranking_sentences(kind: OutcomeKind | None, shown: Judged, where: str) -> Iterator[str]:
    """The first of the three figures in a sentence; of times the risks as well."""
    ranking = shown.performance.ranking
    if isinstance(kind, Numbers):
        yield f"Share of the variance that is explained {where} (R squared): {100 * ranking:.1f} %."
    elif isinstance(kind, OrderedLevels):
        yield f"Share of pairs of rows of different levels in the right order {where}: {ranking:.3f} (0.5 is chance)."
    elif isinstance(kind, TimeToEvent):
        yield f"Harrell's concordance index {where}: {ranking:.3f} (0.5 is chance)."
        who = _who(kind).replace(" and ", "-")
        for one in shown.at:
            if not math.isnan(one.observed.value):
                yield (
                    f"By {kind.time} {one.horizon:g}, {where}: {100 * one.observed.value:.1f} % had the "
                    f"event ({who}), the card expects {100 * one.mean_risk:.1f} %."
                )
    else:
        yield f"Share of the Poisson deviance that is explained {where}: {100 * ranking:.1f} %."


def _who(kind: TimeToEvent) -> str:
    """Who estimated the share of rows with the event by a time."""
    return "Kaplan and Meier" if kind.competing is None else "Aalen and Johansen"


def _card(facts: KindFacts) -> Iterator[Section]:
    shown = kind_card_of(facts.card)
    say = shown.labels.say
    header = [say("feature"), say("value"), say("points")]
    header += [say("rows"), say("events")] if shown.has_line_counts else []
    rows = []
    for block in shown.blocks:
        for place, line in enumerate(block.lines):
            cells = [block.feature if place == 0 else "", line.label, str(line.points)]
            if shown.has_line_counts:
                cells += [shown.labels.count(line.rows or 0), shown.labels.count(line.events or 0)]
            rows.append(cells)
    if shown.base:
        rows.append([say("base"), "", str(shown.base), *[""] * (len(header) - 3)])
    points = ShownTable(header, rows, n_left=2)
    yield Section("The card", shown.front, [points, ShownTable(shown.header, shown.rows, n_left=0)])
    yield Section("What is proven, in detail", shown.details)


def _rows(facts: KindFacts) -> Section:
    parts = ("With an event", "Without")
    if isinstance(facts.card.kind, Numbers):
        parts = ("Above the median", "Not above")
    if isinstance(facts.card.kind, OrderedLevels):
        parts = ("Upper levels", "Lower levels")
    header = ("Column", "On the card", "All rows", *parts, "Missing")
    rows = [
        (
            one.name,
            "yes" if one.is_on_card else "",
            one.summary,
            one.with_event,
            one.without_event,
            f"{one.missing:,}",
        )
        for one in facts.data.columns
    ]
    sentences = [f"{facts.data.complete_rows:,} of {facts.data.rows:,} rows have no missing value."]
    if isinstance(facts.card.kind, TimeToEvent):
        sentences.append(
            "Rows without the event were followed for different times, so they are not free of it."
        )
    return Section("The rows", sentences, [ShownTable(header, rows, n_left=5)])


def _figures(facts: KindFacts) -> Section:
    """The three figures: on the rows, corrected for optimism, and held out."""
    kind = facts.card.kind
    assert kind is not None
    columns: dict[str, Any] = {"On these rows": facts.own.performance}
    if facts.stability is not None:
        columns["Corrected for optimism"] = facts.stability.corrected
    if facts.held_out is not None:
        columns["Held out"] = facts.held_out.performance
    words = words_of(kind)
    figures = list(columns.values())
    rows = [
        (words.ranking, *(f"{one.ranking:.3f}" for one in figures)),
        (words.deviance, *(shown_deviance(one.deviance, kind) for one in figures)),
        (words.slope, *(f"{one.slope:.3f}" for one in figures)),
    ]
    if not math.isnan(facts.own.brier):
        known = {"On these rows": facts.own.brier}
        if facts.held_out is not None:
            known["Held out"] = facts.held_out.brier
        rows.append(
            (
                "integrated Brier score",
                *(f"{known[one]:.4f}" if one in known else "" for one in columns),
            )
        )
    sentences = []
    if facts.own.concordance is not None:
        sentences.append(
            f"On these rows the concordance index is {in_words(facts.own.concordance, '.3f')}."
        )
    if facts.stability is not None:
        sentences.append(
            f"Corrected for optimism: the whole fit was repeated on {len(facts.stability.cards)} resamples."
        )
    if facts.held_out is not None:
        sentences.append(
            f"Held out: the recipe was repeated without each of {facts.folds} parts of the rows, and judged on the "
            "part; means over parts. By horizon and in groups, each row is judged by the card of a fold that has "
            "not seen it."
        )
    lower = "lower is better"
    if not isinstance(kind, Numbers | OrderedLevels):
        lower = "Poisson deviance given what the card expects, lower is better"
    notes = [
        f"{words.deviance[0].upper()}{words.deviance[1:]}: {lower}. Calibration slope: 1 is right; below 1, "
        f"{_ESTIMATES[name_of_kind(kind)]} are too far apart."
    ]
    return Section("How good it is", sentences, [ShownTable(("Figure", *columns), rows)], notes)


def _judged(facts: KindFacts, pictures: bool) -> Iterator[Section]:
    """By horizon, or in groups of estimates: on held-out rows where there are some."""
    shown: Judged = facts.own
    prefix = ""
    if facts.held_out is not None and (facts.held_out.at or facts.held_out.figures):
        shown, prefix = facts.held_out, "Held-out rows: "
    sections: list[Section] = []
    kind = facts.card.kind
    if isinstance(kind, TimeToEvent):
        who = _who(kind)
        sections += [horizon_section(one, kind.time, pictures, who) for one in shown.at]
        if shown.curves:
            sections.append(curve_section(shown.curves, kind.time, pictures, who))
    elif shown.figures is not None:
        assert kind is not None
        sections += estimate_sections(shown.figures, *unit_and_decimals(kind), pictures)
    for section in sections:
        yield replace(section, heading=_headed(prefix, section.heading))


def _headed(prefix: str, heading: str) -> str:
    return f"{prefix}{heading[0].lower()}{heading[1:]}" if prefix else heading


def _stability(facts: KindFacts) -> Section:
    stability = facts.stability
    assert stability is not None
    tables = []
    if lines := feature_lines(stability):
        tables.append(ShownTable(feature_header(facts.card.kind), lines))
    tables.append(ShownTable(PERFORMANCE_HEADER, performance_lines(stability)))
    notes = [*feature_sentences(stability), performance_sentence(stability)]
    if stability.card.features != facts.card.features:
        notes.append(
            "Refits are searched for without a proof; on all rows that gives a slightly different card than the one "
            "of this report."
        )
    return Section(stability.title, (), tables, notes)


def _audit(facts: KindFacts) -> Section:
    assert facts.audit is not None
    rows = [(str(one.outcome), one.name, one.detail) for one in facts.audit.checks]
    return Section(
        "What was recomputed from the rows",
        [facts.audit.summary],
        [ShownTable(("Outcome", "Check", "Figures"), rows, n_left=3)],
    )
