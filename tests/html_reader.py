"""Reads HTML for tests: texts and elements, and that every element is closed."""

from html.parser import HTMLParser

__all__ = ["HtmlReader", "read_html"]

#: Elements that have no end.
VOID = ("meta", "link", "input", "br", "img")


class HtmlReader(HTMLParser):
    """Collects elements with their attributes, texts, scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self.styles: list[str] = []

    @property
    def names(self) -> set[str]:
        """Which elements there are."""
        return {tag for tag, _ in self.elements}

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        where = self.open[-1] if self.open else ""
        {"script": self.scripts, "style": self.styles}.get(where, self.texts).append(data)


def read_html(html: str) -> HtmlReader:
    """Read a page or a piece of one."""
    reader = HtmlReader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader
