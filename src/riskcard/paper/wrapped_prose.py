"""Generated Markdown with lines of prose that a person can read in an editor."""

import re
from functools import partial
from textwrap import wrap

WIDTH = 115
#: Lines that must stay as they are: blank lines, tables, headings, pictures and indented code.
_WHOLE = re.compile(r"$|\||#|!\[| {4}")
_wrap = partial(wrap, break_long_words=False, break_on_hyphens=False)
_MARK = re.compile(r"- |\d+\. |")


def wrap_prose(text: str, width: int = WIDTH) -> str:
    """Fill paragraphs and list items; everything else stays as it is.

    Examples
    --------
    >>> print(wrap_prose("- one\\n  two three", width=9))
    - one two
      three
    """
    lines: list[str] = []
    paragraph: list[str] = []

    def end_paragraph() -> None:
        joined = " ".join(line.strip() for line in paragraph)
        paragraph.clear()
        indent = " " * len(_MARK.match(joined)[0])  # type: ignore[index]
        lines.extend(_wrap(joined, width, subsequent_indent=indent))

    for line in text.split("\n"):
        is_whole = _WHOLE.match(line) is not None
        if is_whole or _MARK.match(line)[0]:  # type: ignore[index]
            end_paragraph()
        if is_whole:
            lines.append(line)
        else:
            paragraph.append(line)
    end_paragraph()
    return "\n".join(lines)
