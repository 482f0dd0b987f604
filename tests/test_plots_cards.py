"""The pictures of cards, pools and proofs show what is on them."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from cards import heart_card, mass_card
from riskcard import (
    FeaturePoints,
    LevelPoints,
    ParameterError,
    RiskCard,
    RiskScoreClassifier,
    SolverMissing,
    find_pool,
    plot_all_points,
    plot_points,
    plot_pool,
    plot_progress,
)
from riskcard.estimators.card_pool import CardPool
from riskcard.plots.cards.pool import pool_figures
from riskcard.plots.cards.progress import progress_figures
from riskcard.plots.drawing import picture_of
from riskcard.status import Progress

figures = pytest.importorskip("matplotlib.figure")

ROWS = {
    "age": [40, 50, 50, 70, None, -9, -9, 61],
    "shape": ["round", "oval", "oval", "irregular", "lobular", "zigzag", "round", "round"],
    "density": ["low", "low", None, "high", "medium", "low", "low", "low"],
    "palpable": [True, False, False, False, False, True, False, True],
}


@pytest.fixture
def ax():
    return figures.Figure().subplots()


def steps(ax):
    """Level lines: (left, right, points), thick ones only."""
    return [(*one.get_xdata(), one.get_ydata()[0]) for one in ax.lines if one.get_linewidth() > 2]


def heights(ax):
    """The bars behind the points."""
    (back,) = [one for one in ax.figure.axes if one is not ax]
    return [patch.get_height() for patch in back.patches]


# --- points -------------------------------------------------------------------------------------


def test_steps_go_from_cut_to_cut_at_the_points(ax):
    plot_points(heart_card(), "age", {"age": [20, 100], "pressure": [0, 0]}, ax=ax)
    assert steps(ax) == [(20, 60, 0), (60, 75, 2), (75, 100, 3)]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "points")
    assert [text.get_text() for text in ax.texts] == ["0", "2", "3"]


def test_missing_values_and_codes_stand_apart_with_their_points_and_shares(ax):
    plot_points(mass_card(), "age", ROWS, ax=ax)
    assert [points for *_, points in steps(ax)] == [0, 1, 3, 2, 1]
    assert [text.get_text() for text in ax.get_xticklabels()][-2:] == ["-9", "missing"]
    bars = heights(ax)
    assert bars[-2:] == [2 / 8, 1 / 8]
    assert sum(bars) == pytest.approx(1)


def test_levels_have_a_mark_and_a_bar_each(ax):
    plot_points(mass_card(), "shape", ROWS, ax=ax)
    labels = [text.get_text() for text in ax.get_xticklabels()]
    assert labels == ["round", "oval", "irregular", "lobular", "unseen"]
    assert [points for *_, points in steps(ax)] == [0, 0, 3, 3, 0]
    assert heights(ax) == [3 / 8, 2 / 8, 1 / 8, 1 / 8, 1 / 8]


def test_a_card_alone_has_points_and_no_bars(ax):
    plot_points(mass_card(), 2, ax=ax)
    assert len(ax.figure.axes) == 1
    assert [points for *_, points in steps(ax)] == [2, 2, 0, 1]


def test_event_rates_of_lines_stand_below_their_points(ax):
    age = FeaturePoints("age", [60], [0, 3], missing=1, rows=[8, 4, 0], events=[2, 3, 0])
    kind = LevelPoints("kind", [["a", "b"], ["c"]], [0, 2], rows=[10, 5], events=[1, 4])
    card = RiskCard([age, kind])
    written = [text.get_text() for text in plot_points(card, "age", ax=ax).texts]
    assert [text for text in written if "%" in text] == ["25 %", "75 %"]  # no row is missing
    other = ax.figure.add_subplot()
    written = [text.get_text() for text in plot_points(card, "kind", ax=other).texts]
    assert [text for text in written if "%" in text] == ["10 %", "10 %", "80 %"]


def test_words_of_narrow_steps_are_not_cut_at_the_edge(ax):
    age = FeaturePoints("age", [21, 99], [0, 2, 3], rows=[8, 4, 2], events=[2, 3, 1])
    texts = plot_points(RiskCard([age]), "age", {"age": [20, 60, 100]}, ax=ax).texts
    assert [text.get_clip_box() for text in texts] == [None] * 6  # points and rate of three steps


def test_all_features_are_drawn_side_by_side(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    found = plot_all_points(mass_card(), ROWS)
    assert [one.get_xlabel() for one in found] == ["age", "shape", "density", "palpable"]
    assert len({one.figure for one in found}) == 1


def test_features_that_are_not_on_the_card_are_refused(ax):
    with pytest.raises(ParameterError, match="does not use the feature 'agee'"):
        plot_points(heart_card(), "agee", ax=ax)
    with pytest.raises(ParameterError, match="feature is 2, but the card has 2 features"):
        plot_points(heart_card(), 2, ax=ax)
    with pytest.raises(ParameterError, match="has no features"):
        plot_points(RiskCard([], feature_names=["a"]), ax=ax)


# --- pools --------------------------------------------------------------------------------------


@pytest.fixture
def pool():
    one = RiskCard([FeaturePoints("a", [1, 2], [0, 1, 2])])
    two = RiskCard([FeaturePoints("a", [1], [0, 1]), FeaturePoints("b", [1], [0, 1])])
    three = RiskCard([LevelPoints("c", [["x"], ["y"], ["z"]], [0, 1, 2])])
    return CardPool((one, two, three), (10.0, 10.2, 10.1), 11.0, True, 3)


def test_cards_of_a_pool_come_by_loss_with_their_features(pool):
    shown = pool_figures(pool)
    assert shown.places == (0, 2, 1)
    np.testing.assert_allclose(shown.above_best, [0, 1, 2])
    assert shown.features == ("a", "c", "b")
    assert shown.terms.tolist() == [[2, 0, 0], [0, 2, 0], [1, 0, 1]]
    assert pool_figures(pool, most=2).places == (0, 1)


def test_a_pool_is_drawn_with_a_square_for_every_feature_used(ax, pool):
    plot_pool(pool, ax=ax)
    assert len(ax.collections[0].get_offsets()) == 4
    assert [text.get_text() for text in ax.get_yticklabels()] == ["card 0", "card 2", "card 1"]
    (side,) = ax.child_axes
    np.testing.assert_allclose(side.lines[0].get_xdata(), [0, 1, 2])


def test_the_pool_of_a_classifier_is_drawn(ax, small):
    pool = find_pool(RiskScoreClassifier(2), *small, tolerance=0.2)
    plot_pool(pool, most=5, ax=ax)
    assert len(ax.get_yticklabels()) == min(5, len(pool))
    with pytest.raises(ParameterError, match="A pool of cards is needed, not RiskScoreClassifier"):
        plot_pool(RiskScoreClassifier(), ax=ax)
    with pytest.raises(ParameterError, match="The pool has no cards"):
        plot_pool(CardPool((), (), 1.0, True, 0), ax=ax)


# --- progress -----------------------------------------------------------------------------------

HISTORY = [
    Progress(1.0, 60.0, 0.0, 10),
    Progress(2.0, 55.0, 40.0, 100),
    Progress(4.0, 56.0, 39.0, 200),
]


def test_best_losses_never_rise_and_bounds_never_fall():
    seconds, losses, bounds = progress_figures(HISTORY)
    assert seconds.tolist() == [1, 2, 4]
    assert losses.tolist() == [60, 55, 55]
    assert bounds.tolist() == [0, 40, 40]


def test_the_progress_of_a_proof_is_drawn(ax, small):
    plot_progress(HISTORY, ax=ax)
    assert ax.get_title(loc="right") == "gap at the end 27.3 %, 200 nodes"
    drawn = {str(one.get_label()): one.get_ydata().tolist() for one in ax.lines}
    assert drawn["best loss"] == [60, 55, 55]
    assert drawn["bound"] == [0, 40, 40]
    model = RiskScoreClassifier(2, certify=True).fit(*small)
    last = plot_progress(model, ax=figures.Figure().subplots())
    assert last.get_title(loc="right").startswith("gap at the end below 0.1 %")
    only = plot_progress(HISTORY[:1], ax=figures.Figure().subplots())
    assert only.get_title(loc="right") == "no bound yet, 10 nodes"


def test_a_long_proof_has_a_logarithmic_scale(ax):
    plot_progress([Progress(0.1, 60.0, 0.0, 10), Progress(50.0, 60.0, 59.0, 100)], ax=ax)
    assert ax.get_xscale() == "log"


def test_what_was_not_proven_has_no_progress(ax, small):
    with pytest.raises(ParameterError, match=r"nothing was proven. Fit with certify=True"):
        plot_progress(RiskScoreClassifier(1).fit(*small), ax=ax)
    with pytest.raises(ParameterError, match="The progress of a proof is needed, not str"):
        plot_progress("card", ax=ax)


# --- files --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_the_same_picture_is_the_same_file(form):
    def draw(figure):
        plot_points(mass_card(), "age", ROWS, ax=figure.subplots())

    assert picture_of(draw, form) == picture_of(draw, form)
    with pytest.raises(ParameterError, match="A picture cannot be 'gif'"):
        picture_of(draw, "gif")


def test_without_matplotlib_there_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (lambda: plot_points(heart_card()), lambda: plot_all_points(heart_card()),
                 lambda: plot_progress(HISTORY), lambda: picture_of(lambda figure: None)):  # fmt: skip
        with pytest.raises(SolverMissing, match=r'pip install "riskcard\[plots\]"'):
            draw()


@pytest.mark.slow
def test_the_example_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[1] / "docs/pictures.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    fast = block.replace("max_terms=3", "max_terms=1")
    assert fast != block
    exec(fast, {})
    assert (tmp_path / "progress.png").read_bytes().startswith(b"\x89PNG")
    pictures = re.findall(r"\((images/\w+\.png)\)", page)
    assert len(pictures) == 7
    assert all((Path(__file__).parents[1] / "docs" / name).exists() for name in pictures)
