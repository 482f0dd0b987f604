"""A validation in sentences: each says only what the intervals support."""

from __future__ import annotations

import math

from riskcard.evaluation.calibration import Calibration
from riskcard.evaluation.groups.random_effects import FEWEST_FOR_PREDICTION, RandomEffects
from riskcard.evaluation.groups.subgroups import FEW
from riskcard.evaluation.intervals import Figure
from riskcard.formatting.figures import count, plain, share, with_interval
from riskcard.formatting.numbers import format_number
from riskcard.validation.facts import (
    RivalFacts,
    RivalFigure,
    Rows,
    SiteFacts,
    ValidationFacts,
    ValueFacts,
)
from riskcard.validation.update_words import update_advice

#: What the rows are, as a part of a sentence.
WHICH_ROWS = {
    Rows.HELD_OUT: "the rows that were held out of the fit",
    Rows.OTHER: "rows that the card was not learned from",
    Rows.UNKNOWN: "these rows",
    Rows.TRAINING: "the rows that the card was learned from",
}
#: Ends of an interval of expected / observed events that are farther apart are too uncertain to reassure.
_WIDE_RATIO = 1.5
#: Figures of which less is better.
_LESS_IS_BETTER = {"Log-loss", "Brier score"}


def rows_sentence(facts: ValidationFacts) -> str:
    """Which rows, how many, and how they are counted."""
    found, rows = facts.evaluation, facts.rows
    words = f"{count(found.rows, 'row')}, {found.events:,} of them with the event ({share(found.base_rate)}"
    words += " by weight)" if rows.is_weighted else ")"
    if rows.clusters is not None:
        column = f" by {rows.groups_column}" if rows.groups_column else ""
        words += f", in {rows.clusters:,} clusters{column}"
    return words


def origin_sentences(facts: ValidationFacts) -> list[str]:
    """What is known about the rows, and what follows from it."""
    origin = facts.rows.origin
    if origin is Rows.TRAINING:
        return [
            "This is not a validation: the card was chosen on these very rows, so the figures are too good. "
            "Give rows that it has not seen."
        ]
    if origin is Rows.HELD_OUT:
        left_out = facts.rows.left_out
        others = f"; the other {left_out:,} rows of the table were left out" if left_out else ""
        return [
            f"These rows were held out of the fit; the card stores a hash by which they are known{others}. "
            "They come from the same source as the training rows: only rows from elsewhere or from later show "
            "how the card performs there."
        ]
    if origin is Rows.UNKNOWN:
        return [
            "Whether the card was learned from these rows cannot be told: it has no recipe, or "
            "columns or weights of its training table are missing here. If it was, the figures are too good."
        ]
    return [
        "By the hash that the card stores, these are not the training rows. A hash cannot tell whether some of "
        "the same people are among them."
    ]


def cautions(facts: ValidationFacts) -> list[str]:
    """What to keep in mind when reading the figures."""
    found, sentences = facts.evaluation, []
    if facts.rows.origin in (Rows.TRAINING, Rows.UNKNOWN):
        sentences += origin_sentences(facts)
    if facts.rows.is_scale_fitted:
        sentences.append(
            "The scale of the card was recalibrated on these very rows, so its risks fit them by construction: "
            "calibration and decisions are to be judged on other rows."
        )
    rarer = min(found.events, found.rows - found.events)
    if rarer < FEW:
        which = "with" if found.events == rarer else "without"
        sentences.append(
            f"There are only {count(rarer, 'row')} {which} the event: at least {FEW} of either kind are "
            "advisable for judging calibration."
        )
    if facts.rows.clusters is not None and facts.rows.clusters < 20:
        sentences.append(
            f"There are only {facts.rows.clusters} clusters, so intervals are wide and only approximate."
        )
    unseen = [one for one in facts.values if one.rows]
    if unseen:
        names = ", ".join(one.feature for one in unseen[:4]) + (" ..." if len(unseen) > 4 else "")
        sentences.append(
            f"Some values were not seen in training ({names}); see “Inputs and drift”."
        )
    return [*sentences, *facts.notes]


# --- figures ------------------------------------------------------------------------------------


def verdicts(facts: ValidationFacts) -> list[str]:
    """What the figures show, the most important first; on rows that the card was fitted to they show little."""
    found = facts.evaluation
    sentences = [
        _area_sentence(found.roc.area, found.roc.interval),
        mean_sentence(found.calibration),
        f"The calibration slope is {with_interval(found.calibration.slope, found.calibration.slope_interval, 2)}: "
        f"{found.calibration.slope_in_words}.",
    ]
    if not facts.rows.can_judge_risks:
        return sentences[:1] if facts.rows.is_scale_fitted else sentences
    return [*sentences, decision_sentence(facts), update_advice(facts.update)]


def _area_sentence(area: float, interval: tuple[float, float] | None) -> str:
    shown = with_interval(area, interval, 3)
    if (area if interval is None else interval[0]) <= 0.5:
        return (
            f"The AUC is {shown}: the rows do not show that the card separates those with the event from "
            "others better than chance."
        )
    return (
        f"The AUC is {shown}: of two rows, one with the event and one without, the first has the higher risk "
        f"in about {share(area, 0)} of cases, where ties count half."
    )


def mean_sentence(figures: Calibration) -> str:
    """Whether risks are too high or too low on the whole."""
    expected = f"{figures.expected:,.{0 if figures.expected >= 1000 else 1}f}"
    shown = f"{expected} events were expected and {figures.observed:,.6g} happened"
    ratio = with_interval(figures.ratio, figures.ratio_interval, 2)
    low, high = figures.ratio_interval or (0.0, math.inf)
    if high < 1:
        verdict = "risks are too low on the whole"
    elif low > 1:
        verdict = "risks are too high on the whole"
    elif high > _WIDE_RATIO * low:
        verdict = (
            "these rows are too few to tell whether risks are too high or too low on the whole"
        )
    else:
        verdict = "there is no sign that risks are too high or too low on the whole"
    ends = figures.intercept_interval
    if low <= 1 <= high and ends is not None and not ends[0] <= 0 <= ends[1]:
        # the two intervals rest on different variances, and may differ about a close call
        offset = with_interval(figures.intercept, ends, 2)
        way = "high" if figures.intercept < 0 else "low"
        verdict = (
            "by the ratio there is no sign that risks are too high or too low on the whole; by calibration in "
            f"the large, {offset}, they are too {way}"
        )
    return f"{shown}, a ratio of {ratio}: {verdict}."


def decision_sentence(facts: ValidationFacts) -> str:
    """At which thresholds acting on the card is shown to be worth it."""
    ranges = facts.evaluation.decision.supported
    if not ranges:
        return (
            "There is no threshold at which the rows show that acting on the card is better than both acting "
            "on everyone and acting on no one."
        )
    words = ", ".join(
        share(low, 0) if low == high else f"{plain(100 * low, 0)} to {share(high, 0)}"
        for low, high in ranges
    )
    return (
        "The rows show that acting on the card is better than both acting on everyone and acting on no one at "
        f"these thresholds: {words} (95 % confidence for all of them together)."
    )


# --- parts --------------------------------------------------------------------------------------


def value_words(one: ValueFacts) -> str:
    """Which values of a feature training did not have, and in how many rows."""
    parts = []
    if one.missing:
        parts.append(f"missing in {count(one.missing, 'row')}, as never in training")
    if one.unseen:
        parts.append(f"a level that training did not have, in {count(one.unseen, 'row')}")
    if one.below and one.lowest is not None:
        lowest = format_number(one.lowest)
        parts.append(f"below {lowest}, the lowest in training, in {count(one.below, 'row')}")
    if one.above and one.highest is not None:
        highest = format_number(one.highest)
        parts.append(f"above {highest}, the highest in training, in {count(one.above, 'row')}")
    return "; ".join(parts)


def site_sentences(sites: SiteFacts) -> list[str]:
    """What the random-effects summary says."""
    summary = sites.summary
    named = {"AUC": summary.auc, "expected / observed": summary.ratio, "slope": summary.slope}
    found = [_effect_sentence(name, one) for name, one in named.items() if one is not None]
    if not found:
        return [
            "Fewer than two sites have rows with and without the event, so there is no summary."
        ]
    return found


def _effect_sentence(name: str, one: RandomEffects) -> str:
    digits = 3 if name == "AUC" else 2
    mean = with_interval(one.mean, one.interval, digits)
    words = f"{name[0].upper()}{name[1:]}: {mean} on average over {one.sites} sites"
    if one.prediction is not None:
        low, high = (plain(end, digits) for end in one.prediction)
        words += f"; at a further site it is expected to be between {low} and {high}"
    else:
        words += f"; at a further site it is not known, since that takes at least {FEWEST_FOR_PREDICTION} sites"
    if one.p_equal < 0.05:
        return f"{words}. Sites differ by more than chance (I² {share(one.share, 0)})."
    return f"{words}. The rows do not show that sites differ (I² {share(one.share, 0)})."


def rival_sentence(rival: RivalFacts) -> str:
    """What the comparison of AUCs shows."""
    area = rival.figures[0]
    words = f"On {count(rival.rows, 'row')} with both, {difference_words(area)}"
    if rival.is_reversed:
        words += " Higher values of the score go with fewer events, so its order was reversed."
    return words


def difference_words(one: RivalFigure) -> str:
    """Which of the two is better by one figure, where the interval of the difference shows it."""
    difference = one.difference
    assert difference is not None
    shown = with_interval(difference.value, difference.interval)
    verdict = better_of(one.name, difference)
    what = "AUC" if one.name == "AUC" else one.name.lower()
    if verdict == 0:
        return f"the two are not shown to differ in {what} (difference {shown})."
    return f"the card has the {'better' if verdict > 0 else 'worse'} {what} (difference {shown})."


def better_of(name: str, difference: Figure) -> int:
    """1 where the card is shown to be better, -1 where the other is, 0 where neither is."""
    if difference.interval is None:
        return 0
    low, high = difference.interval
    sign = -1 if name in _LESS_IS_BETTER else 1
    if low > 0:
        return sign
    return -sign if high < 0 else 0
