"""How wide a text will be in a picture, by the letter widths of DejaVu Sans."""

import unicodedata

from riskcard.formatting.plain_text import is_wide
from riskcard.formatting.templates import asset

#: The characters from space to tilde, in hundredths of the font size: plain and bold.
_PLAIN, _BOLD = (
    tuple(map(int, line.split(",")))
    for line in asset("card/drawing/letter_widths.csv").splitlines()
)
#: All other characters: of one column, or of two as in Chinese.
_OTHER, _WIDE = 84, 110


def text_width(text: str, size: float, is_bold: bool = False) -> float:
    """The width of a text on one line, in the unit of the font size.

    Examples
    --------
    >>> text_width("mm", 10), text_width("ii", 10)
    (19.4, 5.6)
    """
    table = _BOLD if is_bold else _PLAIN
    return size * sum(_hundredths(character, table) for character in text) / 100


def wrap(text: str, width: float, size: float, is_bold: bool = False) -> list[str]:
    """Break a text into lines that fit, between words, or within one that is too long.

    Examples
    --------
    >>> wrap("a few words", 40, 10)
    ['a few', 'words']
    """
    lines = [""]
    for word in text.split():
        for piece in _pieces(word, width, size, is_bold):
            longer = f"{lines[-1]} {piece}" if lines[-1] else piece
            if text_width(longer, size, is_bold) <= width:
                lines[-1] = longer
            else:
                lines.append(piece)
    return lines


def _pieces(word: str, width: float, size: float, is_bold: bool) -> list[str]:
    """A word, or parts of it where it is longer than a line."""
    pieces = [""]
    for character in word:
        if pieces[-1] and text_width(pieces[-1] + character, size, is_bold) > width:
            pieces.append("")
        pieces[-1] += character
    return pieces


def _hundredths(character: str, table: tuple[int, ...]) -> int:
    place = ord(character) - 32
    if 0 <= place < len(table):
        return table[place]
    if unicodedata.combining(character):
        return 0
    return _WIDE if is_wide(character) else _OTHER
