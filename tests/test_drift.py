"""Stability indices, recomputed by hand and by simulation, and the drift of a card's inputs."""

import numpy as np
import pytest
from scipy.stats import entropy

from cards import mass_card
from riskcard import FeaturePoints, RiskCard, RiskScoreClassifier
from riskcard.errors import DataError
from riskcard.evaluation.monitoring.card_drift import card_drift
from riskcard.evaluation.monitoring.drift import (
    Reading,
    drift_between,
    equal_share_bands,
    rows_worth,
)
from riskcard.model.value_range import ValueRange


def test_the_index_is_the_symmetric_divergence_of_the_shares():
    rng = np.random.default_rng(0)
    for _ in range(20):
        old, new = rng.integers(1, 500, (2, 7))
        found = drift_between(old, new)
        both = entropy(new, old) + entropy(old, new)  # Kullback-Leibler, both ways round
        assert found.index == pytest.approx(both, rel=1e-12)
        assert sum(one.part for one in found.bins) == pytest.approx(both)
        assert all(one.part >= 0 for one in found.bins)
        assert [one.expected for one in found.bins] == pytest.approx((old / old.sum()).tolist())


def test_the_order_of_the_samples_does_not_matter_and_equal_shares_give_nothing():
    assert drift_between([3, 5], [8, 1]).index == pytest.approx(drift_between([8, 1], [3, 5]).index)
    same = drift_between([30, 50, 20], [3, 5, 2])
    assert same.index == pytest.approx(0, abs=1e-15)
    assert same.in_words == "stable"


def test_an_empty_bin_gets_half_a_row_as_all_others_do():
    found = drift_between([90, 10, 0, 0], [80, 15, 5, 0])
    assert found.is_adjusted
    assert len(found.bins) == 3  # the last is empty in both
    old, new = np.array([90.5, 10.5, 0.5]) / 101.5, np.array([80.5, 15.5, 5.5]) / 101.5
    assert found.index == pytest.approx(((new - old) * np.log(new / old)).sum())
    assert found.bins[2].expected == 0  # the shares that are shown are those that were counted
    assert not drift_between([90, 10], [80, 20]).is_adjusted


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ([5000, 5000], [5010, 4990], "stable"),
        ([50000, 50000], [52000, 48000], "stable, but more than chance"),
        ([5000, 5000], [6600, 3400], "some change"),
        ([5000, 5000], [8000, 2000], "large change"),
        ([6, 4, 3], [4, 6, 2], "some change, within chance"),
    ],
)
def test_the_usual_limits_are_read_together_with_chance(old, new, words):
    assert drift_between(old, new).in_words == words


def test_chance_makes_the_index_as_large_as_it_says():
    rng = np.random.default_rng(1)
    shares = np.array([0.1, 0.2, 0.3, 0.25, 0.15])
    drawn = [
        drift_between(rng.multinomial(400, shares), rng.multinomial(900, shares))
        for _ in range(3000)
    ]
    index = np.array([one.index for one in drawn])
    assert drawn[0].by_chance == pytest.approx(4 * (1 / 400 + 1 / 900))
    assert index.mean() == pytest.approx(drawn[0].by_chance, rel=0.04)
    assert np.mean([one.is_beyond_chance for one in drawn]) == pytest.approx(0.05, abs=0.012)


def test_bands_have_about_equal_shares_and_never_divide_a_value():
    rng = np.random.default_rng(2)
    for _ in range(50):
        weights = rng.integers(0, 40, rng.integers(1, 60)).astype(float)
        weights[0] += 1
        ends = equal_share_bands(weights, 10)
        assert ends == sorted(set(ends))
        assert ends[-1] == weights.size - 1
        assert len(ends) <= 10
    assert equal_share_bands(np.ones(100), 10) == list(range(9, 100, 10))


@pytest.mark.parametrize("counts", [[0, 0], [-1, 2], [np.nan, 1.0], [[1.0]]])
def test_invalid_counts_are_refused(counts):
    with pytest.raises(DataError, match="numbers of at least 0, not all of them 0"):
        drift_between(counts, [1, 2])


# --- a card -------------------------------------------------------------------------------------


def loans(n_rows: int, seed: int, older: float = 0.0):
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(45 + older, 12, n_rows), 18, 90).round()
    used = rng.integers(0, 101, n_rows).astype(float)
    risk = 1 / (1 + np.exp(-(-3 + 0.03 * used + 0.8 * (age < 35))))
    y = (rng.random(n_rows) < risk).astype(int)
    age[rng.random(n_rows) < 0.1] = np.nan
    return np.column_stack([age, used]), y


def test_a_reference_and_the_counts_in_the_card_say_the_same():
    X, y = loans(800, 0)
    card = RiskScoreClassifier(4).fit(X, y).card_
    new, _ = loans(300, 1, older=6)
    stored, given = card_drift(card, new), card_drift(card, new, X)
    assert stored.is_from_card
    assert not given.is_from_card
    assert stored.features == given.features
    assert stored.total == given.total
    assert stored.faults == given.faults


def test_features_of_a_card_that_was_learned_with_weights_are_compared_by_rows():
    X, y = loans(800, 0)
    weights = np.random.default_rng(5).uniform(0.2, 5, 800)
    card = RiskScoreClassifier(3).fit(X, y, weights).card_
    # the lines store rows, and the totals weights: the same rows have not moved in either
    found = card_drift(card, X, sample_weight=weights)
    assert [one.index for one in found.features] == pytest.approx([0.0] * len(card.features))
    assert found.total.index == pytest.approx(0.0, abs=1e-12)
    assert found.total.expected_rows == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


def test_the_drift_of_a_card_is_that_of_its_lines_counted_by_hand():
    card = RiskCard([FeaturePoints("age", [40, 60], [0, 2, 5], missing=1)])
    rng = np.random.default_rng(3)
    old, new = rng.integers(18, 80, 500).astype(float), rng.integers(25, 90, 300).astype(float)
    old[:50], new[:60] = np.nan, np.nan
    found = card_drift(card, {"age": new}, {"age": old})

    def shares(values):
        counted = [
            (values <= 40).sum(),
            ((values > 40) & (values <= 60)).sum(),
            (values > 60).sum(),
        ]
        return np.array([*counted, np.isnan(values).sum()]) / values.size

    expected, actual = shares(old), shares(new)
    index = ((actual - expected) * np.log(actual / expected)).sum()
    (age,) = found.features
    assert age.index == pytest.approx(index)
    assert age.points_shift == pytest.approx((actual - expected) @ [0, 2, 5, 1])
    mean = card.total_points({"age": new}).mean() - card.total_points({"age": old}).mean()
    assert age.points_shift == pytest.approx(mean)
    assert found.total is not None
    # every line has a total of its own here, so that the total moves as the feature does
    assert found.total.index == pytest.approx(index)
    assert [one.words for one in found.total.bins] == ["up to 0", "1", "2", "3 or more"]


def test_weights_count_as_copies_of_rows():
    card = RiskCard([FeaturePoints("age", [40, 60], [0, 2, 5])])
    rng = np.random.default_rng(4)
    old, new = rng.integers(18, 80, 100).astype(float), rng.integers(25, 90, 80).astype(float)
    weights = rng.integers(1, 4, 80)
    weighted = card_drift(card, {"age": new}, {"age": old}, weights)
    copied = card_drift(card, {"age": np.repeat(new, weights)}, {"age": old})
    assert weighted.features[0].index == pytest.approx(copied.features[0].index)
    assert weighted.features[0].actual_rows < copied.features[0].actual_rows  # Kish


def test_rows_of_one_cluster_are_worth_one_row_if_they_are_copies():
    rng = np.random.default_rng(0)
    places, weights = rng.integers(0, 4, 300), rng.uniform(0.5, 2.0, 300)
    for own in (np.ones(300), weights):
        alone = rows_worth(places, own, np.arange(300))
        # clusters of one row are rows but for the estimated variance
        assert alone == pytest.approx(rows_worth(places, own, None), rel=0.1)
        copies = rows_worth(np.repeat(places, 5), np.repeat(own, 5), np.repeat(np.arange(300), 5))
        assert copies == pytest.approx(alone)
    mixed = rows_worth(np.tile(np.arange(4), 300), np.ones(1200), np.repeat(np.arange(300), 4))
    assert mixed == 1200  # every cluster has every bin: never more than there are rows
    assert rows_worth(np.zeros(10, dtype=int), np.ones(10), np.arange(10) // 2) == 5


def test_without_a_change_clustered_rows_are_beyond_chance_in_one_sample_of_twenty():
    rng = np.random.default_rng(1)
    card = RiskCard([FeaturePoints("age", [40, 60], [0, 1, 2])])
    patients = np.repeat(np.arange(150), 8)
    beyond = {True: 0, False: 0}
    for _ in range(300):
        age = rng.choice([30, 50, 70], 150).repeat(8)
        age = np.where(rng.random(age.size) < 0.1, rng.choice([30, 50, 70], age.size), age)
        old = {"age": rng.choice([30, 50, 70], 5000)}
        for allowed in beyond:
            groups = patients if allowed else None
            drift = card_drift(card, {"age": age}, old, groups=groups).features[0]
            beyond[allowed] += drift.is_beyond_chance
    assert beyond[False] > 150  # rows taken for independent ones
    assert 5 <= beyond[True] <= 27  # 15 are expected; the limits are at three standard errors


def test_values_that_training_did_not_have_are_bins_of_their_own_and_are_counted():
    seen = ValueRange(18, 90, is_whole=True)
    card = mass_card(
        features=(
            FeaturePoints("age", (45.0,), (0, 3), codes=((-9.0, 2),), usual=0, training_range=seen),
            mass_card().features[1],
        )
    )
    old = {"age": [30.0, 50, 60, -9], "shape": ["round", "oval", "oval", "lobular"]}
    new = {"age": [30.0, 120, None, -9], "shape": ["round", "square", "oval", "lobular"]}
    found = card_drift(card, new, old)
    age, shape = found.faults
    assert (age.missing, age.missing_before, age.outside, age.unseen) == (0.25, 0.0, 0.25, None)
    assert (shape.missing, shape.outside, shape.unseen) == (0.0, None, 0.25)
    assert [one.words for one in found.features[0].bins] == ["≤ 45", "> 45", "-9", "missing"]
    assert found.features[1].bins[-1].words == "levels that training did not have"
    assert found.features[1].reading is not Reading.STABLE


def test_a_card_without_counts_asks_for_the_rows_to_compare_with():
    card = RiskCard([FeaturePoints("age", [40], [0, 2])])
    with pytest.raises(DataError, match="does not store how many training rows the lines of 'age'"):
        card_drift(card, {"age": [1.0, 50.0]})
    with pytest.raises(DataError, match="no rows with a weight"):
        card_drift(card, {"age": [1.0]}, {"age": [1.0]}, [0.0])
