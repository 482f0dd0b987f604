"""A report on a card of times or of counts: one page of sentences, tables and pictures."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from riskcard.card.kind_card import kind_card_of
from riskcard.formatting.numbers import readable_amount
from riskcard.formatting.pages.document import Document, Section, ShownTable
from riskcard.formatting.plain_values import as_plain
from riskcard.model.origin.recipe import RowOrigin
from riskcard.model.outcome_kinds import TimeToEvent
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
from riskcard.validation.horizons.horizon_document import (
    constancy_section,
    curve_section,
    horizon_section,
    in_words,
)

#: Rows with fewer events than this are called few.
FEW_EVENTS = 100


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
    what = "the event" if isinstance(facts.card.kind, TimeToEvent) else "an event"
    return f"{rows} rows, {events} of them with {what}. {where}"


def _glance(facts: KindFacts) -> Section:
    return Section("At a glance", list(_glance_sentences(facts)))


def _glance_sentences(facts: KindFacts) -> Iterator[str]:
    shown = facts.held_out or facts.own
    where = "on held-out rows" if facts.held_out is not None else "on these rows"
    ranking = shown.performance.ranking
    if isinstance(facts.card.kind, TimeToEvent):
        yield f"Harrell's concordance index {where}: {ranking:.3f} (0.5 is chance)."
        for one in shown.at:
            if not math.isnan(one.observed.value):
                yield (
                    f"By {facts.card.kind.time} {one.horizon:g}, {where}: {100 * one.observed.value:.1f} % had the "
                    f"event (Kaplan-Meier), the card expects {100 * one.mean_risk:.1f} %."
                )
    else:
        yield f"Share of the Poisson deviance that is explained {where}: {100 * ranking:.1f} %."
    if facts.origin is RowOrigin.TRAINING and facts.held_out is None:
        yield "The card was learned from these rows, so these figures are too good."
    if facts.data.events < FEW_EVENTS:
        yield f"Only {facts.data.events} rows have an event: all figures are uncertain."
    if facts.audit is not None:
        yield f"Recomputed from the rows: {facts.audit.summary}"
    yield from facts.notes


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
    header = ("Column", "On the card", "All rows", "With an event", "Without", "Missing")
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
    names = ("concordance index", "deviance per event", "calibration slope")
    if not isinstance(facts.card.kind, TimeToEvent):
        names = ("deviance explained", "deviance per event", "calibration slope")
    columns: dict[str, Any] = {"On these rows": facts.own.performance}
    if facts.stability is not None:
        columns["Corrected for optimism"] = facts.stability.corrected
    if facts.held_out is not None:
        columns["Held out"] = facts.held_out.performance
    parts = ("ranking", "deviance", "slope")
    rows = [
        (name, *(f"{getattr(one, part):.3f}" for one in columns.values()))
        for name, part in zip(names, parts, strict=True)
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
    notes = [
        "Deviance per event: Poisson deviance given what the card expects, lower is better. Calibration slope: 1 is "
        "right; below 1, hazards or rates are too far apart."
    ]
    return Section("How good it is", sentences, [ShownTable(("Figure", *columns), rows)], notes)


def _judged(facts: KindFacts, pictures: bool) -> Iterator[Section]:
    """By horizon, or in groups of rates: on held-out rows where there are some."""
    shown: Judged = facts.own
    prefix = ""
    if facts.held_out is not None and (facts.held_out.at or facts.held_out.groups):
        shown, prefix = facts.held_out, "Held-out rows: "
    if isinstance(facts.card.kind, TimeToEvent):
        time = facts.card.kind.time
        for one in shown.at:
            section = horizon_section(one, time, pictures)
            yield replace(section, heading=_headed(prefix, section.heading))
        if shown.curves:
            section = curve_section(shown.curves, time, pictures)
            yield replace(section, heading=_headed(prefix, section.heading))
        return
    header = ("Rate on the card", "Rows", "Events", "Expected", "Events / expected (95 % interval)")
    rows = [
        (
            f"{one.lowest:.3g}"
            if one.lowest == one.highest
            else f"{one.lowest:.3g} to {one.highest:.3g}",
            f"{one.rows:,}",
            readable_amount(one.events),
            readable_amount(one.expected, 4),
            in_words(one.ratio, ".2f").replace("95 % interval ", ""),
        )
        for one in shown.groups
    ]
    yield Section(
        _headed(prefix, "Events against what the card expects"),
        ["Rows in about five equal parts by their rate. Intervals are exact for a Poisson count."],
        [ShownTable(header, rows, n_left=0)],
    )


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
