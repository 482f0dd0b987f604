"""A card as HTML: for notebooks a piece, for files a page; no scripts, nothing from elsewhere."""

from __future__ import annotations

from html import escape

from riskcard.card.scorecard import FeatureBlock, ScoreCard, TotalLine, score_card_of
from riskcard.problem.riskcard import RiskCard

__all__ = ["render_html", "render_page"]

#: Totals are set in tables of at most so many rows, side by side.
_ROWS_A_TABLE = 12

#: A list of levels may take several lines; all of them are shown.
_IS_LIST = ' class="levels"'

# Colours come from the surroundings (currentColor), so that light and dark both read well.
_STYLE = """
.riskcard { font: 15px/1.45 system-ui, sans-serif; color: inherit; max-width: 60rem; }
.riskcard h3 { font-size: 1.15em; margin: 0 0 .6em; }
.riskcard .parts { display: flex; flex-wrap: wrap; gap: 1.5em 2.5em; align-items: flex-start; }
.riskcard .parts > div { flex: 1 1 14em; min-width: 0; }
.riskcard .totals { display: flex; flex-wrap: wrap; gap: 1em 1.5em; align-items: flex-start; }
.riskcard table { border-collapse: collapse; margin: 0; color: inherit; background: none;
  border-top: 2px solid currentColor; border-bottom: 2px solid currentColor; }
.riskcard tr, .riskcard tr:nth-child(even) { background: none; }
.riskcard th, .riskcard td { padding: .28em .8em; text-align: left; vertical-align: top;
  border: 0; background-color: transparent; color: inherit; white-space: nowrap; }
.riskcard th { font-weight: 600; white-space: normal; overflow-wrap: anywhere; }
.riskcard thead th { border-bottom: 1px solid currentColor; white-space: nowrap; }
.riskcard tbody + tbody tr:first-child > * { border-top: 1px solid rgba(128, 128, 128, .55); }
.riskcard .number { text-align: right; font-variant-numeric: tabular-nums; }
.riskcard td.levels { white-space: normal; overflow-wrap: anywhere; min-width: 9em; max-width: 24em; }
.riskcard .risk { min-width: 6.5em; }
.riskcard .facts { margin: 1em 0 0; max-width: 46rem; }
.riskcard .facts p { margin: .25em 0; }
.riskcard .scale { font-size: .87em; margin: .5em 0 0; }
"""


def render_html(card: RiskCard) -> str:
    """Draw a card as a piece of HTML with its own style."""
    shown = score_card_of(card)
    facts = "".join(f"<p>{escape(fact)}</p>" for fact in shown.facts)
    return (
        f'<div class="riskcard"><style>{_STYLE}</style>'
        f"<h3>{escape(shown.title)}</h3>"
        f'<div class="parts">{_points_table(shown)}<div>{_total_tables(shown)}'
        f'<p class="scale">{escape(shown.scale.replace(" - ", " − "))}</p></div></div>'
        f'<div class="facts">{facts}</div></div>'
    )


def render_page(card: RiskCard) -> str:
    """Draw a card as a page of its own."""
    title = escape(score_card_of(card).title)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n"
        "<style>body { margin: 1.5rem; }</style>\n</head>\n"
        f"<body>\n{render_html(card)}\n</body>\n</html>\n"
    )


def _points_table(shown: ScoreCard) -> str:
    blocks = "".join(_block(block) for block in shown.blocks)
    return (
        '<table><thead><tr><th scope="col">Feature</th><th scope="col">Value</th>'
        f'<th scope="col" class="number">Points</th></tr></thead>{blocks}'
        '<tbody><tr><th scope="row" colspan="2">Base (everyone)</th>'
        f'<td class="number">{_signed(shown.base)}</td></tr></tbody></table>'
    )


def _block(block: FeatureBlock) -> str:
    name = f'<th scope="rowgroup" rowspan="{len(block.bins)}">{escape(block.feature)}</th>'
    rows = [
        f"<tr>{name if i == 0 else ''}<td{_IS_LIST if one.levels else ''}>{escape(one.label)}</td>"
        f'<td class="number">{_signed(one.points)}</td></tr>'
        for i, one in enumerate(block.bins)
    ]
    return f"<tbody>{''.join(rows)}</tbody>"


def _total_tables(shown: ScoreCard) -> str:
    n_tables = -(-len(shown.totals) // _ROWS_A_TABLE)
    n_rows = -(-len(shown.totals) // n_tables)
    starts = range(0, len(shown.totals), n_rows)
    tables = [_total_table(shown.totals[start : start + n_rows]) for start in starts]
    return f'<div class="totals">{"".join(tables)}</div>'


def _total_table(totals: tuple[TotalLine, ...]) -> str:
    rows = "".join(
        f'<tr><td class="number">{_signed(line.total)}</td>'
        f'<td class="number risk" style="{_bar(line.share)}">{escape(line.risk)}</td></tr>'
        for line in totals
    )
    return (
        '<table><thead><tr><th scope="col" class="number">Total</th>'
        f'<th scope="col" class="number">Risk</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _bar(share: float) -> str:
    """A grey bar behind the risk, as long as the risk is high."""
    end = f"{100 * share:.1f}%"
    grey = "rgba(128, 128, 128, .3)"
    return f"background-image: linear-gradient(to right, {grey} {end}, transparent {end})"


def _signed(number: int) -> str:
    """A number with a true minus sign."""
    return str(number).replace("-", "−")
