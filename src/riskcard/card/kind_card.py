"""Cards of risks by horizons, rates, levels and numbers: table, sentences, and the card as text and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR
from typing import NamedTuple

from riskcard.card.bands import counts_of
from riskcard.card.blocks import FeatureBlock, blocks_of, have_counts
from riskcard.card.sentences import (
    among_words,
    candidate_words,
    extra_rows,
    rare_words,
    ratio_words,
    rounded_up,
    rule_words,
)
from riskcard.errors import ParameterError
from riskcard.formatting.figures import loss_words
from riskcard.formatting.numbers import minus, readable_amount
from riskcard.formatting.pages.html import Number, boxed, html_table, paragraphs
from riskcard.formatting.plain_text import one_line
from riskcard.model.card import RiskCard
from riskcard.model.origin.certificate import Certificate
from riskcard.model.outcome_kinds import (
    Counts,
    Numbers,
    OrderedLevels,
    OutcomeKind,
    TimeToEvent,
    name_of_kind,
)
from riskcard.model.totals import bands_of
from riskcard.model.words.labels import Labels
from riskcard.status import Status

#: Why a proof ended before it was finished, by status.
_ENDED = {
    Status.GAP_REACHED: "The proof stopped at the gap that was asked for",
    Status.TIME_LIMIT: "The proof was cut short by the time limit",
    Status.NODE_LIMIT: "The proof was cut short by the limit on its nodes",
    Status.INTERRUPTED: "The proof was interrupted",
    Status.ROUNDING: "The proof was finished, but its tolerance leaves a gap",
    Status.CHOSEN: "A card other than the best found was chosen",
}


class _Words(NamedTuple):
    """What is said of cards of one kind."""

    predictions: str
    ratio: str
    weight: str
    loss: str
    tolerance: str
    exactly: str


_WORDS = {
    "time_to_event": _Words(
        "Hazards", "hazard", "exposure", "deviance", "millionth",
        "Poisson deviance of the events given Nelson and Aalen's cumulative hazard over the time at risk",
    ),
    "counts": _Words(
        "Rates", "rate", "exposure", "deviance", "millionth", "Poisson deviance of the counts"
    ),
    "ordered_levels": _Words(
        "Hazards", "hazard", "exposure", "deviance", "millionth",
        "Poisson deviance of stopping at a level, coming down from the highest, given the cumulative hazard "
        "over the levels passed",
    ),
    "numbers": _Words(
        "Values", "value", "weight", "squared error", "ten-thousandth", "sum of squared errors"
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class KindCard:
    """A card as numbers and strings, ready to be drawn: on one line each.

    Attributes
    ----------
    title
        What the card gives.
    blocks
        Each feature and its lines.
    base
        Points that everyone has.
    header, rows
        The table from totals to what the card gives.
    front, details
        What every reader should know; what those should know who judge the card.
    labels
        The words of the headings.
    """

    title: str
    blocks: tuple[FeatureBlock, ...]
    base: int
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    front: tuple[str, ...]
    details: tuple[str, ...]
    labels: Labels

    @property
    def observed(self) -> str:
        """Observed shares are none of risks by a time: rows were followed for different times."""
        return ""

    @property
    def back(self) -> tuple[str, ...]:
        """The details, as those of other cards are called."""
        return self.details

    @property
    def has_line_counts(self) -> bool:
        """Whether every line knows how many training rows it held."""
        return have_counts(self.blocks)


def kind_card_of(card: RiskCard) -> KindCard:
    """Gather what a rendering of such a card shows."""
    card = in_english(card)
    assert card.kind is not None
    return KindCard(
        title=one_line(f"{card.title}{_by_words(card.kind)}"),
        blocks=blocks_of(card),
        base=card.base,
        header=_header(card, card.kind),
        rows=tuple(_rows(card, card.kind)),
        front=tuple(map(one_line, _front(card, card.kind))),
        details=tuple(map(one_line, _details(card, card.kind))),
        labels=card.labels,
    )


def in_english(card: RiskCard) -> RiskCard:
    """A card of another kind than yes or no with English words, the only ones that its sentences have."""
    if card.kind is None:
        return card
    return replace(card, labels=replace(card.labels, language="en"))


def kind_html(card: RiskCard) -> str:
    """The card as a piece of HTML with its own style."""
    shown = kind_card_of(card)
    points = [
        [block.feature if place == 0 else "", line.label, Number(minus(line.points))]
        for block in shown.blocks
        for place, line in enumerate(block.lines)
    ]
    points.append(["Base (everyone)", "", Number(minus(shown.base))])
    totals = [[Number(minus(cell)) for cell in row] for row in shown.rows]
    return boxed(
        shown.title,
        html_table(["Feature", "Value", Number("Points")], points),
        html_table([*map(Number, shown.header)], totals),
        paragraphs(shown.front),
        paragraphs(shown.details),
    )


# --- the table ----------------------------------------------------------------------------------


def _by_words(kind: OutcomeKind) -> str:
    if not isinstance(kind, TimeToEvent):
        return ""
    by = [f"{horizon:g}" for horizon in kind.horizons]
    listed = by[0] if len(by) == 1 else f"{', '.join(by[:-1])} and {by[-1]}"
    return f" by {kind.time} {listed}"


def _header(card: RiskCard, kind: OutcomeKind) -> tuple[str, ...]:
    counts = (card.labels.say("rows"), card.labels.say("events")) if counts_of(card) else ()
    given = [one.heading for one in kind.figures(0.0)]
    return card.labels.say("total"), *given, *(counts if kind.has_events else counts[:1])


def _rows(card: RiskCard, kind: OutcomeKind) -> Iterator[tuple[str, ...]]:
    known = counts_of(card)
    for low, high in bands_of(card.reachable_totals()):
        figures = kind.figures(card.linear_of_total([low, high]))
        cells = [_range(str(low), str(high)), *(_range(*one.texts()) for one in figures)]
        if known:
            own = known.get((low, high), [])
            cells.append(card.labels.count(sum(one.rows for one in own)))
            if kind.has_events:
                cells.append(card.labels.count(sum(one.events for one in own)))
        yield tuple(cells)


def _range(first: str, last: str) -> str:
    return first if first == last else f"{first.removesuffix(' %')} to {last}"


# --- the sentences ------------------------------------------------------------------------------


def _front(card: RiskCard, kind: OutcomeKind) -> Iterator[str]:
    training, certificate = card.training, card.certificate
    yield from rare_words(card)
    is_recalibrated = training is not None and training.is_recalibrated
    if (meaning := _meaning(kind, is_recalibrated)) is not None:
        yield meaning
    if training is not None:
        yield _training_words(card, kind)
    if certificate is not None:
        yield from _shrinkage_words(certificate, card.labels, kind)
        yield _proof_for_readers(certificate, kind)


def _meaning(kind: OutcomeKind, is_recalibrated: bool) -> str | None:
    """What the figures of a card mean, and what it assumes; None where there is nothing to say."""
    if isinstance(kind, OrderedLevels):
        return (
            f"The levels are {', '.join(kind.levels)}, from the lowest to the highest. The card assumes that "
            "points act alike on every level (proportional hazards from the highest level down)."
        )
    if isinstance(kind, Numbers):
        return "The expected value is that of rows with the same total on average; single rows differ from it."
    if not isinstance(kind, TimeToEvent):
        return None
    if kind.competing is None:
        average = (
            "A relative hazard of 1 is the average over the time that training rows were at risk. "
        )
        if is_recalibrated:
            average = ""  # said with the rows of the baseline
        return (
            f"A risk by a time is that of the event at or before it. {average}The card assumes that "
            "hazards stay proportional, and that rows were lost from sight for reasons that have "
            "nothing to do with their risk."
        )
    average = ", and a relative hazard of 1 is its average over training rows"
    return (
        "A risk by a time is that of the event at or before it, where "
        f"{kind.competing} may come first and prevent it (cumulative incidence). The hazard is that of the "
        f"subdistribution (Fine and Gray){'' if is_recalibrated else average}. The "
        "card assumes that these hazards stay proportional, and that rows were lost from sight for reasons "
        "that have nothing to do with their risk or their features."
    )


def _training_words(card: RiskCard, kind: OutcomeKind) -> str:
    assert card.training is not None
    rows = card.labels.count(card.training.rows)
    weighted = " Rows had weights." if card.training.is_weighted else ""
    if card.training.is_recalibrated:
        return f"{_recalibration_words(card, kind)}{weighted}"
    if isinstance(kind, OrderedLevels):
        return f"Learned from {rows} rows.{weighted}"
    if isinstance(kind, Numbers):
        mean, deviation = readable_amount(kind.mean), readable_amount(kind.deviation, 4)
        return f"Learned from {rows} rows with the mean {mean} and the standard deviation {deviation}.{weighted}"
    if isinstance(kind, Counts):
        return (
            f"Learned from {rows} rows with {readable_amount(kind.events)} events in an exposure of "
            f"{readable_amount(kind.exposed)} ({kind.events / kind.exposed:.4g} per {kind.unit}).{weighted}"
        )
    events = card.labels.count(card.training.events)
    return (
        f"Learned from {rows} rows, {events} of them with the event; they were followed up to "
        f"{kind.time} {kind.last:g}.{weighted}"
    )


def _recalibration_words(card: RiskCard, kind: OutcomeKind) -> str:
    """Where points and scale are from, on a card that was fitted to new rows."""
    facts = card.training
    assert facts is not None
    points = "The points were not learned from rows that the card knows"
    if facts.points_rows:
        points = f"The points were learned from {card.labels.count(facts.points_rows)} rows"
        if not isinstance(kind, Numbers | OrderedLevels):
            points += f" ({card.labels.count(facts.points_events or 0)} with an event)"
    rows = card.labels.count(facts.rows)
    if isinstance(kind, OrderedLevels):
        return f"{points}; the hazards of the levels were then fitted to {rows} rows. Rows of totals are these."
    if isinstance(kind, Numbers):
        mean, deviation = readable_amount(kind.mean), readable_amount(kind.deviation, 4)
        return (
            f"{points}; the expected value was then fitted to {rows} rows with the mean {mean} and the standard "
            f"deviation {deviation}. Rows of totals are these."
        )
    if isinstance(kind, Counts):
        return (
            f"{points}; the rate was then fitted to {rows} rows with {readable_amount(kind.events)} events in an "
            f"exposure of {readable_amount(kind.exposed)}. Rows of totals are these; those of the lines above "
            "are of the points."
        )
    assert isinstance(kind, TimeToEvent)
    return (
        f"{points}; the baseline was then fitted to {rows} rows, {card.labels.count(facts.events)} of them with the "
        f"event, followed up to {kind.time} {kind.last:g}. Rows of totals are these, and a relative hazard of 1 is the "
        "average over their time at risk; rows of the lines above are those of the points."
    )


def _shrinkage_words(certificate: Certificate, labels: Labels, kind: OutcomeKind) -> Iterator[str]:
    if certificate.smooth_rows > 0:
        yield labels.say("smooth", extra=extra_rows(certificate.smooth_rows, labels))
    if certificate.pseudo_rows > 0:
        what = _WORDS[name_of_kind(kind)].predictions
        extra = extra_rows(certificate.pseudo_rows, labels)
        yield f"{what} are shrunk towards their average, as if {extra} with the average had been seen."


def _proof_for_readers(certificate: Certificate, kind: OutcomeKind) -> str:
    words = _WORDS[name_of_kind(kind)]
    if certificate.objective == 0:
        return f"No other card can fit these rows better: the {words.loss} is 0, up to rounding."
    if certificate.status is Status.HEURISTIC:
        return "Found by a heuristic search; whether another card of this kind fits better is not known."
    if certificate.bound <= 0:
        return f"{_ENDED[certificate.status]}; how much better another card may fit is not known."
    added = "counting the extra rows, " if certificate.all_pseudo_rows > 0 else ""
    added += "at the charge per term, " if certificate.min_gain > 0 else ""
    if certificate.status is Status.OPTIMAL:
        return (
            f"Proven{among_words(certificate)}: {added}no other card of this size and kind has a "
            f"{words.loss} that is lower by more than a {words.tolerance} (see the details for the kind)."
        )
    return (
        f"{_ENDED[certificate.status]}: {added}a card of this kind whose {words.loss} is up to "
        f"{rounded_up(100 * certificate.gap)} % lower may exist{among_words(certificate)}."
    )


def _details(card: RiskCard, kind: OutcomeKind) -> Iterator[str]:
    sign = "-" if card.offset < 0 else "+"
    linear = f"total / {card.multiplier:.6g} {sign} {abs(card.offset):.6g}"
    if isinstance(kind, Numbers):
        yield f"Behind the table: expected value = {linear}."
    elif isinstance(kind, Counts):
        yield f"Behind the table: rate = exp({linear})."
    else:
        what, of = ("level or higher", "level") if isinstance(kind, OrderedLevels) else ("t", "t")
        risk = f"probability of a {what}" if isinstance(kind, OrderedLevels) else f"risk by {what}"
        yield (
            f"Behind the table: relative hazard = exp({linear}); {risk} = 1 - exp(-H({of}) * relative hazard)."
        )
    if isinstance(kind, TimeToEvent):
        baseline = [f"H({one:g}) = {kind.baseline(one):.6g}" for one in kind.horizons]
        whose = "hazard" if kind.competing is None else "hazard of the subdistribution"
        yield f"H is Breslow's estimate of the cumulative {whose} given the totals: {', '.join(baseline)}."
    if isinstance(kind, OrderedLevels):
        pairs = zip(kind.levels[1:], kind.hazards, strict=True)
        baseline = [f"H({level}) = {hazard:.6g}" for level, hazard in pairs]
        yield f"H is fitted to the totals by maximum likelihood: {', '.join(baseline)}."
    if card.certificate is not None:
        yield from _certificate_words(card.certificate, kind)


def _certificate_words(certificate: Certificate, kind: OutcomeKind) -> Iterator[str]:
    words = _WORDS[name_of_kind(kind)]
    what = words.exactly
    if isinstance(kind, TimeToEvent) and kind.competing is not None:
        what = (
            "Poisson deviance of the events given the weighted Nelson-Aalen estimate of the cumulative "
            "hazard of the subdistribution"
        )
    loss = certificate.loss
    yield f"The loss is half the {what}: {loss_words(loss, loss)}."
    below = "be below"
    if certificate.min_gain > 0:
        charged = f"loss plus {certificate.min_gain:.6g} per term"
        yield f"The search minimised the {charged}: {loss_words(certificate.objective, loss)}."
        below = f"have a {charged} below"
    if certificate.bound > 0:
        bound = loss_words(certificate.bound, loss, ROUND_FLOOR)
        yield (
            f"No card of this kind can {below} {bound} (gap {rounded_up(100 * certificate.gap)} %)."
        )
    limits = [f"at most {certificate.max_terms} terms", f"{certificate.max_points} points per term"]
    if certificate.max_features < certificate.max_terms:
        limits.insert(1, f"{certificate.max_features} features")
    if certificate.max_cuts_per_feature < certificate.max_terms:
        limits.insert(-1, f"{certificate.max_cuts_per_feature} terms per feature")
    if isinstance(kind, Numbers):
        limits.append(
            "no term changes the value by more than "
            f"{readable_amount(certificate.max_log_odds * kind.deviation)}"
        )
    else:
        limits.append(
            f"no term multiplies the {words.ratio} by more than {ratio_words(certificate.max_log_odds)}"
        )
    if certificate.min_line_rows > 1:
        limits.append(
            f"values with fewer than {certificate.min_line_rows} rows count as a typical value"
        )
    yield f"This kind: {', '.join([*limits, *candidate_words(certificate)])}."
    if certificate.all_pseudo_rows > 0:
        yield (
            f"Regularised: loss and bound include pseudo-observations, which have a share of the {words.weight} "
            f"of each row ({certificate.pseudo_rows:.6g} with the average {words.ratio}, "
            f"{certificate.smooth_rows:.6g} with those of a smooth regression); counts of rows do not."
        )
    if certificate.rules:
        yield f"Rules: {rule_words(certificate)}."
    yield from certificate.notes


def require_bins(form: str) -> None:
    """Refuse the paper's form, which is one of log-odds."""
    if form != "bins":
        raise ParameterError(f"form is {form!r}. A card of this kind is shown as 'bins' only.")
