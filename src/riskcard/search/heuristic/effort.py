"""How hard to search: counts of work by the size of the problem, never by a clock."""

from dataclasses import dataclass

from riskcard.problem.problem import Problem
from riskcard.search.plan import PLAN, SearchPlan


@dataclass(frozen=True, slots=True)
class Effort:
    """Counts of work.

    Attributes
    ----------
    first_rows, first_cuts
        Rows, and cuts per feature, of the first pass.
    second_rows, second_cuts
        Those of the second pass. Other rows and cuts are only used at the end, to move cuts.
    n_chains
        Independent searches, whatever the number of threads.
    set_steps
        Steps of each chain on sets of conditions, in the first pass.
    card_steps, card_steps_if_separated
        Steps of each chain on whole points, in the second pass; where classes are nearly separated
        the larger of the two.
    n_fitted, n_refined, refine_steps
        Sets of the first pass that are fitted to the rows of the second; the best sets there whose
        neighbours are looked at; and the most steps that this takes.
    n_rounded
        Sets of conditions that are rounded to whole points.
    n_descended
        Cards whose whole points are exchanged.
    n_tries
        Candidates fitted exactly in a step.
    n_kept
        Cards that leave the search.
    """

    first_rows: int
    first_cuts: int
    second_rows: int
    second_cuts: int
    n_chains: int
    set_steps: int
    card_steps: int
    card_steps_if_separated: int
    n_fitted: int
    n_refined: int
    refine_steps: int
    n_rounded: int
    n_descended: int
    n_tries: int
    n_kept: int

    @property
    def has_one_pass(self) -> bool:
        """Whether the first pass already sees all that the second would see."""
        return (self.first_rows, self.first_cuts) == (self.second_rows, self.second_cuts)


def effort_of(problem: Problem, is_thorough: bool, plan: SearchPlan = PLAN) -> Effort:
    """The counts for a problem."""
    n_rows, n_features = problem.data.n_rows, problem.data.n_features
    terms, has_one_pass = problem.limits.max_terms, n_rows <= plan.one_pass_rows
    second_rows = min(n_rows, plan.second_pass_rows)
    second_cuts = n_rows if has_one_pass else plan.second_pass_cuts
    first_cuts = n_rows if has_one_pass else plan.first_pass_cuts
    first_rows = max(plan.first_pass_fewest_rows, plan.first_pass_values // n_features)
    if has_one_pass or second_rows <= plan.sample_worthwhile * first_rows:
        first_rows = second_rows
    work = plan.thorough_second_pass if is_thorough else plan.second_pass
    second_step = _cost_of_step(problem, second_rows, second_cuts, plan)
    card_steps, separated = work / second_step, plan.second_pass_if_separated / second_step
    if is_thorough:
        work = plan.thorough_one_pass if has_one_pass else plan.thorough_first_pass
        set_steps = work / _cost_of_step(problem, first_rows, first_cuts, plan)
    elif has_one_pass:
        set_steps = plan.one_pass_steps + plan.one_pass_steps_per_term * terms
    else:
        set_steps = plan.first_pass_steps
    n_chains = plan.thorough_chains if is_thorough else 1
    # a free scale makes up for most of what whole points lose
    needs_cards = is_thorough or not problem.scale.is_free
    is_large = n_rows * n_features > plan.most_values_to_exchange and not needs_cards
    return Effort(
        first_rows=first_rows,
        first_cuts=first_cuts,
        second_rows=second_rows,
        second_cuts=second_cuts,
        n_chains=n_chains,
        set_steps=int(set_steps) // n_chains,
        card_steps=int(card_steps / n_chains) if needs_cards else 0,
        card_steps_if_separated=0 if is_large else int(separated / n_chains),
        n_fitted=plan.n_fitted,
        n_refined=plan.n_refined,
        refine_steps=plan.refine_steps,
        n_rounded=plan.n_rounded if has_one_pass else plan.n_fitted,
        n_descended=0 if is_large else plan.n_descended + n_chains - 1,
        n_tries=plan.one_pass_tries if has_one_pass else plan.n_tries,
        n_kept=plan.thorough_kept if is_thorough else plan.n_kept,
    )


def _cost_of_step(problem: Problem, n_rows: int, max_cuts: int, plan: SearchPlan) -> float:
    """What a step costs that looks at these rows and cuts of every feature."""
    data, terms = problem.data, problem.limits.max_terms
    of_value = plan.cost_of_value + plan.cost_of_value_per_term * terms
    return (
        plan.cost_of_step
        + of_value * data.n_features * n_rows
        + plan.cost_of_cut * float(data.n_cuts.clip(max=max_cuts).sum())
        + plan.cost_of_pair * terms**2
    )
