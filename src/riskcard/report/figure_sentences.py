"""Figures in plain sentences: what the templates of a report ask for words."""

from riskcard.card.sentences import added_to_rows as added_to_rows
from riskcard.card.sentences import (
    among_words,
    better_words,
    class_weight_words,
    counted_words,
    kind_words,
    objective_words,
    preselected_counts,
    proof_for_readers,
    proof_sentence,
    regularization_words,
    rule_words,
)
from riskcard.card.sentences import (
    proof_state as proof_state,
)
from riskcard.formatting.figures import amount as amount
from riskcard.formatting.figures import percentage as percentage
from riskcard.formatting.figures import plain as plain
from riskcard.formatting.figures import share as share
from riskcard.formatting.figures import with_interval as with_interval
from riskcard.formatting.speech import counted, say, translated
from riskcard.model.origin.certificate import Certificate, TrainingFacts
from riskcard.report.facts import DataFacts
from riskcard.status import Status


def counted_rows(data: DataFacts) -> str:
    """How many rows and events a table has."""
    return say(
        "data_rows_by_weight" if data.is_weighted else "data_rows",
        rows=counted(data.rows, "rows"),
        events=amount(data.events),
        share=share(data.base_rate),
    )


def bound_sentence(certificate: Certificate | None, training: TrainingFacts | None = None) -> str:
    """What is proven, for somebody who has never heard of a bound."""
    if certificate is None:
        return say("proof_none")
    proof = proof_sentence(certificate)
    if certificate.status is Status.HEURISTIC:
        return f"{proof} {say('proof_ask')}"
    if certificate.status is Status.OPTIMAL:
        how, among = counted_words(certificate), among_words(certificate)
        return f"{proof} {say('proof_in_other_words', how=how, among=among)}"
    if certificate.bound <= 0:
        return f"{proof} {say('proof_more_time')}"
    return f"{proof_for_readers(certificate, training)} {proof}"


def proof_in_short(
    certificate: Certificate | None, training: TrainingFacts | None = None
) -> tuple[str, str]:
    """What is proven, in a word and a few more."""
    if certificate is None or certificate.bound <= 0:
        return say("glance_not_proven"), say("glance_not_proven_what")
    if certificate.status is not Status.OPTIMAL:
        return say("glance_not_finished"), better_words(certificate, training)
    what = objective_words(certificate)
    if added := added_to_rows(certificate):
        what = say("sentence_with", what=what, counted=added)
    kind = say("glance_kind" if certificate.is_grid_full else "glance_kind_limited")
    if certificate.shortlist is not None:
        kind = say("glance_kind_preselected", **preselected_counts(certificate))
    return say("glance_best"), say("glance_best_what", kind=kind, what=what)


def certificate_facts(certificate: Certificate) -> list[str]:
    """What "this kind" means, and what else a reader should know."""
    rules = say("proof_rules_kept", rules=rule_words(certificate))
    return [
        kind_words(certificate),
        *regularization_words(certificate),
        *class_weight_words(certificate),
        *([rules] if certificate.rules else []),
        *map(translated, certificate.notes),
    ]
