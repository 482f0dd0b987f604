"""Markdown, LaTeX and the terminal say what the card says, whatever its names are."""

import io
import re

import pytest
from hypothesis import given
from markdown_it import MarkdownIt
from rich.console import Console

from cards import heart_card, mass_card, risk_cards
from counted import ODD, counted, many_totals, odd_card
from riskcard.card.bands import cells_of
from riskcard.card.scorecard import score_card_of
from riskcard.card.terminal import print_card
from riskcard.model.card import RiskCard

CARDS = [
    heart_card(),
    mass_card(),
    counted(),
    counted(weight=2.0),
    counted(many_totals(8)),
    counted(odd_card()),
    RiskCard([]),
]


def one_line(text: str) -> str:
    return " ".join(text.split())


def minus(text) -> str:
    return str(text).replace("-", "−")


def expected_points(card: RiskCard) -> list[list[str]]:
    """The rows of the table of points, with the column to fill in."""
    shown = score_card_of(card)
    rows = [
        [one_line(block.feature) if place == 0 else "", one_line(one.label), minus(one.points), ""]
        for block in shown.blocks
        for place, one in enumerate(block.lines)
    ]
    if shown.base:
        rows.append(["Base (everyone)", "", minus(shown.base), minus(shown.base)])
    return [*rows, ["Total", "", "", ""]]


def expected_totals(card: RiskCard) -> list[list[str]]:
    header, rows = cells_of(score_card_of(card).bands, card.labels)
    return [list(header), *([minus(cell) for cell in row] for row in rows)]


# --- Markdown -----------------------------------------------------------------------------------


def read_markdown(text: str) -> tuple[list[list[list[str]]], list[str]]:
    """The cells of every table, and the texts outside of them, as a reader of Markdown sees them."""
    tables, texts, is_in_table = [], [], False
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        if token.type == "table_open":
            tables.append([])
            is_in_table = True
        elif token.type == "table_close":
            is_in_table = False
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type == "inline":
            kinds = {child.type for child in token.children}
            assert kinds <= {"text", "text_special", "strong_open", "strong_close"}, kinds
            words = "".join(child.content for child in token.children)
            (tables[-1][-1] if is_in_table else texts).append(words)
        else:
            assert not token.type.startswith("html"), token.content
    return tables, texts


@pytest.mark.parametrize("card", CARDS)
def test_markdown_reads_as_the_card(card):
    (points, totals), texts = read_markdown(card.to_markdown())
    shown = score_card_of(card)
    assert points == [["Feature", "Value", "Points", "Fill in"], *expected_points(card)]
    assert totals == expected_totals(card)
    assert texts[0] == one_line(shown.title)
    assert texts[1:] == [*map(one_line, [*shown.front, "Details", *shown.back])]


@pytest.mark.slow
@given(risk_cards())
def test_markdown_of_any_card_has_its_rows(card):
    tables, _ = read_markdown(card.to_markdown())
    assert [len(table) for table in tables] == [
        1 + len(expected_points(card)),
        len(expected_totals(card)),
    ]
    assert {len(row) for row in tables[0]} == {4}


# --- LaTeX --------------------------------------------------------------------------------------


def read_latex(text: str) -> list[list[list[str]]]:
    """The cells of every tabular, still escaped."""
    tables = re.findall(
        r"\\begin\{tabular\}\[t\]\{[^\n]*\}\n(.*?)\\end\{tabular\}", text, re.DOTALL
    )
    rows = [
        [line for line in table.splitlines() if not re.fullmatch(r"\\(top|mid|bottom)rule", line)]
        for table in tables
    ]
    assert all(line.endswith(r" \\") for table in rows for line in table)
    return [[re.split(r"(?<!\\) ?& ?", line[:-3]) for line in table] for table in rows]


@pytest.mark.parametrize("card", CARDS)
def test_latex_has_the_rows_of_the_card(card):
    points, totals = read_latex(card.to_latex())
    assert len(points) == 1 + len(expected_points(card))
    assert {len(row) for row in points} == {4}
    assert [len(row) for row in totals] == [len(row) for row in expected_totals(card)]
    for row, wanted in zip(points[1:], expected_points(card), strict=True):
        assert row[2].replace("$-$", "−") == wanted[2]
    first = [[cell.replace("$-$", "−").replace(r"\%", "%") for cell in row] for row in totals]
    assert [row[0] for row in first] == [row[0] for row in expected_totals(card)]


@pytest.mark.slow
@given(risk_cards())
def test_latex_of_any_card_is_balanced_and_plain(card):
    text = card.to_latex(document=True)
    body = text.split(r"\begin{document}")[1]
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 2
    without_escapes = re.sub(r"\\[{}$&#_%]", "", body)
    depth = 0
    for character in without_escapes:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    assert without_escapes.count("$") % 2 == 0
    allowed = "–—‘’“”…„"
    assert all(ord(character) < 0x180 or character in allowed for character in text)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a_b & c", r"a\_b \& c"),
        ("50 % {x}", r"50 \% \{x\}"),
        ("x^2~y\\z", r"x\textasciicircum{}2\textasciitilde{}y\textbackslash{}z"),
        ("a--b ''c''", "a-{}-b '{}'c'{}'"),
        ("αβ ≥ 3 µg", r"$\alpha$$\beta$ $\ge$ 3 $\mu$g"),
        ("Größe, Ñandú", "Größe, Ñandú"),
        ("血圧", "[U+8840][U+5727]"),
        ("tab\tand\nline", "tab and line"),
    ],
)
def test_names_are_escaped_for_latex(name, written):
    card = heart_card(outcome=name, classes=(0, 1))
    assert rf"\textbf{{Risk of {written}}}" in card.to_latex()


def test_latex_asks_for_what_it_needs():
    assert "T1" not in heart_card().to_latex(document=True)
    polish = heart_card(outcome="wątroba")
    assert polish.to_latex().startswith("% needs \\usepackage{booktabs} and \\usepackage[T1]")
    assert "\\usepackage[T1]{fontenc}\n" in polish.to_latex(document=True)
    assert r"\begin{document}" not in polish.to_latex()


# --- the terminal -------------------------------------------------------------------------------


def on_terminal(card: RiskCard, width: int, **options) -> str:
    file = io.StringIO()
    if not options:
        print_card(card, file, width)
        return file.getvalue()
    Console(file=file, width=width, **options).print(card)
    return file.getvalue()


@pytest.mark.parametrize("card", CARDS)
def test_the_terminal_shows_every_row_without_colour(card):
    text = on_terminal(card, 100)
    assert "\x1b" not in text
    flat = one_line(text)
    for words in (*score_card_of(card).front, *score_card_of(card).back):
        assert one_line(words) in flat
    lines = [one_line(re.sub("[█▏▎▍▌▋▊▉]", "", line)) for line in text.splitlines()]
    for row in expected_totals(card):
        assert one_line(" ".join(row)) in lines


def test_points_are_next_to_their_values_on_a_terminal():
    lines = [one_line(line) for line in on_terminal(counted(heart_card()), 80).splitlines()]
    for line in ("age ≤ 60 0", "> 60 to ≤ 75 2", "pressure ≤ 0.125 5", "Base (everyone) −1"):
        assert line in lines


def test_a_narrow_terminal_has_no_bars_and_nothing_is_wider_than_it():
    card = counted()
    assert "█" in on_terminal(card, 80)
    narrow = on_terminal(card, 60)
    assert "█" not in narrow
    assert max(map(len, narrow.splitlines())) <= 60


def test_a_card_prints_itself_in_colour_and_its_names_are_not_markup():
    text = on_terminal(counted(odd_card()), 120, force_terminal=True, color_system="truecolor")
    assert "\x1b[" in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    name = one_line(ODD)
    assert name[:20] in plain
    red = heart_card(outcome="[red]x[/red]", certificate=None)
    assert "[red]x[/red]" in on_terminal(red, 80, force_terminal=True)
