"""A validation in sentences: each says only what the intervals support."""

from __future__ import annotations

import math

from riskcard.evaluation.calibration import Calibration
from riskcard.evaluation.decision import DecisionCurve
from riskcard.evaluation.groups.random_effects import FEWEST_FOR_PREDICTION, RandomEffects
from riskcard.evaluation.groups.subgroups import FEW
from riskcard.evaluation.intervals import Figure, Interval
from riskcard.formatting.figures import amount, plain, share, with_interval
from riskcard.formatting.numbers import format_number
from riskcard.formatting.speech import counted, in_figures, say, sentence_case
from riskcard.validation.facts import RivalFacts, Rows, SiteFacts, ValidationFacts, ValueFacts
from riskcard.validation.update_words import update_advice

#: What the rows are, as a part of a sentence, by its name.
_PLACES = {
    Rows.HELD_OUT: "place_held_out",
    Rows.OTHER: "place_other",
    Rows.UNKNOWN: "place_these_rows",
    Rows.TRAINING: "place_own_rows",
}
#: Ends of an interval of expected / observed events that are farther apart are too uncertain to reassure.
_WIDE_RATIO = 1.5
#: Figures of which less is better.
_LESS_IS_BETTER = {"Log-loss", "Brier score"}
#: With fewer clusters, intervals are only approximate.
_FEW_CLUSTERS = 20


def where_words(facts: ValidationFacts) -> str:
    """What the rows are, as a part of a sentence."""
    return say(_PLACES[facts.rows.origin])


def rows_sentence(facts: ValidationFacts) -> str:
    """Which rows, how many, and how they are counted."""
    found, rows = facts.evaluation, facts.rows
    words = say(
        "data_rows_by_weight" if rows.is_weighted else "data_rows",
        rows=counted(found.rows, "rows"),
        events=amount(found.events),
        share=share(found.base_rate),
    )
    if rows.clusters is None:
        return words
    name = "validation_in_clusters_by" if rows.groups_column else "validation_in_clusters"
    return say(name, rows=words, clusters=amount(rows.clusters), column=rows.groups_column)


def origin_sentences(facts: ValidationFacts) -> list[str]:
    """What is known about the rows, and what follows from it."""
    origin, left_out = facts.rows.origin, facts.rows.left_out
    if origin is Rows.TRAINING:
        return [say("validation_origin_training")]
    if origin is Rows.HELD_OUT:
        if left_out:
            return [say("validation_origin_held_out_others", number=amount(left_out))]
        return [say("validation_origin_held_out")]
    if origin is Rows.UNKNOWN:
        return [say("validation_origin_unknown")]
    return [say("validation_origin_other")]


def cautions(facts: ValidationFacts) -> list[str]:
    """What to keep in mind when reading the figures."""
    found, sentences = facts.evaluation, []
    if facts.rows.origin in (Rows.TRAINING, Rows.UNKNOWN):
        sentences += origin_sentences(facts)
    if facts.rows.is_scale_fitted:
        sentences.append(say("validation_scale_fitted"))
    rarer = min(found.events, found.rows - found.events)
    if rarer < FEW:
        name = "validation_few_events" if found.events == rarer else "validation_few_others"
        sentences.append(say(name, rows=counted(rarer, "rows"), few=str(FEW)))
    if facts.rows.clusters is not None and facts.rows.clusters < _FEW_CLUSTERS:
        sentences.append(say("validation_few_clusters", number=str(facts.rows.clusters)))
    unseen = [one for one in facts.values if one.rows]
    if unseen:
        names = ", ".join(one.feature for one in unseen[:4]) + (" ..." if len(unseen) > 4 else "")
        sentences.append(say("validation_unseen", names=names))
    return [*sentences, *facts.notes]


# --- figures ------------------------------------------------------------------------------------


def verdicts(facts: ValidationFacts) -> list[str]:
    """What the figures show, the most important first; on rows that the card was fitted to they show little."""
    found = facts.evaluation
    sentences = [
        _area_sentence(found.roc.area, found.roc.interval),
        mean_sentence(found.calibration),
        slope_sentence(found.calibration, "validation_slope"),
    ]
    if not facts.rows.can_judge_risks:
        return sentences[:1] if facts.rows.is_scale_fitted else sentences
    return [*sentences, decision_sentence(facts), update_advice(facts.update)]


def _area_sentence(area: float, interval: Interval | None) -> str:
    shown = with_interval(area, interval, 3)
    if (area if interval is None else interval[0]) <= 0.5:
        return say("validation_auc_chance", area=shown)
    return say("validation_auc", area=shown, share=share(area, 0))


def slope_sentence(figures: Calibration, name: str = "calibration_slope") -> str:
    """The slope, and what its interval shows."""
    slope = with_interval(figures.slope, figures.slope_interval, 2)
    return say(name, slope=slope, words=figures.slope_in_words)


def mean_sentence(figures: Calibration) -> str:
    """Whether risks are too high or too low on the whole."""
    return say(
        "validation_mean",
        expected=amount(figures.expected, f",.{0 if figures.expected >= 1000 else 1}f"),
        observed=amount(figures.observed, ",.6g"),
        ratio=with_interval(figures.ratio, figures.ratio_interval, 2),
        words=_mean_words(figures),
    )


def _mean_words(figures: Calibration) -> str:
    low, high = figures.ratio_interval or (0.0, math.inf)
    if high < 1:
        return say("validation_mean_low")
    if low > 1:
        return say("validation_mean_high")
    ends = figures.intercept_interval
    if ends is not None and not ends[0] <= 0 <= ends[1]:
        # the two intervals rest on different variances, and may differ about a close call
        way = "high" if figures.intercept < 0 else "low"
        return say(f"validation_mean_split_{way}", offset=with_interval(figures.intercept, ends, 2))
    return say("validation_mean_few" if high > _WIDE_RATIO * low else "validation_mean_right")


def decision_sentence(facts: ValidationFacts) -> str:
    """At which thresholds acting on the card is shown to be worth it."""
    curve = facts.evaluation.decision
    if not curve.supported:
        return say("validation_decision_none")
    return say("validation_decision", ranges=threshold_words(curve))


def threshold_words(curve: DecisionCurve) -> str:
    """The thresholds at which acting on the card is shown to be worth it; a single one is named once."""
    return ", ".join(
        share(low, 0)
        if low == high
        else say("validation_from_to", low=plain(100 * low, 0), high=share(high, 0))
        for low, high in curve.supported
    )


# --- parts --------------------------------------------------------------------------------------


def value_words(one: ValueFacts) -> str:
    """Which values of a feature training did not have, and in how many rows."""
    parts = []
    if one.missing:
        parts.append(say("value_missing", rows=counted(one.missing, "rows")))
    if one.unseen:
        parts.append(say("value_unseen", rows=counted(one.unseen, "rows")))
    if one.below and one.lowest is not None:
        lowest = in_figures(format_number(one.lowest))
        parts.append(say("value_below", lowest=lowest, rows=counted(one.below, "rows")))
    if one.above and one.highest is not None:
        highest = in_figures(format_number(one.highest))
        parts.append(say("value_above", highest=highest, rows=counted(one.above, "rows")))
    return "; ".join(parts)


def site_sentences(sites: SiteFacts) -> list[str]:
    """What the random-effects summary says."""
    summary = sites.summary
    named = {"figure_auc": summary.auc, "forest_ratio": summary.ratio, "table_slope": summary.slope}
    found = [_effect_sentence(name, one) for name, one in named.items() if one is not None]
    return found or [say("effect_no_summary")]


def _effect_sentence(name: str, one: RandomEffects) -> str:
    digits = 3 if name == "figure_auc" else 2
    mean = with_interval(one.mean, one.interval, digits)
    words = say("effect_mean", figure=sentence_case(say(name)), mean=mean, sites=amount(one.sites))
    if one.prediction is not None:
        low, high = (plain(end, digits) for end in one.prediction)
        words = say("effect_further", words=words, low=low, high=high)
    else:
        words = say("effect_further_unknown", words=words, least=str(FEWEST_FOR_PREDICTION))
    name = "effect_differ" if one.p_equal < 0.05 else "effect_alike"
    return say(name, words=words, share=share(one.share, 0))


def rival_sentence(rival: RivalFacts) -> str:
    """What the comparison of AUCs shows."""
    area = rival.figures[0]
    assert area.difference is not None
    name = ("rival_worse", "rival_not_shown", "rival_better")[
        1 + better_of(area.name, area.difference)
    ]
    shown = with_interval(area.difference.value, area.difference.interval)
    words = say(name, rows=counted(rival.rows, "rows"), difference=shown)
    return f"{words} {say('rival_reversed')}" if rival.is_reversed else words


def better_of(name: str, difference: Figure) -> int:
    """1 where the card is shown to be better, -1 where the other is, 0 where neither is."""
    if difference.interval is None:
        return 0
    low, high = difference.interval
    sign = -1 if name in _LESS_IS_BETTER else 1
    if low > 0:
        return sign
    return -sign if high < 0 else 0
