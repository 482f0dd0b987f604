"""Tables that are too wide for a phone are marked for stacking; all others stay as they are."""

import re

import pytest

from html_reader import read_html
from riskcard.formatting.pages.document import Document, Section, ShownTable
from riskcard.formatting.pages.stacked_tables import stack_tables


def table(header, rows, attributes=""):
    head = "".join(f'<th scope="col">{cell}</th>' for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td{attributes}>{cell}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


WIDE = [f"heading{number}" for number in range(8)]


def test_a_long_table_of_words_is_stacked():
    """Nobody compares the rows of a checklist, and words are too wide for a phone."""
    assert "wide stacks words" in stack_tables(table(WIDE, [["word"] * 8] * 13))


def test_every_cell_but_the_first_gets_the_heading_of_its_column():
    page = stack_tables(table(WIDE, [[f"cell{number}" for number in range(8)]] * 2))
    cells = [found for tag, found in read_html(page).elements if tag == "td"]
    assert [cell.get("data-label") for cell in cells] == [None, *WIDE[1:]] * 2
    assert re.sub(' data-label="[^"]*"| stacks words', "", page) == table(
        WIDE, [[f"cell{number}" for number in range(8)]] * 2
    )


@pytest.mark.parametrize(
    ("header", "rows", "attributes"),
    [
        (["a", "b"], [["1", "2"]], ""),  # narrow
        (["word " * 40, "b"], [["many short words " * 9, "2"]], ""),  # it can be broken
        (WIDE, [["1"] * 8] * 13, ' class="number"'),  # too many rows to be compared in a list
        (WIDE, [["1"] * 7], ""),  # not a table of rows and columns
        (WIDE, [["1"] * 8], ' colspan="1"'),
    ],
)
def test_other_tables_stay_as_they_are(header, rows, attributes):
    page = table(header, rows, attributes)
    assert stack_tables(page) == page


def test_tables_without_a_header_and_cells_with_markup_are_stacked_too():
    plain = '<div class="wide"><table><tbody><tr><td>1</td></tr></tbody></table></div>'
    wide = table([*WIDE[:7], "5&lt;6 &#34;x&#34;"], [["<b>1</b>"] * 8])
    page = stack_tables(plain + wide + plain)
    assert page.startswith(plain)
    assert page.endswith(plain)
    labels = [found.get("data-label") for tag, found in read_html(page).elements if tag == "td"]
    assert labels == [None, None, *WIDE[1:7], '5<6 "x"', None]


def test_a_document_stacks_its_wide_tables_only():
    tables = [ShownTable(WIDE, [["x" * 9] * 8]), ShownTable(("a", "b"), [("1", "5 %")])]
    page = Document("Title", "Lead.", [Section("One", (), tables)]).to_page()
    assert page.count('<div class="wide stacks">') == 1
    assert page.count('<div class="wide">') == 1
    assert "5\u00a0%" in page  # a line never begins with the sign
