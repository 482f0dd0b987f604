"""The counts of totals on a card are those of its training rows; intervals are Wilson's."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from cards import heart_card
from riskcard import FeaturePoints, RiskCard, RiskScoreClassifier, audit_card, recalibrate
from riskcard.encoding.risk_intervals import FREE, SHRUNK, risk_intervals
from riskcard.errors import FormatError, ParameterError
from riskcard.evaluation.intervals import wilson_interval
from riskcard.model.totals import MOST_BANDS, TotalCount, bands_of, count_totals


def rows_of(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 6, size=(150, 3)).astype(float)
    y = (X.sum(axis=1) + generator.normal(0, 3, 150) > 8).astype(int)
    return X, y, generator.integers(1, 4, 150).astype(float)


@given(st.sets(st.integers(-200, 200), min_size=1), st.integers(1, 40))
def test_bands_hold_every_total_once_and_are_no_wider_than_needed(totals, most):
    ordered = sorted(totals)
    bands = bands_of(ordered, most)
    assert len(bands) <= most
    assert bands[0][0] == ordered[0]
    assert bands[-1][1] == ordered[-1]
    assert [sum(low <= total <= high for low, high in bands) for total in ordered] == [1] * len(
        ordered
    )
    if len(ordered) <= most:
        assert all(low == high for low, high in bands)


@given(st.integers(1, 400), st.data())
def test_the_interval_is_where_the_score_test_does_not_reject(rows, data):
    events = data.draw(st.integers(0, rows))
    low, high = wilson_interval(events, rows)
    assert 0 <= low <= events / rows <= high <= 1
    for rate in (low, high):
        if 0 < rate < 1:
            z = (events / rows - rate) / math.sqrt(rate * (1 - rate) / rows)
            assert abs(z) == pytest.approx(1.959964, rel=1e-5)
    assert (low == 0) == (events == 0)
    assert (high == 1) == (events == rows)


def test_without_rows_every_rate_is_possible():
    assert wilson_interval(0, 0) == (0, 1)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_fitted_card_counts_its_rows_by_total(weighted):
    X, y, weights = rows_of()
    model = RiskScoreClassifier(max_terms=3).fit(X, y, sample_weight=weights if weighted else None)
    weights = weights if weighted else np.ones(y.size)
    totals = model.total_points(X)
    counts = model.card_.training.totals
    assert [one.low for one in counts] == sorted(set(totals.tolist()))
    for one in counts:
        of_total = totals == one.low
        assert one.high == one.low
        assert (one.rows, one.events) == (of_total.sum(), y[of_total].sum())
        assert one.weight == weights[of_total].sum()
        assert one.event_weight == weights[of_total & (y == 1)].sum()


def test_many_totals_are_counted_in_bands():
    card = RiskCard([FeaturePoints(f"f{i}", [0], [0, 2**i]) for i in range(8)])
    generator = np.random.default_rng(1)
    rows = generator.normal(size=(900, 8))
    totals, is_event = card.total_points(rows), generator.random(900) < 0.4
    counts = count_totals(totals, is_event, np.ones(900), card.reachable_totals())
    assert len(counts) <= MOST_BANDS
    assert sum(one.rows for one in counts) == 900
    for one in counts:
        is_in = (totals >= one.low) & (totals <= one.high)
        assert (one.rows, one.events) == (is_in.sum(), (is_in & is_event).sum())


@pytest.mark.parametrize(("n_totals", "n_counts"), [(30, 30), (31, 31), (60, 60), (61, 13)])
def test_up_to_60_totals_are_counted_each_and_more_in_at_most_30_bands(n_totals, n_counts):
    totals = np.arange(n_totals)
    is_event = totals % 3 == 0
    counts = count_totals(totals, is_event, 1.0 + totals, range(n_totals))
    assert len(counts) == n_counts
    assert [one.low for one in counts] == sorted({one.low for one in counts})
    for one in counts:
        own = (totals >= one.low) & (totals <= one.high)
        assert (one.rows, one.events) == (own.sum(), (own & is_event).sum())
        assert one.weight == (1.0 + totals)[own].sum()
        assert one.event_weight == (1.0 + totals)[own & is_event].sum()
        squares = ((1.0 + totals)[own] ** 2).sum()
        assert one.effective_rows == pytest.approx(one.weight**2 / squares)


def test_a_band_without_rows_is_not_kept():
    counts = count_totals(np.array([4, 4]), np.array([True, False]), np.ones(2), [0, 4, 5])
    assert counts == (TotalCount(4, 4, 2, 1, 2.0, 1.0, 2.0),)


def test_bands_have_the_smallest_round_width_that_suffices():
    assert bands_of(range(31)) == [(low, min(low + 1, 30)) for low in range(0, 31, 2)]
    assert bands_of(range(61)) == [(low, min(low + 4, 60)) for low in range(0, 61, 5)]
    assert bands_of(range(-3, 297)) == [(low, min(low + 9, 296)) for low in range(-3, 297, 10)]
    assert bands_of(range(301))[:2] == [(0, 19), (20, 39)]
    assert bands_of(range(1000))[:2] == [(0, 49), (50, 99)]


def test_a_count_may_be_of_any_total_and_of_rows_that_all_have_the_event():
    low = -(10**15)
    assert TotalCount(low, low, 1, 1, 1.0, 1.0, 1.0).low == low
    assert TotalCount(0, 0, 1, 0, 0.5, 0.0, 1.0).events == 0
    with pytest.raises(ParameterError, match="rows of a count is 0"):
        TotalCount(0, 0, 0, 0, 0.0, 0.0, 0.0)
    with pytest.raises(ParameterError, match="low of a count"):
        TotalCount(low - 1, 0, 1, 0, 1.0, 0.0, 1.0)


def test_recalibration_counts_the_new_rows():
    X, y, _ = rows_of()
    card = RiskScoreClassifier(max_terms=2).fit(X, y).card_
    other, labels, weights = rows_of(seed=1)
    weights[:5] = 0
    new = recalibrate(card, other, labels, sample_weight=weights, update="offset")
    assert sum(one.rows for one in new.training.totals) == 145
    totals = new.total_points(other[5:])
    for one in new.training.totals:
        assert one.events == labels[5:][totals == one.low].sum()


def test_an_audit_counts_again():
    X, y, weights = rows_of()
    card = RiskScoreClassifier(max_terms=2).fit(X, y, sample_weight=weights).card_
    assert audit_card(card, X, y, weights).passed
    first, second, *rest = card.training.totals
    others = [second, *rest]
    for wrong in (
        [replace(first, events=first.events + 1, rows=first.rows + 1), *others],
        # as many rows in all, and every weight is right
        [replace(first, rows=first.rows + 1), replace(second, rows=second.rows - 1), *rest],
        [replace(first, weight=first.weight + 1), *others],
        others,
    ):
        changed = replace(card, training=replace(card.training, totals=tuple(wrong)))
        report = audit_card(changed, X, y, weights)
        assert [check.name for check in report.failures] == ["counts"]


def counted_card() -> RiskCard:
    card = heart_card()
    counts = (
        TotalCount(-1, -1, 400, 100, 400.5, 100.25, 401.0, (0.125, 0.5)),
        TotalCount(1, 7, 169, 112, 169, 112, 169),
    )
    return replace(card, training=replace(card.training, totals=counts))


def test_counts_are_kept_in_the_file_one_per_line():
    card = counted_card()
    text = card.to_json()
    again = RiskCard.from_json(text)
    assert again == card
    assert again.to_json() == text
    assert sum('"low"' in line and '"event_weight"' in line for line in text.splitlines()) == 2
    odd = replace(card, outcome='"totals": "@"')
    assert RiskCard.from_json(odd.to_json()) == odd


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"rows": 400', '"rows": 0', "rows of a count is 0"),
        ('"low": -1', '"low": 0.5', r"low of a count is 0\.5"),
        ('"low": -1', '"low": 0', "from 0 to -1 has 400 rows"),
        ('"events": 100', '"events": 401', "at most as many events as rows"),
        ('"high": -1, ', "", 'no "high"'),
        ('"totals"', '"counts"', '"training" has no "totals"'),
        ('"low": -1', '"low": -1, "colour": 3', 'unknown entry "colour"'),
        ("[0.125, 0.5]", "[0.5, 0.125]", "Give two risks in order"),
        ("[0.125, 0.5]", "0.125", "interval of a count is 0.125"),
    ],
)
def test_wrong_counts_are_refused(old, new, message):
    text = counted_card().to_json()
    assert old in text
    with pytest.raises(FormatError, match=message):
        RiskCard.from_json(text.replace(old, new))


def test_a_count_needs_a_band():
    with pytest.raises(ParameterError, match="from low to high"):
        TotalCount(3, 2, 1, 1, 1, 1, 1)


def test_totals_that_no_row_has_are_not_divided_by():
    with np.errstate(all="raise"):
        found = count_totals(np.array([0, 2]), np.array([False, True]), np.ones(2), [0, 1, 2])
    assert [(one.low, one.rows, one.events) for one in found] == [(0, 1, 0), (2, 1, 1)]


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_effective_rows_of_a_total_do_not_depend_on_the_unit_of_weights(unit):
    weights = unit * np.array([0.1, 0.3, 0.2])
    first, second = count_totals(np.array([1, 1, 4]), np.ones(3, bool), weights, [1, 4])
    assert first.effective_rows == pytest.approx(0.4**2 / (0.1**2 + 0.3**2))
    assert second.effective_rows == pytest.approx(1)
    assert first.weight == first.event_weight == pytest.approx(0.4 * unit)


@pytest.mark.parametrize("interval", [(0.0, 1.0), (0.5, 0.5), (0, 0), (1, 1)])
def test_any_two_risks_in_order_are_an_interval(interval):
    assert TotalCount(0, 0, 5, 2, 5.0, 2.0, 5.0, interval).interval == interval


@pytest.mark.parametrize("interval", [(-0.1, 0.5), (0.5, 1.1), (0.6, 0.5), (0.5,), 0.5])
def test_what_is_not_an_interval_of_a_risk_is_refused(interval):
    with pytest.raises(ParameterError, match=r"interval of a count is .* Give two risks in order"):
        TotalCount(0, 0, 5, 2, 5.0, 2.0, 5.0, interval)


@pytest.mark.parametrize(
    ("errors", "offset"), [(FREE, -2.0), (FREE, 1.0), (SHRUNK, -2.0), (SHRUNK, 1.0)]
)
def test_the_interval_of_a_risk_is_the_same_worked_out_total_by_total(errors, offset):
    generator = np.random.default_rng(3)
    lines = generator.integers(0, 3, (2, 200))
    totals, weights = lines.sum(axis=0), generator.uniform(0.5, 2.0, 200)
    log_odds = totals + offset
    is_event = generator.random(200) < 1 / (1 + np.exp(-log_odds))
    counts = count_totals(totals, is_event, weights, range(5))
    found = risk_intervals(counts, log_odds, totals, lines, weights, errors)

    units = weights * weights.sum() / (weights @ weights)
    columns = [np.ones(200), *(points == worth for points in lines for worth in (1, 2))]
    design, risks = np.column_stack(columns), 1 / (1 + np.exp(-log_odds))
    information = (design.T * (units * risks * (1 - risks))) @ design + 1e-3 * np.eye(5)
    rate = weights[is_event].sum() / weights.sum()

    def ends_of(one, eta, prior):
        rows = one.effective_rows / errors.optimism

        def slope(middle):
            return rows * (one.rate - 1 / (1 + np.exp(-middle))) - (middle - eta) / prior

        middle = brentq(slope, -20, 20, xtol=1e-12)
        risk = 1 / (1 + np.exp(-middle))
        reach = 1.959964 / np.sqrt(rows * risk * (1 - risk) + 1 / prior)
        return tuple(1 / (1 + np.exp([reach - middle, -reach - middle])))

    for one, (low, high) in zip(counts, found, strict=True):
        is_own, eta = totals == one.low, one.low + offset
        mean = np.average(design[is_own], axis=0, weights=weights[is_own])
        prior = errors.estimated * mean @ np.linalg.solve(information, mean)
        prior += errors.simpler + errors.slope * (eta - np.log(rate / (1 - rate))) ** 2
        ends = ends_of(one, eta, prior)
        if eta > np.log(9):  # a risk above 90 %
            levels_off = ends_of(one, eta, prior + errors.levelling * (eta - np.log(9)))
            assert (levels_off[0] < ends[0]) == (errors is SHRUNK)
            ends = min(levels_off[0], ends[0]), ends[1]
        assert (low, high) == pytest.approx(ends, rel=1e-5)
