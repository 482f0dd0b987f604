"""Where the values of a feature lie: shares of rows, ranges and bars are those counted by hand."""

import numpy as np
import pytest

from cards import mass_card
from riskcard import FeaturePoints, LevelPoints
from riskcard.evaluation.distribution import (
    Slot,
    distributions_of,
    number_bars,
    number_range,
    slots_of,
)
from riskcard.model.value_range import ValueRange

ROWS = {
    "age": [40, 50, 50, 70, None, -9, -9, 61],
    "shape": ["round", "oval", "oval", "irregular", "lobular", "zigzag", "round", "round"],
    "density": ["low", "low", None, "high", "medium", "low", "low", "low"],
    "palpable": [True, False, False, False, False, True, False, True],
}


def test_weights_count_in_the_shares():
    card, weights = mass_card(), np.array([1, 1, 1, 1, 6, 2, 2, 2.0])
    shape = card.features[1]
    slots = slots_of(shape, ROWS["shape"], weights)
    assert [slot.share for slot in slots] == pytest.approx([5 / 16, 2 / 16, 1 / 16, 6 / 16, 2 / 16])
    slots = slots_of(card.features[0], ROWS["age"], weights)
    assert slots == [Slot("-9", 2, 4 / 16, True), Slot("missing", 1, 6 / 16, True)]


def test_ordinary_levels_are_not_special():
    slots = slots_of(mass_card().features[1], ROWS["shape"], np.ones(8))
    assert [slot.words for slot in slots if slot.is_special] == ["unseen"]


def test_a_missing_value_that_training_did_not_have_is_shown_with_the_points_it_gets():
    feature = FeaturePoints("a", [1], [4, 7], usual=1)
    (slot,) = slots_of(feature, [0.0, None], np.ones(2))
    assert (slot.words, slot.points, slot.share) == ("missing", 7, 0.5)
    assert slots_of(feature, [0.0, 1.0], np.ones(2)) == []


def test_no_and_yes_are_shown_as_levels_and_other_numbers_are_not():
    answer = FeaturePoints("a", [0], [1, 3], training_range=ValueRange(0, 1, is_whole=True))
    slots = slots_of(answer, [0.0, 0.0, 1.0, 0.0], np.ones(4))
    assert slots == [Slot("no", 1, 0.75, False), Slot("yes", 3, 0.25, False)]
    number = FeaturePoints("a", [0], [1, 3], training_range=ValueRange(-1, 1, is_whole=True))
    assert slots_of(number, [0.0, 0.0, 1.0, 0.0], np.ones(4)) == []


def test_many_levels_are_shown_together_in_their_groups():
    letters = "abcdefghij"
    feature = LevelPoints("a", [list(letters[:7]), list(letters[7:])], [0, 2])
    slots = slots_of(feature, list("aabh"), np.ones(4))
    assert [(slot.words, slot.share) for slot in slots] == [
        ("a, b, c, d, e, f, g", 0.75),
        ("h, i, j", 0.25),
    ]


def test_the_range_holds_every_cut_and_most_rows_but_not_long_tails():
    feature = FeaturePoints("a", [-5, 3], [0, 1, 2])
    values = np.append(np.linspace(0, 1, 999), 1000.0)
    left, right = number_range(feature.cuts, values)
    assert left < -5
    assert 3 < right < 10
    assert number_range((5,), np.array([2.0, 9.0])) == (2, 9)
    left, right = number_range((), values + 1e4)
    assert 1e4 < left < right < 1e4 + 1


def test_a_tail_is_shown_where_nearly_all_values_are_equal():
    values = np.append(np.zeros(999), 8.0)
    assert number_range((), values) == (0, 8)


@pytest.mark.parametrize(
    ("cuts", "values", "ends"),
    [
        ([], [], (0, 1)),
        ([], [7.0, 7.0], (5.95, 8.05)),
        ([], [0.0, 0.0], (-0.15, 0.15)),
        ([7], [], (5.95, 8.05)),
        ([7], [7.0], (5.95, 8.05)),
        # a bin beyond the outer cut is seen though no row is in it
        ([0, 10], [], (-1.5, 11.5)),
        ([0, 10], [0.0, 20.0], (-3, 20)),
        ([0, 10], [-10.0, 10.0], (-10, 13)),
        ([0], [-10.0, 10.0], (-10, 10)),
        # tails are cut off only when the range gets more than 1.3 times as wide
        ([], [0.0] * 2 + list(range(1, 100)) + [128.0], (0, 128)),
        ([], [0.0] * 2 + list(range(1, 100)) + [200.0], (0.01, 98.99)),
    ],
)
def test_the_range_has_room_where_it_ends_at_a_cut(cuts, values, ends):
    feature = FeaturePoints("a", cuts, list(range(len(cuts) + 1)))
    assert number_range(feature.cuts, np.array(values)) == pytest.approx(ends, abs=0.011)


def test_few_whole_numbers_have_a_bar_each():
    values = np.array([0.0, 1, 1, 3])
    edges, shares = number_bars(values, np.ones(4), (0, 3), total=8)
    np.testing.assert_array_equal(edges, [-0.5, 0.5, 1.5, 2.5, 3.5])
    np.testing.assert_array_equal(shares, [1 / 8, 2 / 8, 0, 1 / 8])
    edges, _ = number_bars(values, np.ones(4), (-0.4, 3.2), total=8)
    np.testing.assert_array_equal(edges, np.arange(-1.5, 5))
    edges, shares = number_bars(values / 7, np.ones(4), (0, 3 / 7), total=4)
    assert (edges.size, shares.sum()) == (31, 1)


def test_bars_are_narrow_up_to_30_whole_numbers():
    values = np.arange(31.0)
    edges, shares = number_bars(values, np.ones(31), (0, 30), total=31)
    np.testing.assert_array_equal(edges, np.arange(-0.5, 31))
    np.testing.assert_allclose(shares, 1 / 31)
    edges, _ = number_bars(np.arange(32.0), np.ones(32), (0, 31), total=32)
    np.testing.assert_allclose(edges, np.linspace(0, 31, 31))
    edges, shares = number_bars(np.empty(0), np.empty(0), (0, 3), total=5)
    assert (edges.size, shares.sum()) == (31, 0)


def test_up_to_eight_levels_are_shown_each():
    for n_levels, n_slots in ((8, 8), (9, 2)):
        levels = list("abcdefghi"[:n_levels])
        feature = LevelPoints("a", [levels[:3], levels[3:]], [0, 2])
        assert len(slots_of(feature, None, None)) == n_slots


def test_distributions_are_those_of_each_feature_and_of_the_card_alone():
    card = mass_card()
    rows = {name: ROWS[name] for name in ("age", "shape", "density", "palpable")}
    found = distributions_of(card, card.features, rows, np.arange(1.0, 9.0))
    alone = distributions_of(card, card.features)
    assert len(found) == len(alone) == len(card.features)
    for one, empty in zip(found, alone, strict=True):
        assert (one.has_rows, empty.has_rows) == (True, False)
        assert empty.most == 0
        assert (one.ends == (0, 0)) is not one.is_scale
        assert (empty.ends == (0, 0)) is not empty.is_scale
        assert all(slot.share is None for slot in empty.slots)
        shares = [*one.shares, *(slot.share for slot in one.slots)]
        assert sum(shares) == pytest.approx(1)
        assert one.most == max(shares)
