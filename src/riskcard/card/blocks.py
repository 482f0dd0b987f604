"""The features of a card with their lines: what every rendering of any card shows first."""

from collections.abc import Sequence
from dataclasses import dataclass

from riskcard.formatting.plain_text import one_line
from riskcard.model.card import RiskCard
from riskcard.model.lines import Line


@dataclass(frozen=True, slots=True)
class FeatureBlock:
    """One feature and its lines."""

    feature: str
    lines: tuple[Line, ...]


def blocks_of(card: RiskCard) -> tuple[FeatureBlock, ...]:
    """All features, under the names that the labels of the card give them."""
    return tuple(
        FeatureBlock(one_line(card.labels.heading(one.name)), card.lines_of(one))
        for one in card.features
    )


def have_counts(blocks: Sequence[FeatureBlock]) -> bool:
    """Whether every line knows how many training rows it held."""
    lines = [line for block in blocks for line in block.lines]
    return bool(lines) and all(line.rows is not None for line in lines)
