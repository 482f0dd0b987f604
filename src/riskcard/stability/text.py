"""The stability of a card as plain text."""

from __future__ import annotations

import textwrap
from dataclasses import astuple
from typing import TYPE_CHECKING

from riskcard.estimators.cross_validation.kind_words import shown_deviance, words_of
from riskcard.formatting.figures import amount, share
from riskcard.formatting.numbers import format_number
from riskcard.formatting.plain_text import one_line, text_table
from riskcard.formatting.speech import in_figures, say, translated
from riskcard.model.outcome_kinds import Numbers, OrderedLevels, OutcomeKind
from riskcard.stability.summary import FeatureStability, Spread

if TYPE_CHECKING:
    from riskcard.stability.result import CardStability

_WIDTH = 79
#: With fewer rows of the rarer outcome, corrected figures usually stay too good.
FEW_EVENTS = 200
_MOST_NAMES, _MOST_VALUES = 12, 8
_COLUMNS = ("feature", "card", "enters", "cuts", "points", "log_odds", "rises")
PERFORMANCE_HEADER = ("", "on its own rows", "optimism", "corrected")
_FIGURES = ("AUC", "log-loss, mean per row", "calibration slope")


def render_stability(stability: CardStability) -> str:
    """Write all figures: features, sets of features, performance."""
    lines = feature_lines(stability)
    sentences = feature_sentences(stability)
    parts = [
        [stability.title],
        text_table(feature_header(stability.card.kind), lines)
        if lines
        else ["No card uses any feature."],
        [line for sentence in sentences for line in textwrap.wrap(sentence, _WIDTH)],
        text_table(PERFORMANCE_HEADER, performance_lines(stability)),
        textwrap.wrap(performance_sentence(stability), _WIDTH),
    ]
    return "\n\n".join("\n".join(part) for part in parts)


def feature_header(kind: OutcomeKind | None = None) -> list[str]:
    """The headings of the lines of features; steps are in log-odds, or in what other cards add up."""
    names = [say(f"stability_{name}") for name in _COLUMNS]
    if kind is not None:
        names[_COLUMNS.index("log_odds")] = words_of(kind).step_heading
    return names


def figures_of(stability: CardStability) -> tuple[str, str, str]:
    """What the three figures are called."""
    kind = stability.card.kind
    return _FIGURES if kind is None else words_of(kind).names


def feature_lines(stability: CardStability) -> list[tuple[str, ...]]:
    """A line for every feature that any card uses, and for its levels, codes and missing values."""
    rows: list[tuple[str, ...]] = []
    for one in stability.features:
        if one.share == 0 and not one.is_on_card:
            continue
        rows.append(_feature_row(one))
        shown = one.values[:_MOST_VALUES]
        rows += [(f"  {one_line(translated(v))}", "", "", "", _spread(s), "", "") for v, s in shown]
        if len(one.values) > _MOST_VALUES:
            more = say("stability_more_values", number=str(len(one.values) - _MOST_VALUES))
            rows.append((f"  {more}", *[""] * 6))
    return rows


def _feature_row(one: FeatureStability) -> tuple[str, ...]:
    return (
        one_line(one.name),
        say("stability_yes") if one.is_on_card else "",
        share(one.share, 0),
        "; ".join(_spread(cut, digits=6) for cut in one.cuts),
        _spread(one.points),
        _spread(one.log_odds, digits=2),
        "" if one.rises is None else share(one.rises, 0),
    )


def feature_sentences(stability: CardStability) -> list[str]:
    """What the columns mean, and how often the same set of features was used."""
    never = [one_line(one.name) for one in stability.features if one.share == 0]
    sets = len(stability.feature_sets)
    refits = say(f"stability_refits_{stability.refits.noun}")
    sentences = [
        _in_words_of(say("stability_columns", refits=refits), stability.card.kind),
        say(
            "stability_one_set" if sets == 1 else "stability_many_sets",
            share=share(stability.same_features, 0),
            refits=refits,
            number=amount(sets),
        ),
    ]
    if never:
        more, names = len(never) - _MOST_NAMES, ", ".join(never[:_MOST_NAMES])
        name = "stability_never_more" if more > 0 else "stability_never"
        sentences.append(say(name, names=names, number=str(more)))
    return sentences


def _in_words_of(sentence: str, kind: OutcomeKind | None) -> str:
    """A sentence about log-odds for cards of another outcome, which speak English."""
    return (
        sentence if kind is None else sentence.replace("in log-odds", f"in {words_of(kind).step}")
    )


def performance_lines(stability: CardStability) -> list[tuple[str, ...]]:
    """Each figure on its own rows, its optimism, and the corrected figure."""
    columns = (stability.apparent, stability.optimism, stability.corrected)
    return [
        (title, *(_figure(stability, place, figure) for figure in figures))
        for place, (title, *figures) in enumerate(
            zip(figures_of(stability), *map(astuple, columns), strict=True)
        )
    ]


def _figure(stability: CardStability, place: int, value: float) -> str:
    """One of the three figures; the second may have a unit."""
    kind = stability.card.kind
    return f"{value:.3f}" if kind is None or place != 1 else shown_deviance(value, kind)


def few_events(rows: int, events: int) -> bool:
    """So few rows of the rarer outcome that corrected figures usually stay too good.

    On simulated rows, cards of the lowest loss had corrected AUCs that were 0.054 too high with 71 events,
    and right with 282.
    """
    return min(events, rows - events) < FEW_EVENTS


def performance_sentence(stability: CardStability) -> str:
    """How precisely the optimism is known, and whether the correction can be relied on."""
    errors = [
        _figure(stability, place, one)
        for place, one in enumerate(astuple(stability.standard_error))
    ]
    kind = stability.card.kind
    names = ["AUC", "log-loss"] if kind is None else figures_of(stability)
    sentence = f"Standard error of the optimism: {names[0]} {errors[0]}, {names[1]} {errors[1]}, slope {errors[2]}."
    n_odd = len(stability.cards) - stability.n_slopes
    if n_odd:
        sentence += (
            f" The slope is not finite in {n_odd:,} {stability.refits.noun} (one risk for all rows, or no row "
            "without the event has a higher risk than one with it); they are left out of its mean."
        )
    training = stability.card.training
    if kind is not None:
        has_events = not isinstance(kind, Numbers | OrderedLevels)
        if training is not None and (training.events if has_events else training.rows) < FEW_EVENTS:
            sentence += (
                f" With fewer than {FEW_EVENTS} rows{' with the event' if has_events else ''}, corrected figures "
                "may stay too good; go by held-out rows."
            )
        return sentence
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
        in_figures(format_number(float(f"{end:.{digits}g}")))
        for end in (spread.low, spread.middle, spread.high)
    )
    if low == middle == high:
        return middle
    return say("stability_spread", middle=middle, low=low, high=high)
