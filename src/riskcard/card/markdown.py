"""A card as Markdown: two tables and a list of facts, for a wiki, a repository or a chat."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from riskcard.card.bands import cells_of
from riskcard.card.scorecard import FeatureBlock, ScoreCard, score_card_of
from riskcard.card.sentences import BASE, BLANK
from riskcard.formatting.numbers import minus
from riskcard.model.card import RiskCard

#: What could be taken for markup; a backslash before it prevents that.
_MARKS = re.compile(r"([\\`*_\[\]|~$])")
_ENTITIES = {"&": "&amp;", "<": "&lt;"}


def render_markdown(card: RiskCard) -> str:
    """Draw a card as Markdown with tables, as GitHub and many others read it."""
    shown = score_card_of(card)
    parts = [
        f"### {_escaped(shown.title)}",
        _points_table(shown),
        _total_table(shown),
        _escaped(shown.formula),
        "\n".join(f"- {_escaped(fact)}" for fact in shown.remarks),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _points_table(shown: ScoreCard) -> str:
    rows = [row for block in shown.blocks for row in _block_rows(block)]
    if shown.base != 0:
        rows.append([f"**{BASE}**", "", minus(shown.base), minus(shown.base)])
    rows.append(["**Total**", "", "", ""])
    return _table(["Feature", "Value", "Points", BLANK], "llrc", rows)


def _block_rows(block: FeatureBlock) -> Iterable[list[str]]:
    """One row per line of the card; the first has the name of the feature."""
    for place, one in enumerate(block.lines):
        name = f"**{_escaped(block.feature)}**" if place == 0 else ""
        yield [name, _escaped(one.label), minus(one.points), ""]


def _total_table(shown: ScoreCard) -> str:
    header, rows = cells_of(shown.bands)
    escaped = [[_escaped(minus(cell)) for cell in row] for row in rows]
    return _table(header, "r" * len(header), escaped)


def _table(header: Sequence[str], sides: str, rows: Iterable[Sequence[str]]) -> str:
    rules = {"l": ":--", "r": "--:", "c": ":-:"}
    lines = [header, [rules[side] for side in sides], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(text: str) -> str:
    """A text of one line in which nothing is markup."""
    one_line = " ".join(text.split())
    marked = _MARKS.sub(r"\\\1", one_line)
    return "".join(_ENTITIES.get(character, character) for character in marked)
