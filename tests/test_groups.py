"""Groups and sites: figures by hand, by statsmodels, by enumeration and by integration."""

import itertools
import math
import warnings

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, logit
from scipy.stats import gamma, norm
from scipy.stats import t as student_t

from riskcard.errors import DataError, ParameterError
from riskcard.evaluation.calibration import bins_of_rows, calibration_of, slope_linearised
from riskcard.evaluation.discrimination import area_linearised, roc_curve
from riskcard.evaluation.groups.calibration_error import calibration_error
from riskcard.evaluation.groups.fairness import fairness
from riskcard.evaluation.groups.random_effects import (
    between_sites,
    random_effects,
    summarise_sites,
)
from riskcard.evaluation.groups.subgroups import subgroups
from riskcard.evaluation.intervals import Figure, difference, wilson_interval
from riskcard.evaluation.outcomes import Outcomes, read_outcomes


def rows_of(seed=0, n_rows=400):
    rng = np.random.default_rng(seed)
    risks = rng.integers(1, 10, n_rows) / 11
    y = (rng.random(n_rows) < risks).astype(int)
    return risks, y, rng


# --- subgroups ----------------------------------------------------------------------------------


def test_a_group_has_the_figures_of_its_rows():
    risks, y, rng = rows_of()
    groups = rng.choice(["f", "m"], 400)
    found = subgroups(read_outcomes(risks, y), groups)
    assert [one.name for one in found] == ["f", "m"]
    for one in found:
        own = groups == one.name
        rows = read_outcomes(risks[own], y[own])
        calibration = calibration_of(rows)
        assert (one.rows, one.events, one.clusters) == (own.sum(), y[own].sum(), own.sum())
        assert one.base_rate.interval == pytest.approx(wilson_interval(y[own].sum(), own.sum()))
        assert one.mean_risk == pytest.approx(risks[own].mean())
        assert one.auc.interval == roc_curve(rows).interval
        assert (one.slope.interval, one.ratio.interval, one.intercept.interval) == (
            calibration.slope_interval,
            calibration.ratio_interval,
            calibration.intercept_interval,
        )
        assert one.is_small == (min(y[own].sum(), (1 - y[own]).sum()) < 100)


def test_small_groups_are_flagged_and_groups_of_one_class_have_no_auc():
    risks, y, _ = rows_of(1)
    groups = [10.0] * 390 + [2.0] * 9 + [None]
    y[390:399], y[399] = 0, 1
    large, small, without = sorted(
        subgroups(read_outcomes(risks, y), groups), key=lambda g: -g.rows
    )
    assert (large.is_small, small.is_small, without.is_small) == (False, True, True)
    assert (small.name, without.name) == (2, None)
    assert small.auc is small.slope is small.ratio is small.intercept is None
    assert (small.base_rate.value, small.events) == (0, 0)
    names = [one.name for one in subgroups(read_outcomes(risks, y), groups)]
    assert names == [2, 10, None]


def test_groups_of_equal_risks_have_no_slope():
    found = subgroups(read_outcomes([0.2] * 6 + [0.4], [0, 1, 0, 1, 0, 1, 1]), list("aaaaaab"))
    assert found[0].slope is None
    assert found[0].auc == Figure(0.5, None)


def test_as_many_groups_as_rows_are_needed():
    with pytest.raises(DataError, match="4 rows, but the groups have shape"):
        subgroups(read_outcomes([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1]), ["a", "b"])


# --- sites --------------------------------------------------------------------------------------

ESTIMATES = [0.12, 0.45, -0.1, 0.33, 0.8, 0.21]
VARIANCES = [0.02, 0.05, 0.01, 0.03, 0.04, 0.02]


def test_the_spread_between_sites_solves_the_equation_of_restricted_likelihood():
    values, variances = np.array(ESTIMATES), np.array(VARIANCES)
    found = between_sites(values, variances)
    assert found > 0
    w = 1 / (variances + found)
    mean = w @ values / w.sum()
    # the derivative of the restricted likelihood
    assert (w**2 @ (values - mean) ** 2) - w.sum() + (w**2).sum() / w.sum() == pytest.approx(
        0, abs=1e-4
    )
    assert between_sites(np.array([0.1, 0.1, 0.11]), np.array([1.0, 2.0, 1.0])) == 0


def test_the_interval_of_the_mean_is_that_of_a_weighted_regression():
    """Hartung's and Knapp's interval: weighted least squares on a constant."""
    statsmodels = pytest.importorskip("statsmodels.api")
    found = random_effects(ESTIMATES, VARIANCES)
    weights = 1 / (np.array(VARIANCES) + found.between**2)
    fit = statsmodels.WLS(ESTIMATES, np.ones(6), weights=weights).fit()
    assert found.mean == pytest.approx(fit.params[0])
    assert found.interval == pytest.approx(tuple(fit.conf_int()[0]))
    assert found.sites == 6


def test_heterogeneity_is_that_of_statsmodels():
    meta = pytest.importorskip("statsmodels.stats.meta_analysis")
    found = random_effects(ESTIMATES, VARIANCES)
    theirs = meta.combine_effects(np.array(ESTIMATES), np.array(VARIANCES))
    assert found.p_equal == pytest.approx(theirs.test_homogeneity().pvalue)
    w = 1 / np.array(VARIANCES)
    typical = 5 * w.sum() / (w.sum() ** 2 - (w**2).sum())
    assert found.share == pytest.approx(found.between**2 / (found.between**2 + typical))


@pytest.mark.parametrize("precision", [1.0, 1e-5])
def test_the_prediction_interval_is_an_average_over_the_spread(precision):
    """Also where sites are known so precisely that no spread is out of the question."""
    values, variances = np.array(ESTIMATES), precision * np.array(VARIANCES)

    def parts(tau):
        w = 1 / (variances + tau**2)
        mean = w @ values / w.sum()
        likelihood = math.exp(
            0.5 * np.log(w).sum() - 0.5 * math.log(w.sum()) - 0.5 * (w @ (values - mean) ** 2)
        )
        return likelihood, mean, math.sqrt(tau**2 + 1 / w.sum())

    def below(at):
        whole = quad(lambda tau: parts(tau)[0], 0, np.inf, epsabs=0, epsrel=1e-8)[0]
        share = quad(
            lambda tau: parts(tau)[0] * norm.cdf(at, *parts(tau)[1:]),
            0,
            np.inf,
            epsabs=0,
            epsrel=1e-8,
        )[0]
        return share / whole

    low, high = random_effects(values, variances).prediction
    assert below(low) == pytest.approx(0.025, abs=1e-5)
    assert below(high) == pytest.approx(0.975, abs=1e-5)


@pytest.mark.parametrize("shift", [-1e6, 1e6])
def test_all_figures_move_with_the_estimates(shift):
    here = random_effects(ESTIMATES, VARIANCES)
    there = random_effects(np.array(ESTIMATES) + shift, VARIANCES)
    for name in ("mean", "interval", "prediction"):
        moved = np.array(getattr(there, name)) - shift
        assert moved == pytest.approx(np.array(getattr(here, name)), abs=1e-5)
    assert there.between == pytest.approx(here.between, rel=1e-4)


@pytest.mark.parametrize("sites", [2, 4, 5])
def test_few_sites_have_a_mean_but_no_prediction(sites):
    found = random_effects([0.1, 0.3, 0.1, 0.3, 0.2][:sites], [0.01] * sites, back=math.exp)
    assert (found.prediction is None) == (sites < 5)
    assert found.mean == pytest.approx(math.exp(0.2))
    assert found.interval[0] < found.mean < found.interval[1]


def test_a_rate_without_interval_leaks_no_warning():
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(30), 2)
    groups = np.where(clusters < 3, "few", "most")
    y = np.where(clusters < 3, np.arange(60) == 2, rng.integers(0, 2, 60))
    rows = Outcomes(rng.random(60), y.astype(bool), np.ones(60), clusters)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few = fairness(rows, groups, [0.5]).groups[0]
    assert few.differences[0].false_negative.interval is None


def test_sites_that_agree_by_chance_do_not_make_the_mean_certain():
    found = random_effects([0.39, 0.40], [0.04, 0.09])
    assert found.between == 0
    half = student_t.ppf(0.975, 1) * math.sqrt(1 / (1 / 0.04 + 1 / 0.09))
    assert found.interval == pytest.approx((found.mean - half, found.mean + half))


@pytest.mark.parametrize(
    ("estimates", "variances", "words"),
    [([0.1], [0.1], "at least two sites"), ([0.1, 0.2], [0.1, 0.0], "variances positive")],
)
def test_wrong_estimates_are_refused(estimates, variances, words):
    with pytest.raises(DataError, match=words):
        random_effects(estimates, variances)


def test_sites_are_summarised_on_the_right_scales():
    risks, y, rng = rows_of(2, 1200)
    sites = rng.integers(0, 6, 1200)
    found = summarise_sites(read_outcomes(risks, y), sites)
    parts = [read_outcomes(risks[sites == one], y[sites == one]) for one in range(6)]
    areas = [area_linearised(one) for one in parts]
    by_hand = random_effects(
        [logit(one.value) for one in areas],
        [one.variance / (one.value * (1 - one.value)) ** 2 for one in areas],
    )
    assert found.auc.mean == pytest.approx(expit(by_hand.mean))
    assert found.auc.interval == pytest.approx(expit(np.array(by_hand.interval)))
    slopes = [slope_linearised(one) for one in parts]
    by_hand = random_effects([one.value for one in slopes], [one.variance for one in slopes])
    assert found.slope == by_hand
    ratios = [calibration_of(one) for one in parts]
    errors = [np.diff(np.log(one.ratio_interval))[0] / (2 * 1.959963984540054) for one in ratios]
    by_hand = random_effects([math.log(one.ratio) for one in ratios], np.square(errors))
    assert found.ratio.mean == pytest.approx(math.exp(by_hand.mean))
    # a site of one class is left out, and one site is no summary
    y[sites == 3] = 1
    assert summarise_sites(read_outcomes(risks, y), sites).auc.sites == 5
    assert summarise_sites(read_outcomes(risks, y), np.zeros(1200)).slope is None


def test_sites_without_an_estimate_or_its_variance_have_no_part_in_a_summary():
    """One site has equal risks: no slope, and an area without variance. One is separated: no end."""
    risks, y, rng = rows_of(5, 600)
    sites = rng.integers(0, 3, 600)
    alone = summarise_sites(read_outcomes(risks, y), sites)
    equal = np.full(30, 0.4), np.arange(30) % 3 == 0
    apart = np.repeat([0.2, 0.7], 15), np.repeat([False, True], 15)
    for more_risks, more_y in (equal, apart):
        found = summarise_sites(
            read_outcomes(np.r_[risks, more_risks], np.r_[y, more_y]), np.r_[sites, np.full(30, 3)]
        )
        assert (found.auc, found.slope) == (alone.auc, alone.slope)
        assert (alone.ratio.sites, found.ratio.sites) == (3, 4)


# --- calibration error --------------------------------------------------------------------------


def test_the_debiased_error_is_right_on_average():
    """Over all outcomes of eight rows, by their probabilities; the plain error is too large."""
    risks = np.repeat([0.2, 0.6], 4)
    truth = np.repeat([0.35, 0.5], 4)
    debiased = plain = 0.0
    for outcome in itertools.product((False, True), repeat=8):
        y = np.array(outcome)
        chance = np.where(y, truth, 1 - truth).prod()
        found = calibration_error(Outcomes(risks, y, np.ones(8)))
        debiased += chance * found.squared.value
        plain += chance * found.biased_root**2
    assert debiased == pytest.approx((0.15**2 + 0.1**2) / 2)
    assert plain > 2 * debiased


def test_the_debiased_error_has_the_formula_for_counts():
    y = [1, 1, 0, 0, 0, 1, 1, 1]
    found = calibration_error(read_outcomes(np.repeat([0.3, 0.7], [5, 3]), y))
    first = 2 * 1 / (5 * 4) - 2 * 0.3 * 2 / 5 + 0.3**2
    second = 3 * 2 / (3 * 2) - 2 * 0.7 * 3 / 3 + 0.7**2
    assert found.squared.value == pytest.approx((5 * first + 3 * second) / 8)
    assert found.biased_root**2 == pytest.approx((5 * 0.1**2 + 3 * 0.3**2) / 8)
    assert found.bins == 2


def test_pairs_of_one_cluster_do_not_count_and_weights_multiply():
    rng = np.random.default_rng(0)
    risks, y = np.full(12, 0.4), rng.random(12) < 0.5
    weights, clusters = rng.uniform(1, 3, 12), np.repeat(np.arange(6), 2)
    found = calibration_error(Outcomes(risks, y, weights, clusters)).squared.value
    pairs = [(i, j) for i in range(12) for j in range(12) if clusters[i] != clusters[j]]
    d = y - risks
    top = sum(weights[i] * weights[j] * d[i] * d[j] for i, j in pairs)
    assert found == pytest.approx(top / sum(weights[i] * weights[j] for i, j in pairs))


def test_the_interval_of_the_error_holds_all_values_under_which_it_is_not_rare():
    risks, y, _ = rows_of(3, 300)
    found = calibration_error(read_outcomes(risks / 1.5, y), 5)
    means, variances, shares = [], [], []
    bins = bins_of_rows(read_outcomes(risks / 1.5, y), 5)
    for one in np.unique(bins):
        d = (y - risks / 1.5)[bins == one]
        means.append(d.mean())
        variances.append(d.var(ddof=1) / d.size)
        shares.append(d.size / 300)
    a, m, v = np.array(shares), np.array(means), np.array(variances)
    assert found.squared.value == pytest.approx(a @ (m**2 - v))
    factor = (a**2 * m**2) @ v / (a @ m**2)
    for end, chance in zip(found.squared.interval, (0.975, 0.025), strict=True):
        mean, variance = a @ v + end, 2 * (a**2) @ v**2 + 4 * factor * max(end, 0)
        estimates = gamma(mean**2 / variance, scale=variance / mean)
        assert estimates.mean() == pytest.approx(mean)
        assert estimates.var() == pytest.approx(variance)
        assert estimates.cdf(found.squared.value + a @ v) == pytest.approx(chance, abs=1e-6)
    assert found.root.interval == pytest.approx(np.sqrt(found.squared.interval))


def test_single_rows_say_nothing_about_chance():
    found = calibration_error(read_outcomes([0.2, 0.7], [0, 1]))
    assert found.bins == 0
    assert math.isnan(found.squared.value)
    right = calibration_error(
        read_outcomes(np.repeat([0.25, 0.75], 8), [1, 0, 0, 0] * 2 + [1, 1, 1, 0] * 2)
    )
    assert right.squared.value < 0
    assert right.root.value == 0


# --- fairness -----------------------------------------------------------------------------------


def test_differences_of_rates_have_newcombes_interval():
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    risks, y, rng = rows_of(4)
    groups = np.where(rng.random(400) < 0.3, "b", "a")
    found = fairness(read_outcomes(risks, y), groups, [0.5])
    assert found.reference == "a"
    first, other = found.groups
    assert first.differences == ()
    assert first.auc_difference is first.squared_error_difference is None
    counts = {}
    for name in "ab":
        own = (groups == name) & (y == 0)
        counts[name] = (risks[own] >= 0.5).sum(), own.sum()
    low, high = proportion.confint_proportions_2indep(*counts["b"], *counts["a"], method="newcomb")
    assert other.differences[0].false_positive.interval == pytest.approx((low, high))
    rates = {name: part / whole for name, (part, whole) in counts.items()}
    assert other.differences[0].false_positive.value == pytest.approx(rates["b"] - rates["a"])
    assert first.rates[0].false_positive.value == pytest.approx(rates["a"])


def test_groups_have_their_rates_and_figures():
    risks, y, rng = rows_of(5)
    groups = rng.choice([1, 2, 3], 400)
    found = fairness(read_outcomes(risks, y), groups, [0.3, 0.6], reference=2)
    assert [one.figures.name for one in found.groups] == [1, 2, 3]
    third = found.groups[2]
    own = groups == 3
    flagged, event = risks[own] >= 0.6, y[own] == 1
    at = third.rates[1]
    assert at.threshold == 0.6
    assert at.flagged.value == pytest.approx(flagged.mean())
    assert at.false_negative.value == pytest.approx((~flagged)[event].mean())
    assert at.positive_value.value == pytest.approx(event[flagged].mean())
    assert at.negative_value.value == pytest.approx((~event)[~flagged].mean())
    assert third.calibration_error == calibration_error(read_outcomes(risks[own], y[own]))
    reference = groups == 2
    areas = [roc_curve(read_outcomes(risks[some], y[some])) for some in (own, reference)]
    assert third.auc_difference.value == pytest.approx(areas[0].area - areas[1].area)
    squares = [
        calibration_error(read_outcomes(risks[some], y[some])).squared for some in (own, reference)
    ]
    assert third.squared_error_difference == difference(*squares)


def test_by_default_the_largest_group_is_the_reference_and_errors_have_ten_bins():
    rng = np.random.default_rng(7)
    risks = rng.uniform(0.05, 0.9, 400)
    y, groups = rng.random(400) < risks, np.repeat(["c", "a", "b"], [120, 160, 120])
    found = fairness(read_outcomes(risks, y), groups, [0.3])
    assert found.reference == "a"
    first = found.groups[0]
    assert (first.differences, first.auc_difference, first.squared_error_difference) == (
        (),
        None,
        None,
    )
    for one in found.groups:
        own = groups == one.figures.name
        assert one.calibration_error == calibration_error(read_outcomes(risks[own], y[own]), 10)
        assert one.calibration_error.bins == 10


def test_areas_of_groups_that_share_clusters_are_correlated():
    rng = np.random.default_rng(8)
    clusters, groups = np.repeat(np.arange(40), 6), np.tile([0, 0, 1], 80)
    groups[-60:] = 0  # the last clusters have rows of one group only
    shift = np.repeat(rng.normal(0, 1.5, 40), 6)
    risks = expit(shift + rng.normal(0, 1, 240))
    y = rng.random(240) < expit(rng.normal(0, 1, 240) + rng.choice([-1, 1], 40)[clusters] * shift)
    rows = read_outcomes(risks, y, clusters=clusters)
    areas = [area_linearised(rows.take(groups == one)) for one in (1, 0)]
    size = areas[0].influence.size
    together = areas[0].influence @ areas[1].influence[:size]
    together /= math.sqrt(areas[0].variance * areas[1].variance)
    expected = difference(*(Figure(one.value, one.logit_interval()) for one in areas), together)
    assert abs(together) > 0.05
    found = fairness(rows, groups, [0.5], reference=0).groups[1].auc_difference
    assert found.value == pytest.approx(expected.value)
    assert found.interval == pytest.approx(expected.interval)


def test_groups_that_share_clusters_are_compared_within_them():
    """If risks go up and down with the cluster in both groups, their difference is known better."""
    rng = np.random.default_rng(6)
    clusters = np.repeat(np.arange(50), 10)
    groups = np.tile([0, 1], 250)
    risks = np.clip(np.repeat(rng.uniform(0, 1, 50), 10) + rng.normal(0, 0.05, 500), 0.01, 0.99)
    y = rng.random(500) < 0.4
    within = fairness(read_outcomes(risks, y, clusters=clusters), groups, [0.5], reference=0)
    # the same clusters, told apart by group
    apart = fairness(
        read_outcomes(risks, y, clusters=2 * clusters + groups), groups, [0.5], reference=0
    )
    widths = [np.diff(one.groups[1].differences[0].flagged.interval)[0] for one in (within, apart)]
    assert widths[0] < 0.5 * widths[1]


@pytest.mark.parametrize("reference", ["both", "one class"])
def test_areas_are_compared_only_where_both_groups_have_both_classes(reference):
    risks, y, _ = rows_of(3, 90)
    groups = np.repeat(["both", "also both", "one class"], 30)
    y[60:] = 1
    found = fairness(read_outcomes(risks, y), groups, [0.5], reference=reference)
    compared = {one.figures.name: one.auc_difference for one in found.groups}
    expected = {"also both"} if reference == "both" else set()
    assert {name for name, one in compared.items() if one is not None} - {reference} == expected


def test_differences_of_figures_without_intervals_have_none():
    assert difference(Figure(0.4, None), Figure(0.1, (0, 0.2))) == Figure(pytest.approx(0.3), None)
    found = difference(Figure(0.5, (0.4, 0.7)), Figure(0.2, (0.1, 0.4)))
    assert found.interval == pytest.approx((0.3 - math.hypot(0.1, 0.2), 0.3 + math.hypot(0.2, 0.1)))


@pytest.mark.parametrize(
    ("groups", "options", "words"),
    [
        (["a"] * 4, {}, "fewer than two"),
        (list("abab"), {"reference": "c"}, "no group 'c'"),
        (list("abab"), {"thresholds": [0.5, 0.0]}, "between 0 and 1"),
        (list("abab"), {"thresholds": [1.0, 0.5]}, "between 0 and 1"),
    ],
)
def test_what_cannot_be_compared_is_refused(groups, options, words):
    rows = read_outcomes([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    with pytest.raises(ParameterError, match=words):
        fairness(rows, groups, **{"thresholds": [0.5]} | options)
