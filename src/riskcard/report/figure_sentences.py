"""Figures in plain sentences: what the templates of a report ask for words."""

from riskcard.card.sentences import (
    kind_words,
    proof_for_readers,
    proof_sentence,
    regularization_words,
    step_words,
)
from riskcard.formatting.figures import count as count
from riskcard.formatting.figures import plain as plain
from riskcard.formatting.figures import share as share
from riskcard.formatting.figures import with_interval as with_interval
from riskcard.model.origin.certificate import Certificate, TrainingFacts
from riskcard.status import Status


def bound_sentence(certificate: Certificate | None, training: TrainingFacts | None = None) -> str:
    """What is proven, for somebody who has never heard of a bound."""
    if certificate is None:
        return (
            "Nothing is proven about this card: it has no certificate. Cards that were written by "
            "hand, or changed after they were learned, have none."
        )
    proof = proof_sentence(certificate)
    if certificate.status is Status.HEURISTIC:
        return (
            f"{proof} The search often finds the best card, but how close this one comes is not known. "
            "Fit with a proof (“riskcard fit --certify”) to get a bound."
        )
    if certificate.status is Status.OPTIMAL:
        rows = "rows that it was learned from"
        rows += ", pseudo-observations included," if certificate.all_pseudo_rows > 0 else ""
        return (
            f"{proof} In other words, on the {rows} no card of this kind can do better; others may do as "
            "well."
        )
    if certificate.bound <= 0:
        more = "A longer time limit, fewer terms or a coarser grid of cuts may give a bound."
        return " ".join([proof, more, *step_words(certificate)])
    readers = proof_for_readers(certificate, training)
    return " ".join([readers, proof, *step_words(certificate)])


def proof_in_short(
    certificate: Certificate | None, training: TrainingFacts | None = None
) -> tuple[str, str]:
    """What is proven, in a word and a few more."""
    if certificate is None or certificate.bound <= 0:
        return "not proven", "how good the card is among its kind"
    what = certificate.objective_name
    if certificate.all_pseudo_rows > 0:
        what += " with pseudo-observations"
    kind = "its kind" if certificate.is_grid_full else "its kind (limited list of cuts)"
    if certificate.status is Status.OPTIMAL:
        return "best of its kind", f"proven: no card of {kind} has a smaller {what}"
    return "not finished", proof_for_readers(certificate, training).partition(": ")[2].rstrip(".")


def certificate_facts(certificate: Certificate) -> list[str]:
    """What "this kind" means, and what else a reader should know."""
    rules = [f"Every card of this kind keeps these rules: {'; '.join(certificate.rules)}."]
    return [
        kind_words(certificate),
        *regularization_words(certificate),
        *(rules if certificate.rules else []),
        *certificate.notes,
    ]
