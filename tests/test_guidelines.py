"""Reporting guidelines on the page of a report: complete, in order, and linked to sections that exist."""

from __future__ import annotations

import re

import pytest

from riskcard import RiskScoreClassifier, make_report
from riskcard.formatting.speech import speaking
from riskcard.report.guidelines import guidelines
from riskcard.report.report_page import SECTIONS

#: Items of TRIPOD+AI that have parts, and how many.
PARTS = {3: 3, 5: 2, 6: 3, 8: 3, 9: 3, 12: 7, 18: 6, 20: 3, 23: 2, 27: 3}

#: Topics that are written alike in several languages.
ALIKE = {"Fairness"}


def test_all_items_of_tripod_are_there_in_order():
    wanted = [
        f"{number}{letter}"
        for number in range(1, 28)
        for letter in ("abcdefg"[: PARTS[number]] if number in PARTS else [""])
    ]
    assert [item.number for item in guidelines()[0].items] == wanted


@pytest.mark.parametrize("guideline", guidelines(), ids=lambda one: one.title)
def test_every_item_is_answered_or_asked_and_links_to_sections(guideline):
    known = set(SECTIONS)
    for item in guideline.items:
        assert item.page or item.ask, item
        assert bool(item.page) == bool(item.sections), item
        assert set(item.sections) <= known, item


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_every_language_has_every_item_with_the_same_parts(language):
    english = guidelines()
    with speaking(language):
        others = guidelines()
    for one, other in zip(english, others, strict=True):
        assert other.about != one.about
        for item, same in zip(one.items, other.items, strict=True):
            assert (same.number, same.sections) == (item.number, item.sections)
            assert (bool(same.page), bool(same.ask)) == (bool(item.page), bool(item.ask)), same
            assert same.topic != item.topic or item.topic in ALIKE, same
            commands = re.findall(r"--\w[\w-]*|riskcard \w+", item.page + item.ask)
            assert re.findall(r"--\w[\w-]*|riskcard \w+", same.page + same.ask) == commands, same


def test_a_language_that_is_not_known_has_the_english_items():
    english = guidelines()
    with speaking("nl"):
        assert guidelines() == english


def test_the_page_shows_the_items_and_the_rows_by_outcome():
    pytest.importorskip("matplotlib")
    rows = [[value % 10, "abcd"[value % 4]] for value in range(80)]
    y = [row[0] > 4 for row in rows]
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(rows, columns=["size", "kind"])
    page = make_report(RiskScoreClassifier(1).fit(X, y), X, y, cv=0, n_bootstraps=0).to_html()
    assert 'id="guidelines"' in page
    assert re.search(
        r"<td>20b</td><td[^>]*>[^<]*</td><td[^>]*>[^<]*<a href=.#data.>The data</a>", page
    )
    cells = r"<td[^>]*>7 \(6 to 8\)</td><td[^>]*>2 \(1 to 3\)</td>"
    assert re.search(rf"<td>size</td>.*?{cells}", page, re.S)
    assert "a 20\u00a0%, b 30\u00a0%, c 20\u00a0%, ..." in page
