"""The limits of a card as the search reads them: which conditions are allowed next to others."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riskcard.arrays import Booleans, Integers
from riskcard.kernels.scale import CALIBRATED, FIXED, MULTIPLIER
from riskcard.problem.atoms import Atoms
from riskcard.problem.problem import Problem
from riskcard.problem.restrictions import Restrictions
from riskcard.search.heuristic.binned_rows import Rows
from riskcard.search.plan import PLAN, SearchPlan

#: Sums of costs that exceed a budget by no more than this part of it are within the budget.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Rules:
    """The limits and the scale of a problem as the search reads them, and its plan.

    ``is_usable`` says which columns have a condition and a jump. ``options`` are the jumps
    (calibrated) or shifts (otherwise) that a step tries. ``kind`` and ``bound`` are those of
    ``fit_scale``. ``is_simple``: only the size of the card is restricted.
    """

    max_terms: int
    max_features: int
    max_cuts: Integers  # on each feature
    feature_of: Integers  # of each column
    low: Integers  # smallest jump of each column
    high: Integers  # largest jump of each column
    is_usable: Booleans
    signs: Integers  # 1 if a jump may be negative, plus 2 if it may be positive
    options: Integers
    kind: int
    bound: float
    restrictions: Restrictions
    atoms: tuple[Atoms | None, ...]
    is_simple: bool
    has_closed: bool  # conditions may be closed, by themselves or by others
    is_static: bool  # terms limit each other by their number only
    plan: SearchPlan

    @property
    def patience(self) -> int:
        """Perturbations in a row that led to nothing better, after which a chain ends."""
        return self.plan.patience + self.max_cuts.size * self.max_terms


def rules_of(problem: Problem, plan: SearchPlan = PLAN) -> Rules:
    """The rules of a problem."""
    kinds = {"fixed": FIXED, "multiplier": MULTIPLIER, "calibrated": CALIBRATED}
    limits, scale, restrictions = problem.limits, problem.scale, problem.restrictions
    low, high = problem.jump_low.astype(np.int64), problem.jump_high.astype(np.int64)
    is_paired = any(clashes is not None for clashes in restrictions.clashes)
    is_by_card = restrictions.is_by_card
    max_cuts = np.minimum(restrictions.max_cuts, limits.max_cuts_per_feature)
    return Rules(
        max_terms=limits.max_terms,
        max_features=limits.max_features,
        max_cuts=max_cuts,
        feature_of=problem.data.feature_of,
        low=low,
        high=high,
        is_usable=problem.is_usable,
        signs=1 * (low < 0) + 2 * (high > 0),
        options=_step_options(
            scale.kind, int(low.min(initial=0)), int(high.max(initial=0)), plan.most_jumps_tried
        ),
        kind=kinds[scale.kind],
        bound=1.0 / scale.multiplier if scale.kind == "fixed" else scale.limit,
        restrictions=restrictions,
        atoms=problem.data.atoms,
        is_simple=not is_by_card
        and limits.max_terms
        <= min(int(max_cuts.min(initial=limits.max_terms)), limits.max_features),
        has_closed=is_paired or any(closed.any() for closed in restrictions.is_closed),
        is_static=not (is_paired or restrictions.depends_on_terms),
        plan=plan,
    )


def room_for_terms(rules: Rules, columns: Integers, must_come_first: bool = True) -> Booleans:
    """Whether each column may take one more term next to those on ``columns``.

    With ``must_come_first`` only features that must be used have room while one is missing.
    """
    if rules.is_simple:
        return rules.is_usable
    used = np.bincount(rules.feature_of[columns], minlength=rules.max_cuts.size)
    has_room = (used < rules.max_cuts) & _may_come(rules, used > 0)
    missing = rules.restrictions.must_use & (used == 0)
    if must_come_first and missing.any():
        has_room &= missing
    return rules.is_usable & has_room[rules.feature_of]


def _may_come(rules: Rules, is_used: Booleans) -> Booleans:
    """Which features may be on the card, given those that are."""
    restrictions = rules.restrictions
    may = np.full(is_used.size, np.count_nonzero(is_used) < rules.max_features)
    if np.isfinite(restrictions.budget):
        left = restrictions.budget - restrictions.costs[is_used].sum()
        may &= restrictions.costs <= left + ROUNDING * restrictions.budget
    for members, most in zip(restrictions.groups, restrictions.at_most, strict=True):
        if np.count_nonzero(members & is_used) >= most:
            may &= ~members
    return may | is_used


def missing_features(rules: Rules, columns: Integers) -> Integers:
    """The features that must be used and are not."""
    is_missing = rules.restrictions.must_use.copy()
    is_missing[rules.feature_of[columns]] = False
    return np.flatnonzero(is_missing)


def required_conditions(rules: Rules, rows: Rows) -> Integers:
    """A condition of every feature that must be used, as far as they are allowed together.

    A set begins with them, because features come in that promise something, and these have to be
    there even if they promise nothing.
    """
    terms = np.zeros((2, 0), dtype=np.int64)
    for feature in np.flatnonzero(rules.restrictions.must_use):
        is_open = np.repeat(rules.is_usable & (rules.feature_of == feature), rows.n_cuts)
        closed = closed_cuts(rules, rows, terms)
        places = np.flatnonzero(is_open & (closed == 0) if closed.size else is_open)
        if places.size:
            place = places[places.size // 2]
            column = int(np.searchsorted(rows.starts, place, side="right")) - 1
            own = np.array([[column], [place - rows.starts[column]]], dtype=np.int64)
            terms = np.concatenate([terms, own], axis=1)
    return np.ascontiguousarray(keep_allowed(rules, rows, terms))


def closed_cuts(rules: Rules, rows: Rows, terms: Integers) -> NDArray[np.uint8]:
    """1 for every condition of the rows that is not allowed next to terms (2 or 3, terms).

    The conditions of all columns follow one another; empty when none can be closed.
    """
    if not rules.has_closed:
        return np.zeros(0, dtype=np.uint8)
    restrictions = rules.restrictions
    parts = [closed.copy() for closed in restrictions.is_closed]
    by_feature: dict[int, list[tuple[int, int]]] = {}
    for column, cut in rows.restore(terms)[:2].T:
        clashes, feature = restrictions.clashes[column], int(rules.feature_of[column])
        if clashes is None:
            continue
        first = int(np.searchsorted(rules.feature_of, feature))
        by_feature.setdefault(feature, []).append((int(column) - first, int(cut)))
        for other, (low, high) in enumerate(clashes[cut]):
            parts[first + other][max(low + 1, 0) : max(high, 0)] = True
    # the clashes know what two terms leave of a group, but not what three leave
    for feature, own in by_feature.items() if restrictions.least != (1, 0) else ():
        atoms = rules.atoms[feature]
        if atoms is not None and len(own) > 1:
            groups, first = atoms.groups(own), int(np.searchsorted(rules.feature_of, feature))
            for other in range(atoms.n_columns):
                parts[first + other] |= ~atoms.divides_well(other, groups, restrictions.least)
    if rows.original is not None:
        parts = [part[kept] for part, kept in zip(parts, rows.original, strict=True)]
    return np.concatenate(parts).astype(np.uint8)


def keep_allowed(rules: Rules, rows: Rows, terms: Integers) -> Integers:
    """The terms (2 or 3, terms) that keep the limits and repeat no condition, taken in order."""
    kept: list[int] = []
    starts = rows.starts
    closed = closed_cuts(rules, rows, terms[:, :0])
    for term in range(terms.shape[1]):
        column, cut = terms[:2, term]
        is_new = all(terms[0, k] != column or terms[1, k] != cut for k in kept)
        if not (is_new and room_for_terms(rules, terms[0, kept], must_come_first=False)[column]):
            continue
        if not rules.is_static:  # what is closed depends on the terms
            closed = closed_cuts(rules, rows, terms[:, kept])
        if not (rules.has_closed and closed[starts[column] + cut]):
            kept.append(term)
    return np.ascontiguousarray(terms[:, kept])


def _step_options(kind: str, low: int, high: int, most: int) -> Integers:
    """All jumps or shifts, or an even choice of them where there are more than ``most``."""
    if kind == "calibrated":
        jumps = np.r_[low:0, 1 : high + 1]
        spread = np.linspace(0, jumps.size - 1, min(jumps.size, most)).round().astype(np.int64)
        chosen: Integers = jumps[spread].astype(np.int64)
        return chosen
    largest = max(high, -low, 1)
    stride = 1 + (largest - 1) // most
    return stride * np.arange(-(largest // stride) - 2, largest // stride + 3, dtype=np.int64)
