"""Words on pictures: nothing is cut off or touches, nothing becomes a formula, missing letters are reported."""

import warnings
from itertools import pairwise

import pytest

from riskcard import FeaturePoints, LevelPoints, RiskCard, RiskcardWarning, plot_points
from riskcard.formatting.fonts import font_families, letters_explained
from riskcard.plots.drawing import picture_of
from riskcard.plots.lettering import label_levels, number_ticks

figures = pytest.importorskip("matplotlib.figure")

LONG = (
    "the largest extent of the lesion in millimetres, measured by the protocol of the second year"
)


@pytest.fixture
def figure():
    """As wide as a picture of one feature in a report."""
    return figures.Figure(figsize=(3.2, 2.6), layout="constrained")


def extents(figure, labels):
    """Where words are, in pixels, after everything has found its place."""
    figure.draw_without_rendering()
    return [label.get_window_extent() for label in labels]


def test_a_long_name_stands_inside_the_picture_in_several_lines(figure):
    card = RiskCard([FeaturePoints(LONG, [10.5], [0, 1])])
    ax = plot_points(card, 0, [[x] for x in range(30)], ax=figure.subplots())
    (words,) = extents(figure, [ax.xaxis.label])
    assert ax.get_xlabel().count("\n") == 2
    assert figure.bbox.x0 <= words.x0
    assert words.x1 <= figure.bbox.x1


@pytest.mark.parametrize(
    "levels",
    [
        ["April, August, July, June, March, May", "December, February, January"],
        ["downsloping", "upsloping", "flat"],
        ["yes", "no"],
        ["<script>alert(1)</script>", "a very long name of a ward on the third floor", "x"],
        [f"level {i}" for i in range(12)],
    ],
)
def test_words_below_levels_do_not_touch(figure, levels):
    ax = figure.subplots()
    ax.set_xlim(-0.6, len(levels) - 0.4)
    label_levels(ax, levels)
    labels = ax.get_xticklabels()
    found = extents(figure, labels)
    assert all(label.get_text().strip(" …") for label in labels)
    if labels[0].get_rotation() == 0:  # slanted words lie next to each other
        assert all(before.x1 < after.x0 for before, after in pairwise(found))
    assert all(one.x0 >= figure.bbox.x0 for one in found)


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ((1.0, 10.0), ["2", "4", "6", "8", "10"]),
        ((-0.02, 0.02), ["−0.02", "−0.01", "0", "0.01", "0.02"]),
        ((4.2e5, 1.6e6), ["500,000", "1,000,000", "1,500,000"]),
    ],
)
def test_numbers_below_a_scale_are_round_and_have_room(figure, ends, expected):
    ax = figure.subplots()
    ax.set_xlim(*ends)
    ticks, words = number_ticks(ax, ends)
    assert words == expected
    ax.set_xticks(ticks, words)
    found = extents(figure, ax.get_xticklabels())
    assert all(a.x1 < b.x0 for a, b in pairwise(found))


def test_the_last_number_makes_room_for_missing(figure):
    column = {"price": [*range(420_000, 1_500_001, 40_000), None]}
    card = RiskCard([FeaturePoints("price", [430_000.0], [1, 0], missing=1)])
    ax = plot_points(card, "price", column, ax=figure.subplots())
    *_, number, missing = extents(figure, ax.get_xticklabels())
    assert ax.get_xticklabels()[-1].get_text() == "missing"
    assert number.x1 < missing.x0


def test_dollars_in_names_are_not_formulas(figure):
    card = RiskCard(
        [FeaturePoints("from $ to $_x^2", [1.0], [0, 1]), LevelPoints("level", [["$a$"], ["b"]], [0, 1])]
    )  # fmt: skip
    ax = plot_points(card, 0, ax=figure.subplots())
    assert not ax.xaxis.label.get_parse_math()
    levels = plot_points(card, 1, ax=figures.Figure().subplots())
    assert not any(label.get_parse_math() for label in levels.get_xticklabels())


@pytest.fixture
def told():
    """Every warning, in order."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def test_missing_letters_are_reported_once_in_a_sentence(told):
    def draw(figure):
        figure.text(0.5, 0.5, "\U000110d0\U000110d1 \U0001e2c0")  # hardly any machine has these

    with letters_explained():
        picture_of(draw)
        picture_of(draw)
    (one,) = told
    assert one.category is RiskcardWarning
    assert str(one.message).startswith("Some letters are drawn as boxes")


def test_other_warnings_are_passed_on_once(told):
    with letters_explained():
        for _ in range(3):
            warnings.warn("something else", UserWarning, stacklevel=1)
    assert [str(one.message) for one in told] == ["something else"]


def test_the_first_font_is_one_that_is_always_there():
    assert font_families()[0] == "DejaVu Sans"
