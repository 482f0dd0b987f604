"""Descent of a card with whole points: each term in turn replaced by the best there is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riskcard.kernels.exchange import exchange_term
from riskcard.kernels.rows import CALIBRATED, Rows, Rules
from riskcard.search.draft import Draft, balance_points, measure
from riskcard.search.effort import Deadline, Effort

__all__ = ["descend_card", "polish_cuts", "search_cards"]

#: A loss counts as lower when it is lower by this part of itself.
LEAST_GAIN = 1e-9
#: Bins of a look around a cut.
N_WINDOW = 128


def whole_windows(rows: Rows) -> NDArray[np.int64]:
    """Windows that show every cut of every feature."""
    n_bins = np.where(rows.n_cuts > 0, rows.n_cuts + 2, 0)
    return np.stack([np.zeros_like(n_bins), np.zeros_like(n_bins), n_bins], axis=1)


def descend_card(
    rows: Rows, rules: Rules, draft: Draft, n_tries: int, max_steps: int
) -> tuple[Draft, int]:
    """Replace, add and re-balance terms until nothing lowers the loss; also the steps taken."""
    windows, options = whole_windows(rows), step_options(rules)
    slot, settled, steps = 0, 0, 0
    while steps < max_steps:
        n_slots = min(draft.n_terms + 1, rules.max_terms)
        if settled >= n_slots:
            balanced = balance_points(rows, rules, draft)
            if not _is_lower(balanced, draft):
                break
            draft, settled = balanced, 0
            continue
        slot = slot % n_slots
        changed = exchange(rows, rules, draft, slot, options, windows.copy(), n_tries)
        steps += 1
        settled += 1
        if _is_lower(changed, draft):
            draft, settled = changed, 1
        slot += 1
    return draft, steps


def search_cards(
    rows: Rows,
    rules: Rules,
    starts: list[Draft],
    effort: Effort,
    rng: np.random.Generator,
    deadline: Deadline,
) -> list[Draft]:
    """Descend from the starts, then kick the best and descend again, as long as steps are left."""
    found, used = [], 0
    for start in starts:
        draft, steps = descend_card(rows, rules, start, effort.n_tries, 6 * rules.max_terms)
        found.append(draft)
        used += steps
    best = min(found, key=lambda draft: draft.loss)
    while used < effort.card_steps and best.n_terms > 0 and not deadline.is_over():
        kicked = _kick(rows, rules, best, rng)
        draft, steps = descend_card(rows, rules, kicked, effort.n_tries, 6 * rules.max_terms)
        used += max(steps, 1)
        found.append(draft)
        if _is_lower(draft, best):
            best = draft
    return found


def polish_cuts(
    rows: Rows,
    rules: Rules,
    terms: NDArray[np.int64],
    scale: NDArray[np.float64],
    deadline: Deadline,
) -> Draft:
    """Choose each cut again among all near it, in turn, until none moves."""
    draft = measure(rows, rules, terms, scale)
    slot, settled = 0, 0
    options = step_options(rules)
    while settled < draft.n_terms and not deadline.is_over():
        slot = slot % draft.n_terms
        moved = _zoom(rows, rules, draft, slot, options)
        settled += 1
        if _is_lower(moved, draft):
            draft, settled = moved, 1
        slot += 1
        if settled == draft.n_terms:
            balanced = balance_points(rows, rules, draft)
            if _is_lower(balanced, draft):
                draft, settled = balanced, 0
    return draft


def _zoom(
    rows: Rows, rules: Rules, draft: Draft, slot: int, options: NDArray[np.int64]
) -> Draft:
    """The draft with one cut moved: a coarse look around it, then finer ones around the best."""
    feature = int(draft.terms[0, slot])
    reach = max(int(rows.n_cuts[feature]) // 40, 32)
    best = draft
    while True:
        cut, shift = int(best.terms[1, slot]), 0
        while (2 * reach) >> shift > N_WINDOW:
            shift += 1
        low = max(cut - reach, 0)
        n_bins = min((int(rows.n_cuts[feature]) - low) >> shift, N_WINDOW) + 2
        windows = np.zeros((rows.n_cuts.size, 3), dtype=np.int64)
        windows[feature] = low, shift, n_bins
        moved = exchange(rows, rules, best, slot, options, windows, 1)
        if _is_lower(moved, best):
            best = moved
        if shift == 0:
            return best
        reach = 2 << shift


def _kick(rows: Rows, rules: Rules, draft: Draft, rng: np.random.Generator) -> Draft:
    """Put random terms in the place of some, last in order."""
    terms = np.ascontiguousarray(draft.terms[:, rng.permutation(draft.n_terms)])
    n_out = int(rng.integers(1, max(2, min(4, draft.n_terms))))
    usable = np.flatnonzero((rows.n_cuts > 0) & (rules.low < rules.high))
    for slot in range(draft.n_terms - n_out, draft.n_terms):
        f = int(rng.choice(usable))
        jump = int(rng.integers(rules.low[f], rules.high[f] + 1))
        terms[:, slot] = f, rng.integers(rows.n_cuts[f]), jump
    return measure(rows, rules, _allowed(rules, terms), draft.scale)


def _allowed(rules: Rules, terms: NDArray[np.int64]) -> NDArray[np.int64]:
    """The terms that keep the limits, taken in order."""
    kept: list[int] = []
    for term in range(terms.shape[1]):
        feature, cut, jump = terms[:, term]
        same = [k for k in kept if terms[0, k] == feature]
        n_features = len({int(terms[0, k]) for k in kept})
        has_room = len(same) < rules.max_cuts and (same or n_features < rules.max_features)
        if has_room and jump != 0 and all(terms[1, k] != cut for k in same):
            kept.append(term)
    return np.ascontiguousarray(terms[:, kept])


def exchange(
    rows: Rows,
    rules: Rules,
    draft: Draft,
    slot: int,
    options: NDArray[np.int64],
    windows: NDArray[np.int64],
    n_tries: int,
) -> Draft:
    """The draft with the best term in a slot, whether that is better or not."""
    scale = draft.scale.copy()
    loss, feature, cut, jump = exchange_term(
        rows, rules, draft.terms, draft.n_terms, slot, scale, options, windows, n_tries
    )
    if feature < 0:
        return draft
    new = np.array([[feature], [cut], [jump]], dtype=np.int64)
    terms = np.concatenate([draft.terms[:, :slot], new, draft.terms[:, slot + 1 :]], axis=1)
    return Draft(np.ascontiguousarray(terms), scale, float(loss))


def step_options(rules: Rules) -> NDArray[np.int64]:
    """Jumps (calibrated) or shifts (otherwise) that a step tries: all, or an even choice of them."""
    low, high = int(rules.low.min(initial=0)), int(rules.high.max(initial=0))
    if rules.kind == CALIBRATED:
        jumps = np.arange(low, high + 1)
        jumps = jumps[jumps != 0]
        spread = np.linspace(0, jumps.size - 1, min(jumps.size, 12)).round().astype(np.int64)
        return jumps[spread].astype(np.int64)
    largest = max(high, -low)
    stride = 1 + (largest - 1) // 12
    return stride * np.arange(-(largest // stride) - 2, largest // stride + 3, dtype=np.int64)


def _is_lower(one: Draft, other: Draft) -> bool:
    return one.loss < other.loss - LEAST_GAIN * (1.0 + abs(other.loss))
