"""A card as LaTeX: two tables with the package booktabs, for a paper or to be compiled alone."""

import json
import re

from riskcard.card.scorecard import rendered
from riskcard.formatting.templates import asset
from riskcard.model.card import RiskCard

#: "commands" are written for signs; "plain" are letters and signs that every LaTeX since 2018 sets
#: from UTF-8, in any font encoding; "in_t1" are those that need the font encoding T1.
_SIGNS = json.loads(asset("card/templates/latex.json"))
_AS_THEY_ARE = frozenset(_SIGNS["plain"] + _SIGNS["in_t1"])
#: Two of these become one sign: a dash, or a quotation mark.
_PAIRS = re.compile("([-',])(?=\\1)")


def render_latex(card: RiskCard, document: bool = False) -> str:
    """Draw a card as LaTeX: a piece for a document that loads booktabs, or a document of its own."""
    return rendered(
        card,
        "card/templates/card.tex.j2",
        _escaped,
        document=document,
        needs_t1=lambda text: not set(_SIGNS["in_t1"]).isdisjoint(text),
    )


def _escaped(text: str) -> str:
    """A text of one line in which nothing is a command, and which every LaTeX can set."""
    one_line = _PAIRS.sub(r"\1\0", " ".join(text.replace("\0", " ").split()))
    return "".join("{}" if character == "\0" else _set(character) for character in one_line)


def _set(character: str) -> str:
    if character in _SIGNS["commands"]:
        return str(_SIGNS["commands"][character])
    if " " <= character <= "~" or character in _AS_THEY_ARE:
        return character
    return f"[U+{ord(character):04X}]"
