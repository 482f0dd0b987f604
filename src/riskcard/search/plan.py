"""The constants of the search and of its drivers, each with its reason.

They decide how hard the search works and where it looks, and so which card it finds. None of them
bears on the truth of a bound. `python -m benchmarks.ablation` switches each off in turn.

Work is counted in units of about a nanosecond of one processor, so that the same problem always
gets the same number of steps, whatever the machine and however busy it is.
"""

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
    #: fewer rows sets are ranked by chance: with 60,000 values some tables of 20,000 rows and more end
    #: 0.4 % above the best card known; with twice as many nothing is gained.
    first_pass_values: int = 220_000
    first_pass_fewest_rows: int = 2000
    #: A table with at most this many times the rows of the sample is not sampled.
    sample_worthwhile: float = 1.5
    #: Cuts per feature in the first pass; the second has twice as many, and the last step all.
    first_pass_cuts: int = 128
    second_pass_cuts: int = 255
    #: Rows of the second pass: enough to rank sets of conditions rightly.
    second_pass_rows: int = 200_000

    # --- sets of conditions ---------------------------------------------------------------------

    #: Steps (exchanges of one condition) of the only pass, by itself and for each term, and of the
    #: first of two. More of them find next to nothing; half of them miss more problems.
    one_pass_steps: int = 5
    one_pass_steps_per_term: int = 9
    first_pass_steps: int = 60
    #: Independent chains of a thorough search, so that several threads have something to do.
    thorough_chains: int = 4
    #: Work of a thorough search for sets, in one pass and in the first of two.
    thorough_one_pass: float = 2.2e8
    thorough_first_pass: float = 1.0e8
    #: Sets, best first, whose most promising neighbours are fitted, better or not: with half of them
    #: one problem in a hundred more is missed, and more of them find next to nothing.
    n_explored: int = 12
    #: A perturbation replaces at most this many terms: one is too few to leave an optimum.
    most_perturbed_terms: int = 3
    #: On wide tables perturbations use the most promising features only, at most this many. Those
    #: with few cuts cost next to nothing and are always used.
    promising_features: int = 16
    few_cuts: int = 8
    #: Ridge of all fits, relative to the total weight, so that the unit of weights does not matter.
    #: It is negligible except near separation, where it keeps coefficients of about one size, so
    #: that whole points of a small range can follow them.
    ridge: float = 4e-6
    #: Classes are nearly separated when a set has less than this part of the empty card's loss.
    nearly_separated: float = 0.15
    #: Near separation a search for sets has this many times the steps: it goes on improving longer.
    steps_if_separated: int = 3
    #: Near separation sets are searched a second time. With this smaller ridge that finds sets that
    #: separate all rows; where terms are limited to less than ``no_real_limit`` in log-odds, no
    #: card can follow those, and the ridge is larger (see `second_ridge`).
    small_ridge: float = 1e-7
    no_real_limit: float = 15.0
    #: Candidates of a step that are fitted exactly, and those in one pass, where fits are cheap: what
    #: a condition of few rows promises is often far too little.
    n_tries: int = 6
    one_pass_tries: int = 12
    #: Perturbations in a row without success after which a chain ends, plus features times terms:
    #: tiny problems are exhausted long before their steps are.
    patience: int = 3

    # --- from sets to cards ---------------------------------------------------------------------

    #: Sets that are rounded to whole points: the best set need not give the best card.
    n_rounded: int = 14
    #: Where a small table has at most this many full sets of conditions, all of them are rounded: that
    #: takes a few milliseconds. A short list of candidates is the usual case in short tables.
    most_sets: int = 45
    #: Cards whose points are balanced from several sizes, and whose terms are then exchanged.
    n_descended: int = 3
    #: Sets that the second pass begins with, how many of the best there have their neighbours looked
    #: at, and the most steps that this takes. Half of each leave twice as much above the best card known.
    n_fitted: int = 16
    n_refined: int = 4
    refine_steps: int = 16
    #: With a free scale whole points are exchanged only in tables of at most this many values: in
    #: larger ones that takes 40 % longer and gains little.
    most_values_to_exchange: int = 150_000
    #: Work on whole points where the scale is given, and in a thorough search.
    second_pass: float = 2.0e7
    thorough_second_pass: float = 1.2e8
    #: Work on whole points near separation, where sets that are alike round to unlike cards.
    second_pass_if_separated: float = 4.0e7
    #: Cards whose cuts are moved at the end, and those of a thorough search.
    n_kept: int = 2
    thorough_kept: int = 10
    #: A perturbation of a card with whole points replaces at most this many terms.
    most_replaced_points: int = 3
    #: A set or a card is better when its loss is lower by more than this part: less is rounding.
    least_gain: float = 1e-9
    #: Bins of a window around a cut; coarser windows come first where a feature has more cuts.
    window_bins: int = 128
    #: At the end a cut is moved by at most one part in this many of the cuts of its feature, or by
    #: half a window: the passes before have found about where it belongs.
    window_part: int = 40
    #: Jumps or shifts that a step tries for each cut; where more are allowed, an even choice.
    most_jumps_tried: int = 12
    #: Conditions that are tried where a feature must be used although it is worth nothing.
    most_forced: int = 64

    # --- what a step costs ----------------------------------------------------------------------

    #: A thorough search is given an amount of work. These turn it into steps: the cost of a step by
    #: itself, for each cut, for each pair of terms, and for each value of the table, by itself and
    #: for each term.
    cost_of_step: float = 6.0e4
    cost_of_cut: float = 8.0
    cost_of_pair: float = 6.0e3
    cost_of_value: float = 2.2
    cost_of_value_per_term: float = 0.42

    # --- codes that most rows share -------------------------------------------------------------

    #: Sums over rows skip a code that at least this part of the rows share.
    least_common: float = 0.5
    #: Rows from which such a code is guessed, and the longest table in which it is looked for.
    common_sample: int = 64
    common_most_rows: int = 200_000

    # --- drivers --------------------------------------------------------------------------------

    #: A short proof comes before a thorough search: nodes times rows that it may take, about a
    #: tenth of a second, and its fewest and most nodes.
    short_proof_work: float = 2e6
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
