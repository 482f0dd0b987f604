"""The audit: everything a card claims, recomputed from raw rows by slow and obvious code."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riskcard.errors import ParameterError
from riskcard.problem.certificate import Certificate
from riskcard.problem.problem import LOG_ODDS_LIMIT
from riskcard.problem.records import take_columns
from riskcard.problem.result import OPTIMALITY_TOLERANCE, Status
from riskcard.problem.riskcard import FeaturePoints, RiskCard
from riskcard.problem.table import read_target, read_weights

__all__ = ["AuditReport", "Check", "audit"]

#: Two numbers that should be the same may differ by this much, relatively, through rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Check:
    """One claim, whether it holds, and the figures that show it."""

    name: str
    passed: bool
    detail: str

    def __str__(self) -> str:
        return f"{'ok    ' if self.passed else 'FAILED'}  {self.name}: {self.detail}"


@dataclass(frozen=True, slots=True)
class AuditReport:
    """All checks of one audit.

    Attributes
    ----------
    checks
        In the order in which they were made.
    loss
        The loss of the card on the rows given, recomputed.
    """

    checks: tuple[Check, ...]
    loss: float

    @property
    def passed(self) -> bool:
        """Every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that did not pass."""
        return tuple(check for check in self.checks if not check.passed)

    def __str__(self) -> str:
        failed = len(self.failures)
        verdict = (
            f"{failed} of {len(self.checks)} checks failed." if failed else "All checks passed."
        )
        return "\n".join([*map(str, self.checks), verdict])


@dataclass(frozen=True, slots=True)
class _Rows:
    """The raw rows: the columns the card uses, the target, the weights; without weightless rows."""

    columns: dict[str, NDArray[np.float64]]
    target: NDArray[Any]
    weights: NDArray[np.float64]
    is_kept: NDArray[np.bool_]  # which of the rows given these are


@dataclass(frozen=True, slots=True)
class _Claims:
    """What is said about the card."""

    loss: float
    bound: float
    gap: float
    status: str
    wanted_gap: float | None  # None when it is not known


def audit(subject: Any, X: Any, y: Any, sample_weight: Any = None) -> AuditReport:
    """Check a card, and all that is said about it, against the rows it was learned from.

    Recomputed from the card as it is printed, the raw values and the weights: that the card is
    within its limits, its loss, the gap, whether the status follows from the gap, that no card one
    step away is below the bound, the classes and the table of risks. What an audit cannot do
    is prove the bound again.

    Parameters
    ----------
    subject
        A fitted ``RiskScoreClassifier``, or a ``RiskCard`` with its certificate.
    X, y, sample_weight
        The training rows, as they were given to ``fit``.

    Examples
    --------
    >>> from riskcard import FeaturePoints, RiskCard
    >>> card = RiskCard([FeaturePoints("age", [60], [0, 3])], base=-1)
    >>> report = audit(card, [[50.0], [70.0], [80.0]], [0, 1, 1])
    >>> report.passed, report.failures[0].name
    (False, 'certificate')
    """
    card = _card_of(subject)
    rows = _read_rows(card, X, y, sample_weight)
    loss = _loss(card, rows)
    checks = [_check_labels(card, rows), _check_training(card, rows), *_check_risks(card, rows)]
    if card.certificate is None:
        missing = "the card has none, so nothing is claimed about its loss"
        checks.append(Check("certificate", False, missing))
    else:
        claims = _claims_of(subject, card.certificate)
        checks += _check_limits(card, card.certificate, rows)
        checks += _check_claims(claims, loss)
        checks.append(_check_neighbours(card, rows, claims.bound))
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


def _read_rows(card: RiskCard, X: Any, y: Any, sample_weight: Any) -> _Rows:
    used = [feature.name for feature in card.features]
    n_rows, columns = take_columns(X, card.feature_names, used)
    target = read_target(y, n_rows)
    weights = read_weights(sample_weight, n_rows)
    is_kept = weights > 0  # as in training
    columns = {name: column[is_kept] for name, column in columns.items()}
    return _Rows(columns, target[is_kept], weights[is_kept], is_kept)


def _claims_of(subject: Any, certificate: Certificate) -> _Claims:
    if isinstance(subject, RiskCard):
        status = str(certificate.status)
        return _Claims(certificate.loss, certificate.bound, certificate.gap, status, None)
    return _Claims(
        subject.loss_, subject.lower_bound_, subject.gap_, str(subject.status_), subject.gap
    )


# --- adding up the card by hand -----------------------------------------------------------------


def _points(feature: FeaturePoints, column: NDArray[np.float64]) -> NDArray[np.int64]:
    """Points of each row: start in the lowest bin and move up past every cut below the value."""
    points = np.full(column.size, feature.points[0], dtype=np.int64)
    for cut, above in zip(feature.cuts, feature.points[1:], strict=True):
        points[column > cut] = above
    return points


def _totals(card: RiskCard, rows: _Rows) -> NDArray[np.int64]:
    totals = np.full(rows.target.size, card.base, dtype=np.int64)
    for feature in card.features:
        totals += _points(feature, rows.columns[feature.name])
    return totals


def _is_event(card: RiskCard, rows: _Rows) -> NDArray[np.bool_]:
    return np.array(rows.target == card.classes[1], dtype=bool)


def _loss_at(
    log_odds: NDArray[np.float64], is_event: NDArray[np.bool_], weights: NDArray[np.float64]
) -> float:
    margin = np.where(is_event, log_odds, -log_odds)
    # log(1 + exp(-margin)), written so that nothing overflows
    losses = np.log1p(np.exp(-np.abs(margin))) + np.maximum(-margin, 0.0)
    return math.fsum(weights * losses)


def _loss(card: RiskCard, rows: _Rows) -> float:
    log_odds = _totals(card, rows) / card.multiplier + card.offset
    return _loss_at(log_odds, _is_event(card, rows), rows.weights)


def _is_close(left: float, right: float) -> bool:
    return abs(left - right) <= ROUNDING * max(abs(left), abs(right))


# --- the card and the rows ----------------------------------------------------------------------


def _check_labels(card: RiskCard, rows: _Rows) -> Check:
    found = sorted(set(rows.target.tolist()), key=str)
    shown = ", ".join(repr(value) for value in found[:4])
    passed = len(found) == 2 and all(value in card.classes for value in found)
    return Check("labels", passed, f"the target has {shown}; the card has {card.classes}")


def _check_training(card: RiskCard, rows: _Rows) -> Check:
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


def _check_risks(card: RiskCard, rows: _Rows) -> Iterator[Check]:
    """The table from total to risk: right, rising, and with every total that occurs."""
    table = {row.total: row.risk for row in card.risk_table()}
    wrong = [
        total
        for total, risk in table.items()
        if abs(risk - _risk(total / card.multiplier + card.offset)) > ROUNDING
    ]
    risks = [table[total] for total in sorted(table)]
    passed = not wrong and all(low <= high for low, high in pairwise(risks))
    detail = f"{len(table)} totals" + (f", the risk of total {wrong[0]} is wrong" if wrong else "")
    yield Check("risk table", passed, detail)
    occurring = set(_totals(card, rows).tolist())
    absent = sorted(occurring - set(table))
    detail = f"{len(occurring)} occur in the rows"
    detail += f", {absent[0]} is not in the risk table" if absent else ""
    yield Check("totals", not absent, detail)


def _risk(log_odds: float) -> float:
    if log_odds >= 0:
        return 1 / (1 + math.exp(-log_odds))
    return math.exp(log_odds) / (1 + math.exp(log_odds))


# --- the limits ---------------------------------------------------------------------------------


def _jumps(feature: FeaturePoints) -> list[int]:
    return [left - right for left, right in pairwise(feature.points)]


def _check_limits(card: RiskCard, limits: Certificate, rows: _Rows) -> Iterator[Check]:
    jumps = [jump for feature in card.features for jump in _jumps(feature)]
    most_cuts = max((len(feature.cuts) for feature in card.features), default=0)
    largest = max(map(abs, jumps), default=0)
    for name, found, allowed in (
        ("terms", len(jumps), limits.max_terms),
        ("features", len(card.features), limits.max_features),
        ("cuts on one feature", most_cuts, limits.max_cuts_per_feature),
        ("points of one term", largest, limits.max_points),
    ):
        yield Check(name, found <= allowed, f"{found}, at most {allowed} allowed")
    yield _check_cuts(card, rows)
    yield _check_scale(card, limits, largest)


def _check_cuts(card: RiskCard, rows: _Rows) -> Check:
    """Cuts ascend, every bin has rows, and every cut is worth points."""
    for feature in card.features:
        column = rows.columns[feature.name]
        edges = [-math.inf, *feature.cuts, math.inf]
        if not feature.cuts:
            return Check("cuts", False, f"{feature.name!r} is used without a cut")
        for low, high in pairwise(edges):
            if not np.any((column > low) & (column <= high)):
                return Check("cuts", False, f"no row has {feature.name!r} in ({low:g}, {high:g}]")
        if 0 in _jumps(feature):
            return Check("cuts", False, f"a cut of {feature.name!r} is worth no points")
    return Check("cuts", True, "every cut has rows on either side and is worth points")


def _check_scale(card: RiskCard, limits: Certificate, largest: int) -> Check:
    figures = f"base {card.base}, multiplier {card.multiplier:.10g}, offset {card.offset:.10g}"
    is_free = limits.scale in ("calibrated", "multiplier")
    steepest = largest / card.multiplier
    wrong = ""
    if limits.scale == "calibrated" and card.base != 0:
        wrong = "the base of a calibrated card is 0"
    elif limits.scale != "calibrated" and card.offset != 0:
        wrong = "an integer base leaves no room for an offset"
    elif not is_free and card.multiplier != limits.scale:
        wrong = f"the multiplier was given as {limits.scale}"
    elif is_free and steepest > LOG_ODDS_LIMIT * (1 + ROUNDING):
        wrong = f"one term moves the log-odds by {steepest:.6g}, the limit is {LOG_ODDS_LIMIT:g}"
    return Check("scale", not wrong, f"{limits.scale}: {figures}" + (f"; {wrong}" if wrong else ""))


# --- the claims ---------------------------------------------------------------------------------


def _check_claims(claims: _Claims, loss: float) -> Iterator[Check]:
    same_loss = _is_close(claims.loss, loss)
    yield Check("loss", same_loss, f"stated {claims.loss:.10g}, recomputed {loss:.10g}")
    valid = 0 <= claims.bound <= loss * (1 + ROUNDING)
    yield Check("bound", valid, f"stated {claims.bound:.10g}, the loss is {loss:.10g}")
    gap = min(1.0, max(0.0, (loss - claims.bound) / loss)) if loss > 0 else 0.0
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


def _check_neighbours(card: RiskCard, rows: _Rows, bound: float) -> Check:
    """A bound holds for every card: try the allowed cards one step away, at the same scale."""
    is_event = _is_event(card, rows)
    totals = _totals(card, rows)
    lowest, what, tried = math.inf, "", 0
    for change, name in _one_step_changes(card, rows):
        log_odds = (totals + change) / card.multiplier + card.offset
        loss = _loss_at(log_odds, is_event, rows.weights)
        tried += 1
        if loss < lowest:
            lowest, what = loss, name
    passed = tried == 0 or bound <= lowest * (1 + ROUNDING)
    detail = f"{tried} cards one step away are not below the bound"
    if not passed:
        detail = f"{what} gives the loss {lowest:.10g}, below the bound {bound:.10g}"
    return Check("neighbours", passed, detail)


def _one_step_changes(card: RiskCard, rows: _Rows) -> Iterator[tuple[NDArray[np.int64] | int, str]]:
    """Changes of the totals: a point more or less, a term dropped, a cut moved by one value."""
    limits = card.certificate
    if limits is None:
        return
    if limits.scale != "calibrated":
        yield from ((step, f"a base of {card.base + step}") for step in (-1, 1))
    for feature in card.features:
        column = rows.columns[feature.name]
        values = np.unique(column)
        for cut, jump in zip(feature.cuts, _jumps(feature), strict=True):
            where = f"{feature.name!r} at {cut:g}"
            is_below = (column <= cut).astype(np.int64)
            for new in {0, jump - 1, jump + 1}:
                is_allowed = abs(new) <= limits.max_points
                too_steep = limits.scale in ("calibrated", "multiplier") and (
                    abs(new) / card.multiplier > LOG_ODDS_LIMIT
                )
                if is_allowed and not too_steep:
                    yield (new - jump) * is_below, f"{new} instead of {jump} points for {where}"
            if not limits.is_grid_full:
                continue
            place = int(np.searchsorted(values, cut, side="right"))  # values[:place] are below
            for other in (place - 2, place):
                taken = [c for c in feature.cuts if 0 <= other < values.size - 1 and c != cut]
                collides = any(values[other] <= c < values[other + 1] for c in taken)
                if 0 <= other < values.size - 1 and not collides:
                    moved = (column <= values[other]).astype(np.int64) - is_below
                    yield jump * moved, f"moving the cut of {where} to {values[other]:g}"


# --- the classifier -----------------------------------------------------------------------------


def _check_classifier(subject: Any, card: RiskCard, X: Any, rows: _Rows) -> Iterator[Check]:
    """The classifier says and does what its card does."""
    certificate = card.certificate
    if certificate is not None:
        same = (
            _is_close(certificate.loss, subject.loss_)
            and _is_close(certificate.bound, subject.lower_bound_)
            and str(certificate.status) == str(subject.status_)
        )
        detail = f"loss {certificate.loss:.10g}, bound {certificate.bound:.10g}, "
        yield Check("certificate", same, f"{detail}{str(certificate.status)!r} on the card")
    same_classes = list(subject.classes_) == list(card.classes)
    detail = f"{list(subject.classes_)} against {list(card.classes)} on the card"
    yield Check("classes", same_classes, detail)
    totals = _totals(card, rows)
    by_hand = {
        total: _risk(total / card.multiplier + card.offset) for total in set(totals.tolist())
    }
    stated = subject.predict_proba(X)[rows.is_kept, 1]
    wrong = [
        abs(risk - by_hand[total]) for risk, total in zip(stated, totals.tolist(), strict=True)
    ]
    detail = f"predict_proba differs from the card by at most {max(wrong, default=0.0):.3g}"
    yield Check("predictions", max(wrong, default=0.0) <= ROUNDING, detail)
