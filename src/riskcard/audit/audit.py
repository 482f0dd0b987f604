"""The audit: everything a card claims, recomputed from raw rows by slow and obvious code."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import compress, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.audit.findings import ROUNDING, AuditReport, Check
from riskcard.audit.limits import check_limits, is_surely_within, one_step_changes
from riskcard.audit.raw_rows import Rows, places_by_hand, read_by_hand, totals_by_hand
from riskcard.data.target import read_target, read_weights
from riskcard.errors import DataError, ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.certificate import Certificate
from riskcard.status import OPTIMALITY_TOLERANCE, Status


@dataclass(frozen=True, slots=True)
class _Claims:
    """What is claimed about the card."""

    loss: float
    bound: float
    gap: float
    status: str
    wanted_gap: float | None  # None when it is not known
    charge: float  # for the terms of the card


def audit_card(subject: Any, X: Any, y: Any, sample_weight: Any = None) -> AuditReport:
    """Check a card, and everything it claims, against the rows it was learned from.

    The audit recomputes from the printed card, the raw values and the weights: that the card is
    within its limits, its loss, the gap, whether the status follows from the gap, that no card one
    step away is below the bound, the classes and the table of risks. It cannot prove the bound
    again.

    Parameters
    ----------
    subject
        A fitted ``RiskScoreClassifier``, or a ``RiskCard`` with its certificate.
    X, y, sample_weight
        The training rows, as given to ``fit``. Class weights are those of the certificate.

    Examples
    --------
    >>> from riskcard import FeaturePoints, RiskCard
    >>> card = RiskCard([FeaturePoints("age", [60], [0, 3])], base=-1)
    >>> report = audit_card(card, [[50.0], [70.0], [80.0]], [0, 1, 1])
    >>> report.passed, report.failures[0].name
    (False, 'certificate')
    """
    subject = getattr(subject, "best_estimator_", subject)
    card = _card_of(subject)
    rows = _read_rows(card, X, y, sample_weight)
    pseudo_rows = 0.0 if card.certificate is None else card.certificate.pseudo_rows
    certified, weighted = _as_certified(card, rows)
    loss = _loss(certified, weighted, pseudo_rows)
    checks = [_check_labels(card, rows), _check_training(card, rows), *_check_counts(card, rows)]
    checks += _check_risks(card, rows)
    if card.certificate is None:
        missing = "the card has none, so nothing is claimed about its loss"
        checks.append(Check("certificate", False, missing))
    else:
        claims = _claims_of(subject, card.certificate)
        checks += check_limits(certified, card.certificate, weighted)
        checks += _check_claims(claims, loss)
        checks.append(_check_neighbours(certified, card.certificate, weighted, claims.bound))
        checks += _check_bounded_steps(certified, card.certificate, weighted, loss)
    if card is not subject:
        checks += _check_classifier(subject, card, X, rows)
    return AuditReport(tuple(checks), loss)


def _card_of(subject: Any) -> RiskCard:
    card = getattr(subject, "card_", subject)
    if not isinstance(card, RiskCard):
        raise ParameterError(
            f"An audit needs a fitted classifier or a RiskCard, not {type(subject).__name__}. "
            "Fit the classifier first, or give its card_."
        )
    return card


def _read_rows(card: RiskCard, X: Any, y: Any, sample_weight: Any) -> Rows:
    n_rows, columns = read_by_hand(card, X)
    target = read_target(y, n_rows)
    weights = read_weights(sample_weight, n_rows)
    is_kept = weights > 0  # as in training
    if not is_kept.any():
        raise DataError(
            "No row has a weight above 0, so there is nothing to audit. Give the rows that the card "
            "was learned from."
        )
    columns = {
        name: list(compress(column, is_kept)) if isinstance(column, list) else column[is_kept]
        for name, column in columns.items()
    }
    places = {
        feature.name: places_by_hand(feature, columns[feature.name]) for feature in card.features
    }
    return Rows(columns, places, target[is_kept], weights[is_kept], is_kept)


def _as_certified(card: RiskCard, rows: Rows) -> tuple[RiskCard, Rows]:
    """The card with the scale, and the rows with the weights, that loss and bound are about.

    They differ from those given where the points were chosen with class weights.
    """
    weights = None if card.certificate is None else card.certificate.class_weights
    if weights is None:
        return card, rows
    factors = np.where(_is_event(card, rows), weights.event, weights.no_event)
    certified = replace(
        card,
        multiplier=weights.multiplier,
        offset=weights.offset,
        certificate=None,
        recipe=None,
    )
    return certified, replace(rows, weights=rows.weights * factors)


def _claims_of(subject: Any, certificate: Certificate) -> _Claims:
    charge = certificate.min_gain * certificate.charged_terms
    if isinstance(subject, RiskCard):
        status = str(certificate.status)
        stated = certificate.loss, certificate.bound, certificate.gap
        return _Claims(*stated, status, None, charge)
    stated = subject.loss_, subject.lower_bound_, subject.gap_
    return _Claims(*stated, str(subject.status_), subject.gap, charge)


# --- the loss -----------------------------------------------------------------------------------


def _is_event(card: RiskCard, rows: Rows) -> NDArray[np.bool_]:
    # one by one: numpy before 1.25 compares an array of numbers with a text as a whole
    return np.array(rows.target.astype(object) == card.classes[1], dtype=bool)


def _loss_at(
    log_odds: NDArray[np.float64],
    is_event: NDArray[np.bool_],
    weights: NDArray[np.float64],
    pseudo_rows: float,
) -> float:
    """The loss of the rows and of the pseudo-observations, whose rate of events is that of all rows."""
    if_event, if_not = _losses(log_odds), _losses(-log_odds)
    loss = math.fsum(weights * np.where(is_event, if_event, if_not))
    if pseudo_rows == 0:
        return loss
    events, others = math.fsum(weights[is_event]), math.fsum(weights[~is_event])
    shares = events / (events + others), others / (events + others)
    # each weighs as much as an average row, and is spread over the rows by their weights
    spread = math.fsum(weights * (shares[0] * if_event + shares[1] * if_not))
    return loss + pseudo_rows / weights.size * spread


def _losses(margin: NDArray[np.float64]) -> NDArray[np.float64]:
    """``log(1 + exp(-margin))``, written so that nothing overflows."""
    losses: NDArray[np.float64] = np.logaddexp(0.0, -margin)
    return losses


def _log_odds(card: RiskCard, totals: Any) -> Any:
    return totals / card.multiplier + card.offset


def _risk(log_odds: float) -> float:
    if log_odds >= 0:
        return 1 / (1 + math.exp(-log_odds))
    return math.exp(log_odds) / (1 + math.exp(log_odds))


def _loss(card: RiskCard, rows: Rows, pseudo_rows: float) -> float:
    log_odds = _log_odds(card, totals_by_hand(card, rows))
    return _loss_at(log_odds, _is_event(card, rows), rows.weights, pseudo_rows)


def _is_close(left: float, right: float) -> bool:
    return abs(left - right) <= ROUNDING * max(abs(left), abs(right))


# --- the card and the rows ----------------------------------------------------------------------


def _check_labels(card: RiskCard, rows: Rows) -> Check:
    found = sorted(set(rows.target.tolist()), key=str)
    shown = ", ".join(repr(value) for value in found[:4])
    passed = len(found) == 2 and all(value in card.classes for value in found)
    return Check("labels", passed, f"the target has {shown}; the card has {card.classes}")


def _check_training(card: RiskCard, rows: Rows) -> Check:
    is_event = _is_event(card, rows)
    found = (
        rows.target.size,
        int(is_event.sum()),
        math.fsum(rows.weights),
        math.fsum(rows.weights[is_event]),
    )
    here = "{} rows ({} events) of weight {:.10g} ({:.10g})".format(*found)
    if card.training is None:
        return Check("rows", True, f"{here}; the card does not say what it was learned from")
    facts = card.training
    stated = (facts.rows, facts.events, facts.weight, facts.event_weight)
    passed = all(_is_close(a, b) for a, b in zip(found, stated, strict=True))
    learned = "{} rows ({} events) of weight {:.10g} ({:.10g})".format(*stated)
    return Check("rows", passed, f"{here}; learned from {learned}")


def _check_counts(card: RiskCard, rows: Rows) -> Iterator[Check]:
    """The rows and events of each total, where the card has them."""
    counts = () if card.training is None else card.training.totals
    if not counts:
        return
    is_event, totals = _is_event(card, rows), totals_by_hand(card, rows)
    wrong = []
    for one in counts:
        is_in = (totals >= one.low) & (totals <= one.high)
        found = (is_in, is_in & is_event)
        stated = ((one.rows, one.weight), (one.events, one.event_weight))
        if any(
            int(which.sum()) != number or not _is_close(math.fsum(rows.weights[which]), weight)
            for which, (number, weight) in zip(found, stated, strict=True)
        ):
            wrong.append(one)
    counted = sum(one.rows for one in counts)
    passed = not wrong and counted == totals.size
    detail = f"{len(counts)} counts of totals with {counted} rows, of {totals.size}"
    detail += f"; that of {wrong[0].low} to {wrong[0].high} is wrong" if wrong else ""
    yield Check("counts", passed, detail)


def _check_risks(card: RiskCard, rows: Rows) -> Iterator[Check]:
    """The table from total to risk is right, rises, and has every total that occurs."""
    table = {row.total: row.risk for row in card.risk_table()}
    wrong = [
        total
        for total, risk in table.items()
        if abs(risk - _risk(_log_odds(card, total))) > ROUNDING
    ]
    risks = [table[total] for total in sorted(table, reverse=card.multiplier < 0)]
    passed = not wrong and all(low <= high for low, high in pairwise(risks))
    detail = f"{len(table)} totals" + (f", the risk of total {wrong[0]} is wrong" if wrong else "")
    yield Check("risk table", passed, detail)
    occurring = set(totals_by_hand(card, rows).tolist())
    absent = sorted(occurring - set(table))
    detail = f"{len(occurring)} occur in the rows"
    detail += f", {absent[0]} is not in the risk table" if absent else ""
    yield Check("totals", not absent, detail)


# --- the claims ---------------------------------------------------------------------------------


def _check_claims(claims: _Claims, loss: float) -> Iterator[Check]:
    same_loss = _is_close(claims.loss, loss)
    yield Check("loss", same_loss, f"stated {claims.loss:.10g}, recomputed {loss:.10g}")
    # where terms are charged, the bound is one on the loss and the charge
    whole, what = loss + claims.charge, "the loss with its charge" if claims.charge else "the loss"
    valid = 0 <= claims.bound <= whole * (1 + ROUNDING)
    yield Check("bound", valid, f"stated {claims.bound:.10g}, {what} is {whole:.10g}")
    gap = min(1.0, max(0.0, (whole - claims.bound) / whole)) if whole > 0 else 0.0
    same_gap = abs(claims.gap - gap) <= ROUNDING
    yield Check("gap", same_gap, f"stated {claims.gap:.6g}, recomputed {gap:.6g}")
    yield _check_status(claims, gap)


def _check_status(claims: _Claims, gap: float) -> Check:
    known = claims.status in {status.value for status in Status}
    allowed = 1.0
    if claims.status == Status.OPTIMAL.value:
        allowed = OPTIMALITY_TOLERANCE
    elif claims.status == Status.GAP_REACHED.value and claims.wanted_gap is not None:
        allowed = max(claims.wanted_gap, OPTIMALITY_TOLERANCE)
    detail = f"{claims.status!r} with a gap of {gap:.6g}"
    if not known:
        detail = f"{claims.status!r} is not a status"
    elif allowed < 1:
        detail += f", at most {allowed:.6g} justifies it"
    return Check("status", known and gap <= allowed + ROUNDING, detail)


def _check_neighbours(card: RiskCard, limits: Certificate, rows: Rows, bound: float) -> Check:
    """A bound holds for every card, so also for the allowed cards one step away at the same scale."""
    if limits.rules:
        return Check("neighbours", True, "not tried: rules say which cards are allowed")
    is_event = _is_event(card, rows)
    totals = totals_by_hand(card, rows)
    lowest, what, tried = math.inf, "", 0
    for change, n_terms, name in one_step_changes(card, limits, rows):
        log_odds = _log_odds(card, totals + change)
        loss = _loss_at(log_odds, is_event, rows.weights, limits.pseudo_rows)
        loss += limits.min_gain * n_terms
        tried += 1
        if loss < lowest:
            lowest, what = loss, name
    passed = bound <= lowest * (1 + ROUNDING)
    detail = f"{tried} cards one step away are not below the bound"
    if not passed:
        detail = f"{what} gives the loss {lowest:.10g}, below the bound {bound:.10g}"
    return Check("neighbours", passed, detail)


def _check_bounded_steps(
    card: RiskCard, certificate: Certificate, rows: Rows, loss: float
) -> Iterator[Check]:
    """The bound on cards with bounded steps: not below that on all cards, not above a neighbour."""
    if not certificate.has_step_bound:
        return
    bound, limit = certificate.step_bound, math.log(certificate.step_odds)
    least = certificate.bound * (1 - ROUNDING)
    stated = (
        f"stated {bound:.10g} where terms multiply the odds by at most {certificate.step_odds:g}"
    )
    if not least <= bound or limit > certificate.max_log_odds:
        yield Check(
            "bound on bounded steps", False, f"{stated}; on all cards {certificate.bound:.10g}"
        )
        return
    limited = replace(certificate, max_log_odds=limit)
    if not is_surely_within(card, limited):
        yield Check(
            "bound on bounded steps", True, f"{stated}; the card itself may have steeper terms"
        )
        return
    passed = bound <= loss * (1 + ROUNDING)
    nearby = _check_neighbours(card, limited, rows, bound)
    detail = f"{stated}, the loss is {loss:.10g}; {nearby.detail}"
    yield Check("bound on bounded steps", passed and nearby.passed, detail)


# --- the classifier -----------------------------------------------------------------------------


def _check_classifier(subject: Any, card: RiskCard, X: Any, rows: Rows) -> Iterator[Check]:
    """The attributes and predictions of the classifier are those of its card."""
    certificate = card.certificate
    if certificate is not None:
        same = (
            _is_close(certificate.loss, subject.loss_)
            and _is_close(certificate.bound, subject.lower_bound_)
            and str(certificate.status) == str(subject.status_)
        )
        detail = f"loss {certificate.loss:.10g}, bound {certificate.bound:.10g}, "
        yield Check("certificate", same, f"{detail}{str(certificate.status)!r} on the card")
    classes = list(subject.classes_)
    same_classes = classes == sorted(card.classes)
    yield Check("classes", same_classes, f"{classes} against {list(card.classes)} on the card")
    if not same_classes:
        return
    stated = subject.predict_proba(X)[rows.is_kept, classes.index(card.classes[1])]
    by_hand = map(_risk, _log_odds(card, totals_by_hand(card, rows)).tolist())
    largest = max(abs(risk - own) for risk, own in zip(stated, by_hand, strict=True))
    detail = f"predict_proba differs from the card by at most {largest:.3g}"
    yield Check("predictions", largest <= ROUNDING, detail)
