"""The result of a bootstrap: cards of the resamples, and what follows from them."""

from collections import Counter
from dataclasses import asdict, astuple, dataclass
from enum import Enum
from typing import Any

import numpy as np

from riskcard.estimators.cross_validation.kind_rows import KindPerformance
from riskcard.evaluation.measures import Performance
from riskcard.extras import import_pandas
from riskcard.model.card import RiskCard
from riskcard.stability.summary import FeatureStability, Spread, summarise_features
from riskcard.stability.text import render_stability

#: Three figures, the last of which is a calibration slope: of risks, or of what other cards give.
Figures = Performance | KindPerformance


class Refits(str, Enum):
    """What a procedure was repeated on; the value has a place for the number of refits."""

    ROWS = "{:,} bootstrap resamples"
    GROUPS = "{:,} bootstrap resamples of whole groups"
    EARLIER_ROWS = "{:,} bootstrap resamples of the earlier rows, judged on the later ones"
    SITES = "{:,} sites, each left out once and judged by a card of the others"

    @property
    def noun(self) -> str:
        """The refits, in a word."""
        return "sites" if self is Refits.SITES else "resamples"


@dataclass(frozen=True, slots=True)
class CardStability:
    """How a card and its performance vary between resamples; ``print`` it.

    Attributes
    ----------
    card
        The card of all rows.
    cards
        The card of each resample.
    apparent
        The performance of the card of all rows on these rows.
    on_resamples
        The performance of the card of each resample on its resample.
    on_rows
        The performance of the card of each resample on all rows, or on those to judge.
    refits
        What was resampled.
    """

    card: RiskCard
    cards: tuple[RiskCard, ...]
    apparent: Figures
    on_resamples: tuple[Figures, ...]
    on_rows: tuple[Figures, ...]
    refits: Refits = Refits.ROWS

    @property
    def title(self) -> str:
        """What was done, in words."""
        return f"Stability over {self.refits.value.format(len(self.cards))}"

    @property
    def optimism(self) -> Figures:
        """How much better figures look on the rows that were fitted.

        The mean over the resamples of the figure on the resample less that on all rows. A slope that
        is not finite, as where a card separates the classes, is left out of its mean.
        """
        return type(self.apparent)(*(_finite_mean(column) for column in self._differences().T))

    @property
    def corrected(self) -> Figures:
        """The apparent figures less their optimism: what to expect on new data.

        With few events the optimism is underestimated, and cross-validation is to be preferred. NaN where there
        is no finite figure to begin with.
        """
        figures = zip(
            np.subtract(astuple(self.apparent), astuple(self.optimism)).tolist(),
            astuple(self.apparent),
            strict=True,
        )
        return type(self.apparent)(
            *(one if np.isfinite(own) else float("nan") for one, own in figures)
        )

    @property
    def standard_error(self) -> Figures:
        """Standard error of the optimism; more resamples make it smaller."""
        return type(self.apparent)(*(_standard_error(column) for column in self._differences().T))

    @property
    def n_slopes(self) -> int:
        """Resamples whose calibration slope is finite, on the resample and on all rows."""
        return int(np.isfinite(self._differences()[:, 2]).sum())

    @property
    def features(self) -> tuple[FeatureStability, ...]:
        """Every feature of the table, those that enter most often first."""
        return summarise_features(self.card, self.cards)

    @property
    def feature_sets(self) -> tuple[tuple[frozenset[str], int], ...]:
        """The sets of features that cards use, and how many cards do; the most common first."""
        sets = (frozenset(feature.name for feature in card.features) for card in self.cards)
        return tuple(Counter(sets).most_common())

    @property
    def same_features(self) -> float:
        """Share of the resamples whose card uses the same features as the card of all rows."""
        own = frozenset(feature.name for feature in self.card.features)
        return dict(self.feature_sets).get(own, 0) / len(self.cards)

    def features_frame(self) -> Any:
        """The features as a pandas frame, one line each.

        Columns: ``feature``, ``share`` of the resamples, ``on_card``, ``mean_cuts``, the quantiles
        ``cut_5``, ``cut_50`` and ``cut_95`` of its lowest cut, the same of ``points`` and ``log_odds``,
        ``rises``, and where some features have more cuts ``cut_2_5``, ``cut_2_50`` and so on. Cuts are
        those of the cards with the most common number of cuts.
        """
        return import_pandas("print the result").DataFrame(self.feature_rows())

    def performance_frame(self) -> Any:
        """The performance as a pandas frame: a line for each of apparent, optimism, corrected."""
        lines = {
            "apparent": self.apparent,
            "optimism": self.optimism,
            "corrected": self.corrected,
            "standard_error": self.standard_error,
        }
        names = list(type(self.apparent).__dataclass_fields__)
        return import_pandas("print the result").DataFrame.from_dict(
            {line: astuple(figures) for line, figures in lines.items()}, "index", columns=names
        )

    def to_dict(self) -> dict[str, Any]:
        """What the frames hold, as plain dicts: how often features enter, and the performance."""
        figures = ("apparent", "optimism", "corrected", "standard_error")
        return {
            "resamples": len(self.cards),
            "kind": self.refits.name.lower(),
            "same_features": self.same_features,
            "features": self.feature_rows(),
            "performance": {name: asdict(getattr(self, name)) for name in figures},
        }

    def feature_rows(self) -> list[dict[str, Any]]:
        """What ``features_frame`` holds, as plain dicts."""
        most = max((len(one.cuts) for one in self.features), default=0)
        rows = []
        for one in self.features:
            row = {"feature": one.name, "share": one.share, "on_card": one.is_on_card}
            row["mean_cuts"] = one.mean_cuts
            cuts = dict(enumerate(one.cuts, start=1))
            row |= _quantiles("cut", cuts.get(1)) | _quantiles("points", one.points)
            row |= _quantiles("log_odds", one.log_odds) | {"rises": one.rises}
            for number in range(2, most + 1):
                row |= _quantiles(f"cut_{number}", cuts.get(number))
            rows.append(row)
        return rows

    def _differences(self) -> Any:
        """Figures on each resample less those on all rows; shape (resamples, 3)."""
        with np.errstate(invalid="ignore"):  # infinite less infinite
            return np.array([astuple(one) for one in self.on_resamples]) - np.array(
                [astuple(one) for one in self.on_rows]
            )

    def __str__(self) -> str:
        return render_stability(self)

    def _repr_html_(self) -> str:
        from riskcard.stability.html import stability_as_html

        return stability_as_html(self)


def _quantiles(title: str, spread: Spread | None) -> dict[str, float | None]:
    ends = (None, None, None) if spread is None else astuple(spread)
    return {f"{title}_{percent}": end for percent, end in zip((5, 50, 95), ends, strict=True)}


def _finite_mean(column: Any) -> float:
    finite = column[np.isfinite(column)]
    return float(finite.mean()) if finite.size else float("nan")


def _standard_error(column: Any) -> float:
    finite = column[np.isfinite(column)]
    return float(finite.std(ddof=1) / np.sqrt(finite.size)) if finite.size > 1 else float("nan")
