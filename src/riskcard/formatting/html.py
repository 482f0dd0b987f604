"""Pieces of HTML that several parts of the package draw with: tables that read well anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

# Colours come from the surroundings (currentColor), so that light and dark both read well.
_STYLE = """
.riskcard-box { font: 14px/1.45 system-ui, sans-serif; color: inherit; max-width: 60rem; }
.riskcard-box h4 { font-size: 1.1em; margin: 0 0 .5em; }
.riskcard-box p { margin: .4em 0; max-width: 46rem; }
.riskcard-box .wide { overflow-x: auto; margin: .6em 0; }
.riskcard-box table { border-collapse: collapse; margin: 0; color: inherit; background: none;
  border-top: 2px solid currentColor; border-bottom: 2px solid currentColor; }
.riskcard-box tr, .riskcard-box tr:nth-child(even) { background: none; }
.riskcard-box th, .riskcard-box td { padding: .25em .8em; text-align: left; vertical-align: top;
  border: 0; background: none; color: inherit; font-variant-numeric: tabular-nums; }
.riskcard-box thead th { border-bottom: 1px solid currentColor; }
.riskcard-box .number { text-align: right; white-space: nowrap; }
"""


class Number(str):
    """The text of a cell that stands to the right, as numbers do."""


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table; texts are escaped, and a cell that is a ``Number`` stands to the right.

    Parameters
    ----------
    header
        One text a column; a ``Number`` for a column of numbers. None at all for no header.
    rows
        One text a column.
    caption
        Says what the table shows.

    Examples
    --------
    >>> html_table(["Name", Number("Size")], [["a < b", Number("3")]]).count("&lt;")
    1
    """
    head = "".join(_cell(text, 'th scope="col"') for text in header)
    head = f"<thead><tr>{head}</tr></thead>" if head else ""
    body = "".join(f"<tr>{''.join(_cell(text, 'td') for text in row)}</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f'<div class="wide"><table>{title}{head}<tbody>{body}</tbody></table></div>'


def paragraphs(sentences: Iterable[str]) -> str:
    """One paragraph a sentence, escaped."""
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)


def boxed(title: str, *pieces: str) -> str:
    """Pieces under a title, with their own style: what a notebook shows."""
    return (
        f'<div class="riskcard-box"><style>{_STYLE}</style>'
        f"<h4>{escape(title)}</h4>{''.join(pieces)}</div>"
    )


def minus(number: float | str) -> str:
    """A number with a true minus sign."""
    return str(number).replace("-", "−")


def _cell(text: str, tag: str) -> str:
    kind = ' class="number"' if isinstance(text, Number) else ""
    return f"<{tag}{kind}>{escape(text)}</{tag.split()[0]}>"
