"""Ranks are those of a sort, whichever way they are found."""

from __future__ import annotations

import numpy as np
import pytest

from riskcard.data.table import make_table
from riskcard.encoding import ranks
from riskcard.encoding.rank_table import rank_table
from riskcard.encoding.ranks import find_two_valued, have_missing, rank_by_sorting, rank_values
from riskcard.formatting.numbers import choose_cut
from riskcard.rules.card_rules import CardRules

RNG = np.random.default_rng(0)
VALUES = {
    "numbers": RNG.standard_normal(200),
    "numbers with ties": RNG.standard_normal(200).round(1),
    "whole numbers": RNG.integers(-30, 40, 200).astype(float),
    "whole numbers far apart": RNG.integers(-(10**9), 10**9, 200).astype(float),
    "whole numbers beyond 2^53": 2.0**60 + 1024.0 * RNG.integers(0, 9, 200),
    "whole numbers but for one": np.append(RNG.integers(0, 9, 199).astype(float), 3.5),
    "halves": RNG.integers(0, 9, 200) + 0.5,
    "mostly the lowest": np.where(RNG.random(200) < 0.8, -1.5, RNG.standard_normal(200) ** 2),
    "mostly zero, of both signs": np.where(RNG.random(200) < 0.8, -0.0, RNG.random(200).round(2)),
    "two values": RNG.choice([-2.5, 7.25], 200),
    "one value": np.full(200, 3.25),
    "one row": np.array([4.0]),
    "huge": RNG.choice([-1e308, 0.0, 1e308], 200),
}


@pytest.mark.parametrize("name", VALUES)
def test_ranks_are_those_of_a_sort(name):
    values = VALUES[name]
    distinct, expected = np.unique(values, return_inverse=True)
    codes, found = rank_values(values)
    np.testing.assert_array_equal(found, distinct)
    np.testing.assert_array_equal(codes, expected)
    assert codes.dtype == np.int32
    assert found.dtype == np.float64


@pytest.mark.parametrize("name", VALUES)
def test_ranks_by_digits_are_those_of_a_sort(name, monkeypatch):
    monkeypatch.setattr(ranks, "MOST_ROWS_SORTED", 0)
    values = np.concatenate([VALUES[name], -VALUES[name], [5e-324, -5e-324, 0.0, -0.0]])
    for some in (VALUES[name], values, values[::-1]):
        distinct, expected = np.unique(some, return_inverse=True)
        codes, found = rank_by_sorting(some)
        np.testing.assert_array_equal(found, distinct)
        np.testing.assert_array_equal(codes, expected)


def test_neighbouring_floats_keep_ranks_of_their_own():
    values = np.nextafter(1.0, 2.0) + np.array([0.0, 1.0, 2.0, 3.0]) - 1.0
    values = np.concatenate([values, np.nextafter(values, 10.0)])
    codes, found = rank_values(values)
    assert found.size == 8
    assert np.unique(codes).size == 8


def test_columns_with_two_values_are_found_on_short_tables():
    columns = [VALUES[name] for name in ("two values", "numbers", "one value", "halves")]
    found = find_two_valued(np.stack(columns, axis=1))
    assert found.is_two.tolist() == [True, False, True, False]
    assert found.n_cuts[[0, 2]].tolist() == [1, 0]
    np.testing.assert_array_equal(found.is_above[:, 0], columns[0] > 0)


def test_a_table_gets_the_same_codes_whether_it_counts_as_short_or_tall(monkeypatch):
    names = ["two values", "numbers with ties", "one value", "mostly the lowest", "whole numbers"]
    X = np.stack([VALUES[name] for name in names], axis=1)
    X[5, 3] = np.nan
    table = make_table(X, RNG.integers(0, 2, 200))
    short, short_cuts = rank_table(table)
    monkeypatch.setattr(ranks, "FEW_ROWS", 10)
    tall, tall_cuts = rank_table(table)
    np.testing.assert_array_equal(short.codes, tall.codes)
    np.testing.assert_array_equal(short.n_cuts, tall.n_cuts)
    for one, other in zip(short_cuts.gaps, tall_cuts.gaps, strict=True):
        assert one.n_cuts == other.n_cuts
        assert [one.ends(c) for c in range(one.n_cuts)] == [
            other.ends(c) for c in range(one.n_cuts)
        ]


@pytest.mark.parametrize("rules", [None, CardRules(round_cuts=0.01)])
@pytest.mark.parametrize("grid", [None, 7])
@pytest.mark.parametrize("name", VALUES)
def test_a_gap_has_the_rows_below_it_below_and_the_others_above(name, grid, rules):
    values = np.repeat(VALUES[name], 2)
    table = make_table(values[:, None], np.tile([0, 1], VALUES[name].size))
    data, cuts = rank_table(table, grid, rules=rules)
    (gaps,) = cuts.gaps
    for cut in range(gaps.n_cuts):
        is_below = data.codes[0] <= cut
        assert gaps.ends(cut) == (values[is_below].max(), values[~is_below].min())
    numbers = gaps.numbers()
    assert numbers.size == (gaps.n_cuts + 1 if gaps.n_cuts else 0)
    for cut in range(gaps.n_cuts):
        assert numbers[cut] == gaps.ends(cut)[0]


def test_missing_values_are_distinguished_from_sums_that_have_no_value():
    values = np.array([[1e308, np.nan, 1.0], [1e308, 0.0, 2.0], [-1e308, 1.0, 3.0]])
    cancelled = np.array([[1e308], [1e308], [-1e308], [-1e308]])
    with np.errstate(over="ignore", invalid="ignore"):
        assert not np.isfinite(cancelled.sum(axis=0)).all()
    assert have_missing(values).tolist() == [False, True, False]
    assert have_missing(cancelled).tolist() == [False]


def test_an_even_grid_has_as_many_cuts_among_few_events_as_among_the_other_rows():
    values = np.arange(1000.0)
    labels = (values >= 950).astype(int)  # one row in twenty, at one end
    table = make_table(values[:, None], labels)
    _, by_rows = rank_table(table, 9)
    data, evenly = rank_table(table, 9, is_even=True)
    above = [np.count_nonzero(cuts.gaps[0].all_ends()[0] >= 950) for cuts in (by_rows, evenly)]
    assert above == [0, 4]
    np.testing.assert_array_equal(data.weights, table.weights)
    # neither the unit of the weights nor which class is the event matters
    for other in (
        make_table(values[:, None], labels, np.full(1000, 1e-3)),
        make_table(values[:, None], 1 - labels),
    ):
        _, same = rank_table(other, 9, is_even=True)
        np.testing.assert_array_equal(same.gaps[0].all_ends(), evenly.gaps[0].all_ends())


def test_a_round_grid_stays_near_the_quantiles():
    values = np.random.default_rng(1).gamma(2.0, 10.0, 2000).round(2)
    table = make_table(values[:, None], np.arange(2000) % 2)
    _, cuts = rank_table(table, 9, rules=CardRules(round_cuts=0.01))
    numbers = [choose_cut(*cuts.gaps[0].ends(place)) for place in range(cuts.gaps[0].n_cuts)]
    shares = [np.mean(values <= number) for number in numbers]
    np.testing.assert_allclose(shares, np.arange(1, 10) / 10, atol=0.0251)
    assert numbers == [round(number, 0) for number in numbers]
    assert 20.0 in numbers
