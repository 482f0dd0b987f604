"""Which conditions to use: a search over sets of terms with real-valued points."""

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riskcard.arrays import Floats, Integers
from riskcard.checks import LOG_ODDS_LIMIT
from riskcard.kernels.heuristic.sets import improve_set
from riskcard.search.deadline import Deadline
from riskcard.search.heuristic.binned_rows import Rows
from riskcard.search.heuristic.card_room import Rules, closed_cuts, room_for_terms
from riskcard.search.plan import SearchPlan

#: As many steps as it takes.
UNLIMITED = 10**9
NO_PICKS, NO_DIGESTS = np.zeros(0), np.zeros(0, dtype=np.uint64)
#: What ``improve_set`` calls its plan.
KernelPlan = tuple[int, int, int, float, bool]
NOTHING_CLOSED = np.zeros((0, 0), dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Support:
    """Conditions (features and cuts, shape (2, terms)) and their best real-valued points.

    ``coefficients`` are the offset and one jump per term, and ``loss`` is what they reach.
    ``digest`` is the same for equal sets. ``promises`` has for each column what an exchange for one
    of its conditions promised when that was last estimated.
    """

    terms: Integers
    coefficients: Floats
    loss: float
    digest: int = 0
    promises: Floats = field(default_factory=lambda: NO_PICKS)

    @property
    def n_terms(self) -> int:
        return int(self.terms.shape[1])

    @property
    def key(self) -> tuple[tuple[int, ...], ...]:
        """The conditions in order: equal for equal sets."""
        return tuple(sorted(map(tuple, self.terms.T.tolist())))


class Walk(NamedTuple):
    """How a set is changed: see the plan of ``improve_set``.

    ``picks`` are forced terms, and the walk ends at sets whose digest is ``known``. ``ridge`` is
    that of its fits (None: that of the plan).
    """

    size: int
    n_tries: int
    max_steps: int = UNLIMITED
    picks: Floats = NO_PICKS
    known: Iterable[int] = ()
    ridge: float | None = None


def improve_support(rows: Rows, rules: Rules, support: Support, walk: Walk) -> tuple[Support, int]:
    """Walk from a set to one that no single exchange improves; also the steps taken."""
    known = np.fromiter(walk.known, dtype=np.uint64)
    ridge = rules.plan.ridge if walk.ridge is None else walk.ridge
    if rules.is_static:
        plan = walk.size, walk.n_tries, walk.max_steps, ridge, False
        return _improve(rows, rules, support, plan, walk.picks, known)
    # which terms are allowed depends on the others: one step at a time
    picks, size, steps = walk.picks, walk.size, 0
    while steps < walk.max_steps and (size > 0 or support.n_terms > 0 or picks.size > 0):
        plan = size, walk.n_tries, 1, ridge, False
        changed, used = _improve(rows, rules, support, plan, picks[:1], known)
        steps += used
        is_same = changed.digest == support.digest
        if is_same and not picks.size:
            if support.n_terms >= size or support.n_terms == 0:
                break
            size = support.n_terms  # there is no room for more
        support, picks = changed, picks[:0] if is_same else picks[1:]
        if support.n_terms >= size and support.digest in known:
            break
    return support, steps


def fit_support(rows: Rows, rules: Rules, terms: Integers) -> Support:
    """Conditions with their best real-valued points."""
    support = Support(terms, np.zeros(terms.shape[1] + 1), np.inf)
    plan = terms.shape[1], 0, 0, rules.plan.ridge, False
    return _improve(rows, rules, support, plan, NO_PICKS, NO_DIGESTS)[0]


def near_supports(rows: Rows, rules: Rules, support: Support, walk: Walk) -> list[Support]:
    """The sets that the most promising exchanges of one condition lead to, better or not."""
    if support.n_terms == 0:
        return []
    ridge = rules.plan.ridge if walk.ridge is None else walk.ridge
    plan = support.n_terms, walk.n_tries, 1, ridge, True
    near = _call(rows, rules, support, plan, NO_PICKS, NO_DIGESTS)[6]
    return [
        Support(terms, coefficients, float(loss), int(digest))
        for terms, coefficients, loss, digest in zip(*near, strict=True)
    ]


def _improve(
    rows: Rows,
    rules: Rules,
    support: Support,
    plan: KernelPlan,
    picks: Floats,
    known: NDArray[np.uint64],
) -> tuple[Support, int]:
    """One call of the kernel, as a set and the steps taken."""
    terms, coefficients, loss, steps, digest, promises, _ = _call(
        rows, rules, support, plan, picks, known
    )
    return Support(terms, coefficients, loss, digest, promises), steps


def _call(
    rows: Rows,
    rules: Rules,
    support: Support,
    plan: KernelPlan,
    picks: Floats,
    known: NDArray[np.uint64],
) -> tuple[Any, ...]:
    """One call of the kernel, with what is allowed next to the terms that stay."""
    terms = np.ascontiguousarray(support.terms)
    limits = rules.feature_of, rules.max_cuts, rules.max_features
    is_growing = bool(picks.size) or plan[0] > terms.shape[1] or plan[2] == 0
    signs, closed = _allowed_next_to(rows, rules, terms, is_growing)
    called: tuple[Any, ...] = improve_set(
        rows.for_kernels, limits, signs, closed, terms, support.coefficients, plan, picks, known
    )
    return called


def _allowed_next_to(
    rows: Rows, rules: Rules, terms: Integers, is_growing: bool
) -> tuple[Integers, NDArray[np.uint8]]:
    """Signs and closed conditions next to all terms, or next to all but each of them."""
    if rules.is_static:
        closed = closed_cuts(rules, rows, terms[:, :0])
        signs = (rules.signs * rules.is_usable)[None, :]
        return signs, closed[None, :] if closed.size else NOTHING_CLOSED
    n_terms = terms.shape[1]
    kept = [terms] if is_growing else [np.delete(terms, term, axis=1) for term in range(n_terms)]
    signs = np.stack([rules.signs * room_for_terms(rules, others[0]) for others in kept])
    return signs, np.stack([closed_cuts(rules, rows, others) for others in kept])


def search_supports(
    rows: Rows,
    rules: Rules,
    start: Support,
    n_tries: int,
    max_steps: int,
    rng: np.random.Generator,
    deadline: Deadline,
    ridge: float | None = None,
) -> list[Support]:
    """Sets of the full size, best first, from exchanges and perturbations while steps are left.

    The most promising neighbours of each of the best sets are fitted: that leads from a set to
    others that are about as good, which may be better with whole points, or lead on to better ones.
    Then the best set is perturbed at random. On wide tables some of the columns only are used, and
    at the end the best set is improved with all of them.
    """
    walk, plan = Walk(rules.max_terms, n_tries, ridge=ridge), rules.plan
    first, used = improve_support(rows, rules, start, walk)
    pool, failed = _Pool(), 0
    pool.add(first)
    some = _promising(rows, rules, first)
    while (
        used < _steps_for(pool.best, start, max_steps, plan)
        and failed < rules.patience
        and not deadline.is_over()
    ):
        best, unexplored = pool.best, pool.unexplored(plan.n_explored)
        if unexplored is not None:
            pool.explore(unexplored, near_supports(rows, some, unexplored, walk))
            used += 1
        else:
            away = _perturb(best, walk._replace(known=pool.known), rng, plan)
            reached, steps = improve_support(rows, some, *away)
            pool.add(reached)
            used, failed = used + steps, failed + 1
        if _is_lower(pool.best, best, plan):
            failed = 0
    if some is not rules and not deadline.is_over():
        pool.add(improve_support(rows, rules, pool.best, walk)[0])
    return pool.in_order()


def explore_supports(
    rows: Rows, rules: Rules, supports: list[Support], n_tries: int, count: int, max_steps: int
) -> list[Support]:
    """Sets and their neighbours, best first, until those of the best ``count`` sets are known.

    That takes at most ``max_steps``; then the best set is improved to the end.
    """
    walk, pool = Walk(rules.max_terms, n_tries), _Pool()
    for support in supports:
        pool.add(support)
    for _ in range(max_steps):
        unexplored = pool.unexplored(count)
        if unexplored is None:
            break
        pool.explore(unexplored, near_supports(rows, rules, unexplored, walk))
    if pool.unexplored(1) is not None or pool.best.n_terms < rules.max_terms:
        pool.add(improve_support(rows, rules, pool.best, walk)[0])
    return pool.in_order()


class _Pool:
    """Sets that were fitted, and those among them whose neighbours were fitted too."""

    def __init__(self) -> None:
        self._sets: dict[int, Support] = {}
        self._order: list[tuple[float, int]] = []
        self.known = set[int]()

    @property
    def best(self) -> Support:
        return self._sets[self._order[0][1]]

    def add(self, support: Support) -> None:
        """Keep a set that is not there yet."""
        if support.digest not in self._sets:
            self._sets[support.digest] = support
            insort(self._order, (support.loss, support.digest))

    def unexplored(self, count: int) -> Support | None:
        """The first of the best sets whose neighbours were not fitted; None if there is none."""
        digests = (digest for _, digest in self._order[:count] if digest not in self.known)
        digest = next(digests, None)
        return None if digest is None else self._sets[digest]

    def explore(self, support: Support, near: list[Support]) -> None:
        """Keep the neighbours of a set."""
        self.known.add(support.digest)
        for neighbour in near:
            self.add(neighbour)

    def in_order(self) -> list[Support]:
        """All sets, best first."""
        return [self._sets[digest] for _, digest in self._order]


def second_ridge(limit: float, plan: SearchPlan) -> float:
    """The ridge of a second search near separation, given the limit on the log-odds of a term.

    A smaller limit makes it larger, so that sets are ranked by what they reach within the limit.
    """
    if limit > plan.no_real_limit:
        return plan.small_ridge
    return plan.ridge * (LOG_ODDS_LIMIT / limit) ** 2


def is_nearly_separated(best: Support, start: Support, plan: SearchPlan) -> bool:
    """Whether little is left of the loss of the start; then like sets may round to unlike cards."""
    return best.loss < plan.nearly_separated * start.loss


def _steps_for(best: Support, start: Support, max_steps: int, plan: SearchPlan) -> int:
    is_separated = is_nearly_separated(best, start, plan)
    return plan.steps_if_separated * max_steps if is_separated else max_steps


def _promising(rows: Rows, rules: Rules, support: Support) -> Rules:
    """The rules with the columns that perturbations use; all of them, unless there are many.

    Each column with many cuts makes a step longer, and most columns of a wide table never come near
    a good set. Kept are the features that promise most next to the set at hand, its own, and those
    that must be on the card.
    """
    plan = rules.plan
    is_long = rules.is_usable & (rows.n_cuts > plan.few_cuts)
    long_features = np.unique(rules.feature_of[is_long])
    n_kept = plan.promising_features
    if long_features.size <= n_kept:
        return rules
    promises = np.full(rules.max_cuts.size, -np.inf)
    np.maximum.at(promises, rules.feature_of, support.promises)
    promises[rules.feature_of[support.terms[0]]] = np.inf
    promises[rules.restrictions.must_use] = np.inf
    order = np.argsort(-promises[long_features], kind="stable")
    is_left_out = np.zeros(promises.size, dtype=bool)
    is_left_out[long_features[order[n_kept:]]] = True
    return replace(rules, is_usable=rules.is_usable & ~is_left_out[rules.feature_of])


def _perturb(
    support: Support, walk: Walk, rng: np.random.Generator, plan: SearchPlan
) -> tuple[Support, Walk]:
    """Take random terms out, and force in the best conditions of as many random features."""
    size = support.n_terms
    draws = rng.random(size + plan.most_perturbed_terms + 1)
    n_out = 1 + int(draws[-1] * (max(2, min(plan.most_perturbed_terms + 1, size)) - 1))
    kept = draws[:size].argsort()[n_out:]
    terms = np.ascontiguousarray(support.terms[:, kept])
    # without the other terms the coefficients may be far off: the fit starts from zero
    perturbed = Support(terms, np.zeros(kept.size + 1), support.loss)
    return perturbed, walk._replace(picks=draws[size : size + n_out])


def _is_lower(one: Support, other: Support, plan: SearchPlan) -> bool:
    return one.loss < other.loss * (1.0 - plan.least_gain)
