"""A card as LaTeX: two tables with the package booktabs, for a paper or to be compiled alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

from riskcard.card.bands import cells_of
from riskcard.card.scorecard import FeatureBlock, ScoreCard, score_card_of
from riskcard.card.sentences import BASE, BLANK
from riskcard.formatting.numbers import minus
from riskcard.model.card import RiskCard

_COMMANDS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\ttfamily\char34}",
    "`": r"\`{}",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≠": r"$\ne$",
    "−": "$-$",
    "×": r"$\times$",
    "÷": r"$\div$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "°": r"$^\circ$",
    "µ": r"$\mu$",
    "²": "$^2$",
    "³": "$^3$",
    "→": r"$\rightarrow$",
}
_GREEK = r"""
    \alpha \beta \gamma \delta \epsilon \zeta \eta \theta \iota \kappa \lambda \mu \nu \xi o \pi \rho \varsigma
    \sigma \tau \upsilon \phi \chi \psi \omega
"""
_COMMANDS |= {chr(ord("α") + place): f"${name}$" for place, name in enumerate(_GREEK.split())}
#: Letters and signs that every LaTeX since 2018 sets from UTF-8, in any font encoding.
_PLAIN = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ"
    "ĂăĆćČčĎďĚěĞğİıĹĺĽľŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŤťŰűŮůŸŹźŻżŽž¡¿£§–—‘’“”…"
)
#: Those that need the font encoding T1.
_IN_T1 = frozenset("ÐðÞþĐđĄąĘę„«»")
#: Two of these become one sign: a dash, or a quotation mark.
_PAIRS = re.compile("([-',])(?=\\1)")

_LINE = r"\rule{4em}{0.4pt}"  # to be filled in by hand
_BEGIN = "\\begingroup\\setlength{\\parindent}{0pt}\\renewcommand{\\arraystretch}{1.2}\n"
_T1 = "\\usepackage[T1]{fontenc}\n"
_DOCUMENT = (
    "\\documentclass[a4paper]{article}\n"
    "\\usepackage{booktabs}\n"
    "\\setlength{\\textwidth}{170mm}\\setlength{\\oddsidemargin}{-5mm}\n"
    "\\setlength{\\textheight}{260mm}\\setlength{\\topmargin}{-25mm}\n"
    "\\pagestyle{empty}\n"
)


def render_latex(card: RiskCard) -> str:
    """Draw a card as a piece of LaTeX, to be put into a document that loads booktabs."""
    shown = score_card_of(card)
    parts = [
        rf"\textbf{{{_escaped(shown.title)}}}",
        _points_table(shown),
        _total_table(shown),
        _escaped(shown.formula),
        "\\par\n".join(map(_escaped, shown.remarks)),
    ]
    body = "\\par\\medskip\n".join(part for part in parts if part)
    needs = f"% needs \\usepackage{{booktabs}}{f' and {_T1.strip()}' if _needs_t1(body) else ''}\n"
    return f"{needs}{_BEGIN}{body}\\par\n\\endgroup\n"


def render_latex_document(card: RiskCard) -> str:
    """Draw a card as a document that compiles by itself."""
    piece = render_latex(card)
    preamble = _DOCUMENT + (_T1 if _needs_t1(piece) else "")
    return f"{preamble}\\begin{{document}}\n\\small\n{piece}\\end{{document}}\n"


def _needs_t1(text: str) -> bool:
    return not _IN_T1.isdisjoint(text)


def _points_table(shown: ScoreCard) -> str:
    columns = r"@{}p{0.28\linewidth}p{0.4\linewidth}rc@{}"
    groups = [list(_block_rows(block)) for block in shown.blocks]
    if shown.base != 0:
        base = _escaped(minus(shown.base))
        groups.append([_row([rf"\textbf{{{BASE}}}", "", base, base])])
    groups.append([_row([r"\textbf{Total}", "", "", _LINE])])
    body = "\\midrule\n".join("".join(group) for group in groups)
    header = _row(["Feature", "Value", "Points", BLANK])
    return _tabular(columns, header, body)


def _block_rows(block: FeatureBlock) -> Iterable[str]:
    for place, one in enumerate(block.lines):
        name = rf"\raggedright\textbf{{{_escaped(block.feature)}}}" if place == 0 else ""
        label = rf"\raggedright {_escaped(one.label)}"
        yield _row([name, label, _escaped(minus(one.points)), _LINE])


def _total_table(shown: ScoreCard) -> str:
    header, rows = cells_of(shown.bands)
    lines = [_row(_escaped(minus(cell)) for cell in row) for row in rows]
    return _tabular(f"@{{}}{'r' * len(header)}@{{}}", _row(map(_escaped, header)), "".join(lines))


def _tabular(columns: str, header: str, body: str) -> str:
    return (
        f"\\begin{{tabular}}[t]{{{columns}}}\n\\toprule\n{header}\\midrule\n{body}"
        "\\bottomrule\n\\end{tabular}"
    )


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + " \\\\\n"


def _escaped(text: str) -> str:
    """A text of one line in which nothing is a command, and which every LaTeX can set."""
    one_line = _PAIRS.sub(r"\1\0", " ".join(text.replace("\0", " ").split()))
    return "".join("{}" if character == "\0" else _set(character) for character in one_line)


def _set(character: str) -> str:
    if character in _COMMANDS:
        return _COMMANDS[character]
    if " " <= character <= "~" or character in _PLAIN | _IN_T1:
        return character
    return f"[U+{ord(character):04X}]"
