"""The sentences of a card: what it was learned from, what was proven, for readers and in detail."""

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from riskcard.checks import LOG_ODDS_LIMIT
from riskcard.formatting.figures import amount, loss_words
from riskcard.formatting.percent import counted_percent, percent
from riskcard.formatting.speech import in_figures, say, sentence_case, translated
from riskcard.model.card import RiskCard
from riskcard.model.origin.certificate import Certificate, TrainingFacts
from riskcard.model.words.labels import Labels
from riskcard.status import Status

#: The words of a card without labels.
ENGLISH = Labels()

#: A part of the rules that are limits on differences between groups, as certificates store them.
_BETWEEN_GROUPS = " differs between groups of "


def scale_words(card: RiskCard) -> str:
    """The formula behind the table from total to risk."""
    divided = say("sentence_total")
    if abs(card.multiplier) != 1:
        divided += f" / {amount(abs(card.multiplier), '.6g')}"
    sign = "-" if card.offset < 0 else "+"
    moved = f" {sign} {amount(abs(card.offset), '.6g')}" if card.offset != 0 else ""
    formula = divided + moved
    if card.higher_is_safer:
        formula = f"{amount(card.offset, '.6g')} - {divided}"
    return say("sentence_scale", formula=formula)


def training_words(training: TrainingFacts, labels: Labels = ENGLISH) -> str:
    """The rows that the card was learned from."""
    part = training.event_weight / training.weight if training.weight > 0 else 0.0
    shown = labels.number(counted_percent(part))
    if training.is_weighted:
        with labels.spoken():
            weight = amount(training.weight, ",.6g")
        shown = labels.say("share_by_weight", share=shown, weight=weight)
    counts = {"rows": training.rows, "events": training.events}
    key = "learned"
    if training.points_rows is not None and training.points_events is not None:
        key = "recalibrated" if training.points_rows > 0 else "recalibrated_alone"
        counts |= {"point_rows": training.points_rows, "point_events": training.points_events}
    return labels.say(key, share=shown, **{name: labels.count(one) for name, one in counts.items()})


def observed_words(training: TrainingFacts, labels: Labels = ENGLISH) -> str:
    """What the observed rates next to the totals are."""
    key = "observed_by_weight" if training.is_weighted else "observed_means"
    return labels.say(about_rows(key, training))


def about_rows(key: str, training: TrainingFacts | None) -> str:
    """The name of a sentence about the rows that totals were counted in: of training, or recalibration."""
    return key if training is None or not training.is_recalibrated else f"{key}_recalibrated"


def group_words(card: RiskCard) -> list[str]:
    """That rows which belong together were counted as independent, in a sentence, where it is known of any."""
    held_out = None if card.recipe is None else card.recipe.held_out
    is_recalibrated = card.training is not None and card.training.is_recalibrated
    if held_out is None or not held_out.groups or is_recalibrated:
        return []
    return [card.labels.say("interval_groups", column=f"'{held_out.groups}'")]


def rare_words(card: RiskCard) -> list[str]:
    """Which values had too few rows to be judged, in a sentence, where there are some."""
    rare = [
        f"{card.labels.name(feature.name)} {card.labels.value(feature, value)}"
        for feature in card.features
        for value in feature.too_few
    ]
    return [card.labels.say("too_few", values="; ".join(rare))] if rare else []


def shrinkage_words(
    certificate: Certificate, training: TrainingFacts, labels: Labels = ENGLISH
) -> list[str]:
    """What was counted in addition to the rows, and why; nothing where nothing was."""
    if certificate.all_pseudo_rows == 0 or training.weight <= 0:
        return []
    sentences = []
    if certificate.smooth_rows > 0:
        extra = extra_rows(certificate.smooth_rows, labels)
        sentences.append(labels.say("smooth", extra=extra))
    if certificate.pseudo_rows > 0:
        average = labels.number(percent(training.event_weight / training.weight))
        extra = extra_rows(certificate.pseudo_rows, labels)
        sentences.append(labels.say("shrunk", average=average, extra=extra))
    return [" ".join([*sentences, labels.say("real_rows")])]


def extra_rows(number: float, labels: Labels) -> str:
    """A number of pseudo-observations in words."""
    if number < 0.5:
        return labels.say("extra_few")
    rounded = max(1, round(number))
    return (
        labels.say("extra_one")
        if rounded == 1
        else labels.say("extra_many", number=labels.count(rounded))
    )


def proof_for_readers(certificate: Certificate, training: TrainingFacts | None) -> str:
    """What was proven, in one sentence without a figure that needs a definition."""
    if certificate.status is Status.HEURISTIC:
        return say("sentence_heuristic")
    if certificate.bound <= 0:
        return say("sentence_no_bound")
    if certificate.status is Status.OPTIMAL:
        return say("sentence_best", how=counted_words(certificate), among=among_words(certificate))
    why = say(f"unfinished_{_how_it_ended(certificate)}")
    return say("sentence_unfinished", why=why, better=better_words(certificate, training))


def counted_words(certificate: Certificate) -> str:
    """What a card is compared by, where that is more than how it fits the rows; else empty."""
    how = say("sentence_best_extra_rows") if certificate.all_pseudo_rows > 0 else ""
    how += say("sentence_best_charge") if certificate.min_gain > 0 else ""
    return how + (
        say("sentence_best_class_weights") if certificate.class_weights is not None else ""
    )


def among_words(certificate: Certificate) -> str:
    """Among which conditions a card is the best, where they were preselected; else empty."""
    if certificate.shortlist is None:
        return ""
    return say("sentence_among", **preselected_counts(certificate))


def preselected_counts(certificate: Certificate) -> dict[str, str]:
    """How many conditions were preselected, and of how many, for a sentence about them."""
    assert certificate.shortlist is not None
    assert certificate.all_conditions is not None
    return {
        "some": amount(certificate.shortlist, ","),
        "all": amount(certificate.all_conditions, ","),
    }


def _how_it_ended(certificate: Certificate) -> str:
    """The status; a card within limits between groups is the best found of those, not one chosen by hand."""
    is_limited = any(_BETWEEN_GROUPS in rule for rule in certificate.rules)
    return (
        "limits" if is_limited and certificate.status is Status.CHOSEN else str(certificate.status)
    )


def better_words(certificate: Certificate, training: TrainingFacts | None) -> str:
    """By how much the best card can be better, per row, rounded up; and among which conditions."""
    better = _better_words(certificate, training)
    if certificate.shortlist is None:
        return better
    return say("sentence_better_among", better=better, **preselected_counts(certificate))


def _better_words(certificate: Certificate, training: TrainingFacts | None) -> str:
    is_counted = training is not None and training.weight > 0 and training.rows > 0
    if training is None or not is_counted or certificate.class_weights is not None:
        gap = say("in_percent", number=in_figures(rounded_up(100 * certificate.gap)))
        return say("sentence_better_share", objective=objective_words(certificate), gap=gap)
    # a pseudo-observation weighs as much as an average row
    rows = training.weight * (1 + certificate.all_pseudo_rows / training.rows)
    difference = rounded_up((certificate.objective - certificate.bound) / rows)
    return say(
        "sentence_better_mean_charge" if certificate.min_gain > 0 else "sentence_better_mean",
        difference=in_figures(difference),
        mean=amount(certificate.objective / rows, ".3f"),
    )


def objective_words(certificate: Certificate) -> str:
    """What was minimised, and what the bound is about."""
    if certificate.min_gain == 0:
        return say("sentence_objective")
    return say("sentence_objective_charge", charge=amount(certificate.min_gain, ".6g"))


def rounded_up(number: float) -> str:
    """Two digits, never less than the number itself.

    Examples
    --------
    >>> rounded_up(0.01161), rounded_up(12.01), rounded_up(0.0)
    ('0.012', '13', '0')
    """
    if number <= 0:
        return "0"
    exact = Decimal(repr(number * (1 - 1e-12)))  # what a float leaves over is not rounded up
    return format(exact.quantize(Decimal(1).scaleb(exact.adjusted() - 1), ROUND_CEILING), "f")


def certificate_sentences(certificate: Certificate) -> list[str]:
    """What was proven, about which kind of cards, and what else should be known."""
    rules = say("sentence_rules", rules=rule_words(certificate))
    return [
        proof_sentence(certificate),
        *proof_state(certificate),
        kind_words(certificate),
        *regularization_words(certificate),
        *class_weight_words(certificate),
        *([rules] if certificate.rules else []),
        *map(translated, certificate.notes),
    ]


def proof_state(certificate: Certificate) -> list[str]:
    """Whether anybody but riskcard can vouch for the bound, in a sentence; nothing where none is stated."""
    if certificate.bound <= 0:
        return []
    if certificate.proof is None:
        return [say("state_stated")]
    record = certificate.proof
    file = say("state_file", name=record.name, digits=record.shown_hash)
    if not record.checked_by:
        return [f"{file} {say('state_unchecked')}"]
    key = "state_checked_given" if record.given else "state_checked"
    return [f"{file} {say(key, checker=record.checked_by)}"]


def rule_words(certificate: Certificate) -> str:
    """The rules that cards of this kind keep, each with the feature that it is about."""
    return say("between_items").join(map(_rule, certificate.rules))


def _rule(rule: str) -> str:
    name, colon, words = rule.partition(": ")
    whole = translated(rule)
    if not colon or whole != rule:
        return whole
    # a comma within the words of a rule stands between numbers
    return f"{name}: {', '.join(map(translated, re.split(', (?=[a-z])', words)))}"


def regularization_words(certificate: Certificate) -> list[str]:
    """What keeps the card from following chance, and that the proof is about this problem."""
    if not certificate.is_regularised:
        return []
    means = [say("sentence_fewer_candidates")]
    if certificate.grid is None and certificate.shortlist is None:
        means = []
    if certificate.pseudo_rows > 0:
        means.append(say("sentence_shrunk", number=amount(certificate.pseudo_rows, ".6g")))
    if certificate.smooth_rows > 0:
        means.append(say("sentence_smooth", number=amount(certificate.smooth_rows, ".6g")))
    sentences = [say("sentence_regularised", means=say("between_items").join(means))]
    if certificate.all_pseudo_rows > 0:
        has_bound = certificate.bound > 0
        sentences.append(
            say("sentence_counts_pseudo" if has_bound else "sentence_counts_pseudo_loss")
        )
    if certificate.bound > 0:
        sentences.append(say("sentence_about_this"))
    return [" ".join(sentences)]


def class_weight_words(certificate: Certificate) -> list[str]:
    """What class weights changed and what they did not, in sentences, where there were some."""
    weights = certificate.class_weights
    if weights is None:
        return []
    event, no_event = amount(weights.event, ".4g"), amount(weights.no_event, ".4g")
    return [say("sentence_class_weights", event=event, no_event=no_event)]


def added_to_rows(certificate: Certificate) -> str:
    """What the loss counts in addition to the rows as they are; empty where that is nothing."""
    added = [say("proof_pseudo_rows")] if certificate.all_pseudo_rows > 0 else []
    added += [say("proof_class_weights")] if certificate.class_weights is not None else []
    return (
        say("first_and_second", first=added[0], second=added[1])
        if len(added) > 1
        else "".join(added)
    )


def proof_sentence(certificate: Certificate) -> str:
    """What was proven, in one plain sentence (and why the solver stopped, where it did)."""
    reached = certificate.objective
    what, value = objective_words(certificate), in_figures(loss_words(reached, reached))
    if added := added_to_rows(certificate):
        value = say("sentence_with", what=value, counted=added)
    if certificate.status is Status.OPTIMAL:
        # both agree within the tolerance of optimality: rounded alike, they look alike
        bound = in_figures(loss_words(certificate.bound, reached))
        return say("sentence_optimal", objective=what, bound=bound, value=value)
    if certificate.status is Status.HEURISTIC:
        return say("sentence_heuristic_only", objective=what, value=value)
    stopped = say(f"stopped_{_how_it_ended(certificate)}")
    if certificate.bound <= 0:
        return say("sentence_no_bound_reached", objective=what, value=value, stopped=stopped)
    return say(
        "sentence_bound",
        objective=sentence_case(what),
        value=value,
        bound=in_figures(loss_words(certificate.bound, reached, ROUND_FLOOR)),
        gap=_gap_words(certificate.gap),
        stopped=stopped,
    )


def _gap_words(gap: float) -> str:
    """A gap, rounded up: a smaller one would claim what was not proven."""
    digits = Decimal("0.1" if gap >= 0.001 else "0.0001")
    exact = Decimal(f"{100 * gap:.12g}")  # what a float leaves over is not rounded up
    number = format(exact.quantize(digits, ROUND_CEILING), "f")
    return say("sentence_gap", gap=say("in_percent", number=in_figures(number)))


def kind_words(certificate: Certificate) -> str:
    """The kind of cards among which this one was chosen."""
    limits = [say("sentence_at_most", what=_count(certificate.max_terms, "terms"))]
    if certificate.max_features < certificate.max_terms:
        limits.append(_count(certificate.max_features, "features"))
    if certificate.max_cuts_per_feature < certificate.max_terms:
        terms = _count(certificate.max_cuts_per_feature, "terms")
        limits.append(say("sentence_per_feature", what=terms))
    limits.append(say("sentence_per_term", what=_count(certificate.max_points, "points")))
    if certificate.max_log_odds < LOG_ODDS_LIMIT:
        odds = in_figures(ratio_words(certificate.max_log_odds))
        limits.append(say("sentence_most_odds", odds=odds))
    scale = certificate.scale
    if isinstance(scale, str):
        limits.append(say(f"sentence_scale_{scale}"))
    else:
        limits.append(say("sentence_scale_given", multiplier=amount(scale, "g")))
    if certificate.min_line_rows > 1:
        limits.append(say("sentence_rare_lines", number=str(certificate.min_line_rows)))
    return say("sentence_kind", limits=", ".join([*limits, *candidate_words(certificate)]))


def candidate_words(certificate: Certificate) -> list[str]:
    """What the card was chosen from."""
    if certificate.is_grid_full:
        return [say("sentence_every_gap")]
    words = []
    if certificate.grid is not None:
        words.append(say("sentence_grid", what=_count(certificate.grid, "candidate_cuts")))
    if certificate.shortlist is not None:
        what, counts = _count(certificate.shortlist, "conditions"), preselected_counts(certificate)
        words.append(say("sentence_shortlist", what=what, all=counts["all"]))
    return words or [say("sentence_limited_list")]


def ratio_words(log_odds: float) -> str:
    """The odds of a limit with three digits, rounded down: nothing is proven beyond the limit.

    Examples
    --------
    >>> ratio_words(math.log(1000)), ratio_words(7.0), ratio_words(0.5), ratio_words(25.0)
    ('1,000', '1,090', '1.64', '72,000,000,000')
    """
    odds = Decimal(math.exp(log_odds) * (1 + 1e-12))
    last = Decimal(1).scaleb(odds.adjusted() - 2)
    return f"{odds.quantize(last, rounding=ROUND_FLOOR):,f}"


def _count(number: int, noun: str) -> str:
    return say(f"{noun}_{'one' if number == 1 else 'many'}", number=str(number))
