"""What every rendering of a card says: numbers and strings, no layout."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from riskcard.card.bands import BandLine, band_lines, cells_of, has_risk_intervals
from riskcard.card.blocks import FeatureBlock, blocks_of, have_counts
from riskcard.card.kind_card import KindCard, kind_card_of
from riskcard.card.sentences import (
    about_rows,
    certificate_sentences,
    group_words,
    observed_words,
    proof_for_readers,
    rare_words,
    scale_words,
    shrinkage_words,
    training_words,
)
from riskcard.formatting.numbers import minus
from riskcard.formatting.plain_text import one_line
from riskcard.formatting.templates import render
from riskcard.model.card import RiskCard, RiskRow
from riskcard.model.terms import Term
from riskcard.model.words.labels import Labels


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """A card as numbers and strings, ready to be drawn: on one line each, no control characters.

    Attributes
    ----------
    title
        Whose risk it is.
    blocks, base
        The card as bins.
    terms, intercept
        The same card in the paper's two-sided form.
    totals
        Risk of every total that a row can reach.
    bands
        The same in at most 30 lines, with what was observed in training.
    observed
        What "observed" means, in words; empty when the card does not know what was observed.
    front
        What every reader should know: training, shrinkage, and in one sentence what was proven.
    details
        For the back of the card: the formula behind the table, and the certificate in full.
    labels
        The words of the headings.
    """

    title: str
    blocks: tuple[FeatureBlock, ...]
    base: int
    terms: tuple[Term, ...]
    intercept: int
    totals: tuple[RiskRow, ...]
    bands: tuple[BandLine, ...]
    observed: str
    front: tuple[str, ...]
    details: tuple[str, ...]
    labels: Labels

    @property
    def has_line_counts(self) -> bool:
        """Whether every line knows how many training rows it held."""
        return have_counts(self.blocks)

    @property
    def back(self) -> tuple[str, ...]:
        """The details, with a true minus sign in the formula."""
        return (self.details[0].replace(" - ", " − "), *self.details[1:])


def score_card_of(card: RiskCard) -> ScoreCard:
    """Gather what a rendering shows."""
    terms = card.two_sided_terms
    bands = band_lines(card)
    observed = observed_words(card.training, card.labels) if card.training and bands[0].seen else ""
    with card.labels.spoken():
        front = tuple(map(one_line, _front(card, observed, bands)))
        details = tuple(map(one_line, _details(card)))
    return ScoreCard(
        title=one_line(card.title),
        blocks=blocks_of(card),
        base=card.base,
        terms=terms,
        intercept=card.intercept_of(terms),
        totals=card.risk_table(),
        bands=bands,
        observed=observed,
        front=front,
        details=details,
        labels=card.labels,
    )


def _front(card: RiskCard, observed: str, bands: Sequence[BandLine]) -> Iterator[str]:
    training, certificate = card.training, card.certificate
    if card.higher_is_safer:
        yield card.labels.say("higher_is_safer")
    if observed:
        yield observed
    if has_risk_intervals(bands):
        yield card.labels.say(about_rows("interval_means", training))
        yield from group_words(card)
    has_counts = any(one.rows for one in card.features)
    if training is not None and training.is_recalibrated and has_counts:
        yield card.labels.say("line_counts_recalibrated")
    yield from rare_words(card)
    if training is not None:
        yield training_words(training, card.labels)
    if certificate is not None:
        yield from [] if training is None else shrinkage_words(certificate, training, card.labels)
        yield proof_for_readers(certificate, training)


def _details(card: RiskCard) -> Iterator[str]:
    yield scale_words(card)
    if card.certificate is not None:
        yield from certificate_sentences(card.certificate)


def rendered(card: RiskCard, template: str, text: Callable[[str], str] = str, **more: Any) -> str:
    """A card by a template, in which ``text`` escapes whatever could be taken for markup."""
    shown = shown_card(card)
    header, rows = table_of(shown)
    return render(
        template,
        shown=shown,
        header=list(map(text, header)),
        rows=[[text(minus(cell)) for cell in row] for row in rows],
        say=shown.labels.say,
        count=shown.labels.count,
        number=shown.labels.number,
        text=text,
        has_intervals=isinstance(shown, ScoreCard) and has_risk_intervals(shown.bands),
        **more,
    )


def shown_card(card: RiskCard) -> ScoreCard | KindCard:
    """What a rendering of a card of any kind shows."""
    return score_card_of(card) if card.kind is None else kind_card_of(card)


def table_of(shown: ScoreCard | KindCard) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The table from total to what the card gives: its heading, and its rows."""
    if isinstance(shown, ScoreCard):
        return cells_of(shown.bands, shown.labels)
    return shown.header, list(shown.rows)
