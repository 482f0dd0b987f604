"""The search alone finds the best card: problems that it once missed, and the benchmark that finds such."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from benchmarks import known_optima, search_quality
from benchmarks.tables import load_table
from numba import config

from oracle.enumerate_cards import enumerate_cards
from riskcard.problem.objective import loss_of
from riskcard.problem.problem import make_problem
from riskcard.problem.ranked_data import RankedData
from riskcard.search.drivers.solve_plain import find_card
from riskcard.search.heuristic.binned_rows import all_cuts
from riskcard.search.heuristic.card_room import required_conditions, rules_of
from riskcard.search.heuristic.draft import measure, rescale_points, round_support
from riskcard.search.heuristic.support import fit_support
from riskcard.search.options import Options, SearchOptions
from riskcard.search.solve import solve

MISSED = {
    "default, 3 terms": lambda: known_optima.default(load_table("paper:800:0", None), 3),
    "deciles, 4 terms": lambda: known_optima.deciles(load_table("ties:200:0", None), 4),
    "separated deciles, 4 terms": lambda: known_optima.deciles(load_table("paper:200:0", None), 4),
    "every cut, 4 terms": lambda: known_optima.every_cut(load_table("rare:200:0", None), 4),
    "weights, rules, levels": lambda: known_optima.random_small(70),
}


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="takes minutes as plain Python")
@pytest.mark.parametrize("name", MISSED)
def test_the_search_alone_finds_the_proven_card_of_problems_it_once_missed(name):
    problem = MISSED[name]()
    proven = solve(problem, Options(certify=True, time_limit=None))
    assert proven.status == "optimal"
    assert loss_of(find_card(problem, SearchOptions()), problem) == pytest.approx(proven.loss)


# --- points of another size ---------------------------------------------------------------------


def nearly_separated(seed: int) -> RankedData:
    """Rows that a sum of three columns separates but for a few."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (3, 60)).astype(np.int32)
    labels = np.where(codes[0] + codes[1] - codes[2] + 0.3 * rng.normal(size=60) > 0.5, 1, -1)
    codes[:, :2], labels[:2] = [[0, 1]] * 3, (1, -1)
    return RankedData(codes, np.ones(3, dtype=np.int64), labels.astype(np.int8), np.ones(60))


def test_rescaled_points_are_the_best_of_a_set_where_rounded_ones_are_not():
    n_gained = 0
    for seed in range(12):
        problem = make_problem(nearly_separated(seed), max_terms=3, max_log_odds=3.0)
        rows, rules = all_cuts(problem), rules_of(problem)
        conditions = np.array([[0, 1, 2], [0, 0, 0]])
        rounded = round_support(rows, rules, fit_support(rows, rules, conditions))
        rescaled = rescale_points(rows, rules, rounded)
        every = itertools.product(range(-5, 6), repeat=3)
        best = min(
            measure(rows, rules, np.vstack([conditions, jumps])).loss
            for jumps in every
            if any(jumps)
        )
        assert best * (1 - 1e-7) <= rescaled.loss <= rounded.loss
        assert rescaled.loss == pytest.approx(best, rel=1e-6)
        n_gained += rescaled.loss < rounded.loss * (1 - 1e-4)
    assert n_gained > 0


def test_points_keep_their_size_where_the_scale_is_given():
    problem = make_problem(nearly_separated(0), max_terms=3, scale=1.0)
    rows, rules = all_cuts(problem), rules_of(problem)
    draft = measure(rows, rules, np.array([[0, 1], [0, 0], [-1, -1]]))
    assert rescale_points(rows, rules, draft) is draft


# --- features that must be used -----------------------------------------------------------------


def with_useless_feature(seed: int, scale: float | str):
    """Three columns, of which the last must be used, on one side only, and says nothing."""
    data = nearly_separated(seed)
    codes = data.codes.copy()
    codes[2] = np.random.default_rng(seed + 50).permutation(codes[2])
    problem = make_problem(replace(data, codes=codes), 3, max_points=3, scale=scale)
    high = problem.jump_high.copy()
    high[2] = 0
    must = np.array([False, False, True])
    restrictions = replace(problem.restrictions, must_use=must)
    return replace(problem, jump_high=high, restrictions=restrictions)


@pytest.mark.parametrize("scale", [1.0, "multiplier", "calibrated"])
def test_a_feature_that_must_be_used_for_nothing_does_not_keep_others_from_the_card(scale):
    for seed in range(6):
        problem = with_useless_feature(seed, scale)
        rows, rules = all_cuts(problem), rules_of(problem)
        assert required_conditions(rules, rows).tolist() == [[2], [0]]
        found = loss_of(find_card(problem, SearchOptions()), problem)
        assert found == pytest.approx(enumerate_cards(problem).loss, rel=1e-6)


# --- the benchmark ------------------------------------------------------------------------------


def test_problems_of_a_table_are_in_one_group():
    groups: dict[str, set[bool]] = {}
    for case in known_optima.cases_of(None, n_random=4):
        groups.setdefault(case.name.split(", ")[1], set()).add(case.is_tuning)
    assert all(len(found) == 1 for found in groups.values())
    assert {frozenset(found) for found in groups.values()} == {
        frozenset([True]),
        frozenset([False]),
    }


def test_a_digest_tells_problems_apart():
    cases = [case for case in known_optima.cases_of(None, n_random=6) if case.kind == "random"]
    digests = [known_optima.digest_of(case.make()) for case in cases]
    assert digests == [known_optima.digest_of(case.make()) for case in cases]
    assert len(set(digests)) == len(digests)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="takes minutes as plain Python")
def test_proven_losses_are_kept_and_used_again(tmp_path, capsys, monkeypatch):
    arguments = ["--kinds", "random", "--random", "3", "--optima", str(tmp_path / "optima.json")]
    assert search_quality.main(arguments) == 0
    first = capsys.readouterr().out.splitlines()
    monkeypatch.setattr(search_quality, "solve", None)
    assert search_quality.main(arguments) == 0
    again = capsys.readouterr().out.splitlines()
    assert [line.split("|")[1:7] for line in first] == [line.split("|")[1:7] for line in again]
    assert first[2].startswith("| random | 3 |")
