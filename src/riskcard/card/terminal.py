"""A card for the terminal, drawn with rich: colours where there are any, readable without."""

from typing import IO

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from riskcard.card.bands import cells_of
from riskcard.card.card_text import render_text
from riskcard.card.scorecard import ScoreCard, score_card_of
from riskcard.formatting.numbers import minus
from riskcard.model.card import RiskCard

#: The length of the bar for a risk of 100 %, and the room around the text of a column, in cells.
_SHORTEST_BAR, _LONGEST_BAR, _BESIDE = 8, 20, 3
_EIGHTHS = " ▏▎▍▌▋▊▉"
_WIDEST = 100


def rich_card(card: RiskCard, width: int = 79) -> RenderableType:
    """A card that rich can print.

    Parameters
    ----------
    card
        The card.
    width
        The width of the terminal.
    """
    if card.kind is not None:
        return Text(render_text(card))
    shown = score_card_of(card)
    return Group(
        Text(shown.title, style="bold"),
        _points_table(shown),
        _total_table(shown, width),
        *map(Text, shown.front),
        Padding(Text(shown.labels.say("details"), style="bold"), (1, 0, 0, 0)),
        *(Text(one, style="dim") for one in shown.back),
    )


def print_card(card: RiskCard, file: IO[str], width: int | None = None) -> None:
    """Write a card to a terminal, in its own width and with colours when it has them.

    Parameters
    ----------
    card
        The card.
    file
        The stream; rich finds out what it can show, and respects NO_COLOR.
    width
        The width; by default that of the terminal.
    """
    console = Console(file=file, width=width, highlight=False)
    console.width = min(console.width, _WIDEST)
    console.print(rich_card(card, console.width))


def _points_table(shown: ScoreCard) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    say, count = shown.labels.say, shown.labels.count
    table.add_column(say("feature"), overflow="fold")
    table.add_column(say("value"), overflow="fold")
    table.add_column(say("points"), justify="right")
    for key in ("rows", "events") if shown.has_line_counts else ():
        table.add_column(say(key), justify="right", style="dim")
    most = max((abs(one.points) for block in shown.blocks for one in block.lines), default=0)
    for block in shown.blocks:
        for place, one in enumerate(block.lines):
            name = Text(block.feature, style="bold") if place == 0 else Text("")
            is_last = place == len(block.lines) - 1
            counts = [count(n) for n in (one.rows, one.events) if n is not None]
            points = _points(one.points, most)
            table.add_row(name, Text(one.label), points, *counts, end_section=is_last)
    if shown.base != 0 or not shown.blocks:
        table.add_row(Text(shown.labels.say("base"), style="bold"), "", minus(shown.base))
    return table


def _points(points: int, most: int) -> Text:
    """The points; the largest ones are bold."""
    is_strong = points != 0 and abs(points) == most
    style = "dim" if points == 0 else "bold" if is_strong else ""
    return Text(minus(points), style=style)


def _total_table(shown: ScoreCard, width: int) -> Table:
    """Totals with a bar for each risk, where there is room for it."""
    header, rows = cells_of(shown.bands, shown.labels)
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for name in header:
        table.add_column(name, justify="right", no_wrap=True)
    widths = [max(cell_len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    room = min(_LONGEST_BAR, width - sum(widths) - _BESIDE * (len(widths) + 1))
    if room >= _SHORTEST_BAR:
        table.add_column("")
    for line, row in zip(shown.bands, rows, strict=True):
        bar = Text(_bar(sum(line.shares) / 2, room), style="cyan")
        table.add_row(*map(minus, row), *([bar] if room >= _SHORTEST_BAR else []))
    return table


def _bar(share: float, length: int) -> str:
    """As long as the risk is high, to an eighth of a cell."""
    eighths = round(share * length * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
