"""The constants of the search and of its drivers, each with its reason.

They decide how hard the search works and where it looks, and so which card it finds. None of them
bears on the truth of a bound. `python -m benchmarks.ablation` switches each off in turn.

Work is counted in units of about a nanosecond of one processor, so that the same problem always
gets the same number of steps, whatever the machine and however busy it is.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """Every constant of the search.

    The search looks for good *sets* of conditions with real-valued points, rounds these to whole
    points, and moves cuts. Small tables are searched in one pass over all rows and cuts. Large ones
    are searched in a first pass over some rows and cuts; a second pass, over more of both, corrects
    what it found.
    """

    # --- what a pass sees -----------------------------------------------------------------------

    #: Tables of at most this many rows are searched in one pass: a sample would save little.
    one_pass_rows: int = 4096
    #: Values (rows times features) of the sample for the first pass, and its fewest rows. With
    #: fewer rows sets are ranked by chance; more take longer than the second pass needs to correct.
    first_pass_values: int = 220_000
    first_pass_fewest_rows: int = 2000
    #: A table with at most this many times the rows of the sample is not sampled.
    sample_worthwhile: float = 1.5
    #: Cuts per feature in the first pass; the second has twice as many, and the last step all.
    first_pass_cuts: int = 128
    second_pass_cuts: int = 255
    #: Rows of the second pass: enough to rank sets of conditions, few enough for the memory.
    second_pass_rows: int = 200_000

    # --- sets of conditions ---------------------------------------------------------------------

    #: Steps (exchanges of one condition) of the only pass and of the first of two. They end long
    #: after the best set is found on nearly all tables.
    one_pass_steps: int = 5
    one_pass_steps_per_term: int = 9
    first_pass_steps: int = 20
    first_pass_steps_per_term: int = 3
    #: The first pass takes this many times the steps where it sees most rows.
    steps_if_most_rows: float = 1.25
    #: Independent chains of a thorough search; they run on as many threads.
    thorough_chains: int = 4
    #: Work of a thorough search for sets, in one pass and in the first of two.
    thorough_one_pass: float = 2.2e8
    thorough_first_pass: float = 1.0e8
    #: Values that perturbations in the second pass may go through, and cuts per feature.
    second_pass_perturbed_values: float = 5.0e7
    second_pass_perturbed_cuts: int = 64
    #: Cards with fewer terms than this get fewer of these perturbations.
    second_pass_full_terms: float = 5.0
    #: A perturbation replaces at most this many terms.
    most_perturbed_terms: int = 4
    #: Share of perturbations that take random terms out before new ones come in.
    first_out: float = 0.5
    #: Terms by which a set grows, and shrinks again, where one perturbation led to nothing.
    swing_terms: int = 2
    #: On wide tables perturbations look at the most promising features only: this many per term,
    #: within these limits. Features with few cuts cost next to nothing and are always looked at.
    promising_per_term: int = 4
    promising_least: int = 16
    promising_most: int = 32
    few_cuts: int = 8
    #: A set is better when its loss is lower by more than this part of itself.
    least_gain_of_set: float = 1e-7
    #: Ridge of all fits, relative to the total weight: it keeps coefficients finite.
    ridge: float = 4e-6
    #: Classes are nearly separated when a set has less than this part of the empty card's loss.
    nearly_separated: float = 0.15
    #: Near separation there are this many times the steps.
    steps_if_separated: int = 3
    #: Near separation sets are searched a second time with this ridge, unless steps are limited to
    #: less than a log-odds of ``no_real_limit``: then with a larger one.
    small_ridge: float = 1e-7
    no_real_limit: float = 15.0
    #: Candidates of a step that are fitted exactly: in one pass, thorough or not, and in two.
    one_pass_tries: int = 6
    thorough_tries: int = 8
    two_pass_tries: int = 4
    #: Perturbations in a row without success after which a chain ends, plus terms times features.
    patience: int = 3
    #: Steps per term of a descent at most: of sets in the first pass and in the second, of cards.
    descent_per_term: int = 4
    refinement_per_term: int = 2
    exchange_per_term: int = 6

    # --- from sets to cards ---------------------------------------------------------------------

    #: Sets that are rounded, in one pass and in two.
    one_pass_fitted: int = 14
    two_pass_fitted: int = 10
    #: Sets that the second pass improves: as many as have this many values together, ...
    refined_values: float = 2.0e6
    #: ... at most this many, and at least this many terms together; thorough ones more.
    most_refined: int = 4
    refined_terms: int = 8
    thorough_refined: int = 10
    #: Sizes of points to which a set is rounded where points are not exchanged afterwards.
    rounded_sizes: int = 3
    #: Points are exchanged only in tables of at most this many values, unless the scale is given.
    most_values_to_exchange: int = 150_000
    #: Work on whole points in the second pass, thorough or not, and for each value that it sees.
    second_pass: float = 2.0e7
    thorough_second_pass: float = 1.2e8
    work_per_value: float = 75.0
    #: Work on whole points near separation.
    second_pass_if_separated: float = 4.0e7
    #: Cards that leave the search: thorough, in one pass and in two, and values over rows.
    thorough_kept: int = 10
    one_pass_kept: int = 2
    two_pass_kept: int = 3
    kept_rows: int = 100_000
    #: A perturbed card has at most this many terms replaced.
    most_replaced_points: int = 3
    #: A card is better when its loss is lower by more than this part of itself.
    least_gain_of_card: float = 1e-9
    #: Bins of a window around a cut; coarser windows come first where a feature has more cuts.
    window_bins: int = 128
    #: A cut is moved by at most this part of all cuts of its feature, or half a window.
    window_part: int = 40
    #: Jumps or shifts that a step tries for each cut.
    most_jumps_tried: int = 12
    #: Conditions that are tried where a feature must be used although it is worth nothing.
    most_forced: int = 64

    # --- what a step costs ----------------------------------------------------------------------

    cost_of_step: float = 6.0e4
    cost_of_row: float = 15.0
    cost_of_cut: float = 8.0
    cost_of_pair: float = 6.0e3
    cost_of_value: float = 2.2
    cost_of_value_per_term: float = 0.42

    # --- codes that most rows share -------------------------------------------------------------

    #: A code that this part of the rows share is skipped by the sums over rows.
    least_common: float = 0.5
    #: Rows that are looked at to guess it, and the longest table in which it is looked for.
    common_sample: int = 64
    common_most_rows: int = 200_000

    # --- drivers --------------------------------------------------------------------------------

    #: A short proof comes before a thorough search: nodes times rows that it may take, about a
    #: tenth of a second, and its fewest and most nodes.
    short_proof_work: float = 1e7
    short_proof_fewest_nodes: int = 100
    short_proof_most_nodes: int = 10_000
    #: Cards tried one by one where the search finds none that keeps all rules.
    most_cards_tried: int = 20_000
    #: With ``min_gain`` cards of every size are looked for in tables of at most this many rows.
    all_sizes_rows: int = 5000
    #: With ``max_changes`` more ways than this to choose the terms to give up are refused.
    most_choices: int = 5000
    #: Sets of conditions that are rounded for each card that a pool is to have.
    sets_per_wanted_card: int = 2
    #: Cards of a pool whose neighbours are looked at, how many places a cut is moved, and how many
    #: neighbours are kept for each card that the pool is to have.
    pool_expanded: int = 20
    pool_furthest_move: int = 3
    pool_candidates: int = 4
    #: Neighbouring cuts, on either side, among which a rounder number is looked for.
    rounded_cut_reach: int = 1000


PLAN = SearchPlan()
