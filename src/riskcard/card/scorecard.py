"""What every rendering of a card says: numbers and strings, no layout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from riskcard.card.bands import BandLine, band_lines, cells_of
from riskcard.card.sentences import (
    BASE,
    BLANK,
    certificate_sentences,
    observed_words,
    scale_words,
    training_words,
)
from riskcard.formatting.numbers import format_number, minus
from riskcard.formatting.percent import percent
from riskcard.formatting.plain_text import one_line
from riskcard.formatting.templates import render
from riskcard.model.card import RiskCard
from riskcard.model.lines import Line
from riskcard.model.terms import Term


@dataclass(frozen=True, slots=True)
class FeatureBlock:
    """One feature and its lines."""

    feature: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class TermLine:
    """One row of the two-sided form: a condition, and the points on either side of it."""

    feature: str
    condition: str
    cut: str  # empty when the condition is not just "value <= cut"
    below: int
    above: int


@dataclass(frozen=True, slots=True)
class TotalLine:
    """One row of the table from total to risk."""

    total: int
    risk: str
    share: float  # the risk as a number, for bars


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """A card as numbers and strings, ready to be drawn: on one line each, no control characters.

    Attributes
    ----------
    title
        Whose risk it is.
    blocks, base
        The card as bins.
    term_lines, intercept
        The same card in the paper's two-sided form.
    totals
        Risk of every total that a row can reach.
    bands
        The same in at most 30 lines, with what was observed in training.
    observed
        What "observed" means, in words; empty when the card does not know what was observed.
    scale
        The formula behind the table, in words.
    facts
        Sentences on training and proof.
    """

    title: str
    blocks: tuple[FeatureBlock, ...]
    base: int
    term_lines: tuple[TermLine, ...]
    intercept: int
    totals: tuple[TotalLine, ...]
    bands: tuple[BandLine, ...]
    observed: str
    scale: str
    facts: tuple[str, ...]

    @property
    def formula(self) -> str:
        """The scale with a true minus sign."""
        return self.scale.replace(" - ", " − ")

    @property
    def remarks(self) -> tuple[str, ...]:
        """All sentences below the tables."""
        return (self.observed, *self.facts) if self.observed else self.facts


def score_card_of(card: RiskCard) -> ScoreCard:
    """Gather what a rendering shows."""
    terms = card.two_sided_terms
    bands = band_lines(card)
    facts = [training_words(card.training)] if card.training is not None else []
    if card.certificate is not None:
        facts += certificate_sentences(card.certificate)
    return ScoreCard(
        title=one_line(card.title),
        blocks=tuple(FeatureBlock(one_line(one.name), one.lines()) for one in card.features),
        base=card.base,
        term_lines=tuple(
            TermLine(one_line(term.feature), term.condition, _cut_of(term), term.below, term.above)
            for term in terms
        ),
        intercept=card.intercept_of(terms),
        totals=tuple(
            TotalLine(row.total, percent(row.risk), row.risk) for row in card.risk_table()
        ),
        bands=bands,
        observed=observed_words(card.training) if card.training and bands[0].seen else "",
        scale=scale_words(card),
        facts=tuple(map(one_line, facts)),
    )


def rendered(card: RiskCard, template: str, text: Callable[[str], str], **more: Any) -> str:
    """A card as plain text with marks, in which ``text`` escapes whatever could be taken for one."""
    shown = score_card_of(card)
    header, rows = cells_of(shown.bands)
    return render(
        template,
        shown=shown,
        header=list(map(text, header)),
        rows=[[text(minus(cell)) for cell in row] for row in rows],
        base=BASE,
        blank=BLANK,
        text=text,
        **more,
    )


def _cut_of(term: Term) -> str:
    is_plain = not (term.levels or term.excluded or term.has_missing)
    return format_number(term.cut) if is_plain and term.cut is not None else ""
