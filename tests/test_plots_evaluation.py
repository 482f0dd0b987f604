"""The pictures about risks show the figures that were computed."""

import re
from pathlib import Path

import numpy as np
import pytest

import riskcard
from cards import heart_card
from riskcard import (
    DataError,
    FeaturePoints,
    ParameterError,
    RiskCard,
    RiskScoreClassifier,
    plot_calibration,
    plot_decision,
    plot_risk,
    plot_roc,
)
from riskcard.evaluation.calibration import calibration_bins
from riskcard.evaluation.decision import decision_curve
from riskcard.evaluation.discrimination import roc_curve
from riskcard.evaluation.intervals import wilson_interval
from riskcard.evaluation.outcomes import read_outcomes
from riskcard.plots.risk import observed_totals

figures = pytest.importorskip("matplotlib.figure")

RISKS = np.array([0.1, 0.1, 0.3, 0.3, 0.3, 0.8, 0.8, 0.8])
LABELS = np.array([0, 0, 0, 1, 0, 1, 1, 0])


@pytest.fixture
def ax():
    return figures.Figure().subplots()


def line(ax, start):
    (found,) = [one for one in ax.lines if str(one.get_label()).startswith(start)]
    return found


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def bar_ends(container):
    """Lower and upper ends of error bars."""
    (reach,) = container.lines[2]
    return np.array([segment[:, 1] for segment in reach.get_segments()])


def test_every_picture_is_a_public_name_and_returns_the_axes_it_was_given(ax):
    names = [name for name in riskcard.__all__ if name.startswith("plot_")]
    defined = re.findall(
        r"^def (plot_\w+)",
        "".join(path.read_text() for path in Path(riskcard.__file__).parent.rglob("*.py")),
        re.MULTILINE,
    )
    assert sorted(names) == sorted(defined)
    assert all(callable(getattr(riskcard, name)) for name in names)
    assert plot_roc(RISKS, LABELS, ax=ax) is ax


# --- ROC ----------------------------------------------------------------------------------------


def test_the_roc_curve_is_drawn_with_its_area(ax):
    plot_roc(RISKS, LABELS, ax=ax)
    curve = roc_curve(read_outcomes(RISKS, LABELS))
    drawn = line(ax, "AUC")
    np.testing.assert_array_equal(drawn.get_xdata(), curve.false_positive)
    np.testing.assert_array_equal(drawn.get_ydata(), curve.true_positive)
    low, high = curve.interval
    assert legend(ax) == [f"AUC {curve.area:.3f} ({low:.3f} to {high:.3f})"]


def test_models_are_told_apart_by_their_dashes(ax):
    plot_roc({"card": RISKS, "other": RISKS[::-1]}, LABELS, ax=ax)
    assert [text.split(":")[0] for text in legend(ax)] == ["card", "other"]
    assert line(ax, "card").get_linestyle() != line(ax, "other").get_linestyle()
    with pytest.raises(ParameterError, match="There are no risks to draw"):
        plot_roc({}, LABELS, ax=ax)


def test_an_area_without_interval_is_given_alone(ax):
    plot_roc([0.1, 0.9], [0, 1], ax=ax)
    assert legend(ax) == ["AUC 1.000"]


# --- calibration --------------------------------------------------------------------------------


def test_observed_rates_stand_over_mean_risks_with_their_intervals(ax):
    plot_calibration(RISKS, LABELS, ax=ax)
    bins = calibration_bins(read_outcomes(RISKS, LABELS))
    bars = ax.containers[0]
    np.testing.assert_allclose(np.array(bars.lines[0].get_xdata(), float), [0.1, 0.3, 0.8])
    np.testing.assert_allclose(bars.lines[0].get_ydata(), [0, 1 / 3, 2 / 3])
    np.testing.assert_allclose(bar_ends(bars), [one.interval for one in bins])
    assert "slope" in ax.get_legend().get_title().get_text()


def test_the_sides_of_the_histogram_are_named_on_the_scale_without_lines(ax):
    plot_calibration([0.1, 0.1, 0.9, 0.9], [0, 1, 1, 1], ax=ax)
    ax.figure.draw_without_rendering()
    *_, upper, lower = ax.yaxis.get_major_ticks()
    assert [tick.label1.get_text() for tick in (upper, lower)] == ["event", "no event"]
    assert not any(tick.gridline.get_visible() for tick in (upper, lower))
    assert lower.get_loc() < upper.get_loc() < 0


def test_one_risk_for_all_rows_has_no_slope(ax):
    plot_calibration([0.5] * 4, [0, 1, 1, 0], ax=ax)
    assert "no slope" in ax.get_legend().get_title().get_text()


# --- decisions ----------------------------------------------------------------------------------


def test_net_benefit_is_drawn_per_100_rows_next_to_the_simple_strategies(ax):
    plot_decision(RISKS, LABELS, ax=ax)
    curve = decision_curve(read_outcomes(RISKS, LABELS))
    np.testing.assert_allclose(line(ax, "act on the risk").get_ydata(), 100 * curve.net_benefit)
    np.testing.assert_allclose(line(ax, "act on all").get_ydata(), 100 * curve.act_on_all)
    assert line(ax, "act on none").get_ydata() == [0, 0]
    low, high = ax.get_ylim()
    assert low < 0 < high
    assert high < 200 * curve.net_benefit.max()
    assert ax.get_xlim() == (0, 90)  # nobody is acted on above the highest risk, 0.8


def test_risks_that_help_nobody_are_drawn_too(ax):
    plot_decision([0.001, 0.001], [0, 1], ax=ax)
    assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()


# --- risk against total -------------------------------------------------------------------------


@pytest.fixture
def rows():
    values = {"age": [50, 50, 65, 65, 80, 80, 80], "pressure": [1.0] * 7}
    return values, np.array(["no", "no", "no", "yes", "yes", "yes", "no"])


def test_the_risk_of_every_total_and_the_observed_rates_are_drawn(ax, rows):
    card = heart_card()
    plot_risk(card, *rows, ax=ax)
    marks = line(ax, "risk on the card")
    assert list(marks.get_xdata()) == card.reachable_totals()
    np.testing.assert_allclose(marks.get_ydata(), 100 * card.risk_of_total(marks.get_xdata()))
    (bars,) = ax.containers
    np.testing.assert_array_equal(bars.lines[0].get_xdata(), [-1, 1, 2])
    np.testing.assert_allclose(bars.lines[0].get_ydata(), [0, 50, 200 / 3])
    wanted = [wilson_interval(events, n) for events, n in ((0, 2), (1, 2), (2, 3))]
    np.testing.assert_allclose(bar_ends(bars), 100 * np.array(wanted))


def test_the_event_is_that_of_the_card_whatever_the_order_of_the_labels(rows):
    values, labels = rows
    swapped = heart_card(classes=("yes", "no"))
    assert [one.events for one in observed_totals(swapped, values, labels)] == [2, 1, 1]
    assert [one.events for one in observed_totals(heart_card(), values, labels == "yes")] == [
        0, 1, 2,
    ]  # fmt: skip


def test_rows_of_weight_0_are_left_out(rows):
    counts = observed_totals(heart_card(), *rows, sample_weight=[1, 1, 1, 2, 0, 0, 1])
    assert [(one.rows, one.events, one.weight) for one in counts] == [
        (2, 0, 2),
        (2, 1, 3),
        (1, 0, 1),
    ]


def test_without_rows_the_training_rows_are_shown_where_they_are_known(ax, small):
    X, y = small
    plot_risk(RiskScoreClassifier(2).fit(X, y), ax=ax)
    assert line(ax, "observed in training").get_xdata().size
    assert not ax.containers  # no intervals: these rows chose the card
    plain = plot_risk(heart_card(training=None), ax=figures.Figure().subplots())
    assert "observed in training" not in [one.get_label() for one in plain.lines]


def test_a_card_of_many_totals_has_bands_and_no_marks(ax):
    card = RiskCard([FeaturePoints("a", [float(i) for i in range(1, 99)], list(range(99)))])
    rng = np.random.default_rng(0)
    values = rng.uniform(0, 100, 300)
    plot_risk(card, {"a": values}, rng.random(300) < values / 100, ax=ax)
    assert len(line(ax, "risk on the card").get_xdata()) == 0
    assert len(ax.containers[0].lines[0].get_xdata()) <= 60


def test_rows_without_labels_and_other_models_are_refused(ax, rows):
    with pytest.raises(ParameterError, match="need both X and y"):
        plot_risk(heart_card(), rows[0], ax=ax)
    with pytest.raises(ParameterError, match="A card is needed, not RiskScoreClassifier"):
        plot_risk(RiskScoreClassifier(), ax=ax)
    with pytest.raises(DataError, match="needs column 'pressure'"):
        plot_risk(heart_card(), {"age": [1, 2]}, [0, 1], ax=ax)
