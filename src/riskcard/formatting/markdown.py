"""Markdown that is generated: lines of prose that a person can read in an editor."""

from __future__ import annotations

import re
from textwrap import wrap

WIDTH = 115
#: Lines that must stay whole: tables, headings, pictures, fences and indented code.
_WHOLE = ("|", "#", "![", "```", "    ")
_MARK = re.compile(r"(?:- |\d+\. )?")


def wrap_prose(text: str, width: int = WIDTH) -> str:
    """Break long lines of paragraphs and lists; everything else stays as it is.

    Examples
    --------
    >>> print(wrap_prose("- one two three", width=9))
    - one two
      three
    """
    lines: list[str] = []
    is_code = False
    for line in text.split("\n"):
        is_code ^= line.startswith("```")
        if is_code or len(line) <= width or line.startswith(_WHOLE):
            lines.append(line)
            continue
        indent = " " * _MARK.match(line).end()  # type: ignore[union-attr]
        lines += wrap(
            line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
    return "\n".join(lines)
