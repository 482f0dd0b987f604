"""The sentences of a card: what it was learned from, what was proven, for readers and in detail."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from riskcard.checks import LOG_ODDS_LIMIT
from riskcard.formatting.percent import percent
from riskcard.model.card import RiskCard
from riskcard.model.origin.certificate import Certificate, TrainingFacts
from riskcard.model.words.labels import Labels
from riskcard.status import Status

#: The words of a card without labels.
ENGLISH = Labels()

_STOPPED = {
    Status.GAP_REACHED: "Stopped at the gap that was asked for.",
    Status.CHOSEN: "A card other than the best found was chosen.",
    Status.TIME_LIMIT: "Stopped at the time limit.",
    Status.NODE_LIMIT: "Stopped at the node limit.",
    Status.INTERRUPTED: "Stopped by the user.",
    Status.ROUNDING: "Complete, except for what rounding leaves open.",
}


_UNFINISHED = {
    Status.GAP_REACHED: "The search ended at the gap that was asked for",
    Status.CHOSEN: "A card other than the best-fitting one was chosen",
    Status.TIME_LIMIT: "The search was not finished",
    Status.NODE_LIMIT: "The search was not finished",
    Status.INTERRUPTED: "The search was interrupted",
    Status.ROUNDING: "The search is complete except for what rounding leaves open",
}


def scale_words(card: RiskCard) -> str:
    """The formula behind the table from total to risk."""
    divided = "total" if abs(card.multiplier) == 1 else f"total / {abs(card.multiplier):.6g}"
    if card.higher_is_safer:
        return f"Behind the table: log-odds = {card.offset:.6g} - {divided}."
    sign = "-" if card.offset < 0 else "+"
    moved = f" {sign} {abs(card.offset):.6g}" if card.offset != 0 else ""
    return f"Behind the table: log-odds = {divided}{moved}."


def training_words(training: TrainingFacts, labels: Labels = ENGLISH) -> str:
    """The rows that the card was learned from."""
    share = 100 * training.event_weight / training.weight if training.weight > 0 else 0.0
    shown = labels.say("percent", number=labels.number(f"{share:.1f}"))
    if training.is_weighted:
        weight = f"{training.weight:,.6g}"
        shown = labels.say("share_by_weight", share=shown, weight=weight)
    counts = {"rows": training.rows, "events": training.events}
    key = "learned"
    if training.points_rows is not None and training.points_events is not None:
        key = "recalibrated"
        counts |= {"point_rows": training.points_rows, "point_events": training.points_events}
    return labels.say(key, share=shown, **{name: labels.count(one) for name, one in counts.items()})


def observed_words(training: TrainingFacts, labels: Labels = ENGLISH) -> str:
    """What the observed rates next to the totals are."""
    return labels.say("observed_by_weight" if training.is_weighted else "observed_means")


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
        extra = _extra_rows(certificate.smooth_rows, labels)
        sentences.append(labels.say("smooth", extra=extra))
    if certificate.pseudo_rows > 0:
        average = labels.number(percent(training.event_weight / training.weight))
        extra = _extra_rows(certificate.pseudo_rows, labels)
        sentences.append(labels.say("shrunk", average=average, extra=extra))
    return [" ".join([*sentences, labels.say("real_rows")])]


def _extra_rows(number: float, labels: Labels) -> str:
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
        return "Found by a heuristic search; whether another card of this kind fits better is not known."
    if certificate.bound <= 0:
        return "The search was not finished, and how much better another card may fit is not known."
    if certificate.status is Status.OPTIMAL:
        how = "counting the extra rows, " if certificate.all_pseudo_rows > 0 else ""
        how += "at the charge per term, " if certificate.min_gain > 0 else ""
        how += "with these class weights, " if certificate.class_weights is not None else ""
        return (
            f"Proven: {how}no other card of this size and kind fits these rows better (see the details "
            "for the kind)."
        )
    better = _better_words(certificate, training)
    return f"{_UNFINISHED[certificate.status]}: a card of this kind {better} may exist."


def _better_words(certificate: Certificate, training: TrainingFacts | None) -> str:
    """By how much the best card can be better, per row; rounded up."""
    is_counted = training is not None and training.weight > 0 and training.rows > 0
    if training is None or not is_counted or certificate.class_weights is not None:
        return f"whose {certificate.objective_name} is up to {_rounded_up(100 * certificate.gap)} % lower"
    # a pseudo-observation weighs as much as an average row
    rows = training.weight * (1 + certificate.all_pseudo_rows / training.rows)
    difference = _rounded_up((certificate.objective - certificate.bound) / rows)
    charge = ", with its charge per term," if certificate.min_gain > 0 else ""
    mean = certificate.objective / rows
    return f"with a mean loss{charge} up to {difference} lower per row (of {mean:.3f})"


def _rounded_up(number: float) -> str:
    """Two digits, never less than the number itself.

    Examples
    --------
    >>> _rounded_up(0.01161), _rounded_up(12.01), _rounded_up(0.0)
    ('0.012', '13', '0')
    """
    if number <= 0:
        return "0"
    exact = Decimal(repr(number * (1 - 1e-12)))  # what a float leaves over is not rounded up
    return format(exact.quantize(Decimal(1).scaleb(exact.adjusted() - 1), ROUND_CEILING), "f")


def certificate_sentences(certificate: Certificate) -> list[str]:
    """What was proven, about which kind of cards, and what else should be known."""
    rules = [f"Rules: {'; '.join(certificate.rules)}."] if certificate.rules else []
    return [
        proof_sentence(certificate),
        *step_words(certificate),
        kind_words(certificate),
        *regularization_words(certificate),
        *class_weight_words(certificate),
        *rules,
        *certificate.notes,
    ]


def regularization_words(certificate: Certificate) -> list[str]:
    """What keeps the card from following chance, and that the proof is about this problem."""
    if not certificate.is_regularised:
        return []
    means = ["there are fewer candidates than the data have"]
    if certificate.grid is None and certificate.shortlist is None:
        means = []
    if certificate.pseudo_rows > 0:
        means.append(
            f"risks are shrunk towards the average by {certificate.pseudo_rows:.6g} "
            "pseudo-observations with the event rate of all rows, spread over them"
        )
    if certificate.smooth_rows > 0:
        means.append(
            "the card is pulled towards a smooth regression on the table's features by "
            f"{certificate.smooth_rows:.6g} pseudo-observations with its risks, spread over the rows"
        )
    sentences = [f"Regularised: {'; '.join(means)}."]
    if certificate.all_pseudo_rows > 0:
        sentences.append("Loss and bound include pseudo-observations; counts of rows do not.")
    if certificate.bound > 0:
        sentences.append("The proof is about this problem.")
    return [" ".join(sentences)]


def class_weight_words(certificate: Certificate) -> list[str]:
    """What class weights changed and what they did not, in sentences, where there were some."""
    weights = certificate.class_weights
    if weights is None:
        return []
    return [
        f"The points were chosen with class weights (event {weights.event:.4g}, no event "
        f"{weights.no_event:.4g}). Loss and bound are those of the class-weighted rows. The risks "
        "were then fitted without class weights, and are those of the rows as they are."
    ]


def proof_sentence(certificate: Certificate) -> str:
    """What was proven, in one plain sentence (and why the solver stopped, where it did)."""
    places = _decimal_places(certificate.objective)
    what, value = certificate.objective_name, f"{certificate.objective:.{places}f}"
    counted = ["pseudo-observations"] if certificate.all_pseudo_rows > 0 else []
    counted += ["class weights"] if certificate.class_weights is not None else []
    if counted:
        value += f" with {' and '.join(counted)}"
    if certificate.status is Status.OPTIMAL:
        # both agree within the tolerance of optimality: rounded alike, they look alike
        bound = f"{certificate.bound:.{places}f}"
        return (
            f"Proven optimal: no card of this kind has a {what} below {bound} (this one: {value})."
        )
    if certificate.status is Status.HEURISTIC:
        return f"Not proven: heuristic search only ({what} {value})."
    if certificate.bound <= 0:
        return f"Not proven: no bound was reached ({what} {value}). {_STOPPED[certificate.status]}"
    bound = rounded_down(certificate.bound, places)
    return (
        f"{what.capitalize()} {value}; no card of this kind can be below {bound} "
        f"({_gap_words(certificate.gap)}). {_STOPPED[certificate.status]}"
    )


def step_words(certificate: Certificate) -> list[str]:
    """What was proven of cards with bounded steps, in a sentence, where something was."""
    if not certificate.has_step_bound:
        return []
    bound = rounded_down(certificate.step_bound, _decimal_places(certificate.loss))
    gap = f" ({_gap_words(certificate.step_gap)})."
    if certificate.loss < certificate.step_bound:
        gap = "; this one has steeper terms."
    return [
        "Among cards in which no term multiplies the odds by more than "
        f"{certificate.step_odds:,.10g}, none has a loss below {bound}{gap}"
    ]


def _gap_words(gap: float) -> str:
    return f"gap {100 * gap:.{1 if gap >= 0.001 else 4}f} %"


def kind_words(certificate: Certificate) -> str:
    """The kind of cards among which this one was chosen."""
    limits = [f"at most {_count(certificate.max_terms, 'term')}"]
    if certificate.max_features < certificate.max_terms:
        limits.append(f"{_count(certificate.max_features, 'feature')}")
    if certificate.max_cuts_per_feature < certificate.max_terms:
        limits.append(f"{_count(certificate.max_cuts_per_feature, 'term')} per feature")
    limits.append(f"{_count(certificate.max_points, 'point')} per term")
    if certificate.max_log_odds < LOG_ODDS_LIMIT:
        limits.append(
            f"no term multiplies the odds by more than {_odds_words(certificate.max_log_odds)}"
        )
    scale = certificate.scale
    words = {"calibrated": "calibrated scale", "multiplier": "whole base and free multiplier"}
    is_given = not isinstance(scale, str)
    limits.append(f"whole base and multiplier {scale:g}" if is_given else words[str(scale)])
    if certificate.min_line_rows > 1:
        limits.append(
            f"values with fewer than {certificate.min_line_rows} rows (missing, special or a level) "
            "count as a typical value, and rare levels together as one"
        )
    return f"This kind: {', '.join([*limits, *_candidate_words(certificate)])}."


def _candidate_words(certificate: Certificate) -> list[str]:
    """What the card was chosen from."""
    if certificate.is_grid_full:
        return ["cuts at every gap in the data"]
    words = []
    if certificate.grid is not None:
        words.append(f"at most {_count(certificate.grid, 'candidate cut')} per feature")
    if certificate.shortlist is not None:
        words.append(f"{_count(certificate.shortlist, 'candidate condition')} in all")
    return words or ["cuts from a limited list only"]


def _odds_words(log_odds: float) -> str:
    """The odds of a limit with three digits, rounded down: nothing is proven beyond the limit.

    Examples
    --------
    >>> _odds_words(math.log(1000)), _odds_words(7.0), _odds_words(0.5), _odds_words(25.0)
    ('1,000', '1,090', '1.64', '72,000,000,000')
    """
    odds = Decimal(math.exp(log_odds) * (1 + 1e-12))
    last = Decimal(1).scaleb(odds.adjusted() - 2)
    return f"{odds.quantize(last, rounding=ROUND_FLOOR):,f}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _decimal_places(loss: float) -> int:
    """Four decimals, more when the loss is small, never fewer."""
    if loss <= 0:
        return 4
    return min(12, max(4, 4 - Decimal(repr(loss)).adjusted()))


def rounded_down(bound: float, places: int) -> str:
    """A bound in words; rounding it up would claim what was not proven."""
    return str(Decimal(repr(bound)).quantize(Decimal(1).scaleb(-places), rounding=ROUND_FLOOR))
