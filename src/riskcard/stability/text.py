"""The stability of a card as plain text."""

from __future__ import annotations

import textwrap
from dataclasses import astuple
from typing import TYPE_CHECKING

from riskcard.formatting.numbers import format_number
from riskcard.formatting.plain_text import one_line, text_table
from riskcard.stability.summary import FeatureStability, Spread

if TYPE_CHECKING:
    from riskcard.stability.result import CardStability

_WIDTH = 79
#: With fewer rows of the rarer outcome, corrected figures usually stay too good.
FEW_EVENTS = 200
_MOST_NAMES, _MOST_VALUES = 12, 8
FEATURE_HEADER = ("Feature", "Card", "Enters", "Cuts", "Points", "Log-odds", "Rises")
PERFORMANCE_HEADER = ("", "on its own rows", "optimism", "corrected")
_FIGURES = ("AUC", "log-loss, mean per row", "calibration slope")


def render_stability(stability: CardStability) -> str:
    """Write all figures: features, sets of features, performance."""
    lines = feature_lines(stability)
    sentences = feature_sentences(stability)
    parts = [
        [stability.title],
        text_table(FEATURE_HEADER, lines) if lines else ["No card uses any feature."],
        [line for sentence in sentences for line in textwrap.wrap(sentence, _WIDTH)],
        text_table(PERFORMANCE_HEADER, performance_lines(stability)),
        textwrap.wrap(performance_sentence(stability), _WIDTH),
    ]
    return "\n\n".join("\n".join(part) for part in parts)


def feature_lines(stability: CardStability) -> list[tuple[str, ...]]:
    """A line for every feature that any card uses, and for its levels, codes and missing values."""
    rows: list[tuple[str, ...]] = []
    for one in stability.features:
        if one.share == 0 and not one.is_on_card:
            continue
        rows.append(_feature_row(one))
        shown = one.values[:_MOST_VALUES]
        rows += [(f"  {one_line(v)}", "", "", "", _spread(s), "", "") for v, s in shown]
        if len(one.values) > _MOST_VALUES:
            rows.append((f"  and {len(one.values) - _MOST_VALUES} more", *[""] * 6))
    return rows


def _feature_row(one: FeatureStability) -> tuple[str, ...]:
    return (
        one_line(one.name),
        "yes" if one.is_on_card else "",
        _percent(one.share),
        "; ".join(_spread(cut, digits=6) for cut in one.cuts),
        _spread(one.points),
        _spread(one.log_odds, digits=2),
        "" if one.rises is None else _percent(one.rises),
    )


def feature_sentences(stability: CardStability) -> list[str]:
    """What the columns mean, and how often the same set of features was used."""
    never = [one.name for one in stability.features if one.share == 0]
    sets = len(stability.feature_sets)
    refits = stability.refits.noun
    kinds = f"there {'is 1 set' if sets == 1 else f'are {sets:,} different sets'} of features"
    sentences = [
        f"Card: the card itself uses the feature. Enters: share of the {refits} whose card uses it. "
        "The other columns describe these cards: the median and, in brackets, the 5 % and 95 % "
        "quantiles of each of its cuts, of the range of its points, and of this range in log-odds; and "
        "the share in which its last bin has more points than its first. Cuts are those of the cards "
        "with the most common number of cuts.",
        f"{_percent(stability.same_features)} of the {refits} give the features of the card "
        f"itself; in all, {kinds}.",
    ]
    if never:
        more = f" and {len(never) - _MOST_NAMES} more" if len(never) > _MOST_NAMES else ""
        sentences.append(f"Never used: {', '.join(map(one_line, never[:_MOST_NAMES]))}{more}.")
    return sentences


def performance_lines(stability: CardStability) -> list[tuple[str, ...]]:
    """Each figure on its own rows, its optimism, and the corrected figure."""
    columns = (stability.apparent, stability.optimism, stability.corrected)
    return [
        (title, *(f"{figure:.3f}" for figure in figures))
        for title, *figures in zip(_FIGURES, *map(astuple, columns), strict=True)
    ]


def few_events(rows: int, events: int) -> bool:
    """So few rows of the rarer outcome that corrected figures usually stay too good.

    On simulated rows, cards of the lowest loss had corrected AUCs that were 0.054 too high with 71 events,
    and right with 282.
    """
    return min(events, rows - events) < FEW_EVENTS


def performance_sentence(stability: CardStability) -> str:
    """How precisely the optimism is known, and whether the correction can be relied on."""
    auc, log_loss, slope = astuple(stability.standard_error)
    sentence = f"Standard error of the optimism: AUC {auc:.3f}, log-loss {log_loss:.3f}, slope {slope:.3f}."
    n_odd = len(stability.cards) - stability.n_slopes
    if n_odd:
        sentence += (
            f" The slope is not finite in {n_odd:,} {stability.refits.noun} (one risk for all rows, or no row "
            "without the event has a higher risk than one with it); they are left out of its mean."
        )
    training = stability.card.training
    if training is not None and few_events(training.rows, training.events):
        sentence += (
            f" With fewer than {FEW_EVENTS} rows of the rarer outcome, corrected figures usually stay too "
            "good; go by those of held-out rows (riskcard report)."
        )
    return sentence


def _spread(spread: Spread | None, digits: int = 3) -> str:
    if spread is None:
        return ""
    low, middle, high = (
        format_number(float(f"{end:.{digits}g}"))
        for end in (spread.low, spread.middle, spread.high)
    )
    return middle if low == middle == high else f"{middle} ({low}, {high})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
