"""Descent of a card with whole points: each term in turn is replaced by the best one."""

import numpy as np

from riskcard.arrays import Floats, Integers
from riskcard.kernels.heuristic.exchange import fit_offers, scan_jumps, scan_shifts
from riskcard.kernels.scale import CALIBRATED
from riskcard.kernels.scores import score_rows
from riskcard.search.deadline import Deadline
from riskcard.search.heuristic.binned_rows import Rows
from riskcard.search.heuristic.card_room import (
    Rules,
    closed_cuts,
    keep_allowed,
    missing_features,
    room_for_terms,
)
from riskcard.search.heuristic.draft import Draft, balance_points, measure
from riskcard.search.plan import SearchPlan


def search_cards(
    rows: Rows,
    rules: Rules,
    start: Draft,
    n_tries: int,
    max_steps: int,
    rng: np.random.Generator,
    deadline: Deadline,
) -> list[Draft]:
    """Perturb the best card and descend again while steps are left; all cards reached."""
    best, found, used, failed = start, [], 0, 0
    while used < max_steps and failed < rules.patience and not deadline.is_over():
        perturbed = _perturb(rows, rules, best, rng)
        draft, steps = descend_card(rows, rules, perturbed, n_tries)
        used += max(steps, 1)
        found.append(draft)
        failed += 1
        if is_lower(draft, best, rules.plan):
            best, failed = draft, 0
    return found


def descend_card(rows: Rows, rules: Rules, draft: Draft, n_tries: int) -> tuple[Draft, int]:
    """Replace, add and re-balance terms until nothing lowers the loss; also the steps taken."""
    windows = whole_windows(rows, rules)
    slot, settled, steps = 0, 0, 0
    while True:
        n_slots = min(draft.n_terms + 1, rules.max_terms)
        if settled >= n_slots:
            balanced = balance_points(rows, rules, draft)
            if not is_lower(balanced, draft, rules.plan):
                return draft, steps
            draft, settled = balanced, 0
        slot = slot % min(draft.n_terms + 1, rules.max_terms)
        changed = exchange(rows, rules, draft, slot, windows, n_tries)
        steps += 1
        settled += 1
        slot += 1
        if is_lower(changed, draft, rules.plan):
            draft, settled = changed, 1


def polish_cuts(rows: Rows, rules: Rules, draft: Draft, deadline: Deadline) -> Draft:
    """Choose each cut again among all near it, in turn, until none moves."""
    slot, settled = 0, 0
    while settled < draft.n_terms and not deadline.is_over():
        slot = slot % draft.n_terms
        moved = zoom_cut(rows, rules, draft, slot)
        settled += 1
        slot += 1
        if is_lower(moved, draft, rules.plan):
            draft, settled = moved, 1
        if settled == draft.n_terms:
            balanced = balance_points(rows, rules, draft)
            if is_lower(balanced, draft, rules.plan):
                draft, settled = balanced, 0
    return draft


def complete_card(rows: Rows, rules: Rules, draft: Draft) -> Draft:
    """The draft with terms on every feature that must be used, as far as that is possible."""
    for feature in missing_features(rules, draft.terms[0]):
        slots = range(min(draft.n_terms + 1, rules.max_terms))
        offers = [_add_feature(rows, rules, draft, slot, int(feature)) for slot in slots]
        added = [offer for offer in offers if offer is not None]
        draft = min(added, key=lambda offer: offer.loss, default=draft)
    return draft


def _add_feature(rows: Rows, rules: Rules, draft: Draft, slot: int, feature: int) -> Draft | None:
    """The draft with a term on a feature in a slot, even if useless; None if not allowed."""
    windows = whole_windows(rows, rules)
    windows[rules.feature_of != feature, 2] = 0
    offer = exchange(rows, rules, draft, slot, windows, windows.shape[0])
    if feature in rules.feature_of[offer.terms[0]]:
        return offer
    others = np.delete(draft.terms, slot, axis=1) if slot < draft.n_terms else draft.terms
    is_open = np.repeat(
        room_for_terms(rules, others[0]) & (rules.feature_of == feature), rows.n_cuts
    )
    closed = closed_cuts(rules, rows, others)
    is_open &= (closed == 0) if closed.size else True
    places = np.flatnonzero(is_open)
    best = None
    for place in places[:: 1 + places.size // rules.plan.most_forced]:
        column = int(np.searchsorted(rows.starts, place, side="right")) - 1
        for jump in (-1, 1):
            if rules.low[column] <= jump <= rules.high[column]:
                term = np.array([[column], [place - rows.starts[column]], [jump]])
                forced = measure(rows, rules, np.concatenate([others, term], axis=1), draft.scale)
                best = forced if best is None or forced.loss < best.loss else best
    return best


def exchange(
    rows: Rows, rules: Rules, draft: Draft, slot: int, windows: Integers, n_tries: int
) -> Draft:
    """The draft with the best term in a slot, whether that is better or not.

    ``windows`` are those of ``scan_jumps``. The scan ranks the columns; the best terms of the
    first ``n_tries`` are measured exactly. A slot after the last term adds one.
    """
    others, offers = _offers(rows, rules, draft, slot, windows, n_tries)
    if not len(offers):
        return draft
    return _with_offer(others, slot, offers[offers[:, 0].argmin()])


def offers_for_slot(
    rows: Rows, rules: Rules, draft: Draft, slot: int, windows: Integers, n_tries: int
) -> list[Draft]:
    """The draft with the best term of each of several columns in a slot; see ``exchange``."""
    others, offers = _offers(rows, rules, draft, slot, windows, n_tries)
    return [_with_offer(others, slot, offer) for offer in offers]


def _offers(
    rows: Rows, rules: Rules, draft: Draft, slot: int, windows: Integers, n_tries: int
) -> tuple[Integers, Floats]:
    """The terms that stay, and what ``fit_offers`` says of a term next to them."""
    terms = draft.terms
    others = terms if slot >= draft.n_terms else _without(terms, slot)
    jumps = others[2].tolist()
    lowest = sum(jump for jump in jumps if jump < 0)
    n_scores = sum(map(abs, jumps)) + 1
    keys = np.empty(rows.is_event.size, dtype=np.int32)
    score_rows(rows.codes, others, lowest, rows.is_event, keys)
    if not rules.is_simple:
        windows = windows.copy()
        windows[~room_for_terms(rules, others[0]), 2] = 0
    found = np.empty((windows.shape[0], 3))
    scan = scan_jumps if rules.kind == CALIBRATED else scan_shifts
    scores = keys, lowest, n_scores, draft.scale, rules.options
    closed = closed_cuts(rules, rows, others), rows.starts
    scan(rows.codes, rows.weights, *scores, windows, *closed, found)
    known = rows.codes, rows.weights
    kind = rules.kind, rules.bound
    scanned = keys, lowest, n_scores, found, n_tries
    return others, fit_offers(known, others, *scanned, kind, draft.scale)


def _without(terms: Integers, slot: int) -> Integers:
    return np.ascontiguousarray(np.concatenate([terms[:, :slot], terms[:, slot + 1 :]], axis=1))


def _with_offer(others: Integers, slot: int, offer: Floats) -> Draft:
    """The terms that stay and a line of ``fit_offers`` in its slot."""
    n_others = others.shape[1]
    slot = min(slot, n_others)
    terms = np.empty((3, n_others + 1), dtype=np.int64)
    terms[:, :slot], terms[:, slot], terms[:, slot + 1 :] = (
        others[:, :slot],
        offer[1:4],
        others[:, slot:],
    )
    return Draft(terms, offer[4:].copy(), float(offer[0]))


def zoom_cut(rows: Rows, rules: Rules, draft: Draft, slot: int) -> Draft:
    """The draft with one cut moved: in coarse steps first, then in finer ones around the best."""
    feature, jump = int(draft.terms[0, slot]), int(draft.terms[2, slot])
    n_cuts, n_window = int(rows.n_cuts[feature]), rules.plan.window_bins
    reach = max(n_cuts // rules.plan.window_part, n_window // 2)
    best = draft
    while True:
        shift = _shift_for(2 * reach, n_window)
        low = max(int(best.terms[1, slot]) - reach, 0)
        n_bins = min((n_cuts - low) >> shift, n_window) + 2
        windows = np.zeros((rows.n_cuts.size, 5), dtype=np.int64)
        windows[feature] = low, shift, n_bins, jump, jump
        moved = exchange(rows, rules, best, slot, windows, 1)
        if is_lower(moved, best, rules.plan):
            best = moved
        if shift == 0:
            return best
        reach = 2 << shift


def whole_windows(rows: Rows, rules: Rules) -> Integers:
    """Windows that show every feature from end to end, in at most ``window_bins`` bins."""
    shifts = np.array(
        [_shift_for(int(n), rules.plan.window_bins) for n in rows.n_cuts], dtype=np.int64
    )
    n_bins = np.where(rows.n_cuts > 0, (rows.n_cuts >> shifts) + 2, 0)
    return np.stack([np.zeros_like(n_bins), shifts, n_bins, rules.low, rules.high], axis=1)


def is_seen_whole(rows: Rows, rules: Rules, draft: Draft) -> bool:
    """Whether windows show each cut of the columns of a draft by itself."""
    return all(
        _shift_for(int(rows.n_cuts[column]), rules.plan.window_bins) == 0
        for column in draft.terms[0]
    )


def _shift_for(n_cuts: int, n_window: int) -> int:
    """The least width of a bin, as a power of two, with which a window holds all cuts."""
    return max((n_cuts - 1).bit_length() - n_window.bit_length() + 1, 0)


def _perturb(rows: Rows, rules: Rules, draft: Draft, rng: np.random.Generator) -> Draft:
    """Put random terms in the place of some, last in order; an empty card gets one."""
    if draft.n_terms == 0:
        draft = Draft(np.zeros((3, 1), dtype=np.int64), draft.scale, draft.loss)
    terms = draft.terms[:, rng.permutation(draft.n_terms)]
    n_out = int(rng.integers(1, max(2, min(rules.plan.most_replaced_points + 1, draft.n_terms))))
    usable = np.flatnonzero(rules.is_usable & (rows.n_cuts > 0))
    for slot in range(draft.n_terms - n_out, draft.n_terms):
        f = int(rng.choice(usable))
        jump = int(rng.integers(rules.low[f], rules.high[f] + 1))
        terms[:, slot] = f, rng.integers(rows.n_cuts[f]), jump
    terms = keep_allowed(rules, rows, terms[:, terms[2] != 0])
    return measure(rows, rules, terms, draft.scale)


def is_lower(one: Draft, other: Draft, plan: SearchPlan) -> bool:
    """Whether one loss is lower than another by more than rounding."""
    return one.loss < other.loss - plan.least_gain * (1.0 + abs(other.loss))
