"""A card as plain text; ASCII except for the user's own names, so that it prints anywhere."""

import textwrap
from collections.abc import Iterable
from itertools import zip_longest

from riskcard.card.bands import cells_of
from riskcard.card.blocks import FeatureBlock
from riskcard.card.kind_card import KindCard, kind_card_of, require_bins
from riskcard.card.scorecard import ScoreCard, score_card_of
from riskcard.errors import ParameterError
from riskcard.formatting.percent import percent
from riskcard.formatting.plain_text import columns_of, one_line, text_table
from riskcard.model.card import RiskCard, RiskRow
from riskcard.model.lines import Line
from riskcard.model.words.labels import Labels

_WIDTH = 79
#: Totals fill this many rows before another column is opened, up to the most columns.
_ROWS_A_COLUMN, _MOST_COLUMNS = 8, 4
#: Names longer than this take several lines.
_NAME_WIDTH = 40
#: A list of levels is broken into lines of this width, and shortened after the last of them.
_LEVELS_WIDTH, _LEVELS_LINES = 44, 8
#: The same next to the columns for rows and events.
_LEVELS_WIDTH_COUNTED = 30


def render_text(card: RiskCard, form: str = "bins") -> str:
    """Draw a card as text.

    Parameters
    ----------
    card
        The card.
    form
        "bins": one row for each bin of each feature. "two_sided": the paper's form, points on
        either side of each cut and an intercept.
    """
    if card.kind is not None:
        return _kind_text(card, form)
    shown = score_card_of(card)
    if form == "bins":
        body = _bin_table(shown)
    elif form == "two_sided":
        body = _term_table(shown)
    else:
        raise ParameterError(f"form is {form!r}. Use 'bins' or 'two_sided'.")
    details = [card.labels.say("details"), *_wrapped(shown.details)]
    parts = [[shown.title], body, _total_table(shown), _wrapped(shown.front), details]
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def _kind_text(card: RiskCard, form: str) -> str:
    """Risks by horizons, or a rate, in place of one risk."""
    require_bins(form)
    shown = kind_card_of(card)
    details = [shown.labels.say("details"), *_wrapped(shown.details)]
    table = text_table(shown.header, shown.rows, n_left=0)
    parts = [[shown.title], _bin_table(shown), table, _wrapped(shown.front), details]
    return "\n\n".join("\n".join(lines) for lines in parts)


def _bin_table(shown: ScoreCard | KindCard) -> list[str]:
    n_counts = 2 if shown.has_line_counts else 0
    groups = [_block_rows(block, shown.labels, n_counts) for block in shown.blocks]
    base = [(shown.labels.say("base"), "", shown.base, "", "")[: 3 + n_counts]]
    names = ("feature", "value", "points", "rows", "events")[: 3 + n_counts]
    return text_table(tuple(map(shown.labels.say, names)), *groups, base, n_left=2)


def _block_rows(block: FeatureBlock, labels: Labels, n_counts: int) -> list[tuple[str | int, ...]]:
    """The rows of one feature: its name in the first, figures in the first row of each line."""
    blank = ("",) * (2 + n_counts)
    cells: list[tuple[str | int, ...]] = []
    for one in block.lines:
        width = _LEVELS_WIDTH_COUNTED if n_counts else _LEVELS_WIDTH
        first, *others = _lines_of(one, width)
        counts = tuple(labels.count(n) for n in (one.rows, one.events) if n is not None)
        cells.append((first, one.points, *counts))
        cells += [(line, *blank[1:]) for line in others]
    names = _name_lines(block.feature)
    pairs = zip_longest(names, cells, fillvalue=None)
    return [(name or "", *(cell or blank)) for name, cell in pairs]


def _name_lines(name: str) -> list[str]:
    """A name as it is, or in several lines when it is long."""
    return [name] if columns_of(name) <= _NAME_WIDTH else textwrap.wrap(name, _NAME_WIDTH)


def _lines_of(one: Line, width: int) -> list[str]:
    """The label in as many rows as it needs; the last says how many levels are left out."""
    if not one.values:
        return [one.label.replace("≤", "<=")]
    lines, n_shown = [""], 0
    for level in one.value_labels:
        is_last = n_shown == len(one.values) - 1
        piece = level if is_last else f"{level},"
        if not lines[-1]:
            lines[-1] = piece
        elif columns_of(lines[-1]) + 1 + columns_of(piece) <= width:
            lines[-1] += f" {piece}"
        elif len(lines) < _LEVELS_LINES:
            lines.append(piece)
        else:
            break
        n_shown += 1
    n_left = len(one.values) - n_shown
    return [*lines, f"... and {n_left} more"] if n_left else lines


def _term_table(shown: ScoreCard) -> list[str]:
    is_plain = all(term.has_only_cut for term in shown.terms)
    header = ("Feature", "Cut", "Value <= cut", "Value > cut")
    if not is_plain:
        header = ("Feature", "Condition", "If so", "If not")
    rows: list[tuple[str, str, str | int, str | int]] = []
    for term in shown.terms:
        label = term.condition.removeprefix("<= ") if is_plain else term.condition
        first, *others = textwrap.wrap(label, _LEVELS_WIDTH, break_long_words=False)
        points: list[tuple[str, str | int, str | int]] = [(first, term.below, term.above)]
        points += [(other, "", "") for other in others]
        pairs = zip_longest(_name_lines(one_line(term.feature)), points, fillvalue=None)
        rows += [(name or "", *(cells or ("", "", ""))) for name, cells in pairs]
    return text_table(header, rows, [("Intercept", "", shown.intercept, "")], n_left=2)


def _total_table(shown: ScoreCard) -> list[str]:
    if shown.observed:
        header, rows = cells_of(shown.bands, shown.labels)
        return text_table(header, rows, n_left=0)
    totals = shown.totals
    n_columns = min(_MOST_COLUMNS, -(-len(totals) // _ROWS_A_COLUMN))
    n_rows = -(-len(totals) // n_columns)
    width = max(len(shown.labels.say("total")), *(len(str(line.total)) for line in totals))
    columns = [
        _total_column(totals[start : start + n_rows], width, shown.labels)
        for start in range(0, len(totals), n_rows)
    ]
    across = zip_longest(*columns, fillvalue=" " * len(columns[0][0]))
    lines = [" |  ".join(cells).rstrip() for cells in across]
    rule = "-" * max(map(len, lines))
    return [lines[0], rule, *lines[1:], rule]


def _total_column(totals: Iterable[RiskRow], width: int, labels: Labels) -> list[str]:
    cells = [(labels.say("total"), labels.say("risk"))]
    cells += [(str(line.total), labels.number(percent(line.risk))) for line in totals]
    return [f"{total:>{width}}  {risk:>9} " for total, risk in cells]


def _wrapped(sentences: Iterable[str]) -> list[str]:
    """Lines of sentences; a percent sign stays with its number."""
    kept = [one.replace(" %", "\N{NO-BREAK SPACE}%") for one in sentences]
    lines = [line for one in kept for line in textwrap.wrap(one, _WIDTH)]
    return [line.replace("\N{NO-BREAK SPACE}%", " %") for line in lines]
