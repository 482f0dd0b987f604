"""How wide a text will be in a picture, by the letter widths of DejaVu Sans."""

from __future__ import annotations

import unicodedata

from riskcard.formatting.plain_text import is_wide

#: The characters from blank to tilde, in hundredths of the font size.
_PLAIN = (
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
    60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63,
    63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
)  # fmt: skip
_BOLD = (
    35, 46, 52, 84, 70, 100, 87, 31, 46, 46, 52, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70, 70,
    70, 70, 40, 40, 84, 84, 84, 58, 100, 77, 76, 73, 83, 68, 68, 82, 84, 37, 37, 77, 64, 100, 84, 85,
    73, 85, 77, 72, 68, 81, 77, 110, 77, 72, 73, 46, 37, 46, 84, 50, 50, 67, 72, 59, 72, 68, 44, 72,
    71, 34, 34, 67, 34, 104, 71, 69, 72, 72, 49, 60, 48, 71, 65, 92, 65, 65, 58, 71, 37, 71, 84,
)  # fmt: skip
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
