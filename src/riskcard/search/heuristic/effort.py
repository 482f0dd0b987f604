"""How hard to search: counts of work, chosen from the size of the problem and never from a clock."""

from __future__ import annotations

from dataclasses import dataclass

from riskcard.problem.problem import Problem

#: Steps of the only look at a small table, by itself and for each term; and of the first of two looks.
ONLY_STEPS, ONLY_STEPS_BY_TERM = 5, 9
FIRST_STEPS, FIRST_STEPS_BY_TERM = 20, 3
#: By what the first look has more of them where it sees most rows, so that the second finds little.
SEES_MOST = 1.25
#: Values that kicks at the second look go through, if the first saw next to none of the rows, and cuts.
KICKED_VALUES, KICK_CUTS = 5.0e7, 64
#: Values that refined sets have at the second look together, about.
REFINED_VALUES = 2.0e6
#: Work of a thorough first look, and of the second at many rows and cuts: a unit is about a nanosecond.
FIRST_LOOK_IF_THOROUGH = 1.0e8
SECOND_LOOK, SECOND_LOOK_IF_THOROUGH = 2.0e7, 1.2e8
#: Work on whole points where classes are nearly separated, even if real-valued ones do elsewhere.
LOOK_IF_SEPARATED = 4.0e7
#: Work of the only look at a small table, likewise.
ONLY_LOOK_IF_THOROUGH = 2.2e8
#: Work on top of either for each value that it looks at.
PER_VALUE = 75.0
#: What a step costs: by itself, for each row, for each cut, and for each pair of terms.
COST_OF_STEP, COST_OF_ROW, COST_OF_CUT, COST_OF_PAIR = 6.0e4, 15.0, 8.0, 6.0e3
#: What it costs for each value of the table, by itself and for each term.
COST_OF_VALUE, COST_OF_VALUE_BY_TERM = 2.2, 0.42
#: Tables up to this many rows are searched at every cut, with one look.
MOST_ROWS_WITH_ALL_CUTS = 4096
#: Rows at the second look.
MORE_ROWS = 200_000
#: Values of the table at the first look, and those up to which whole points are exchanged freely.
FIRST_LOOK_VALUES, MOST_VALUES_TO_EXCHANGE = 220_000, 150_000


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


def effort_of(problem: Problem, is_thorough: bool) -> Effort:
    """The counts for a problem."""
    n_rows, n_features = problem.data.n_rows, problem.data.n_features
    terms = problem.limits.max_terms
    looks_once = n_rows <= MOST_ROWS_WITH_ALL_CUTS
    more_rows, more_cuts = min(n_rows, MORE_ROWS), n_rows if looks_once else 255
    max_cuts = more_cuts if looks_once else 128
    max_rows = max(2000, FIRST_LOOK_VALUES // n_features)
    max_rows = more_rows if looks_once or more_rows <= 1.5 * max_rows else max_rows
    # few rows rank sets wrongly that differ by little, most rows hardly ever
    is_new = max(0.0, 1.0 - 2.0 * max_rows / more_rows)
    n_values = more_rows * n_features
    second = SECOND_LOOK_IF_THOROUGH if is_thorough else SECOND_LOOK
    second += PER_VALUE * n_values
    second_step = _cost_of_step(problem, more_rows, more_cuts)
    n_chains = 4 if is_thorough else 1
    kicks = is_new * min(1.0, terms / 5.0) * KICKED_VALUES / n_values
    n_refined = 14 if looks_once else max(1, 8 // terms, min(4, int(REFINED_VALUES / n_values)))
    if is_thorough:
        steps = _thorough_steps(problem, max_rows, max_cuts, looks_once)
        n_refined = max(n_refined, min(10, int(second / second_step / (5.0 * terms))))
    elif looks_once:
        steps = ONLY_STEPS + ONLY_STEPS_BY_TERM * terms
    else:
        steps = FIRST_STEPS + FIRST_STEPS_BY_TERM * terms
        steps = steps if is_new > 0.0 else int(SEES_MOST * steps)
    needs_cards = is_thorough or not problem.scale.is_free
    is_large = n_rows * n_features > MOST_VALUES_TO_EXCHANGE and not needs_cards
    return Effort(
        max_rows=max_rows,
        max_cuts=max_cuts,
        more_rows=more_rows,
        more_cuts=more_cuts,
        n_chains=n_chains,
        support_steps=steps // n_chains,
        more_support_steps=0 if looks_once else int(kicks),
        kick_cuts=KICK_CUTS,
        card_steps=int(second / second_step / n_chains) if needs_cards else 0,
        card_steps_if_separated=0 if is_large else int(LOOK_IF_SEPARATED / second_step / n_chains),
        n_fitted=14 if looks_once else 10,
        n_refined=n_refined,
        n_descended=n_chains + 1,
        patience=3 + n_features * terms,
        longest_descent=4 * terms,
        longest_refinement=2 * terms,
        longest_exchange=0 if is_large else 6 * terms,
        n_tries=(8 if is_thorough else 6) if looks_once else 4,
        n_kept=max(2, min(10 if is_thorough else 2 if looks_once else 3, 100_000 // n_rows)),
    )


def _thorough_steps(problem: Problem, n_rows: int, max_cuts: int, looks_once: bool) -> int:
    """Steps of all chains together at the first look, or the only one."""
    work = ONLY_LOOK_IF_THOROUGH if looks_once else FIRST_LOOK_IF_THOROUGH
    work += PER_VALUE * n_rows * problem.data.n_features
    return int(work / _cost_of_step(problem, n_rows, max_cuts))


def _cost_of_step(problem: Problem, n_rows: int, max_cuts: int) -> float:
    """What one step costs that looks at these rows and cuts of every feature."""
    data, terms = problem.data, problem.limits.max_terms
    of_value = COST_OF_VALUE + COST_OF_VALUE_BY_TERM * terms
    return (
        COST_OF_STEP
        + (of_value * data.n_features + COST_OF_ROW) * n_rows
        + COST_OF_CUT * float(data.n_cuts.clip(max=max_cuts).sum())
        + COST_OF_PAIR * terms**2
    )
