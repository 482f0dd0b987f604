"""A card as Markdown: two tables and a list of facts, for a wiki, a repository or a chat."""

import re

from riskcard.card.scorecard import rendered
from riskcard.model.card import RiskCard

#: What could be taken for markup; a backslash before it prevents that.
_MARKS = re.compile(r"([\\`*_\[\]|~$])")


def render_markdown(card: RiskCard) -> str:
    """Draw a card as Markdown with tables, as GitHub and many others read it."""
    return rendered(card, "card/templates/card.md.j2", _escaped)


def _escaped(text: str) -> str:
    """A text of one line in which nothing is markup."""
    marked = _MARKS.sub(r"\\\1", " ".join(text.split()))
    return marked.replace("&", "&amp;").replace("<", "&lt;")
