"""The parsimony plot shows the figures of the path."""

from __future__ import annotations

import doctest
import sys
from importlib import import_module

import numpy as np
import pytest

from riskcard import (
    ParameterError,
    RiskScoreClassifier,
    RiskScoreClassifierCV,
    SolverMissing,
    plot_parsimony,
)
from riskcard.plots.cards.parsimony import parsimony_picture

figures = pytest.importorskip("matplotlib.figure")


def results(**changes):
    path = {
        "n_terms": np.arange(5),
        "mean_test_score": np.array([-0.7, -0.5, -0.42, -0.4, -0.45]),
        "se_test_score": np.array([0.04, 0.02, 0.03, 0.0, 0.06]),
        "rank_test_score": np.array([5, 4, 2, 1, 3]),
        "mean_train_score": np.array([-0.7, -0.45, -0.4, -0.35, -0.3]),
        "is_chosen": np.array([False, False, True, False, False]),
    }
    return path | changes


@pytest.fixture
def axes():
    return plot_parsimony(results(), figures.Figure().subplots())


def labels(axes) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


def line(axes, label):
    (found,) = [one for one in axes.lines if str(one.get_label()).startswith(label)]
    return found


def test_scores_have_bars_of_one_standard_error(axes):
    (bars,) = axes.containers
    points, _, (reach,) = bars.lines
    np.testing.assert_array_equal(points.get_xdata(), np.arange(5))
    np.testing.assert_array_equal(points.get_ydata(), results()["mean_test_score"])
    ends = np.array([segment[:, 1] for segment in reach.get_segments()])
    np.testing.assert_allclose(ends[:, 1] - ends[:, 0], 2 * results()["se_test_score"])


def test_best_and_chosen_are_marked_and_the_best_has_a_line(axes):
    assert line(axes, "best: 3 terms").get_xydata().tolist() == [[3, -0.4]]
    assert line(axes, "chosen: 2 terms").get_xydata().tolist() == [[2, -0.42]]
    (dotted,) = [one for one in axes.lines if one.get_linestyle() == ":"]
    np.testing.assert_allclose(dotted.get_ydata(), -0.4)
    markers = {line(axes, name).get_marker() for name in ("best: 3", "chosen")}
    assert len(markers) == 2  # told apart without colours
    assert labels(axes)[0].startswith("held-out rows")


def test_one_fold_has_neither_bars_nor_a_line():
    axes = plot_parsimony(results(se_test_score=np.full(5, np.nan)), figures.Figure().subplots())
    assert not any(one.get_linestyle() == ":" for one in axes.lines)
    assert np.isfinite(axes.get_ylim()).all()


def test_hopeless_sizes_do_not_hide_the_others():
    far = results(mean_test_score=np.array([-0.7, -0.5, -0.42, -0.4, -50.0]))
    axes = plot_parsimony(far, figures.Figure().subplots())
    assert axes.get_ylim()[0] > -3


def test_a_fitted_model_is_drawn_and_named(small):
    X, y = small
    model = RiskScoreClassifierCV(max_terms=2, cv=3, scoring="roc_auc").fit(X, y)
    axes = plot_parsimony(model, figures.Figure().subplots())
    assert axes.get_ylabel() == "mean AUC (higher is better)"
    assert f"chosen: {model.n_terms_} term" in " ".join(labels(axes))
    (dotted,) = [one for one in axes.lines if one.get_linestyle() == ":"]
    assert dotted.get_ydata()[0] == pytest.approx(model.cv_results_["mean_test_score"].max())


def test_a_loss_is_drawn_as_a_loss_with_the_area_next_to_it(small):
    X, y = small
    model = RiskScoreClassifierCV(max_terms=2, cv=3).fit(X, y)
    figure = figures.Figure()
    axes = plot_parsimony(model, figure.subplots())
    assert axes.get_ylabel() == "mean log-loss (lower is better)"
    (bars,) = axes.containers
    path = model.cv_results_
    np.testing.assert_array_equal(bars.lines[0].get_ydata(), -path["mean_test_score"])
    (dotted,) = [one for one in axes.lines if one.get_linestyle() == ":"]
    assert dotted.get_ydata()[0] == pytest.approx(-path["mean_test_score"].max())
    low, high = axes.get_ylim()
    assert low < -path["mean_test_score"].max() < high
    (right,) = [one for one in figure.axes if one is not axes]
    np.testing.assert_array_equal(right.lines[0].get_ydata(), path["mean_test_auc"])
    assert labels(axes)[1] == "AUC on held-out rows (right)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_pictures_are_written_without_a_window(form, start):
    assert parsimony_picture(results(), form).startswith(start)


def test_what_cannot_be_drawn_is_refused(small):
    with pytest.raises(ParameterError, match="needs a fitted RiskScoreClassifierCV, not RiskScore"):
        plot_parsimony(RiskScoreClassifier())
    with pytest.raises(ParameterError, match="A picture cannot be 'gif'"):
        parsimony_picture(results(), "gif")


def test_without_matplotlib_there_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(SolverMissing, match=r'pip install "riskcard\[plots\]"'):
        plot_parsimony(results())


def test_the_example_runs(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    result = doctest.testmod(import_module("riskcard.plots.cards.parsimony"))
    assert (result.failed, result.attempted > 0) == (0, True)
