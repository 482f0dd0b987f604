"""A card as HTML: for notebooks a piece, for files a page; no scripts, nothing from elsewhere."""

from __future__ import annotations

from html import escape

from riskcard.card.bands import BandLine
from riskcard.card.scorecard import FeatureBlock, ScoreCard, TotalLine, score_card_of
from riskcard.card.sentences import BASE, BLANK
from riskcard.formatting.html import minus
from riskcard.model.card import RiskCard
from riskcard.model.lines import LineKind

#: Totals without counts are set in tables of at most so many rows, side by side.
_ROWS_A_TABLE = 12

#: A list of levels may take several lines; all of them are shown.
_IS_LIST = ' class="levels"'

# Colours come from the surroundings (currentColor), so that light and dark both read well.
_STYLE = """
.riskcard { font: 15px/1.45 system-ui, sans-serif; color: inherit; max-width: 74rem; }
.riskcard h3 { font-size: 1.15em; margin: 0 0 .6em; }
.riskcard .parts { display: flex; flex-wrap: wrap; gap: 1.5em 2.5em; align-items: flex-start; }
.riskcard .parts > div { flex: 1 1 14em; min-width: 0; }
.riskcard .parts > .counted { flex: 0 1 auto; max-width: 100%; overflow-x: auto; }
.riskcard .totals { display: flex; flex-wrap: wrap; gap: 1em 1.5em; align-items: flex-start; }
.riskcard table { border-collapse: collapse; margin: 0; color: inherit; background: none;
  border-top: 2px solid currentColor; border-bottom: 2px solid currentColor; }
.riskcard tr, .riskcard tr:nth-child(even) { background: none; }
.riskcard th, .riskcard td { padding: .28em .8em; text-align: left; vertical-align: top;
  border: 0; background-color: transparent; color: inherit; white-space: nowrap; }
.riskcard th { font-weight: 600; white-space: normal; overflow-wrap: anywhere; }
.riskcard th[scope=rowgroup] { min-width: 5.8em; max-width: 22em; }
.riskcard thead th { border-bottom: 1px solid currentColor; white-space: nowrap; }
.riskcard tbody + tbody tr:first-child > * { border-top: 1px solid rgba(128, 128, 128, .55); }
.riskcard .number { text-align: right; font-variant-numeric: tabular-nums; }
.riskcard td.levels { white-space: normal; overflow-wrap: anywhere; min-width: 9em; max-width: 24em; }
.riskcard .risk { min-width: 6.5em; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
.riskcard .interval { display: inline-block; min-width: 8.6em; margin-left: .6em; font-size: .87em; }
.riskcard .facts { margin: 1em 0 0; max-width: 46rem; }
.riskcard .facts p { margin: .25em 0; }
.riskcard .scale { font-size: .87em; margin: .5em 0 0; }
.riskcard .blank { display: none; }
"""

# A page is also for paper: a column to fill in by hand, and everything on one sheet.
_PAGE_STYLE = """
body { margin: 1.5rem; }
.riskcard .blank { display: table-cell; min-width: 4.2em; text-align: center;
  border-left: 1px solid rgba(128, 128, 128, .55); }
.riskcard .points .blank[scope=row] { text-align: left; border-left: 0; }
.riskcard .parts table.points tr > * { border-top: 1px solid rgba(128, 128, 128, .3); }
.riskcard .parts table.points tbody tr:first-child > * { border-top-color: currentColor; }
@media (max-width: 40em) {
  body { margin: .8rem; }
  .riskcard { font-size: 14px; }
  .riskcard .parts table, .riskcard .parts > .counted { width: 100%; }
  .riskcard th, .riskcard td { padding: .28em .4em; }
  .riskcard .risk { min-width: 4.6em; }
  .riskcard .blank { min-width: 3.2em; }
  .riskcard .interval { display: block; min-width: 0; margin-left: 0; }
  .riskcard .totals table { flex: 1 1 9em; }
}
@media print {
  @page { margin: 14mm; }
  body { margin: 0; }
  .riskcard { font-size: 11px; line-height: 1.4; max-width: none; }
  .riskcard .parts { display: grid; grid-template-columns: auto auto; justify-content: start; gap: 1.2em; }
  .riskcard .parts > .counted { overflow: visible; }
  .riskcard th[scope=rowgroup] { max-width: 14em; }
  .riskcard th, .riskcard td { padding: .25em .35em; }
  .riskcard .risk { min-width: 4.8em; }
  .riskcard .interval { min-width: 8em; }
  .riskcard td.levels { min-width: 8em; max-width: 15em; }
  .riskcard tr { break-inside: avoid; }
  .riskcard .blank { min-width: 4em; }
}
"""


def render_html(card: RiskCard) -> str:
    """Draw a card as a piece of HTML with its own style."""
    shown = score_card_of(card)
    paragraphs = "".join(f"<p>{escape(fact)}</p>" for fact in shown.remarks)
    kind = ' class="counted"' if shown.observed else ""
    return (
        f'<div class="riskcard"><style>{_STYLE}</style>'
        f"<h3>{escape(shown.title)}</h3>"
        f'<div class="parts">{_points_table(shown)}<div{kind}>{_total_tables(shown)}'
        f'<p class="scale">{escape(shown.formula)}</p></div></div>'
        f'<div class="facts">{paragraphs}</div></div>'
    )


def render_page(card: RiskCard) -> str:
    """Draw a card as a page of its own, for the screen and for paper."""
    title = escape(score_card_of(card).title)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n</head>\n"
        f"<body>\n{render_html(card)}\n<style>{_PAGE_STYLE}</style>\n</body>\n</html>\n"
    )


def _points_table(shown: ScoreCard) -> str:
    blocks = "".join(_block(block) for block in shown.blocks)
    return (
        '<table class="points"><thead><tr><th scope="col">Feature</th><th scope="col">Value</th>'
        '<th scope="col" class="number">Points</th>'
        f'<th scope="col" class="blank">{BLANK}</th></tr></thead>{blocks}{_base(shown.base)}'
        '<tbody><tr><th scope="row" colspan="3" class="blank">Total</th>'
        '<td class="blank"></td></tr></tbody></table>'
    )


def _base(base: int) -> str:
    """The points that everyone has; on paper they are filled in already."""
    if base == 0:
        return ""
    return (
        f'<tbody><tr><th scope="row" colspan="2">{BASE}</th><td class="number">{minus(base)}</td>'
        f'<td class="blank">{minus(base)}</td></tr></tbody>'
    )


def _block(block: FeatureBlock) -> str:
    name = f'<th scope="rowgroup" rowspan="{len(block.lines)}">{escape(block.feature)}</th>'
    rows = [
        f"<tr>{name if i == 0 else ''}<td{_IS_LIST if one.kind is LineKind.LEVELS else ''}>{escape(one.label)}</td>"
        f'<td class="number">{minus(one.points)}</td><td class="blank"></td></tr>'
        for i, one in enumerate(block.lines)
    ]
    return f"<tbody>{''.join(rows)}</tbody>"


def _total_tables(shown: ScoreCard) -> str:
    if shown.observed:
        return _counted_table(shown.bands)
    n_tables = -(-len(shown.totals) // _ROWS_A_TABLE)
    n_rows = -(-len(shown.totals) // n_tables)
    starts = range(0, len(shown.totals), n_rows)
    tables = [_total_table(shown.totals[start : start + n_rows]) for start in starts]
    return f'<div class="totals">{"".join(tables)}</div>'


def _total_table(totals: tuple[TotalLine, ...]) -> str:
    rows = "".join(
        f'<tr><td class="number">{minus(line.total)}</td>'
        f'<td class="number risk" style="{_bar(line.share)}">{escape(line.risk)}</td></tr>'
        for line in totals
    )
    return f"<table>{_head('Total', 'Risk')}<tbody>{rows}</tbody></table>"


def _counted_table(bands: tuple[BandLine, ...]) -> str:
    """Totals with what was observed in training."""
    rows = "".join(map(_counted_row, bands))
    head = _head("Total", "Risk", "Rows", "Events", "Observed")
    return f"<table>{head}<tbody>{rows}</tbody></table>"


def _counted_row(line: BandLine) -> str:
    counts = "<td></td>" * 3
    if (seen := line.seen) is not None:
        interval = f'<span class="interval">{escape(seen.interval_words)}</span>'
        counts = (
            f'<td class="number">{seen.rows:,}</td><td class="number">{seen.events:,}</td>'
            f'<td class="number">{escape(seen.rate_words)}'
            f"{interval if seen.interval_words else ''}</td>"
        )
    bar = _bar(sum(line.shares) / 2)
    return (
        f'<tr><td class="number">{minus(line.label)}</td>'
        f'<td class="number risk" style="{bar}">{escape(line.risk)}</td>{counts}</tr>'
    )


def _head(*names: str) -> str:
    cells = "".join(f'<th scope="col" class="number">{name}</th>' for name in names)
    return f"<thead><tr>{cells}</tr></thead>"


def _bar(share: float) -> str:
    """A grey bar behind the risk, as long as the risk is high."""
    end = f"{100 * share:.1f}%"
    grey = "rgba(128, 128, 128, .3)"
    return f"background-image: linear-gradient(to right, {grey} {end}, transparent {end})"
