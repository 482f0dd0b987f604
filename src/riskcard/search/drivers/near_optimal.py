"""The pool: cards about as good as the best, and whether these are proven to be all.

Where terms are charged, what counts is the price of a card: its loss plus the charge.
"""

from dataclasses import replace

from riskcard.problem.objective import violations
from riskcard.problem.problem import Problem
from riskcard.problem.result import Pool, SolveResult
from riskcard.problem.solution import Solution
from riskcard.search.drivers.prove_parts import Offer
from riskcard.search.drivers.solve_min_gain import problems_by_size
from riskcard.search.empty_card import best_empty_card
from riskcard.search.heuristic.binned_rows import Rows, all_cuts
from riskcard.search.heuristic.card_room import Rules, rules_of
from riskcard.search.heuristic.descent import offers_for_slot, whole_windows
from riskcard.search.heuristic.draft import Draft, as_solution, draft_of, measure
from riskcard.search.heuristic.find_cards import find_cards
from riskcard.search.options import SearchOptions
from riskcard.search.proof.leaves import Choice
from riskcard.search.proof.tree import Stops, collect

#: Losses of cards with the same conditions that differ by less than this part are the same.
SAME_CHOICE = 1e-9


def find_near_optimal(
    problem: Problem,
    result: SolveResult,
    most_price: float,
    search: SearchOptions,
    stops: Stops | None,
) -> Pool:
    """Cards about as good as the best one: the best card of each choice of conditions.

    With ``stops`` a tree is searched for all choices, and the pool says whether that was completed.
    After Ctrl-C the pool has the best card alone.
    """
    cards, is_complete, is_ended = [result.solution], False, search.deadline.is_interrupted
    charge = result.min_gain
    if not is_ended:
        cards += find_cards(problem, replace(search, start=()))
        close = _best_of_each_choice(problem, cards, most_price, charge)
        cards += _neighbours(problem, close, most_price, search)
    if stops is not None and not is_ended:
        known = [offer.card for offer in _best_of_each_choice(problem, cards, most_price, charge)]
        known = [result.solution, *known]
        found, is_complete = _collect(problem, known, (most_price, charge), stops, search.n_jobs)
        cards += found
    best = _best_of_each_choice(problem, cards, most_price, charge)
    kept = _different_features_first(problem, best)[: search.n_wanted]
    return Pool(
        cards=tuple(offer.card for offer in kept),
        losses=tuple(offer.loss for offer in kept),
        most_price=most_price,
        is_complete=is_complete and len(kept) == len(best),
        n_found=len(best),
    )


def _collect(
    problem: Problem, known: list[Solution], prices: tuple[float, float], stops: Stops, n_jobs: int
) -> tuple[list[Solution], bool]:
    """The cards of all choices within the price, and maybe others; whether these are all.

    ``prices`` are the most that a card may cost and the charge for a term. A card of ``k`` terms has a loss of
    at most the first without the charge for ``k`` terms.
    """
    stops, (most_price, charge) = replace(stops, gap=0.0), prices
    if charge == 0:
        return collect(problem, known, most_price, stops, n_jobs)
    cards, is_complete = [best_empty_card(problem)], True
    for sized in problems_by_size(problem):
        most_loss = most_price - charge * sized.limits.max_terms
        if most_loss > 0:
            found, is_done = collect(sized, known, most_loss, stops, n_jobs)
            cards += found
            is_complete = is_complete and is_done
    return [card for card in cards if not violations(card, problem)], is_complete


def _neighbours(
    problem: Problem, offers: list[Offer], most_loss: float, search: SearchOptions
) -> list[Solution]:
    """Cards within the loss that differ from the best ones in the feature or cut of one term."""
    plan, n_columns = search.plan, problem.data.n_columns
    rules, rows = rules_of(problem, plan), all_cuts(problem)
    windows = whole_windows(rows, rules)
    found: list[Draft] = []
    for offer in offers[: plan.pool_expanded]:
        draft = draft_of(rows, rules, offer.card.terms)
        for slot in range(draft.n_terms):
            found += offers_for_slot(rows, rules, draft, slot, windows, n_columns)
            found += _moved(rows, rules, draft, slot)
    found.sort(key=lambda draft: draft.loss)
    close = [draft for draft in found if draft.loss <= most_loss]
    most = plan.pool_candidates * (search.n_wanted or 1)
    finished = [as_solution(rows, rules, draft, problem) for draft in close[:most]]
    return [card for card in finished if not violations(card, problem)]


def _moved(rows: Rows, rules: Rules, draft: Draft, slot: int) -> list[Draft]:
    """The draft with one cut moved by a few places."""
    moved = []
    column, cut = int(draft.terms[0, slot]), int(draft.terms[1, slot])
    furthest = rules.plan.pool_furthest_move
    for step in range(-furthest, furthest + 1):
        if step != 0 and 0 <= cut + step < rows.n_cuts[column]:
            terms = draft.terms.copy()
            terms[1, slot] = cut + step
            moved.append(measure(rows, rules, terms, draft.scale))
    return moved


def _best_of_each_choice(
    problem: Problem, cards: list[Solution], most_price: float, charge: float
) -> list[Offer]:
    """The best card of each choice of conditions that is within the price, by price."""
    best: dict[Choice, Offer] = {}
    for card in cards:
        offer = Offer.of(card, problem, charge)
        choice = tuple(zip(card.features, card.cuts, strict=True))
        # scales may differ by rounding: the first one stays unless another is really better
        is_better = choice not in best or offer.loss < best[choice].loss * (1 - SAME_CHOICE)
        if offer.price <= most_price and is_better:
            best[choice] = offer
    return sorted(best.values(), key=lambda one: (one.price, one.card.terms))


def _different_features_first(problem: Problem, offers: list[Offer]) -> list[Offer]:
    """The best card of each set of features, then all others, both by price."""

    def features(card: Solution) -> frozenset[int]:
        return frozenset(problem.data.feature_of[list(card.features)].tolist())

    firsts = {features(offer.card): offer for offer in reversed(offers)}
    return sorted(offers, key=lambda one: firsts[features(one.card)] is not one)
