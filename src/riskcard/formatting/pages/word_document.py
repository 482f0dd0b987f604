"""A page as a Word document: its headings, text, lists, tables and pictures, in the same order."""

from __future__ import annotations

import base64
import importlib
import io
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from riskcard.extras import import_extra

#: What has no place in a document that is edited: contents, styles, scripts and what is said in their absence.
_LEFT_OUT = {"nav", "noscript", "script", "style", "title", "svg"}
_VOID = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}
_PARAGRAPHS = {"p", "figcaption", "caption", "summary", "dt", "li", "blockquote", "pre"}
_BOLD, _ITALIC = {"b", "strong", "th", "dt"}, {"em", "i", "figcaption", "cite"}
_DOTS_PER_INCH, _WIDEST = 96, 6.3


@dataclass(slots=True)
class Element:
    """A part of a page: its tag, its attributes, and what is in it."""

    tag: str
    attributes: dict[str, str]
    parts: list[Element | str] = field(default_factory=list)

    def find(self, *tags: str) -> list[Element]:
        """The parts with one of these tags, at any depth, but not within one another."""
        found: list[Element] = []
        for part in self.parts:
            if isinstance(part, Element):
                found += [part] if part.tag in tags else part.find(*tags)
        return found

    @property
    def text(self) -> str:
        """All text, with single spaces."""
        words = "".join(part if isinstance(part, str) else part.text for part in self.parts)
        return re.sub(r"\s+", " ", words)


class _Reader(HTMLParser):
    """Reads the pages that riskcard writes, in which every element is closed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].parts.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        names = [element.tag for element in self._open]
        if tag in names[1:]:
            del self._open[len(names) - 1 - names[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        self._open[-1].parts.append(data)


def read_page(page: str) -> Element:
    """The parts of a page.

    Examples
    --------
    >>> read_page("<p>One <b>word</b></p>").find("b")[0].text
    'word'
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader.root


def page_as_word(page: str) -> bytes:
    """The content of a ``.docx`` file.

    Parameters
    ----------
    page
        HTML whose pictures are PNG within the page.
    """
    import_extra("docx", "A Word document", "word")
    writer = _Writer(importlib.import_module("docx"))
    writer.write(read_page(page))
    file = io.BytesIO()
    writer.document.save(file)
    return file.getvalue()


class _Writer:
    """Appends the parts of a page to a document."""

    def __init__(self, docx: Any) -> None:
        self.document = docx.Document()
        self._inches = docx.shared.Inches
        self._points = docx.shared.Pt
        section = self.document.sections[0]
        section.page_width, section.page_height = docx.shared.Mm(210), docx.shared.Mm(297)
        section.left_margin = section.right_margin = docx.shared.Mm(22)
        self.document.styles["Normal"].font.size = self._points(10)

    def write(self, element: Element) -> None:
        """Append everything in an element."""
        loose: list[Element | str] = []
        for part in element.parts:
            if isinstance(part, str) or not self._is_block(part):
                loose.append(part)
                continue
            self._paragraph(loose)
            loose = []
            self._block(part)
        self._paragraph(loose)

    def _is_block(self, element: Element) -> bool:
        inline = {
            "a",
            "abbr",
            "b",
            "br",
            "cite",
            "code",
            "em",
            "i",
            "small",
            "span",
            "strong",
            "sub",
        }
        return element.tag not in inline | {"sup", "time", "wbr", "button", "label"}

    def _block(self, element: Element) -> None:
        tag = element.tag
        if tag in _LEFT_OUT or element.attributes.get("hidden") is not None:
            return
        if re.fullmatch("h[1-6]", tag):
            self.document.add_heading(element.text.strip(), min(4, int(tag[1]) - 1))
        elif tag == "table":
            self._table(element)
        elif tag == "img":
            self._picture(element)
        elif tag in ("ul", "ol"):
            style = "List Bullet" if tag == "ul" else "List Number"
            for item in element.find("li"):
                self._paragraph(_spaced(item.parts), style)
        elif tag in _PARAGRAPHS and not element.find("table", "img", "p", "ul"):
            self._paragraph([element])
        else:
            self.write(element)

    def _paragraph(self, parts: list[Element | str], style: str | None = None) -> None:
        if not Element("", {}, parts).text.strip():
            return
        self._runs(self.document.add_paragraph(style=style), parts)

    def _runs(self, paragraph: Any, parts: list[Element | str], **look: bool) -> None:
        """Append text to a paragraph, bold and italic where the page is."""
        for part in parts:
            if isinstance(part, str):
                words = re.sub(r"\s+", " ", part)
                if not paragraph.runs:
                    words = words.lstrip()
                if words:
                    run = paragraph.add_run(words)
                    run.bold, run.italic = look.get("bold"), look.get("italic")
            elif part.tag == "br":
                paragraph.add_run().add_break()
            elif part.tag not in _LEFT_OUT:
                more = dict(look)
                if part.tag in _BOLD:
                    more["bold"] = True
                if part.tag in _ITALIC:
                    more["italic"] = True
                self._runs(paragraph, part.parts, **more)

    def _table(self, element: Element) -> None:
        for caption in element.find("caption"):
            self._paragraph(caption.parts)
        rows = [row.find("th", "td") for row in element.find("tr")]
        width = max((sum(map(_span, row)) for row in rows), default=0)
        if not width:
            return
        table = self.document.add_table(0, width, style="Table Grid")
        below = [0] * width  # rows that a cell above still covers, by column
        for row in rows:
            cells, place = table.add_row().cells, 0
            for one in row:
                while place < width and below[place]:
                    place += 1
                if place >= width:
                    break
                last = min(width, place + _span(one)) - 1
                cell = cells[place].merge(cells[last]) if last > place else cells[place]
                self._cell(cell, one)
                for covered in range(place, last + 1):
                    below[covered] = int(one.attributes.get("rowspan") or 1)
                place = last + 1
            below = [max(0, left - 1) for left in below]
        self.document.add_paragraph()

    def _cell(self, cell: Any, element: Element) -> None:
        paragraph = cell.paragraphs[0]
        self._runs(paragraph, [element])
        for run in paragraph.runs:
            run.font.size = self._points(8.5)
        if "number" in element.attributes.get("class", "").split():
            paragraph.alignment = 2

    def _picture(self, element: Element) -> None:
        start = "data:image/png;base64,"
        source = element.attributes.get("src", "")
        if not source.startswith(start):
            self._paragraph([element.attributes.get("alt", "")])
            return
        inches = float(element.attributes.get("width") or 600) / _DOTS_PER_INCH
        content = io.BytesIO(base64.b64decode(source[len(start) :]))
        shape = self.document.add_picture(content, width=self._inches(min(inches, _WIDEST)))
        shape._inline.docPr.set("descr", element.attributes.get("alt", ""))


def _spaced(parts: list[Element | str]) -> list[Element | str]:
    """The parts with a space where two elements, such as a figure and its name, touch."""
    spaced: list[Element | str] = []
    for part in parts:
        if spaced and isinstance(part, Element) and isinstance(spaced[-1], Element):
            spaced.append(" ")
        spaced.append(part)
    return spaced


def _span(cell: Element) -> int:
    return int(cell.attributes.get("colspan") or 1)
