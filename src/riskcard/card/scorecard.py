"""What every rendering of a card says: numbers and strings, no layout."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from riskcard.card.bands import BandLine, band_lines
from riskcard.card.sentences import (
    certificate_sentences,
    event_words,
    observed_words,
    scale_words,
    training_words,
)
from riskcard.formatting.numbers import format_number
from riskcard.formatting.percent import percent
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.lines import show_level
from riskcard.model.terms import Term


@dataclass(frozen=True, slots=True)
class Bin:
    """One row of the card: a range of values or some levels, and their points.

    Attributes
    ----------
    label
        The values in words.
    points
        What they are worth.
    levels
        For a group of levels each of them, in words; the label has all of them.
    """

    label: str
    points: int
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FeatureBlock:
    """All rows of one feature."""

    feature: str
    bins: tuple[Bin, ...]


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
    """A card as numbers and strings, ready to be drawn.

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
        title=event_words(card),
        blocks=tuple(FeatureBlock(feature.name, _bins_of(feature)) for feature in card.features),
        base=card.base,
        term_lines=tuple(
            TermLine(term.feature, term.condition, _cut_of(term), term.below, term.above)
            for term in terms
        ),
        intercept=card.intercept_of(terms),
        totals=tuple(
            TotalLine(row.total, percent(row.risk), row.risk) for row in card.risk_table()
        ),
        bands=bands,
        observed=observed_words(card.training) if card.training and bands[0].seen else "",
        scale=scale_words(card),
        facts=tuple(facts),
    )


def _cut_of(term: Term) -> str:
    is_plain = not (term.levels or term.excluded or term.has_missing)
    return format_number(term.cut) if is_plain and term.cut is not None else ""


def _bins_of(feature: FeaturePoints | LevelPoints) -> tuple[Bin, ...]:
    bins = _groups(feature) if isinstance(feature, LevelPoints) else _ranges(feature)
    if feature.missing is not None:
        bins.append(Bin("missing", feature.missing))
    return tuple(bins)


def _groups(feature: LevelPoints) -> list[Bin]:
    bins = []
    for group, points in zip(feature.groups, feature.points, strict=True):
        levels = tuple(show_level(level) for level in group)
        bins.append(Bin(", ".join(levels), points, levels))
    return bins


def _ranges(feature: FeaturePoints) -> list[Bin]:
    cuts = [format_number(cut) for cut in feature.cuts]
    labels = [f"> {left} to ≤ {right}" for left, right in pairwise(cuts)]
    labels = [f"≤ {cuts[0]}", *labels, f"> {cuts[-1]}"] if cuts else [_words_for_all(feature)]
    bins = [Bin(label, points) for label, points in zip(labels, feature.points, strict=True)]
    return bins + [Bin(format_number(code), points) for code, points in feature.codes]


def _words_for_all(feature: FeaturePoints) -> str:
    """The one bin of a feature without cuts: whatever has no row of its own."""
    if feature.codes:
        return "any other value"
    return "any value" if feature.missing is None else "not missing"
