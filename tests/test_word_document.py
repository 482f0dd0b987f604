"""A page as a Word document: nothing that it says is lost, and pictures are in it."""

from __future__ import annotations

import base64
import io

import pytest

from riskcard import RiskScoreClassifier, make_report
from riskcard.formatting.pages.word_document import page_as_word, read_page

docx = pytest.importorskip("docx")

PAGE = """<html><head><title>not shown</title><style>p { color: red }</style></head><body>
<h1>A <em>title</em></h1><nav><ul><li>contents</li></ul></nav>
<p>One   <b>bold</b> word<br>and x<sup>2</sup>.</p>
<ul><li><b>303</b><span>rows</span></li></ul>
<table><caption>What it shows</caption><thead><tr><th>Name</th><th colspan="2">Both</th></tr></thead>
<tbody><tr><td rowspan="2">a</td><td class="number">1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></tbody></table>
<dl><dt>Term</dt><dd>What it means.</dd></dl>
<figure><img src="data:image/png;base64,{picture}" alt="A dot." width="48"><figcaption>Below.</figcaption></figure>
<figure><img src="other.svg" alt="Something else."></figure></body></html>"""


def document_of(content: bytes):
    return docx.Document(io.BytesIO(content))


@pytest.fixture
def dot() -> str:
    """A picture of one dot."""
    image = pytest.importorskip("matplotlib.image")
    file = io.BytesIO()
    image.imsave(file, [[0.0, 1.0]], format="png")
    return base64.b64encode(file.getvalue()).decode("ascii")


def test_text_tables_and_pictures_keep_their_order(dot):
    document = document_of(page_as_word(PAGE.replace("{picture}", dot)))
    texts = [paragraph.text for paragraph in document.paragraphs if paragraph.text]
    assert texts == [
        "A title",
        "One bold word\nand x2.",
        "303 rows",
        "What it shows",
        "Term",
        "What it means.",
        "Below.",
        "Something else.",
    ]
    assert [run.text for run in document.paragraphs[1].runs if run.bold] == ["bold"]
    table = document.tables[0]
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["Name", "Both", "Both"],
        ["a", "1", "2"],
        ["", "3", "4"],
    ]
    assert len(document.inline_shapes) == 1
    assert document.inline_shapes[0].width.inches == 0.5


def test_a_report_is_written_as_a_document_by_the_ending_of_its_file(tmp_path):
    pytest.importorskip("matplotlib")
    X = [[value % 10] for value in range(60)]
    y = [value % 10 > 4 or value % 7 == 0 for value in range(60)]
    report = make_report(RiskScoreClassifier(1).fit(X, y), X, y, cv=0, n_bootstraps=0)
    report.save(tmp_path / "report.docx")
    document = document_of((tmp_path / "report.docx").read_bytes())
    shown = [one.text for one in document.paragraphs if one.style.name.startswith("Heading")]
    page = read_page(report.to_html())
    assert [one.text.strip() for one in page.find("h2")] == [
        text for text in shown if text in {one.text.strip() for one in page.find("h2")}
    ]
    assert len(document.inline_shapes) == len(page.find("img"))
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html>")
