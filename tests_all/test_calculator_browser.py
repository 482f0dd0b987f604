"""The calculator in a real browser gives the totals and risks of its card, and refuses kindly."""

import base64
import math
from dataclasses import replace
from urllib.parse import urlencode

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cards import mass_card, risk_cards, values_of
from counted import counted, many_totals, odd_card
from riskcard.calculator.calculator_page import render_calculator
from riskcard.calculator.page_words import share_words
from riskcard.calculator.questions import questions_of
from riskcard.credit.scaling import to_credit_points
from riskcard.model.card import RiskCard
from riskcard.model.feature_points import FeaturePoints, LevelPoints
from riskcard.model.origin.certificate import TrainingFacts
from riskcard.model.terms import show_level
from riskcard.model.totals import count_totals
from riskcard.model.value_range import ValueRange
from riskcard.model.words.labels import FeatureLabel, Labels

#: Answers all questions as a person would, but faster, and says what the page then shows.
ENTER = """
const rows = arguments[0], shown = [];
const tell = (element, kind) => element.dispatchEvent(new Event(kind, { bubbles: true }));
for (const row of rows) {
  row.forEach((answer, i) => {
    const block = document.querySelector(`[data-question="${i}"]`);
    const field = document.getElementById(`value-${i}`);
    if (answer === null) return;
    if ("text" in answer) { field.value = answer.text; tell(field, "input"); }
    else if (field && field.tagName === "SELECT") { field.value = answer.choice; tell(field, "change"); }
    else if (field) {
      const button = block.querySelector(`[data-choice="${answer.choice}"]`);
      if (button.getAttribute("aria-pressed") !== "true") button.click();
    }
    else block.querySelector(`input[value="${answer.choice}"]`).click();
  });
  const lit = rows[0].map((_, i) => {
    const here = document.querySelectorAll(`[data-question="${i}"] .row.lit`);
    return [here.length, here.length ? Number(here[0].dataset.row) : -1];
  });
  shown.push([document.getElementById("total").dataset.total,
              document.getElementById("risk").dataset.risk,
              document.getElementById("risk").textContent,
              lit]);
}
return shown;
"""


@pytest.fixture
def open_page(browser, asked_for, tmp_path):
    """Opens a page; at the end nothing must have gone wrong on it or been asked for elsewhere."""
    path = tmp_path / "calculator.html"

    def open_it(page: str, values: dict | None = None) -> None:
        path.write_text(page, encoding="utf-8")
        browser.get("about:blank")
        browser.get(path.as_uri() + (f"#{urlencode(values)}" if values else ""))

    yield open_it
    asked = asked_for()
    assert all(url.startswith((path.as_uri(), "data:")) for url in asked), asked


def answer_to(question, value) -> dict | None:
    """How a value is entered."""
    if question.kind == "none":
        return None
    keys = [choice.key for choice in question.choices]
    if value is None:
        return {"choice": keys.index("missing")}
    if question.kind == "number":
        return {"text": repr(float(value))}
    return {"choice": keys.index(show_level(value))}


def row_of(feature, value) -> int:
    """Which line of a feature holds, by the card alone."""
    n_bins = len(feature.points)
    codes = [code for code, _ in getattr(feature, "codes", ())]
    if value is None:
        return n_bins + len(codes)
    if isinstance(feature, LevelPoints):
        shown = [[*map(show_level, group)] for group in feature.groups]
        return next(i for i, group in enumerate(shown) if show_level(value) in group)
    if value in codes:
        return n_bins + codes.index(value)
    return sum(cut < value for cut in feature.cuts)


def check_rows(browser, card: RiskCard, rows: list[list]) -> None:
    """The page shows the total, the risk and the lines of every row."""
    questions = questions_of(card)
    entered = [
        [answer_to(question, value) for question, value in zip(questions, row, strict=True)]
        for row in rows
    ]
    shown = browser.execute_script(ENTER, entered)
    for row, (total, risk, words, lit) in zip(rows, shown, strict=True):
        values = {feature.name: [value] for feature, value in zip(card.features, row, strict=True)}
        wanted = int(card.total_points(values or {"any": [0]})[0])
        assert int(total) == wanted, row
        exact = float(card.risk_of_total(wanted))
        assert math.isclose(float(risk), exact, rel_tol=1e-12)
        assert words == share_words(Labels(), exact)
        assert lit == [
            [1, row_of(feature, value)] for feature, value in zip(card.features, row, strict=True)
        ]


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(card=risk_cards(), data=st.data())
def test_any_card_adds_up_as_in_python(browser, open_page, card, data):
    """Around every cut, at every code and level, and missing."""
    open_page(card.to_calculator())
    lists = [values_of(feature) for feature in card.features]
    longest = max(map(len, lists), default=1)
    rows = [[values[i % len(values)] for values in lists] for i in range(longest)]
    rows += [[data.draw(st.sampled_from(values)) for values in lists] for _ in range(3)]
    check_rows(browser, card, rows)


def test_many_random_rows_agree(browser, open_page):
    generator = np.random.default_rng(7)
    jobs = LevelPoints("job", [[f"job {i}" for i in range(9)], ["a", 1, 2.5]], [0, 2], missing=1)
    card = counted(RiskCard([*mass_card().features, jobs], base=-3, multiplier=1.7, offset=0.2))
    rows = []
    for _ in range(400):
        row = [values[generator.integers(len(values))] for values in map(values_of, card.features)]
        if generator.random() < 0.5:
            row[0] = float(np.round(generator.normal(50, 15), int(generator.integers(0, 4))))
        rows.append(row)
    open_page(card.to_calculator())
    check_rows(browser, card, rows)


def test_odd_names_do_nothing_but_stand_there(browser, open_page):
    card = counted(odd_card())
    open_page(card.to_calculator())
    rows = [[61.0, level, "high", True] for level in card.features[1].levels]
    check_rows(browser, card, rows)
    titles = [element.text for element in browser.find_elements("css selector", ".title")]
    assert titles == [" ".join(feature.name.split()) for feature in card.features]


def test_a_card_with_only_a_base_shows_its_risk_at_once(browser, open_page):
    card = RiskCard([FeaturePoints("any", [], [2])], base=-1)
    open_page(card.to_calculator())
    assert text_of(browser, "total") == "1"
    assert text_of(browser, "risk") == "73.1 %"


# --- entering by hand ---------------------------------------------------------------------------


def text_of(browser, name: str) -> str:
    return browser.find_element("id", name).text


def keys(browser, *pressed: str) -> None:
    for key in pressed:
        browser.switch_to.active_element.send_keys(key)


def numbers_card() -> RiskCard:
    return RiskCard(
        [FeaturePoints("age", [60], [0, 3]), FeaturePoints("dose", [0.5], [0, 1], missing=2)]
    )


@pytest.mark.parametrize(
    ("entered", "total"),
    [
        ("60", "0"),
        ("60.0001", "3"),
        ("60,0001", "3"),
        (" 61 ", "3"),
        ("−61", "0"),
        ("+6.1e1", "3"),
        ("61.", "3"),
        (",5", "0"),
        ("0,125", "0"),
    ],
)
def test_numbers_are_read_with_point_or_comma(browser, open_page, entered, total):
    open_page(numbers_card().to_calculator(), {"dose": "0.1"})
    browser.find_element("id", "value-0").send_keys(entered)
    assert text_of(browser, "total") == total
    assert text_of(browser, "error-0") == ""


@pytest.mark.parametrize(
    ("entered", "message"),
    [
        ("sixty", "“sixty” is not a number. Write digits, such as 61.5."),
        ("6 1", "“6 1” is not a number"),
        ("1,234.5", "“1,234.5” is not a number"),
        ("1,234", "“1,234” could mean 1234 or 1.2340. Write one of these."),
        ("1e999", "“1e999” is too large a number."),
        ("Infinity", "is not a number"),
        ("0x10", "is not a number"),
        ("--5", "is not a number"),
        ("<b>", "“<b>” is not a number"),
    ],
)
def test_what_is_not_a_number_is_refused_next_to_the_field(browser, open_page, entered, message):
    open_page(numbers_card().to_calculator(), {"dose": "0.1"})
    field = browser.find_element("id", "value-0")
    field.send_keys(entered)
    assert text_of(browser, "error-0") == ""  # not while someone is still typing
    keys(browser, "\ue004")
    assert message in text_of(browser, "error-0")
    assert field.get_attribute("aria-invalid") == "true"
    assert "error-0" in field.get_attribute("aria-describedby")
    assert text_of(browser, "risk") == "–"
    assert "Still to enter: age." in text_of(browser, "open")
    field.clear()
    field.send_keys("61")
    assert text_of(browser, "error-0") == ""
    assert field.get_attribute("aria-invalid") is None
    assert text_of(browser, "total") == "3"


def test_limits_from_the_labels_are_kept_but_for_codes(browser, open_page):
    card = RiskCard([FeaturePoints("age", [60], [0, 3], codes=[(-9, 1)])])
    limits = FeatureLabel(lowest=18, highest=120)
    labels = Labels(features={"age": limits}, words={"decimal": ","})
    open_page(render_calculator(card.with_labels(labels)))
    field = browser.find_element("id", "value-0")
    for entered, total in (("17,9", "–"), ("18", "0"), ("120", "3"), ("120,1", "–"), ("-9", "1")):
        field.clear()
        field.send_keys(entered, "\ue004")
        assert text_of(browser, "total") == total
        words = "Values here are from 18 to 120."
        assert text_of(browser, "error-0") == (words if total == "–" else "")
    field.clear()
    field.send_keys("1.234", "\ue004")
    assert "could mean 1234 or 1,2340" in text_of(browser, "error-0")


def test_missing_is_offered_where_the_card_has_points_for_it(browser, open_page):
    open_page(numbers_card().to_calculator(), {"age": "70"})
    specials = browser.find_elements("css selector", ".special")
    assert [one.text for one in specials] == ["missing"]
    specials[0].click()
    assert specials[0].get_attribute("aria-pressed") == "true"
    assert text_of(browser, "total") == "5"
    browser.find_element("id", "value-1").send_keys("0.5")
    assert specials[0].get_attribute("aria-pressed") == "false"
    assert text_of(browser, "total") == "3"
    specials[0].click()
    assert browser.find_element("id", "value-1").get_attribute("value") == ""
    specials[0].click()
    assert text_of(browser, "total") == "–"


@pytest.mark.parametrize("is_scaled", [False, True])
def test_reasons_are_listed_worst_first_and_none_for_the_safest(browser, open_page, is_scaled):
    labels = Labels(features={"shape": FeatureLabel(reason="The outline is <b>irregular</b>")})
    card = mass_card().with_labels(labels)
    card = to_credit_points(card).card if is_scaled else card
    worst = {"age": 50, "shape": "lobular", "density": "low", "palpable": "True"}
    open_page(card.to_calculator(), worst)
    items = browser.find_elements("css selector", "#reasons li")
    why = card.explain(worst | {"palpable": True})
    assert [one.text for one in items] == list(why.reason_texts)
    assert items[0].text == "The outline is <b>irregular</b>"
    open_page(
        card.to_calculator(), {"age": 30, "shape": "round", "density": "high", "palpable": "False"}
    )
    assert not browser.find_element("id", "reasons").is_displayed()


def test_the_keyboard_alone_is_enough(browser, open_page):
    tab, space, down, enter = "\ue004", " ", "\ue015", "\ue007"
    card = counted()  # age, shape, density, palpable
    open_page(card.to_calculator())
    browser.execute_script("document.body.focus()")
    browser.find_element("tag name", "body").send_keys(tab)
    assert browser.switch_to.active_element.get_attribute("id") == "value-0"
    keys(browser, "61", enter, tab)  # 3 points; Enter sends nothing anywhere
    assert browser.switch_to.active_element.text == "−9"
    keys(
        browser, tab, tab, tab, space, down, down, tab
    )  # past "missing" and the lines; irregular: 3
    keys(browser, space, tab)  # low: 2
    keys(browser, down, tab)  # no, then yes: 1
    assert text_of(browser, "total") == "9"
    assert text_of(browser, "risk") == "88.1 %"
    assert browser.switch_to.active_element.get_attribute("id") == "again"
    outline = browser.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    keys(browser, enter)
    assert browser.switch_to.active_element.get_attribute("id") == "value-0"
    assert text_of(browser, "total") == "–"


def test_the_lines_of_a_number_can_be_tapped_and_unseen_numbers_get_a_remark(browser, open_page):
    seen = ValueRange(18, 97, is_whole=True)
    card = RiskCard(
        [
            FeaturePoints("age", [60], [0, 3], missing=1, training_range=seen),
            FeaturePoints("chf", [0], [0, 5], training_range=ValueRange(0, 1, is_whole=True)),
        ]
    )
    open_page(card.to_calculator())
    first, second = browser.find_elements("css selector", '[data-question="0"] .row input')[:2]
    browser.find_elements("css selector", '[data-question="1"] .row input')[1].click()  # yes
    second.click()
    assert text_of(browser, "total") == "8"
    browser.find_element("id", "value-0").send_keys("780")
    assert text_of(browser, "total") == "8"
    assert "from 18 to 97" in text_of(browser, "remark-0")
    first.click()
    assert text_of(browser, "total") == "5"
    assert text_of(browser, "remark-0") == ""
    assert browser.find_element("id", "value-0").get_attribute("value") == ""
    browser.find_element("id", "link").click()
    browser.refresh()
    assert text_of(browser, "total") == "5"


def test_the_result_is_announced_and_says_what_is_open(browser, open_page, find_module):
    wait = find_module("selenium.webdriver.support.ui").WebDriverWait(browser, 10)
    open_page(counted().to_calculator())
    said = browser.find_element("id", "said")
    assert said.get_attribute("aria-live") == "polite"
    wait.until(lambda _: "age, shape, density, palpable" in said.get_attribute("textContent"))
    browser.find_element("id", "value-0").send_keys("61")
    words = "Still to enter: shape, density, palpable. Depending on that, the risk is from 26.9 % to 88.1 %."
    assert text_of(browser, "open") == words
    for name, place in (("value-1", 0), ("value-2", 2), ("value-3", 0)):
        browser.find_elements("css selector", f"input[name={name}]")[place].click()
    wait.until(lambda _: said.get_attribute("textContent") == "Total 3, risk 26.9 %.")
    assert "Of 100 with this total, about 27 have the event." in text_of(browser, "meaning")
    assert "training rows with a total of 3" in text_of(browser, "meaning")
    place = browser.find_element("css selector", "#curve circle.place")
    dots = browser.find_elements("css selector", "#curve circle.dot")
    assert place.get_attribute("cx") == dots[3].get_attribute("cx")
    assert place.get_attribute("cy") == dots[3].get_attribute("cy")
    assert "26.9 %" in browser.find_element("id", "curve").get_attribute("aria-label")
    lit = browser.find_elements("css selector", ".totals tr.lit")
    assert [row.get_attribute("data-low") for row in lit] == ["3"]


def test_a_link_brings_the_values_back(browser, open_page):
    card = counted(odd_card())
    open_page(card.to_calculator())
    check_rows(browser, card, [[None, "-->", None, True]])
    browser.find_element("id", "link").click()
    assert "address" in text_of(browser, "linked")
    total, address = text_of(browser, "total"), browser.current_url
    assert "#" in address
    browser.get("about:blank")
    browser.get(address)
    assert text_of(browser, "total") == total
    assert (
        browser.find_elements("css selector", ".special")[1].get_attribute("aria-pressed") == "true"
    )
    browser.find_element("id", "again").click()
    assert "#" not in browser.current_url


def test_values_of_an_address_that_make_no_sense_are_refused(browser, open_page):
    values = {"age": "x", "shape": "square", "density": "high", "palpable": "True", "other": "1"}
    open_page(mass_card().to_calculator(), values)
    assert "“x” is not a number" in text_of(browser, "error-0")
    assert "Still to enter: age, shape." in text_of(browser, "open")


@pytest.mark.parametrize("width", [320, 390, 768, 1200])
def test_nothing_is_wider_than_the_screen(browser, open_page, width):
    jobs = LevelPoints("job", [[f"occupation number {i}" for i in range(30)], ["x"]], [0, 1])
    card = counted(RiskCard([*odd_card().features, jobs], outcome="o" * 60))
    size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    open_page(card.to_calculator())
    browser.execute_script(
        "for (const one of document.querySelectorAll('details')) one.open = true"
    )
    found = browser.execute_script("return document.documentElement.scrollWidth")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert found <= width


def contrast(first: list[float], second: list[float]) -> float:
    """The ratio of luminances that the guidelines on accessibility of the web define."""

    def luminance(colour: list[float]) -> float:
        shares = [value / 255 for value in colour[:3]]
        linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
        return sum(weight * s for weight, s in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    high, low = sorted([luminance(first), luminance(second)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(browser, open_page, scheme):
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    open_page(counted().to_calculator(), {"age": "x", "shape": "oval", "density": "missing"})
    colours = browser.execute_script("""
      const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
      const ground = (element) => {
        for (let one = element; one; one = one.parentElement) {
          const colour = numbers(getComputedStyle(one).backgroundColor);
          if (colour.length < 4 || colour[3] > 0) return colour;
        }
      };
      return [...document.querySelectorAll("main *")]
        .filter((one) => one.offsetParent && [...one.childNodes].some(
          (node) => node.nodeType === 3 && node.textContent.trim()))
        .map((one) => [one.textContent.trim().slice(0, 30),
                       numbers(getComputedStyle(one).color), ground(one)]);
    """)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert len(colours) > 40
    assert [words for words, ink, ground in colours if contrast(ink, ground) < 4.5] == []


def test_it_prints_on_one_page(browser, open_page):
    open_page(counted().to_calculator(), {"age": "50", "shape": "oval", "density": "high"})
    assert text_of(browser, "open").startswith("Still to enter: palpable.")
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    assert base64.b64decode(printed["data"]).count(b"/Type /Page\n") == 1


def test_many_totals_have_their_place_on_the_curve(browser, open_page):
    card = counted(many_totals(8))
    open_page(card.to_calculator(), {f"f{i}": "2" for i in range(8)})
    assert text_of(browser, "total") == "225"
    assert "a total of 220 to 225" in text_of(browser, "meaning")
    assert len(browser.find_elements("css selector", "#curve circle.place")) == 1


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Of 1 training row with a total of 3, 1 had the event."),
        ("fr", "Sur 1 ligne d’apprentissage ayant un total de 3, 1 a eu l’événement."),
    ],
)
def test_one_training_row_is_not_a_plural(browser, open_page, language, words):
    card = RiskCard([FeaturePoints("age", [60], [0, 3])])
    totals, is_event = np.array([0] * 9 + [3]), np.array([False] * 9 + [True])
    facts = TrainingFacts(10, 1, 10.0, 1.0, count_totals(totals, is_event, np.ones(10), [0, 3]))
    labels = Labels(language=language)
    open_page(replace(card, training=facts, labels=labels).to_calculator(), {"age": "70"})
    assert words in text_of(browser, "meaning")
