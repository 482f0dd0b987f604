"""Figures in plain sentences: what the templates of a report ask for words."""

import math
from collections.abc import Sequence

import numpy as np

from riskcard.card.sentences import (
    kind_words,
    proof_for_readers,
    proof_sentence,
    regularization_words,
    step_words,
)
from riskcard.evaluation.calibration import Calibration
from riskcard.formatting.figures import count as count
from riskcard.formatting.figures import plain as plain
from riskcard.formatting.figures import share as share
from riskcard.formatting.figures import with_interval as with_interval
from riskcard.model.origin.certificate import Certificate, TrainingFacts
from riskcard.status import Status


def difference(figures: Sequence[float], card: Sequence[float]) -> str:
    """The mean difference of two rows of figures, fold by fold, and its standard error."""
    differences = np.array(figures) - np.array(card)
    error = differences.std(ddof=1) / math.sqrt(differences.size)
    mean = float(differences.mean())
    return f"{'+' if mean > 0 else ''}{plain(mean)} ±\u00a0{plain(float(error))}"


# --- the certificate ----------------------------------------------------------------------------


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


# --- figures ------------------------------------------------------------------------------------


def slope_words(figures: Calibration) -> str:
    """What a slope says."""
    if not math.isfinite(figures.slope):
        return (
            "there is no finite slope, because all risks are equal or they separate the two classes"
        )
    low, high = figures.slope_interval or (figures.slope, figures.slope)
    if low <= 1 <= high:
        return "there is no sign that risks are too extreme or too cautious"
    if figures.slope <= 0:
        return "higher risks do not go with more events"
    if figures.slope < 1:
        return "risks are too extreme, that is, high ones are too high and low ones too low"
    return "risks are too cautious, that is, high ones are too low and low ones too high"
