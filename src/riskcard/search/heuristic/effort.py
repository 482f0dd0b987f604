"""How hard to search: counts of work, chosen from the size of the problem and never from a clock."""

from __future__ import annotations

from dataclasses import dataclass

from riskcard.problem.problem import Problem
from riskcard.search.plan import PLAN, SearchPlan


@dataclass(frozen=True, slots=True)
class Effort:
    """Counts of work.

    Attributes
    ----------
    max_rows, max_cuts
        The first look is at this many rows, and at this many cuts a feature.
    more_rows, more_cuts
        The second look is at this many; other rows and cuts are only used to polish.
    n_chains
        Independent searches, whatever the number of threads.
    support_steps
        Steps of each chain on real-valued points, at the first look.
    more_support_steps, kick_cuts
        Steps on real-valued points from the best set, at the rows of the second look and so many
        cuts a feature.
    card_steps, card_steps_if_separated
        Steps of each chain on whole points, at the second look; where classes are nearly separated
        the larger of both.
    n_fitted, n_refined
        Sets of conditions that are fitted at the second look; the best of them are refined there and
        rounded.
    n_descended
        Cards that descend with whole points.
    patience
        A chain ends after this many kicks in a row that led to nothing better.
    longest_descent, longest_refinement, longest_exchange
        Steps of one descent at most: at the first look, at the second, and with whole points.
    n_tries
        Candidates fitted exactly in a step.
    n_kept
        Cards that leave the search.
    """

    max_rows: int
    max_cuts: int
    more_rows: int
    more_cuts: int
    n_chains: int
    support_steps: int
    more_support_steps: int
    kick_cuts: int
    card_steps: int
    card_steps_if_separated: int
    n_fitted: int
    n_refined: int
    n_descended: int
    patience: int
    longest_descent: int
    longest_refinement: int
    longest_exchange: int
    n_tries: int
    n_kept: int

    @property
    def looks_once(self) -> bool:
        """Whether the first look already sees all that the second would."""
        return (self.max_rows, self.max_cuts) == (self.more_rows, self.more_cuts)


def effort_of(problem: Problem, is_thorough: bool, plan: SearchPlan = PLAN) -> Effort:
    """The counts for a problem."""
    n_rows, n_features = problem.data.n_rows, problem.data.n_features
    terms = problem.limits.max_terms
    looks_once = n_rows <= plan.one_pass_rows
    more_rows = min(n_rows, plan.second_pass_rows)
    more_cuts = n_rows if looks_once else plan.second_pass_cuts
    max_cuts = more_cuts if looks_once else plan.first_pass_cuts
    max_rows = max(plan.first_pass_fewest_rows, plan.first_pass_values // n_features)
    if looks_once or more_rows <= plan.sample_worthwhile * max_rows:
        max_rows = more_rows
    # few rows rank sets wrongly that differ by little, most rows hardly ever
    is_new = max(0.0, 1.0 - 2.0 * max_rows / more_rows)
    n_values = more_rows * n_features
    second = plan.thorough_second_pass if is_thorough else plan.second_pass
    second += plan.work_per_value * n_values
    second_step = _cost_of_step(problem, more_rows, more_cuts, plan)
    n_chains = plan.thorough_chains if is_thorough else 1
    kicks = is_new * min(1.0, terms / plan.second_pass_full_terms)
    kicks *= plan.second_pass_perturbed_values / n_values
    n_refined = max(
        1, plan.refined_terms // terms, min(plan.most_refined, int(plan.refined_values / n_values))
    )
    n_refined = plan.one_pass_fitted if looks_once else n_refined
    if is_thorough:
        steps = _thorough_steps(problem, max_rows, max_cuts, looks_once, plan)
        n_refined = max(
            n_refined, min(plan.thorough_refined, int(second / second_step / (5.0 * terms)))
        )
    elif looks_once:
        steps = plan.one_pass_steps + plan.one_pass_steps_per_term * terms
    else:
        steps = plan.first_pass_steps + plan.first_pass_steps_per_term * terms
        steps = steps if is_new > 0.0 else int(plan.steps_if_most_rows * steps)
    needs_cards = is_thorough or not problem.scale.is_free
    is_large = n_rows * n_features > plan.most_values_to_exchange and not needs_cards
    tries = plan.thorough_tries if is_thorough else plan.one_pass_tries
    kept = plan.one_pass_kept if looks_once else plan.two_pass_kept
    separated = int(plan.second_pass_if_separated / second_step / n_chains)
    return Effort(
        max_rows=max_rows,
        max_cuts=max_cuts,
        more_rows=more_rows,
        more_cuts=more_cuts,
        n_chains=n_chains,
        support_steps=steps // n_chains,
        more_support_steps=0 if looks_once else int(kicks),
        kick_cuts=plan.second_pass_perturbed_cuts,
        card_steps=int(second / second_step / n_chains) if needs_cards else 0,
        card_steps_if_separated=0 if is_large else separated,
        n_fitted=plan.one_pass_fitted if looks_once else plan.two_pass_fitted,
        n_refined=n_refined,
        n_descended=n_chains + 1,
        patience=plan.patience + n_features * terms,
        longest_descent=plan.descent_per_term * terms,
        longest_refinement=plan.refinement_per_term * terms,
        longest_exchange=0 if is_large else plan.exchange_per_term * terms,
        n_tries=tries if looks_once else plan.two_pass_tries,
        n_kept=max(2, min(plan.thorough_kept if is_thorough else kept, plan.kept_rows // n_rows)),
    )


def _thorough_steps(
    problem: Problem, n_rows: int, max_cuts: int, looks_once: bool, plan: SearchPlan
) -> int:
    """Steps of all chains together at the first look, or the only one."""
    work = plan.thorough_one_pass if looks_once else plan.thorough_first_pass
    work += plan.work_per_value * n_rows * problem.data.n_features
    return int(work / _cost_of_step(problem, n_rows, max_cuts, plan))


def _cost_of_step(problem: Problem, n_rows: int, max_cuts: int, plan: SearchPlan) -> float:
    """What one step costs that looks at these rows and cuts of every feature."""
    data, terms = problem.data, problem.limits.max_terms
    of_value = plan.cost_of_value + plan.cost_of_value_per_term * terms
    return (
        plan.cost_of_step
        + (of_value * data.n_features + plan.cost_of_row) * n_rows
        + plan.cost_of_cut * float(data.n_cuts.clip(max=max_cuts).sum())
        + plan.cost_of_pair * terms**2
    )
