"""The part of an audit about limits: a card keeps them, and no neighbour refutes its bound.

A card prints its bins and groups, not its terms. From these follow the least number of terms that
gives them their points, and the least that the largest of these terms must be worth.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from riskcard.audit.findings import ROUNDING, Check, checked, not_checked
from riskcard.audit.raw_rows import Feature, Rows, worth
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.origin.certificate import Certificate
from riskcard.model.outcome_kinds import Numbers

#: A change of the totals: one for each row, or the same for all.
Change = NDArray[np.int64] | int


def check_limits(card: RiskCard, limits: Certificate, rows: Rows) -> Iterator[Check]:
    """Terms, features, cuts, points and scale are within what the certificate says."""
    n_terms = [least_terms(feature) for feature in card.features]
    largest = 0
    for feature in card.features:
        most = limits.max_terms - sum(n_terms) + least_terms(feature)
        largest = max(largest, least_points(feature, min(most, limits.max_cuts_per_feature)))
    for name, found, allowed in (
        ("terms", sum(n_terms), limits.max_terms),
        ("features", len(card.features), limits.max_features),
        ("cuts on one feature", max(n_terms, default=0), limits.max_cuts_per_feature),
        ("points of one term", largest, limits.max_points),
    ):
        yield checked(name, found <= allowed, f"{found}, at most {allowed} allowed")
    if limits.min_gain > 0:
        charged, least = limits.charged_terms, sum(n_terms)
        yield checked("charged terms", charged >= least, f"{charged}, at least {least} are needed")
    yield _check_cuts(card, limits, rows)
    yield _check_scale(card, limits, largest)


# --- what a feature needs -----------------------------------------------------------------------


def _special_points(feature: Feature) -> list[int]:
    """The points of values outside the bins: missing values and special codes."""
    return [int(points) for points in worth(feature)[len(feature.points) :]]


def least_terms(feature: Feature) -> int:
    """The least number of terms on a feature that give its bins or groups their points.

    Two values with different points must be on different sides of some term. So every change from
    a bin to the next needs a term, and so does every number of points that special values alone
    have; groups without an order need one term fewer than they have different points.
    """
    special = set(_special_points(feature))
    if not feature.is_ordered:
        return len({*feature.points, *special}) - 1
    changes = sum(left != right for left, right in pairwise(feature.points))
    return changes + len(special - set(feature.points))


def least_points(feature: Feature, most_terms: int) -> int:
    """The least that the largest of at most ``most_terms`` terms on a feature must be worth.

    Terms on one feature, any two of which divide its values into at most three groups, are the
    edges of a tree whose nodes are the groups; an edge is worth the difference of its ends. A node
    without a value has at least three edges. So a step between neighbouring numbers of points
    is divided among ``k + 1`` terms only if ``k`` empty nodes lie between, which takes ``2 k + 1``
    terms. A step from a bin to the next may pass the nodes of special values too: it is divided
    among at most one term more than there are special values.
    """
    special = _special_points(feature)
    points = sorted({*feature.points, *special})
    gap = max((right - left for left, right in pairwise(points)), default=0)
    most_parts = max(1, (most_terms + 1) // 2)
    if not feature.is_ordered:
        return -(-gap // most_parts)
    jump = max((abs(left - right) for left, right in pairwise(feature.points)), default=0)
    most_at_a_cut = max(1, min(1 + len(special), most_terms))
    return max(-(-jump // most_at_a_cut), -(-gap // min(most_at_a_cut, most_parts)))


def _check_cuts(card: RiskCard, limits: Certificate, rows: Rows) -> Check:
    """Every feature is worth points, every bin has rows, and every cut is worth points.

    Rules can ask for cuts where there are no rows.
    """
    for feature in card.features:
        if least_terms(feature) == 0:
            return checked("cuts", False, f"{feature.name!r} is used but worth the same for all")
        if limits.rules:
            continue
        occurs = np.bincount(rows.places[feature.name], minlength=len(feature.points)) > 0
        for place in range(len(feature.points)):
            if not occurs[place]:
                return checked(
                    "cuts", False, f"no row has {feature.name!r} {_words(feature, place)}"
                )
        is_flat = any(left == right for left, right in pairwise(feature.points))
        if isinstance(feature, FeaturePoints) and is_flat:
            return checked("cuts", False, f"a cut of {feature.name!r} is worth no points")
    if limits.rules:
        return not_checked("cuts", "rules can ask for cuts without rows or points")
    return checked("cuts", True, "every cut has rows on either side and is worth points")


def _words(feature: Feature, place: int) -> str:
    if isinstance(feature, LevelPoints):
        return f"among {feature.groups[place]}"
    edges = [-math.inf, *feature.cuts, math.inf]
    return f"in ({edges[place]:g}, {edges[place + 1]:g}]"


def _check_scale(card: RiskCard, limits: Certificate, largest: int) -> Check:
    figures = f"base {card.base}, multiplier {card.multiplier:.10g}, offset {card.offset:.10g}"
    is_free = limits.scale in ("calibrated", "multiplier")
    steepest = largest / abs(card.multiplier)
    wrong, what = "", "log-odds" if card.kind is None else "logarithm of the hazard or rate"
    if isinstance(card.kind, Numbers):
        steepest, what = steepest / card.kind.deviation, "number, in standard deviations,"
    if limits.scale == "calibrated" and card.base != 0:
        wrong = "the base of a calibrated card is 0"
    elif limits.scale != "calibrated" and card.offset != 0:
        wrong = "an integer base leaves no room for an offset"
    elif not is_free and card.multiplier != limits.scale:
        wrong = f"the multiplier was given as {limits.scale}"
    elif card.multiplier < 0:
        wrong = "the risk on a fitted card rises with the total"
    elif is_free and steepest > limits.max_log_odds * (1 + ROUNDING):
        wrong = f"one term moves the {what} by {steepest:.6g}, the limit is {limits.max_log_odds:g}"
    return checked(
        "scale", not wrong, f"{limits.scale}: {figures}" + (f"; {wrong}" if wrong else "")
    )


# --- cards one step away ------------------------------------------------------------------------


def one_step_changes(
    card: RiskCard, limits: Certificate, rows: Rows
) -> Iterator[tuple[Change, int, str]]:
    """Changes of the totals that lead to cards certainly allowed: each with its number of terms, in words.

    One point more or less at a cut or for a group, a dropped term, a cut moved by one value.
    Features with special codes, or with values that were too rare to be judged, are not changed.
    """
    n_terms = sure_terms(card, limits)
    if limits.scale != "calibrated":
        yield from ((step, n_terms, f"a base of {card.base + step}") for step in (-1, 1))
    for feature in card.features:
        if feature.codes or feature.too_few:  # a value that stands for another moves with it
            continue
        room = limits.max_terms - n_terms + least_terms(feature)
        for changed, what in _other_points(feature):
            if is_surely_allowed(changed, card, limits, room):
                change = worth(changed) - worth(feature)
                needed = n_terms - least_terms(feature) + least_terms(changed)
                yield change[rows.places[feature.name]], needed, f"{what} of {feature.name!r}"
        if isinstance(feature, FeaturePoints) and limits.is_grid_full:
            yield from ((change, n_terms, what) for change, what in _moved_cuts(feature, rows))


def sure_terms(card: RiskCard, limits: Certificate) -> int:
    """A number of terms that certainly gives a card of the kind its points.

    It is the least number, unless points are too far apart for that; then it is the largest allowed.
    """
    least = sum(map(least_terms, card.features))
    is_enough = all(
        is_surely_allowed(feature, card, limits, least_terms(feature)) for feature in card.features
    )
    return least if is_enough else limits.max_terms


def is_surely_allowed(feature: Feature, card: RiskCard, limits: Certificate, room: int) -> bool:
    """Whether some terms within all limits certainly give these points; False when in doubt."""
    largest = float(limits.max_points)
    if limits.scale in ("calibrated", "multiplier"):
        largest = min(largest, limits.max_log_odds * abs(card.multiplier))
    n_terms = least_terms(feature)
    if n_terms > min(room, limits.max_cuts_per_feature):
        return False
    if not feature.is_ordered:
        points = sorted({*feature.points, *_special_points(feature)})
        return all(right - left <= largest for left, right in pairwise(points))
    own = set(_special_points(feature)) - set(feature.points)
    return all(abs(right - left) <= largest for left, right in pairwise(feature.points)) and all(
        min(abs(points - value) for value in feature.points) <= largest for points in own
    )


def _other_points(feature: Feature) -> Iterator[tuple[Feature, str]]:
    if feature.is_ordered:
        yield from _other_jumps(feature)
    else:
        for place, points in enumerate(feature.points):
            others = {points - 1, points + 1, *feature.points} - {points}
            for new in others:
                changed = [*feature.points[:place], new, *feature.points[place + 1 :]]
                words = f"{new} instead of {points} points for a group"
                yield replace(feature, points=tuple(changed)), words
    if feature.missing is not None:
        for new in {feature.missing - 1, feature.missing + 1, *feature.points} - {feature.missing}:
            words = f"{new} instead of {feature.missing} points for missing values"
            yield replace(feature, missing=new), words


def _other_jumps(feature: Feature) -> Iterator[tuple[Feature, str]]:
    """All bins up to a cut change by the same amount, and so do missing values with the points of one of them."""
    for place, (left, right) in enumerate(pairwise(feature.points)):
        jump = left - right
        for new in {0, jump - 1, jump + 1} - {jump}:
            step = new - jump
            lower = [points + step for points in feature.points[: place + 1]]
            missing = feature.missing
            if missing is not None and missing in feature.points[: place + 1]:
                missing += step
            changed = replace(
                feature, points=(*lower, *feature.points[place + 1 :]), missing=missing
            )
            yield changed, f"{new} instead of {jump} points at change {place + 1}"


def _moved_cuts(feature: FeaturePoints, rows: Rows) -> Iterator[tuple[Change, str]]:
    """A cut moved by one value of the data; missing values stay on their side."""
    column = rows.columns[feature.name]
    values = np.unique(column[~np.isnan(column)])
    jumps = [left - right for left, right in pairwise(feature.points)]
    for cut, jump in zip(feature.cuts, jumps, strict=True):
        place = int(np.searchsorted(values, cut, side="right"))  # values[:place] are below
        for other in (place - 2, place):
            if not 0 <= other < values.size - 1:
                continue
            taken = [one for one in feature.cuts if one != cut]
            if not any(values[other] <= one < values[other + 1] for one in taken):
                moved = (column <= values[other]).astype(np.int64) - (column <= cut)
                what = f"moving the cut of {feature.name!r} at {cut:g} to {values[other]:g}"
                yield jump * moved, what
