"""The pool: cards about as good as the best, and whether these are proven to be all."""

from dataclasses import replace

from riskcard.problem.objective import loss_of, violations
from riskcard.problem.problem import Problem
from riskcard.problem.result import Pool, SolveResult
from riskcard.problem.solution import Solution
from riskcard.search.heuristic.binned_rows import Rows, all_cuts
from riskcard.search.heuristic.card_room import Rules, rules_of
from riskcard.search.heuristic.descent import offers_for_slot, whole_windows
from riskcard.search.heuristic.draft import Draft, draft_of, finish, measure
from riskcard.search.heuristic.find_cards import find_cards
from riskcard.search.options import SearchOptions
from riskcard.search.proof.tree import Choice, Stops, collect

#: Losses of cards with the same conditions that differ by less than this part are the same.
SAME_CHOICE = 1e-9


def find_pool(
    problem: Problem,
    result: SolveResult,
    most_loss: float,
    search: SearchOptions,
    stops: Stops | None,
) -> Pool:
    """Cards about as good as the best one: the best card of each choice of conditions.

    With ``stops`` a tree is searched for all choices, and the pool says whether that was completed.
    After Ctrl-C the pool has the best card alone.
    """
    cards, is_complete, is_ended = [result.solution], False, search.deadline.is_interrupted
    if not is_ended:
        cards += find_cards(problem, replace(search, start=()))
        cards += _neighbours(problem, cards, most_loss, search)
    if stops is not None and not is_ended:
        within = replace(stops, gap=0.0)
        found, is_complete = collect(problem, result.solution, most_loss, within, search.n_jobs)
        cards += found
    best = _best_of_each_choice(problem, cards, most_loss)
    kept = _different_features_first(problem, best)[: search.n_wanted]
    return Pool(
        cards=tuple(card for card, _ in kept),
        losses=tuple(loss for _, loss in kept),
        most_loss=most_loss,
        is_complete=is_complete and len(kept) == len(best),
        n_found=len(best),
    )


def _neighbours(
    problem: Problem, cards: list[Solution], most_loss: float, search: SearchOptions
) -> list[Solution]:
    """Cards within the loss that differ from the best ones in the feature or cut of one term."""
    plan, n_columns = search.plan, problem.data.n_columns
    rules, rows = rules_of(problem, plan), all_cuts(problem)
    windows = whole_windows(rows, rules)
    found: list[Draft] = []
    for card, _ in _best_of_each_choice(problem, cards, most_loss)[: plan.pool_expanded]:
        draft = draft_of(rows, rules, card.terms)
        for slot in range(draft.n_terms):
            found += offers_for_slot(rows, rules, draft, slot, windows, n_columns)
            found += _moved(rows, rules, draft, slot)
    found.sort(key=lambda draft: draft.loss)
    close = [draft for draft in found if draft.loss <= most_loss]
    most = plan.pool_candidates * (search.n_wanted or 1)
    finished = [finish(rows, rules, draft, problem) for draft in close[:most]]
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
    problem: Problem, cards: list[Solution], most_loss: float
) -> list[tuple[Solution, float]]:
    """The best card of each choice of conditions that is within the loss, by loss."""
    best: dict[Choice, tuple[Solution, float]] = {}
    for card in cards:
        loss = loss_of(card, problem)
        choice = tuple(zip(card.features, card.cuts, strict=True))
        # scales may differ by rounding: the first one stays unless another is really better
        is_better = choice not in best or loss < best[choice][1] * (1 - SAME_CHOICE)
        if loss <= most_loss and is_better:
            best[choice] = card, loss
    return sorted(best.values(), key=lambda one: (one[1], one[0].terms))


def _different_features_first(
    problem: Problem, cards: list[tuple[Solution, float]]
) -> list[tuple[Solution, float]]:
    """The best card of each set of features, then all others, both by loss."""

    def features(card: Solution) -> frozenset[int]:
        return frozenset(problem.data.feature_of[list(card.features)].tolist())

    firsts = {features(card): card for card, _ in reversed(cards)}
    return sorted(cards, key=lambda one: firsts[features(one[0])] is not one[0])
