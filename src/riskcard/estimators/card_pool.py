"""The pool of a fitted classifier: cards about as good as its own, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from riskcard.formatting.html import Number, boxed, html_table, paragraphs
from riskcard.model.card import RiskCard


@dataclass(frozen=True, slots=True)
class CardPool(Sequence[RiskCard]):
    """Cards within a tolerance of the best: one for each choice of features and cuts.

    Cards that differ in their features come first, then others, both by loss; ``print`` shows a
    table.

    Attributes
    ----------
    cards
        The cards.
    losses
        The loss of each on the training rows, prior rows included.
    most_loss
        The loss that was allowed.
    is_complete
        It is proven that no other choice of features and cuts has a card within that loss.
    n_found
        Choices found, of which these are the first.
    """

    cards: tuple[RiskCard, ...]
    losses: tuple[float, ...]
    most_loss: float
    is_complete: bool
    n_found: int

    def __getitem__(self, index: Any) -> Any:
        return self.cards[index]

    def __len__(self) -> int:
        return len(self.cards)

    def __iter__(self) -> Iterator[RiskCard]:
        return iter(self.cards)

    @property
    def summary(self) -> str:
        """Whether these are all, in a sentence."""
        within = f"with a loss of at most {self.most_loss:.6g}"
        if self.is_complete:
            return f"Proven: there is no other choice of features and cuts {within}."
        if self.n_found > len(self.cards):
            return f"{self.n_found} choices of features and cuts {within} were found; there may be more."
        return f"Choices of features and cuts {within}; there may be more."

    def rows(self) -> list[dict[str, Any]]:
        """One dict a card: its place, loss, loss above the best in per cent, features and terms."""
        best = min(self.losses)
        return [
            {
                "card": place,
                "loss": loss,
                "above_best": 100.0 * (loss - best) / best if best > 0 else 0.0,
                "features": [feature.name for feature in card.features],
                "terms": [str(term) for term in card.terms],
            }
            for place, (card, loss) in enumerate(zip(self.cards, self.losses, strict=True))
        ]

    def to_frame(self) -> Any:
        """The same as a pandas frame."""
        import pandas

        return pandas.DataFrame(self.rows())

    def _repr_html_(self) -> str:
        rows = [
            [
                Number(row["card"]),
                Number(f"{row['loss']:.6g}"),
                Number(f"{row['above_best']:.2f} %"),
                ", ".join(row["features"]),
                "; ".join(row["terms"]),
            ]
            for row in self.rows()
        ]
        header = [*map(Number, ("Card", "Loss", "Above the best")), "Features", "Terms"]
        return boxed("Cards about as good", html_table(header, rows), paragraphs([self.summary]))

    def __str__(self) -> str:
        lines = [f"{'card':>4}  {'loss':>12}  {'above':>7}  terms"]
        lines += [
            f"{row['card']:>4}  {row['loss']:>12.6g}  {row['above_best']:>6.2f}%  "
            + "; ".join(row["terms"])
            for row in self.rows()
        ]
        return "\n".join([*lines, self.summary])
