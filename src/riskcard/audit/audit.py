"""The audit: everything a card claims, recomputed from raw rows by slow and obvious code."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from riskcard.audit.claims import check_claims, check_proof, claims_of
from riskcard.audit.findings import (
    LABELS,
    ROUNDING,
    ROWS,
    VALUES,
    AuditReport,
    Check,
    Outcome,
    checked,
    not_checked,
)
from riskcard.audit.hand_loss import (
    as_certified,
    hand_loss,
    hand_rounding,
    is_close,
    is_event,
    log_odds_of,
    risk_at,
)
from riskcard.audit.hand_rates import loss_by_hand
from riskcard.audit.kind_checks import check_kind_of_rows, check_kind_table, check_predictions
from riskcard.audit.limits import check_limits
from riskcard.audit.pseudo_weights import pseudo_weights, smooth_predictions
from riskcard.audit.raw_outcome import RawOutcome, read_outcome, require_learnable
from riskcard.audit.raw_rows import (
    Rows,
    kept_columns,
    places_by_hand,
    read_by_hand,
    totals_by_hand,
)
from riskcard.audit.rivals import Rival, TrainingRows, find_rival, read_training_rows
from riskcard.data.columns import FeatureValues
from riskcard.data.target import read_weights
from riskcard.errors import DataError, ParameterError
from riskcard.model.card import RiskCard
from riskcard.model.origin.certificate import Certificate
from riskcard.model.origin.recipe import RowOrigin, hash_for_scale
from riskcard.model.outcome_kinds import Counts, OrderedLevels

#: Why nothing that a certificate claims could be checked.
WITHOUT_COLUMNS = (
    "the loss counts pseudo-observations, which depend on every column that the card was learned "
    "from, and some are not here"
)


def audit_card(
    subject: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    prove: float | None = None,
    **further: Any,
) -> AuditReport:
    """Check a card, and everything it claims, against the rows it was learned from.

    The audit recomputes from the printed card, the raw values and the weights: that the card is
    within its limits, its loss, the gap, whether the status follows from the gap, the classes and
    the table of risks. A bound cannot be recomputed. The audit tries to refute it: by the cards one
    step away, and by a search of a few seconds within the kind of cards that the certificate is
    about. A bound that is not refuted is reported as not checked, unless it is proven again.

    Parameters
    ----------
    subject
        A fitted ``RiskScoreClassifier``, ``RiskScoreSurvival``, ``RiskScoreRegressor`` or
        ``RiskScoreOrdinal``, or a ``RiskCard`` with its certificate.
    X, y, sample_weight
        The training rows, as given to ``fit``. Class weights are those of the certificate.
    prove
        Seconds for proving the bound again with the solver of riskcard; None for no proof.
    **further
        What else was given to ``fit``: ``entry`` of times to an event, ``exposure`` of counts.

    Examples
    --------
    >>> from riskcard import FeaturePoints, RiskCard
    >>> card = RiskCard([FeaturePoints("age", [60], [0, 3])], base=-1)
    >>> report = audit_card(card, [[50.0], [70.0], [80.0]], [0, 1, 1])
    >>> report.passed, report.not_checked[-1].name
    (False, 'certificate')
    """
    subject = getattr(subject, "best_estimator_", subject)
    card = _card_of(subject)
    if unknown := further.keys() - {"entry", "exposure"}:
        raise ParameterError(
            f"An audit knows no {min(unknown)!r}. Give rows, target and weights, and entry or exposure."
        )
    rows = _read_rows(card, X, y, sample_weight, further)
    n_rows = rows.is_kept.size
    weights = None if sample_weight is None else read_weights(sample_weight, n_rows)
    outcome = read_outcome(card, y, n_rows, further, sample_weight)
    given = read_training_rows(card, X, outcome, weights)
    certificate = card.certificate
    certified, weighted = as_certified(card), _weighted(card, rows)
    if certificate is not None:
        weighted = _with_pseudo_rows(weighted, card, certificate, given)
    loss = hand_loss(certified, weighted)
    is_scale = _is_of_scale(card, X, outcome, sample_weight)
    checks = [] if card.kind is not None else [_check_labels(card, rows)]
    checks.append(_check_training(card, rows))
    origin = _check_origin(card, given, is_scale)
    # rows of the points are not those that a recalibration counted
    has_counts = is_scale is not False or origin.outcome is not Outcome.PASSED
    checks += [origin, *_check_counts(card, rows, has_counts)]
    if card.kind is None:
        checks += _check_risks(card, rows)
    else:
        if has_counts:
            checks += check_kind_of_rows(card, card.kind, rows)
        else:
            why = "those on the card are of the rows that its scale was fitted to"
            checks.append(not_checked("baseline and exposure", why))
        checks += check_kind_table(card, card.kind, rows)
    if certificate is None:
        checks.append(not_checked("certificate", "the card has none, so it claims no loss"))
        return AuditReport(tuple(checks), loss, lacks="certificate")
    if not weighted.has_pseudo_rows and certificate.all_pseudo_rows > 0:
        why = WITHOUT_SAMPLE if _is_of_source(card) else WITHOUT_COLUMNS
        checks.append(not_checked("certificate", why))
        return AuditReport(tuple(checks), loss, lacks="columns")
    claims = claims_of(subject, certificate)
    rival = _rival(card, given, prove)
    checks += check_limits(certified, certificate, weighted)
    checks += check_claims(claims, certificate, loss, hand_rounding(certified, weighted))
    checks += check_proof(certified, certificate, weighted, claims.bound, rival)
    if card is not subject:
        checks += _check_classifier(subject, card, X, rows)
    is_backed = card.recipe is not None or certificate.bound <= 0
    return AuditReport(tuple(checks), loss, lacks="" if is_backed else "recipe")


def _card_of(subject: Any) -> RiskCard:
    card = getattr(subject, "card_", subject)
    if not isinstance(card, RiskCard):
        raise ParameterError(
            f"An audit needs a fitted classifier or a RiskCard, not {type(subject).__name__}. "
            "Fit the classifier first, or give its card_."
        )
    return card


#: The same for cards whose rows were merged before they were learned from.
WITHOUT_SAMPLE = (
    "the loss counts pseudo-observations that were placed at merged rows of a source, and the audit "
    "cannot place them from the rows themselves"
)
WITHOUT_HASH = "rows of a source are merged before they are read, so the card has no hash of them"


def _with_pseudo_rows(
    rows: Rows, card: RiskCard, certificate: Certificate, given: TrainingRows | str
) -> Rows:
    """The rows with the pseudo-observations that the certificate states, where these are known."""
    if certificate.all_pseudo_rows == 0 or _is_of_source(card):
        return rows
    features = None
    if isinstance(given, TrainingRows) and given.has_all:
        features = {
            name: FeatureValues(one.values[rows.is_kept], one.levels)
            for name, one in given.table.features.items()
        }
    if rows.rates is None:
        pseudo = pseudo_weights(certificate, is_event(card, rows), rows.weights, features)
        return replace(rows, pseudo=pseudo, has_pseudo_rows=pseudo is not None)
    # shares of the exposure of each row
    average, smooth = (
        one / rows.weights.size for one in (certificate.pseudo_rows, certificate.smooth_rows)
    )
    expected = np.ones(rows.weights.size)
    if smooth > 0:
        if features is None:
            return rows
        expected = smooth_predictions(features, is_event(card, rows), rows.weights, rows.rates)
    return replace(
        rows, rates=rows.rates.with_pseudo_rows(average, smooth, expected), has_pseudo_rows=True
    )


def _is_of_source(card: RiskCard) -> bool:
    """Whether the rows of the card were merged before it was learned from them."""
    return card.recipe is not None and not card.recipe.rows_used


def _rival(card: RiskCard, given: TrainingRows | str, prove: float | None) -> Rival:
    """What a search finds within the kind of the card."""
    if _is_of_source(card):
        return Rival(why_not="the candidates of a card from a source are not known from its rows")
    if isinstance(given, str):
        return Rival(why_not=f"the rows cannot be used: {given}")
    return find_rival(card, given, prove)


def _read_rows(
    card: RiskCard, X: Any, y: Any, sample_weight: Any, further: Mapping[str, Any] | None = None
) -> Rows:
    n_rows, columns = read_by_hand(card, X)
    outcome = read_outcome(card, y, n_rows, further or {}, sample_weight)
    weights = read_weights(sample_weight, n_rows)
    is_kept = weights > 0  # as in training
    if not is_kept.any():
        raise DataError(
            "No row has a weight above 0, so there is nothing to audit. Give the rows that the card "
            "was learned from."
        )
    require_learnable(card, outcome, sample_weight)
    kept = kept_columns(columns, is_kept)
    places = {
        feature.name: places_by_hand(feature, kept[feature.name]) for feature in card.features
    }
    kept_outcome, own = outcome.take(is_kept), weights[is_kept]
    rows = Rows(kept, places, kept_outcome.labels, own, is_kept, X, outcome=kept_outcome)
    if card.kind is None:
        return rows
    return replace(rows, rates=loss_by_hand(card, kept_outcome, is_event(card, rows), own))


def _weighted(card: RiskCard, rows: Rows) -> Rows:
    """The rows with the class weights that loss and bound count."""
    weights = None if card.certificate is None else card.certificate.class_weights
    if weights is None:
        return rows
    factors = np.where(is_event(card, rows), weights.event, weights.no_event)
    return replace(rows, weights=rows.weights * factors)


# --- the card and the rows ----------------------------------------------------------------------


def _check_labels(card: RiskCard, rows: Rows) -> Check:
    found = sorted(set(rows.target.tolist()), key=str)
    shown = (" and " if len(found) == 2 else ", ").join(repr(value) for value in found[:4])
    passed = len(found) == 2 and all(value in card.classes for value in found)
    known = " and ".join(map(repr, sorted(card.classes, key=str)))
    return checked(LABELS, passed, f"the target has {shown}; the card has {known}")


def _check_training(card: RiskCard, rows: Rows) -> Check:
    has_event = is_event(card, rows)
    found = (
        rows.target.size,
        int(has_event.sum()),
        math.fsum(rows.weights),
        math.fsum(rows.weights[has_event]),
    )
    form = f"{{}} rows ({{}} {_called(card)}) of weight {{:.10g}} ({{:.10g}})"
    here = form.format(*found)
    if card.training is None:
        return not_checked(ROWS, f"{here}; the card does not say what it was learned from")
    facts = card.training
    stated = (facts.rows, facts.events, facts.weight, facts.event_weight)
    passed = all(is_close(a, b) for a, b in zip(found, stated, strict=True))
    learned = form.format(*stated)
    if not facts.is_recalibrated:
        return checked(ROWS, passed, f"{here}; learned from {learned}")
    points = facts.points_rows, facts.points_events
    if facts.points_rows:
        learned += ", points learned from {} rows ({} {})".format(*points, _called(card))
    return checked(ROWS, passed or found[:2] == points, f"{here}; scale fitted to {learned}")


def _called(card: RiskCard) -> str:
    """What the rows are called that are counted as events: on a card of another outcome others are."""
    if card.kind is None or card.kind.has_events:
        return "events"
    return "with events" if isinstance(card.kind, Counts) else "in the upper half"


def _is_of_scale(card: RiskCard, X: Any, outcome: RawOutcome, sample_weight: Any) -> bool | None:
    """Whether the scale was fitted to these rows in a recalibration; None where there was none."""
    if card.recipe is None or not card.recipe.scale_rows:
        return None
    has_event = np.asarray(outcome.labels == card.classes[1], dtype=bool)
    weights = read_weights(sample_weight, has_event.size)
    found = hash_for_scale(card, X, has_event, weights, outcome.features)
    return card.recipe.scale_rows == found


def _check_origin(card: RiskCard, given: TrainingRows | str, is_scale: bool | None = None) -> Check:
    """The hashes of the recipe are those of the rows."""
    if card.recipe is None:
        return not_checked(VALUES, "the card has no recipe, and so no hash of its rows")
    by_hash = "by the hash in the recipe"
    if is_scale:
        return checked(VALUES, True, f"those that the scale of the card was fitted to, {by_hash}")
    if isinstance(given, str):
        return not_checked(VALUES, given)
    is_training = given.origin is RowOrigin.TRAINING
    if given.origin is RowOrigin.UNKNOWN:
        why = WITHOUT_HASH if _is_of_source(card) else given.why_not_training
        if is_scale is not None:
            why = (
                "not those that the scale of the card was fitted to; whether its points were learned from "
                f"them cannot be told: {why}"
            )
        return not_checked(VALUES, why)
    if is_scale is None:
        detail = f"as in training, {by_hash}" if is_training else "not those of training"
    elif is_training:
        detail = f"those that the points of the card were learned from, {by_hash}; its scale was fitted to others"
    else:
        detail = (
            "neither those that the points of the card were learned from nor those that its scale was "
            "fitted to"
        )
    return checked(VALUES, is_training, detail)


def _check_counts(card: RiskCard, rows: Rows, has_counts: bool = True) -> Iterator[Check]:
    """The rows and events of each total, where the card has them."""
    counts = () if card.training is None else card.training.totals
    if not counts:
        return
    if not has_counts:
        why = "those on the card are of the rows that its scale was fitted to"
        yield not_checked("counts", why)
        return
    has_event, totals = is_event(card, rows), totals_by_hand(card, rows)
    wrong = []
    for one in counts:
        is_in = (totals >= one.low) & (totals <= one.high)
        found = (is_in, is_in & has_event)
        stated = ((one.rows, one.weight), (one.events, one.event_weight))
        if any(
            int(which.sum()) != number or not is_close(math.fsum(rows.weights[which]), weight)
            for which, (number, weight) in zip(found, stated, strict=True)
        ):
            wrong.append(one)
    counted = sum(one.rows for one in counts)
    passed = not wrong and counted == totals.size
    detail = f"{len(counts)} counts of totals with {counted} rows, of {totals.size}"
    detail += f"; that of {wrong[0].low} to {wrong[0].high} is wrong" if wrong else ""
    yield checked("counts", passed, detail)


def _check_risks(card: RiskCard, rows: Rows) -> Iterator[Check]:
    """The table from total to risk is right, rises, and has every total that occurs."""
    table = {row.total: row.risk for row in card.risk_table()}
    wrong = [
        total
        for total, risk in table.items()
        if abs(risk - risk_at(log_odds_of(card, total))) > ROUNDING
    ]
    risks = [table[total] for total in sorted(table, reverse=card.multiplier < 0)]
    passed = not wrong and all(low <= high for low, high in pairwise(risks))
    detail = f"{len(table)} totals" + (f", the risk of total {wrong[0]} is wrong" if wrong else "")
    yield checked("risk table", passed, detail)
    occurring = set(totals_by_hand(card, rows).tolist())
    absent = sorted(occurring - set(table))
    detail = f"{len(occurring)} occur in the rows"
    detail += f", {absent[0]} is not in the risk table" if absent else ""
    yield checked("totals", not absent, detail)


# --- the classifier -----------------------------------------------------------------------------


def _check_classifier(subject: Any, card: RiskCard, X: Any, rows: Rows) -> Iterator[Check]:
    """The attributes and predictions of the classifier are those of its card."""
    certificate = card.certificate
    if certificate is not None:
        same = (
            is_close(certificate.loss, subject.loss_)
            and is_close(certificate.bound, subject.lower_bound_)
            and str(certificate.status) == str(subject.status_)
        )
        detail = f"loss {certificate.loss:.10g}, bound {certificate.bound:.10g}, "
        yield checked("certificate", same, f"{detail}{str(certificate.status)!r} on the card")
    if card.kind is not None:
        is_ordered = isinstance(card.kind, OrderedLevels)
        given = subject.predict_proba(X) if is_ordered else subject.predict(X)
        stated = np.asarray(given, dtype=np.float64)[rows.is_kept]
        yield check_predictions(card, card.kind, stated, rows)
        return
    classes = np.asarray(subject.classes_).tolist()
    same_classes = classes == sorted(card.classes)
    yield checked("classes", same_classes, f"{classes} against {list(card.classes)} on the card")
    if not same_classes:
        return
    stated = subject.predict_proba(X)[rows.is_kept, classes.index(card.classes[1])]
    by_hand = map(risk_at, log_odds_of(card, totals_by_hand(card, rows)).tolist())
    largest = max(abs(risk - own) for risk, own in zip(stated, by_hand, strict=True))
    detail = f"predict_proba differs from the card by at most {largest:.3g}"
    yield checked("predictions", largest <= ROUNDING, detail)
