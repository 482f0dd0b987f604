"""The sheet of a card: where each word, line and bar is, in points from the upper left corner.

One layout serves every picture: SVG is written from it, PNG and PDF are drawn from it.
"""

from dataclasses import dataclass, field

from riskcard.card.bands import BandLine, has_risk_intervals
from riskcard.card.blocks import FeatureBlock
from riskcard.card.drawing.text_width import text_width, wrap
from riskcard.card.kind_card import KindCard
from riskcard.card.scorecard import ScoreCard, shown_card, table_of
from riskcard.formatting.numbers import minus
from riskcard.model.card import RiskCard
from riskcard.model.words.labels import Labels

#: A sheet of A4 without its margins, in points.
WIDTH = 510.0
BLACK, GREY, PALE = "#000000", "#6b6b6b", "#d0d0d0"
FILL = "#d9d9d9"

_TITLE, _TEXT, _SMALL = 13.0, 9.5, 8.0
#: The columns of the upper table: where names and values begin, points end, boxes begin.
_VALUE, _POINTS, _BOX = 165.0, 420.0, 440.0
#: Where the counts of training rows and events end, where the card knows them.
_ROWS, _EVENTS = 328.0, 372.0
_ROW, _LINE = 18.0, 12.0
#: Between the columns of the lower table, between it and its bars, and the height of a row.
_GAP, _TO_BARS, _TOTAL_ROW = 12.0, 22.0, 13.0
#: Shorter bars have three numbers on their axis, not five.
_NARROW = 120.0


@dataclass(frozen=True, slots=True)
class Words:
    """A text on one line; ``x`` is its left end, its middle or its right end."""

    x: float
    y: float  # the base line
    text: str
    size: float = _TEXT
    is_bold: bool = False
    anchor: str = "start"  # or "middle", "end"
    colour: str = BLACK


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float = 0.5
    colour: str = BLACK


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A filled or an empty box."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    line: float = 0.0


@dataclass(frozen=True, slots=True)
class Dot:
    """A filled circle."""

    x: float
    y: float
    radius: float


Mark = Words | Rule | Rectangle | Dot


@dataclass(slots=True)
class Sheet:
    """What is on the sheet, and how far down it is filled.

    Attributes
    ----------
    title
        For those who cannot see the sheet.
    marks
        What is drawn, in this order.
    height
        Where the next thing is to begin; at the end the height of the sheet.
    """

    title: str
    marks: list[Mark] = field(default_factory=list)
    height: float = 0.0

    def add(self, *marks: Mark) -> None:
        """Draw something."""
        self.marks += marks

    def rule(self, width: float = 0.5, colour: str = BLACK) -> None:
        """A line across the sheet, where it is filled to."""
        self.add(Rule(0.0, self.height, WIDTH, self.height, width, colour))

    def paragraph(self, text: str, size: float, is_bold: bool = False) -> None:
        """A text of as many lines as it needs."""
        for line in wrap(text, WIDTH, size, is_bold):
            self.height += 1.3 * size
            self.add(Words(0.0, self.height - 0.3 * size, line, size, is_bold))


def lay_out(card: RiskCard) -> Sheet:
    """Put a card with its details on a sheet that is ``WIDTH`` wide and as high as it needs to be."""
    sheet = lay_out_front(card)
    sheet.height += 8
    sheet.rule(0.4, PALE)
    sheet.height += 4
    _add_details(sheet, shown_card(card))
    return sheet


def lay_out_back(card: RiskCard) -> Sheet:
    """The details on a sheet of their own."""
    shown = shown_card(card)
    sheet = Sheet(shown.title)
    sheet.paragraph(shown.title, _TEXT, is_bold=True)
    sheet.height += 6
    _add_details(sheet, shown)
    return sheet


def lay_out_front(card: RiskCard) -> Sheet:
    """The card without its details."""
    shown = shown_card(card)
    sheet = Sheet(shown.title)
    sheet.paragraph(shown.title, _TITLE, is_bold=True)
    sheet.height += 8
    _add_points(sheet, shown)
    sheet.height += 16
    _add_totals(sheet, shown)
    sheet.height += 8
    for text in shown.front:
        sheet.paragraph(text, _SMALL)
        sheet.height += 1.5
    return sheet


def _add_details(sheet: Sheet, shown: ScoreCard | KindCard) -> None:
    sheet.paragraph(shown.labels.say("details"), _SMALL, is_bold=True)
    for text in shown.back:
        sheet.height += 1.5
        sheet.paragraph(text, _SMALL)


# --- the points ---------------------------------------------------------------------------------


def _add_points(sheet: Sheet, shown: ScoreCard | KindCard) -> None:
    sheet.rule(1.2)
    y, say = sheet.height + 12.5, shown.labels.say
    middle = (_BOX + WIDTH) / 2
    sheet.add(
        Words(0.0, y, say("feature"), is_bold=True),
        Words(_VALUE, y, say("value"), is_bold=True),
        Words(_POINTS, y, say("points"), is_bold=True, anchor="end"),
        Words(middle, y, say("fill_in"), is_bold=True, anchor="middle"),
    )
    if shown.has_line_counts:
        _add_counts(sheet, y, say("rows"), say("events"))
    sheet.height += _ROW
    for block in shown.blocks:
        sheet.rule()
        _add_block(sheet, block, shown.labels if shown.has_line_counts else None)
    if shown.base != 0:
        sheet.rule()
        y, base = sheet.height + 12.5, minus(shown.base)
        sheet.add(Words(0.0, y, say("base"), is_bold=True), Words(_POINTS, y, base, anchor="end"))
        _add_box(sheet, _ROW)
        sheet.add(Words(middle, y, base, anchor="middle"))
        sheet.height += _ROW
    sheet.rule(1.2)
    sheet.add(Words(0.0, sheet.height + 14.5, say("total"), 11.0, is_bold=True))
    _add_box(sheet, _ROW + 4, line=1.2)
    sheet.height += _ROW + 4


def _add_counts(sheet: Sheet, y: float, rows: str, events: str) -> None:
    """Training rows and events, or their headings: to be looked up, not to be added up."""
    for end, words in ((_ROWS, rows), (_EVENTS, events)):
        sheet.add(Words(end, y, words, _SMALL, anchor="end", colour=GREY))


def _add_block(sheet: Sheet, block: FeatureBlock, counted_by: Labels | None) -> None:
    """The rows of a feature, with counts if there are labels for them; a long name continues below."""
    top, room = sheet.height, (_POINTS - 50 if counted_by is None else _ROWS - 35) - _VALUE
    for place, one in enumerate(block.lines):
        if place > 0:
            sheet.add(Rule(_VALUE, sheet.height, WIDTH, sheet.height, 0.4, PALE))
        lines = wrap(one.label, room, _TEXT)
        height = _ROW + _LINE * (len(lines) - 1)
        for number, line in enumerate(lines):
            sheet.add(Words(_VALUE, sheet.height + 12.5 + _LINE * number, line))
        y = sheet.height + 12.5
        sheet.add(Words(_POINTS, y, minus(one.points), anchor="end"))
        if counted_by is not None and one.rows is not None and one.events is not None:
            _add_counts(sheet, y, counted_by.count(one.rows), counted_by.count(one.events))
        _add_box(sheet, height)
        sheet.height += height
    names = wrap(block.feature, _VALUE - 12, _TEXT, is_bold=True)
    for number, line in enumerate(names):
        sheet.add(Words(0.0, top + 12.5 + _LINE * number, line, is_bold=True))
    sheet.height = max(sheet.height, top + _ROW + _LINE * (len(names) - 1))


def _add_box(sheet: Sheet, height: float, line: float = 0.5) -> None:
    """A place to fill in by hand."""
    sheet.add(Rectangle(_BOX, sheet.height + 2.0, WIDTH - _BOX, height - 4.0, line=line))


# --- from total to risk -------------------------------------------------------------------------


def _add_totals(sheet: Sheet, shown: ScoreCard | KindCard) -> None:
    header, rows = table_of(shown)
    if isinstance(shown, KindCard):
        _add_table(sheet, header, rows)
        return
    ends = _column_ends([header, *rows])
    start = ends[-1] + _TO_BARS
    sheet.rule(1.2)
    _add_cells(sheet, header, ends, is_bold=True)
    sheet.height += _TOTAL_ROW + 3
    sheet.rule()
    top, bottom = sheet.height, sheet.height + _TOTAL_ROW * len(rows) + 2
    _add_axis(sheet, start, top, bottom)
    sheet.height += 1
    for line, row in zip(shown.bands, rows, strict=True):
        _add_bar(sheet, line, start)
        _add_cells(sheet, [minus(cell) for cell in row], ends)
        sheet.height += _TOTAL_ROW
    sheet.height = bottom
    sheet.rule(1.2)
    if shown.observed:
        key = "legend_interval" if has_risk_intervals(shown.bands) else "legend"
        words = shown.labels.say(key)
        sheet.add(Words(WIDTH, bottom + 9.5, words, 7.0, anchor="end", colour=GREY))
        sheet.height += 10


def _add_table(sheet: Sheet, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """A table with several figures for each total, without bars.

    Where the columns are too wide, headings take several lines, and then all letters are smaller.
    """
    lines = [header]
    if _column_ends([header, *rows])[-1] > WIDTH:
        words = [name.split() for name in header]
        most = max(map(len, words))
        lines = [tuple(one[n] if n < len(one) else "" for one in words) for n in range(most)]
    ends = _column_ends([*lines, *rows])
    size = _SMALL * min(1.0, WIDTH / ends[-1])
    ends = [end * size / _SMALL for end in ends]
    # what is left is given to the gaps
    more = min(2 * _GAP, (WIDTH - ends[-1]) / max(1, len(ends) - 1))
    ends = [end + more * place for place, end in enumerate(ends)]
    sheet.rule(1.2)
    for line in lines:
        _add_cells(sheet, line, ends, is_bold=True, size=size)
        sheet.height += _TOTAL_ROW - 2
    sheet.height += 4
    sheet.rule()
    sheet.height += 1
    for row in rows:
        _add_cells(sheet, [minus(cell) for cell in row], ends, size=size)
        sheet.height += _TOTAL_ROW
    sheet.height += 1
    sheet.rule(1.2)


def _column_ends(rows: list[tuple[str, ...]]) -> list[float]:
    """Where each column ends, from the widest cell of each."""
    ends, x = [], -_GAP
    for column in zip(*rows, strict=True):
        widest = max(text_width(minus(cell), _SMALL, is_bold=True) for cell in column)
        x += _GAP + widest
        ends.append(x)
    return ends


def _add_cells(
    sheet: Sheet,
    cells: tuple[str, ...] | list[str],
    ends: list[float],
    is_bold: bool = False,
    size: float = _SMALL,
) -> None:
    y = sheet.height + 10
    for cell, end in zip(cells, ends, strict=True):
        sheet.add(Words(end, y, cell, size, is_bold, anchor="end"))


def _add_axis(sheet: Sheet, start: float, top: float, bottom: float) -> None:
    is_narrow = WIDTH - start < _NARROW
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = start + share * (WIDTH - start)
        anchor = "end" if share == 1 else "middle"
        sheet.add(Rule(x, top, x, bottom, 0.4, PALE))
        if not is_narrow or share in (0.0, 0.5, 1.0):
            words = f"{100 * share:.0f} %"
            sheet.add(Words(x, top - 5.5, words, 6.5, anchor=anchor, colour=GREY))


def _add_bar(sheet: Sheet, line: BandLine, start: float) -> None:
    """The risk as a bar, its interval as a line, and what was observed as a dot."""
    length, y = WIDTH - start, sheet.height
    risk = sum(line.shares) / 2
    sheet.add(Rectangle(start, y + 2, risk * length, _TOTAL_ROW - 4, fill=FILL))
    middle = y + _TOTAL_ROW / 2
    if line.interval is not None:
        low, high = (start + share * length for share in line.interval)
        sheet.add(Rule(low, middle, high, middle, 0.8))
    if line.seen is not None and line.seen.rate is not None:
        sheet.add(Dot(start + line.seen.rate * length, middle, 2.0))
