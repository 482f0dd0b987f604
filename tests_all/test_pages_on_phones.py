"""Reports, validations and the pages of credit in a real browser: nothing is wider than the screen."""

import pytest

from optional import pd
from riskcard import (
    RiskScoreClassifier,
    binning_tables,
    judge_credit,
    make_report,
    monitor_card,
    validate,
)
from riskcard.card.card_html import render_page
from riskcard.credit.binning_document import binning_document
from riskcard.credit.judgement_document import judgement_document
from riskcard.credit.monitoring_document import monitoring_document
from riskcard.formatting.speech import speaking
from riskcard.model.words.labels import Labels
from validation_rows import small_card, validation_rows

CARD = small_card()
X, Y = validation_rows(offset=0.3)


def rows_of(part: slice):
    return pd.DataFrame(X)[["age", "smoker", "sex"]].iloc[part], Y[part]


def report_page(language: str = "en") -> str:
    rows, labels = rows_of(slice(0, 400))
    model = RiskScoreClassifier(3).fit(rows, labels)
    card = model.card_.with_labels(Labels(language=language))
    return make_report(
        card, rows, labels, test=rows_of(slice(400, 600)), cv=2, repeats=1, n_bootstraps=3
    ).to_html()


def validation_page(language: str = "en") -> str:
    return validate(
        small_card(labels=Labels(language=language)), X, Y, by=["sex", "age"], cuts={"age": [50, 65]}, sites="site", groups="patient", flag_from=[0.3],
        risk_groups=[0.1, 0.3], compare={"risk": "old_risk", "score": "old_score"}, n_bootstraps=5,
    ).to_html()  # fmt: skip


def credit_page(language: str = "en") -> str:
    with speaking(language):
        judgement = judge_credit(CARD, X, Y, existing=X["old_score"])
        return judgement_document(judgement).to_page()


def monitoring_page(language: str = "en") -> str:
    with speaking(language):
        return monitoring_document(monitor_card(CARD, X, Y)).to_page()


def card_page(language: str = "en") -> str:
    card = RiskScoreClassifier(3).fit(*rows_of(slice(0, 400))).card_
    return render_page(card.with_labels(Labels(language=language)))


PAGES = {
    "report": report_page,
    "validation": validation_page,
    "credit": credit_page,
    "monitor": monitoring_page,
    "card": card_page,
    "bins": lambda: binning_document(binning_tables(X, Y, card=CARD)).to_page(),
}

#: Boxes whose content is wider than they are, with the number of rows of their tables.
WIDE = """
return [...document.querySelectorAll('.wide, .counted')].filter(box => box.scrollWidth > box.clientWidth + 1)
  .map(box => [box.querySelectorAll('tbody tr').length, box.innerText.slice(0, 80)])
"""
#: For each stacked table whether the words of its headings are seen next to cells, and hidden above them.
STACKED = """
return [...document.querySelectorAll('.stacks table')].map(table => {
  const cell = table.querySelector('tbody tr > :last-child');
  return [getComputedStyle(cell, '::before').content, table.querySelector('thead').getBoundingClientRect().height];
})
"""


#: Of a narrow phone of today, in pixels.
WIDTH = 360


def on_a_phone(browser, folder, page):
    """The width of the page, boxes that are wider than the screen, and what became of stacked tables."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    size = {"width": WIDTH, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(path.as_uri())
    whole = browser.execute_script("return document.documentElement.scrollWidth")
    wide, stacked = browser.execute_script(WIDE), browser.execute_script(STACKED)
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    return whole, wide, stacked


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_on_a_phone(browser, tmp_path, name):
    whole, wide, stacked = on_a_phone(browser, tmp_path, PAGES[name]())
    assert whole <= WIDTH
    # only long tables, whose rows people compare, are moved sideways in their box
    assert [text for rows, text in wide if rows <= 12] == []
    assert all(label not in ("none", '""') and height <= 1 for label, height in stacked)
    assert stacked or name not in ("report", "validation")


@pytest.mark.parametrize("language", ["de", "fr", "es"])
@pytest.mark.parametrize("name", ["report", "validation", "card", "credit", "monitor"])
def test_a_page_in_another_language_fits_on_a_phone(browser, tmp_path, name, language):
    whole, wide, _ = on_a_phone(browser, tmp_path, PAGES[name](language))
    assert whole <= WIDTH
    assert [text for rows, text in wide if rows <= 12] == []


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
@pytest.mark.parametrize("name", ["report", "validation"])
def test_no_table_is_cut_off_on_a_laptop(browser, tmp_path, name, language):
    path = tmp_path / "page.html"
    path.write_text(PAGES[name](language), encoding="utf-8")
    browser.set_window_size(1280, 900)
    browser.get(path.as_uri())
    assert browser.execute_script(WIDE) == []
