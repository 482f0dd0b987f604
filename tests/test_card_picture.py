"""The sheet of a card has every word in its place, and its pictures are files that can be opened."""

import importlib
import struct
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given, settings

from cards import heart_card, mass_card, risk_cards
from counted import counted, many_totals, odd_card
from riskcard.card.bands import cells_of
from riskcard.card.drawing.picture import card_picture
from riskcard.card.drawing.sheet import WIDTH, Dot, Rectangle, Rule, Words, lay_out
from riskcard.card.drawing.text_width import text_width, wrap
from riskcard.card.scorecard import score_card_of
from riskcard.cli.main import main
from riskcard.errors import FormatError, ParameterError, SolverMissing
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints

CARDS = [heart_card(), mass_card(), counted(), counted(many_totals(8)), counted(odd_card())]
SVG = "{http://www.w3.org/2000/svg}"


def ends_of(words: Words) -> tuple[float, float]:
    width = text_width(words.text, words.size, words.is_bold)
    start = words.x - {"start": 0, "middle": width / 2, "end": width}[words.anchor]
    return start, start + width


@settings(deadline=None)
@given(risk_cards())
def test_everything_is_on_the_sheet(card):
    sheet = lay_out(card)
    for mark in sheet.marks:
        if isinstance(mark, Words):
            start, end = ends_of(mark)
            ys = [mark.y - 0.7 * mark.size, mark.y]
        elif isinstance(mark, Rule):
            start, end, ys = mark.x1, mark.x2, [mark.y1, mark.y2]
        elif isinstance(mark, Rectangle):
            start, end = mark.x, mark.x + mark.width
            ys = [mark.y, mark.y + mark.height]
        else:
            assert isinstance(mark, Dot)
            start = end = mark.x
            ys = [mark.y]
        if not (isinstance(mark, Words) and mark.text.endswith(" %")):  # 0 % has its middle there
            assert start >= -0.01
        assert end <= WIDTH + 0.01
        assert min(ys) >= 0
        assert max(ys) <= sheet.height


@pytest.mark.parametrize("card", CARDS)
def test_the_sheet_says_what_the_card_says(card):
    shown, sheet = score_card_of(card), lay_out(card)
    texts = [mark.text for mark in sheet.marks if isinstance(mark, Words)]
    together = " ".join(texts)
    for words in (shown.title, *shown.front, *shown.back):
        assert " ".join(words.split()) in together
    _, rows = cells_of(shown.bands, shown.labels)
    for row in rows:
        for cell in row:
            assert cell.replace("-", "−") in texts
    boxes = [mark for mark in sheet.marks if isinstance(mark, Rectangle) and mark.line]
    n_bins = sum(len(block.lines) for block in shown.blocks)
    assert len(boxes) == n_bins + (shown.base != 0) + 1  # one for the total


@pytest.mark.parametrize("card", CARDS)
def test_words_in_one_line_do_not_run_into_each_other(card):
    words = [mark for mark in lay_out(card).marks if isinstance(mark, Words)]
    for y in {mark.y for mark in words}:
        spans = sorted(ends_of(mark) for mark in words if mark.y == y and mark.text)
        for (_, end), (start, _) in pairwise(spans):
            assert end <= start


def test_bars_dots_and_lines_are_as_long_as_what_they_show():
    card = counted()
    sheet, bands = lay_out(card), score_card_of(card).bands
    bars = [mark for mark in sheet.marks if isinstance(mark, Rectangle) and mark.fill]
    dots = [mark for mark in sheet.marks if isinstance(mark, Dot)]
    lines = [mark for mark in sheet.marks if isinstance(mark, Rule) and mark.width == 0.8]
    length = WIDTH - bars[0].x
    for line, bar, dot, rule in zip(bands, bars, dots, lines, strict=True):
        assert bar.width == pytest.approx(line.shares[0] * length)
        assert dot.x - bar.x == pytest.approx(line.seen.rate * length)
        assert (rule.x1 - bar.x, rule.x2 - bar.x) == pytest.approx(
            tuple(share * length for share in line.interval)
        )


def printable(text: str) -> str:
    """A text without what XML cannot hold, and what stands in its place."""
    return "".join(one for one in text if one.isprintable() and one != "\ufffd")


@pytest.mark.slow
@settings(deadline=None)
@given(risk_cards())
def test_svg_is_well_formed_and_has_every_word(card):
    root = ET.fromstring(card.to_svg())
    assert root.tag == f"{SVG}svg"
    texts = [printable(element.text or "") for element in root.iter(f"{SVG}text")]
    words = [mark.text for mark in lay_out(card).marks if isinstance(mark, Words)]
    assert texts == [*map(printable, words)]
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "rect", "g", "text", "line", "circle",
    }  # fmt: skip


def test_svg_needs_nothing_from_elsewhere_and_names_are_not_markup():
    text = odd_card().to_svg()
    assert "<script" not in text
    assert text.count("http") == 1  # the name of the format
    card = RiskCard([FeaturePoints("nul\x00and\x0bothers\ufffe", [1], [0, 1])])
    ET.fromstring(card.to_svg())


def size_of(png: bytes) -> tuple[int, int]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])


def test_png_and_pdf_are_such_files(tmp_path):
    pytest.importorskip("matplotlib")
    card = counted()
    for name in ("card.png", "card.PDF", "card.svg"):
        card.save_picture(tmp_path / name)
    width, height = size_of((tmp_path / "card.png").read_bytes())
    assert 1000 < width < 1300
    assert height / width == pytest.approx((lay_out(card).height + 36) / (WIDTH + 36), rel=0.01)
    pdf = (tmp_path / "card.PDF").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert pdf.count(b"/Type /Page ") == 2  # front and back
    assert b"[ 0 0 595.28 841.89 ]" in pdf
    assert (tmp_path / "card.svg").read_text(encoding="utf-8") == card.to_svg()


@pytest.mark.slow
def test_a_card_longer_than_a_page_is_still_one_page():
    long = RiskCard([FeaturePoints(f"f{i}", [1, 2, 3], [0, 1, 2, 3]) for i in range(30)])
    assert lay_out(long).height > 1500
    pdf = card_picture(long, "pdf")
    assert pdf.count(b"/Type /Page ") == 2  # front and back
    assert b"[ 0 0 595.28 841.89 ]" in pdf


def test_dollars_in_names_are_not_formulas():
    pytest.importorskip("matplotlib")
    card = RiskCard([FeaturePoints("$\\frac{a}$", [1], [0, 1])])
    assert size_of(card_picture(card, "png"))


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    real = importlib.import_module

    def without(name, *arguments):
        if name == "matplotlib":
            raise ImportError(name)
        return real(name, *arguments)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(SolverMissing, match=r"riskcard\[plots\]"):
        card_picture(heart_card(), "png")
    assert card_picture(heart_card(), "svg").startswith(b"<svg")


def test_a_picture_of_another_kind_or_in_another_place_is_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"ends in \.pdf, \.png, \.svg"):
        heart_card().save_picture(tmp_path / "card.gif")
    with pytest.raises(FormatError, match="does not exist"):
        heart_card().save_picture(tmp_path / "none" / "card.svg")


def test_a_text_is_broken_where_it_fits():
    assert wrap("", 10, 10) == [""]
    for text in ("one two three four five six", "Donaudampfschifffahrtsgesellschaft", "血" * 40):
        lines = wrap(text, 60, 10)
        assert len(lines) > 1
        assert all(text_width(line, 10) <= 60 for line in lines)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_widths_are_those_of_the_font_that_matplotlib_draws_with():
    text_path = pytest.importorskip("matplotlib.textpath")
    fonts = importlib.import_module("matplotlib.font_manager")
    for weight, is_bold in (("normal", False), ("bold", True)):
        font = fonts.FontProperties(family="DejaVu Sans", weight=weight, size=100)
        measure = text_path.TextToPath().get_text_width_height_descent
        for text in ("The quick brown fox 0123456789", "{[(<>)]} ~ @ MWilI"):
            drawn, _, _ = measure(text, font, False)
            assert text_width(text, 100, is_bold) == pytest.approx(drawn, rel=0.03)


# --- the command --------------------------------------------------------------------------------


@pytest.mark.slow
def test_show_writes_all_that_is_asked_for(tmp_path, capsys):
    card = counted()
    card.save(tmp_path / "card.json")
    files = {form: str(tmp_path / f"card.{form}") for form in ("svg", "png", "pdf", "html")}
    files |= {"markdown": str(tmp_path / "card.md"), "latex": str(tmp_path / "card.tex")}
    words = [word for form, path in files.items() for word in (f"--{form}", path)]
    assert main(["show", str(tmp_path / "card.json"), *words]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert all(path in err for path in files.values())
    assert (tmp_path / "card.md").read_text(encoding="utf-8") == card.to_markdown()
    assert (tmp_path / "card.tex").read_text(encoding="utf-8") == card.to_latex(document=True)
    assert (tmp_path / "card.svg").read_text(encoding="utf-8") == card.to_svg()
    assert (tmp_path / "card.pdf").read_bytes() == card_picture(card, "pdf")
    assert "Fill in" in (tmp_path / "card.html").read_text(encoding="utf-8")


def test_show_writes_nothing_when_one_place_is_wrong(tmp_path, capsys):
    heart_card().save(tmp_path / "card.json")
    svg, wrong = tmp_path / "card.svg", tmp_path / "none" / "card.md"
    words = ["show", str(tmp_path / "card.json"), "--svg", str(svg), "--markdown", str(wrong)]
    assert main(words) == 2
    assert "does not exist" in capsys.readouterr().err
    assert not svg.exists()


def test_show_draws_on_a_terminal_unless_plain(tmp_path, capsys, monkeypatch):
    card = counted()
    card.save(tmp_path / "card.json")
    assert main(["show", str(tmp_path / "card.json")]) == 0
    assert capsys.readouterr().out == f"{card}\n"
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "90")
    assert main(["show", str(tmp_path / "card.json")]) == 0
    assert "█" in capsys.readouterr().out
    assert main(["show", str(tmp_path / "card.json"), "--plain"]) == 0
    assert capsys.readouterr().out == f"{card}\n"
