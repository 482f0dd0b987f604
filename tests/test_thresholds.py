"""Tables by threshold and groups of risks: counts by hand, intervals by statsmodels and textbook formulas."""

import math

import numpy as np
import pytest

from riskcard.errors import DataError, ParameterError
from riskcard.evaluation.intervals import wilson_interval
from riskcard.evaluation.outcomes import read_outcomes
from riskcard.evaluation.thresholds import risk_groups, threshold_table

Q = 1.959963984540054


def rows_of(seed=0, n_rows=150):
    rng = np.random.default_rng(seed)
    totals = rng.integers(0, 7, n_rows)
    risks = 1 / (1 + np.exp(2.5 - 0.8 * totals))
    y = (rng.random(n_rows) < risks).astype(int)
    return totals, risks, y, rng.uniform(0.5, 3, n_rows)


def test_every_total_but_the_lowest_is_a_threshold():
    totals, risks, y, _ = rows_of()
    table = threshold_table(read_outcomes(risks, y), totals)
    assert [one.at for one in table] == [1, 2, 3, 4, 5, 6]
    for one in table:
        flagged = totals >= one.at
        true, false = (flagged & (y == 1)).sum(), (flagged & (y == 0)).sum()
        missed, spared = (~flagged & (y == 1)).sum(), (~flagged & (y == 0)).sum()
        assert (one.rows, one.events) == (flagged.sum(), true)
        for figure, part, whole in (
            (one.flagged, flagged.sum(), y.size),
            (one.sensitivity, true, true + missed),
            (one.specificity, spared, spared + false),
            (one.positive_value, true, true + false),
            (one.negative_value, spared, spared + missed),
        ):
            assert figure.value == pytest.approx(part / whole)
            assert figure.interval == pytest.approx(wilson_interval(part, whole))


def test_rates_have_the_intervals_of_statsmodels():
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    totals, risks, y, _ = rows_of(1)
    (one,) = threshold_table(read_outcomes(risks, y), totals, [4])
    wanted = proportion.proportion_confint((totals[y == 1] >= 4).sum(), y.sum(), method="wilson")
    assert one.sensitivity.interval == pytest.approx(wanted)


def test_likelihood_ratios_have_the_interval_made_of_wilsons_in_logarithms():
    """Recomputed with statsmodels' intervals of the two rates (Zou and Donner 2008)."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    totals, risks, y, _ = rows_of(2)
    (one,) = threshold_table(read_outcomes(risks, y), totals, [3])
    flagged, events, others = totals >= 3, y.sum(), (1 - y).sum()
    true, false = flagged[y == 1].sum(), flagged[y == 0].sum()
    for figure, top, bottom in (
        (one.positive_ratio, true, false),
        (one.negative_ratio, events - true, others - false),
    ):
        rates = np.log([top / events, bottom / others])
        ends = np.log([
            proportion.proportion_confint(top, events, method="wilson"),
            proportion.proportion_confint(bottom, others, method="wilson"),
        ])  # fmt: skip
        below = math.hypot(rates[0] - ends[0][0], ends[1][1] - rates[1])
        above = math.hypot(ends[0][1] - rates[0], rates[1] - ends[1][0])
        middle = rates[0] - rates[1]
        assert figure.value == pytest.approx(math.exp(middle))
        assert figure.interval == pytest.approx(
            (math.exp(middle - below), math.exp(middle + above))
        )


def test_the_interval_of_a_likelihood_ratio_knows_that_its_rates_share_clusters():
    """Doubled clusters leave the interval of single rows as it is, but for degrees of freedom."""
    totals, risks, y, _ = rows_of(2)
    single = threshold_table(read_outcomes(risks, y), totals, [3])[0].negative_ratio
    twice = read_outcomes(np.tile(risks, 2), np.tile(y, 2), clusters=np.tile(np.arange(y.size), 2))
    double = threshold_table(twice, np.tile(totals, 2), [3])[0].negative_ratio
    assert double.interval == pytest.approx(single.interval, rel=0.05)


def test_ratios_without_false_positives_are_infinite_and_have_no_interval():
    table = threshold_table(read_outcomes([0.1, 0.2, 0.6, 0.9], [0, 0, 1, 1]))
    assert [one.at for one in table] == [0.2, 0.6, 0.9]
    assert table[1].positive_ratio.value == math.inf
    assert table[1].positive_ratio.interval is None
    beyond = threshold_table(read_outcomes([0.1, 0.2], [0, 1]), at=[0.5])[0]
    assert math.isnan(beyond.positive_value.value)
    assert beyond.positive_value.interval is None
    assert math.isnan(beyond.positive_ratio.value)


def test_a_ratio_of_0_ends_at_the_largest_that_both_rates_allow():
    one = threshold_table(read_outcomes([0.1, 0.2, 0.6, 0.9], [0, 0, 1, 1]))[1]
    assert one.negative_ratio.value == 0
    most = (1 - one.sensitivity.interval[0]) / one.specificity.interval[0]
    assert one.negative_ratio.interval == pytest.approx((0, most))


def test_credit_points_flag_downwards():
    totals, risks, y, weights = rows_of(3)
    rows = read_outcomes(risks, y, weights)
    upwards = threshold_table(rows, totals)
    downwards = threshold_table(rows, 600 - totals, higher_is_riskier=False)
    assert [one.at for one in downwards] == [594, 595, 596, 597, 598, 599]
    for one, other in zip(upwards, reversed(downwards), strict=True):
        assert one.at == 600 - other.at
        assert one.sensitivity == other.sensitivity
        assert one.negative_ratio == other.negative_ratio


def test_weights_count_and_a_larger_unit_changes_nothing():
    totals, risks, y, weights = rows_of(4)
    one, other = (
        threshold_table(read_outcomes(risks, y, unit * weights), totals, [3])[0]
        for unit in (1, 1e6)
    )
    flagged = totals >= 3
    assert one.sensitivity.value == pytest.approx(
        weights[flagged & (y == 1)].sum() / weights[y == 1].sum()
    )
    assert one.positive_value.interval == pytest.approx(other.positive_value.interval)
    assert one.positive_ratio.interval == pytest.approx(other.positive_ratio.interval)


def test_groups_are_divided_at_the_cuts():
    totals, risks, y, weights = rows_of(5)
    low, middle, high = risk_groups(read_outcomes(risks, y, weights), [5, 2], totals)
    assert (low.low, low.high, middle.high, high.high) == (-math.inf, 2, 5, math.inf)
    here = (totals >= 2) & (totals < 5)
    assert (middle.rows, middle.events) == (here.sum(), y[here].sum())
    assert middle.share.value == pytest.approx(weights[here].sum() / weights.sum())
    assert middle.expected == pytest.approx(np.average(risks[here], weights=weights[here]))
    assert middle.observed.value == pytest.approx(np.average(y[here], weights=weights[here]))
    ratio = (weights[here] @ y[here] / (weights @ y)) / (
        weights[here] @ (1 - y[here]) / (weights @ (1 - y))
    )
    assert middle.ratio.value == pytest.approx(ratio)
    assert middle.ratio.interval[0] < ratio < middle.ratio.interval[1]
    # an empty group is listed, too
    empty = risk_groups(read_outcomes(risks, y), [9], totals)[1]
    assert (empty.rows, empty.share.value) == (0, 0)
    assert math.isnan(empty.expected)
    assert empty.observed.interval is None


def test_what_does_not_fit_is_refused():
    rows = read_outcomes([0.1, 0.9], [0, 1])
    with pytest.raises(DataError, match="2 rows, but the values have shape"):
        threshold_table(rows, [1, 2, 3])
    with pytest.raises(DataError, match="missing or infinite"):
        threshold_table(rows, [1, math.nan])
    with pytest.raises(ParameterError, match="at least one finite number"):
        risk_groups(rows, [])
    with pytest.raises(ParameterError, match="at least one finite number"):
        risk_groups(rows, [0.5, math.inf])
    many = read_outcomes(np.linspace(0.01, 0.99, 502), np.arange(502) % 2)
    with pytest.raises(ParameterError, match="501 different values"):
        threshold_table(many)
    assert len(threshold_table(many.take(np.arange(501)))) == 500
