"""The part of an audit about what a certificate claims: loss, bound, gap, status and the proof.

A bound cannot be recomputed from the rows. What can be done is to look for a card that refutes it:
among the neighbours of the card, and with a search within its kind. Where none is found, the bound
is still no more than the solver's claim, and the audit says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from riskcard.audit.findings import ROUNDING, Check, Outcome, checked, not_checked
from riskcard.audit.hand_loss import (
    as_certified,
    hand_loss,
    is_close,
    is_event,
    log_odds_of,
    loss_at,
)
from riskcard.audit.limits import check_limits, one_step_changes, sure_terms
from riskcard.audit.raw_rows import Rows, totals_by_hand
from riskcard.audit.rivals import KIND, MOST_PROVEN_TERMS, Rival
from riskcard.model.card import RiskCard
from riskcard.model.origin.certificate import Certificate
from riskcard.model.outcome_kinds import Numbers
from riskcard.status import OPTIMALITY_TOLERANCE, SQUARED_ERROR_TOLERANCE, Status


@dataclass(frozen=True, slots=True)
class Claims:
    """What is claimed about the card.

    Attributes
    ----------
    loss, bound, gap, status
        As stated.
    wanted_gap
        The gap that was asked for; None when it is not known.
    asked_for_proof
        Whether a proof was asked for; None when it is not known.
    tolerance
        The largest gap of an optimal card.
    """

    loss: float
    bound: float
    gap: float
    status: str
    wanted_gap: float | None
    asked_for_proof: bool | None
    tolerance: float = OPTIMALITY_TOLERANCE


def claims_of(subject: Any, certificate: Certificate) -> Claims:
    """What a classifier states, or the certificate of a card."""
    card = getattr(subject, "card_", subject)
    known = {} if card.recipe is None else card.recipe.parameters
    is_number = isinstance(card.kind, Numbers)
    tolerance = SQUARED_ERROR_TOLERANCE if is_number else OPTIMALITY_TOLERANCE
    if isinstance(subject, RiskCard):
        stated = certificate.loss, certificate.bound, certificate.gap, str(certificate.status)
        return Claims(*stated, known.get("gap"), known.get("certify"), tolerance)
    stated = subject.loss_, subject.lower_bound_, subject.gap_, str(subject.status_)
    return Claims(*stated, subject.gap, known.get("certify"), tolerance)


def check_claims(
    claims: Claims, certificate: Certificate, loss: float, rounding: float = 0.0
) -> Iterator[Check]:
    """Loss, bound, gap and status fit together.

    Parameters
    ----------
    claims, certificate
        What is stated.
    loss, rounding
        As it was recomputed, and what that may be wrong by: a small deviance is the difference of large sums.
    """
    same_loss = is_close(claims.loss, loss) or abs(claims.loss - loss) <= rounding
    yield checked("loss", same_loss, f"stated {claims.loss:.10g}, recomputed {loss:.10g}")
    # where terms are charged, the bound is one on the loss and the charge
    charge = certificate.min_gain * certificate.charged_terms
    whole, what = loss + charge, "the loss with its charge" if charge else "the loss"
    valid = 0 <= claims.bound <= whole * (1 + ROUNDING) + rounding
    yield checked("bound", valid, f"stated {claims.bound:.10g}, {what} is {whole:.10g}")
    gap = min(1.0, max(0.0, (whole - claims.bound) / whole)) if whole > 0 else 0.0
    allowed = ROUNDING + (rounding / whole if whole > 0 else 0.0)
    same_gap = abs(claims.gap - gap) <= allowed
    yield checked("gap", same_gap, f"stated {claims.gap:.6g}, recomputed {gap:.6g}")
    yield _check_status(claims, certificate, gap, allowed)


def _check_status(claims: Claims, certificate: Certificate, gap: float, rounding: float) -> Check:
    detail = f"{claims.status!r} with a gap of {gap:.6g}"
    if claims.status not in {status.value for status in Status}:
        return checked("status", False, f"{claims.status!r} is not a status")
    if claims.status == Status.HEURISTIC.value:
        return checked("status", claims.bound == 0, f"{detail}; nothing is proven")
    is_proven = claims.bound > 0
    if is_proven and claims.asked_for_proof is False:
        return checked("status", False, f"{claims.status!r}, but the recipe asks for no proof")
    if is_proven and certificate.max_terms > MOST_PROVEN_TERMS:
        limit = f"riskcard proves nothing about more than {MOST_PROVEN_TERMS}"
        return checked("status", False, f"{detail} and {certificate.max_terms} terms; {limit}")
    if claims.status == Status.OPTIMAL.value:
        allowed = claims.tolerance
    elif claims.status == Status.GAP_REACHED.value:
        if claims.wanted_gap is None:
            return not_checked("status", f"{detail}; the gap that was asked for is not known")
        allowed = max(claims.wanted_gap, claims.tolerance)
    else:
        return checked("status", True, f"{detail}; it claims no more")
    detail += f", if the bound holds; at most {allowed:.6g} justifies it"
    return checked("status", gap <= allowed + rounding, detail)


# --- the proof ----------------------------------------------------------------------------------


def check_proof(
    card: RiskCard, certificate: Certificate, rows: Rows, bound: float, rival: Rival
) -> Iterator[Check]:
    """A bound holds for every card of the kind: for the neighbours, and for what a search finds."""
    nearby = Neighbours.of(card, certificate, rows)
    yield nearby.check(bound)
    if rival.card is not None and rival.is_of_recipe:
        kind = _check_kind(certificate, rival)
        yield kind
        if kind.outcome is Outcome.NOT_CHECKED:
            rival = Rival(why_not=kind.detail)
    if bound <= 0:
        return
    yield _check_against_rival(certificate, rows, bound, rival, nearby)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The allowed cards one step away at the same scale; with rules it is not known which are allowed.

    Attributes
    ----------
    number
        How many were tried; None where rules decide which are allowed.
    lowest, what
        The lowest loss, with its charge, and how to get there.
    """

    number: int | None
    lowest: float = math.inf
    what: str = ""

    @classmethod
    def of(cls, card: RiskCard, limits: Certificate, rows: Rows) -> Neighbours:
        """Try them all."""
        # a change may need a condition that is not on the shortlist
        if limits.rules or limits.shortlist is not None:
            return cls(None)
        has_event, totals = is_event(card, rows), totals_by_hand(card, rows)
        found = cls(0)
        for change, n_terms, what in one_step_changes(card, limits, rows):
            log_odds = log_odds_of(card, totals + change)
            loss = loss_at(log_odds, has_event, rows)
            loss += limits.min_gain * n_terms
            lowest, what = min((found.lowest, found.what), (loss, what))
            found = cls((found.number or 0) + 1, lowest, what)
        return found

    def check(self, bound: float) -> Check:
        """The bound holds for the neighbours too."""
        if bound <= 0:
            return checked("neighbours", True, "nothing is claimed about other cards")
        if self.number is None:
            return not_checked(
                "neighbours", "none was tried, because rules or a shortlist say which are allowed"
            )
        if bound > self.lowest * (1 + ROUNDING):
            found = f"{self.what} gives the loss {self.lowest:.10g}"
            return checked("neighbours", False, f"{found}, below the bound {bound:.10g}")
        kept = f"{self.number} cards one step away are not below the bound"
        return checked("neighbours", True, kept)


def _check_kind(certificate: Certificate, rival: Rival) -> Check:
    """The certificate is about the cards that the recipe asks for."""
    assert rival.card is not None
    other = rival.card.certificate
    assert other is not None
    if rival.has_automatic_shortlist and certificate.shortlist != other.shortlist:
        why = "the automatic shortlist has another length here"
        if other.shortlist is None:
            why = (
                "conditions were preselected for the proof, and a search alone looks at all of them"
            )
        return not_checked("kind", why)
    for name in KIND:
        stated, found = getattr(certificate, name), getattr(other, name)
        numbers = isinstance(stated, float) and isinstance(found, float)
        if not (is_close(stated, found) if numbers else stated == found):
            detail = f"the certificate says {name} {stated!r}, the recipe gives {found!r}"
            return checked("kind", False, detail)
    if not _have_same_class_weights(certificate, other):
        return checked("kind", False, "the recipe gives other class weights")
    return checked("kind", True, "the certificate is about the cards that the recipe asks for")


def _have_same_class_weights(one: Certificate, other: Certificate) -> bool:
    first, second = one.class_weights, other.class_weights
    if first is None or second is None:
        return first is second
    return is_close(first.event, second.event) and is_close(first.no_event, second.no_event)


def _check_against_rival(
    limits: Certificate, rows: Rows, bound: float, rival: Rival, nearby: Neighbours
) -> Check:
    """A bound is refuted by a rival, proven again, or left as the solver's claim."""
    number = "no" if nearby.number is None else str(nearby.number)
    claim = (
        f"the bound {bound:.10g} is the solver's claim; this check recomputed the loss, tried "
        f"{number} neighbours"
    )
    if rival.card is None:
        return not_checked("proof", f"{claim}, and made no search, because {rival.why_not}")
    other, searched = as_certified(rival.card), f"a search of {rival.seconds:.1f} s"
    own = rows.of(other)
    n_terms = sure_terms(other, limits)
    limits = replace(limits, charged_terms=n_terms)
    if not all(check.holds for check in check_limits(other, limits, own)):
        return not_checked("proof", f"{claim}, and found no other card of this kind")
    loss = hand_loss(other, own) + limits.min_gain * n_terms
    if bound > loss * (1 + ROUNDING):
        found = f"{searched} found another card of this kind with the loss {loss:.10g}"
        return checked("proof", False, f"{found}, below the bound {bound:.10g}")
    proven = 0.0 if rival.card.certificate is None else rival.card.certificate.bound
    if proven >= bound * (1 - OPTIMALITY_TOLERANCE):
        again = f"proven again by riskcard in {rival.seconds:.1f} s"
        return checked("proof", True, f"the bound {bound:.10g} was {again}")
    if proven > 0:
        claim += f", proved a bound of only {proven:.10g}"
    return not_checked(
        "proof", f"{claim}, and searched for {rival.seconds:.1f} s: no card was below it"
    )
