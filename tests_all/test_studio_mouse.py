"""The studio by the mouse: cuts dragged on their histogram, files dropped anywhere, tiles, figures by a column."""

import time

import pytest

from riskcard.evaluation.groups.subgroups import subgroups
from riskcard.evaluation.outcomes import Outcomes
from riskcard.model.card import RiskCard
from riskcard.studio.choices import Choices
from riskcard.studio.table.data import Source, divide
from studio_page import Page
from studio_process import studio
from studio_rows import write_table

CHOICES = {"target": "ill", "event": "yes", "hold_out": 0.3}
#: Where the line of each handle is, and where its number is on the axis of the bars.
PLACES = """
const picture = page.querySelector(given), inner = picture.querySelector("svg").getBoundingClientRect();
return [...picture.querySelectorAll(".handle")].map(one => {
  const box = one.getBoundingClientRect(), low = Number(one.min), high = Number(one.max);
  const share = (Number(one.value) - low) / (high - low);
  return { line: box.left + 12 + (box.width - 24) * share, number: inner.left + inner.width * share, y: box.top + box.height / 2 };
});
"""
DROP = """
const files = new DataTransfer();
files.items.add(new File([value], "dropped.csv"));
for (const name of ["dragover", "drop"])
  page.querySelector(given).dispatchEvent(new DragEvent(name, { dataTransfer: files, bubbles: true, cancelable: true }));
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """With a column of dates."""
    path = write_table(tmp_path_factory.mktemp("studio") / "rows.csv", 400)
    lines = path.read_text(encoding="utf-8").splitlines()
    dated = [f"{'day' if i == 0 else f'2022-01-{1 + i % 28:02}'},{x}" for i, x in enumerate(lines)]
    path.write_text("\n".join(dated), encoding="utf-8")
    return path


@pytest.fixture
def page(browser, find_module):
    find_module("starlette")
    with studio() as client:
        shown = Page(browser, client.address)
        shown.client = client
        yield shown
        browser.get("about:blank")


def drag(page: Page, place: int, by: int, find_module) -> None:
    """Take the line of a handle of the age, and move it to the right by some pixels."""
    chains = find_module("selenium.webdriver").ActionChains
    picture = "[data-feature='age'] .picture"
    page.run("page.querySelector(given).scrollIntoView({ block: 'center' })", picture)
    at = page.run(PLACES, picture)[place]
    before = len(page.client.read("/api/state")["log"])
    chain = chains(page.browser, duration=20)
    chain.w3c_actions.pointer_action.move_to_location(round(at["line"]), round(at["y"]))
    chain.click_and_hold()
    for _ in range(5):
        chain.move_by_offset(by / 5, 0)
    chain.release().perform()
    while len(page.client.read("/api/state")["log"]) == before:
        time.sleep(0.02)
    page.wait("true")


def cuts_of(page: Page) -> list[float]:
    card = page.client.read("/api/state")["card"]
    return next(one["cuts"] for one in card["features"] if one["name"] == "age")


def test_a_cut_is_dragged_on_its_bars_and_not_past_its_neighbour(page, table, find_module):
    page.open(table)
    page.choose_outcome("ill", "yes", "0.3")
    page.fit(2)
    (cut,) = cuts_of(page)
    drag(page, 0, 60, find_module)
    (moved,) = cuts_of(page)
    assert moved > cut
    state = page.client.read("/api/state")
    assert (state["log"][-1]["before"], state["log"][-1]["after"]) == (cut, moved)
    assert float(page.find("#price-words").get_attribute("data-value")) == pytest.approx(
        state["card"]["figures"]["above_bound"], rel=1e-9
    )
    page.click("[data-key='add-cut-age']")
    low, high = cuts_of(page)
    drag(page, 0, 300, find_module)  # past the other one
    below, same = cuts_of(page)
    assert same == high
    assert low < below < high
    assert page.text("#message") == ""
    for one in page.run(PLACES, "[data-feature='age'] .picture"):
        assert one["line"] == pytest.approx(one["number"], abs=1)


def test_a_file_may_be_dropped_anywhere_on_any_screen(page, table):
    page.open(table)
    page.choose_outcome("ill", "yes")
    page.go("card")
    page.run(DROP, "#top h1", table.read_text(encoding="utf-8"))
    page.wait_for("#table-name", "dropped.csv")
    assert page.client.read("/api/state")["table"]["rows"] == 400


def test_the_tile_of_dates_says_so_and_offers_no_use(page, table):
    page.open(table)
    tile = "[data-column='day']"
    assert "dates · 2022-01-01 to 2022-01-28" in page.wait_for(tile, "dates")
    assert page.run("return page.querySelectorAll(given).length", f"{tile} input") == 0
    page.choose_outcome("ill", "yes")
    assert "Dates are not learned from" in page.wait_for(tile, "dates")
    page.run("page.querySelector(\"[data-key='more-rows']\").open = true")
    page.choose("#later", "day")
    page.wait_for(f"{tile} .note", "latest")


def test_figures_by_a_column_and_the_picture_of_calibration_are_those_of_the_library(page, table):
    page.open(table)
    page.choose_outcome("ill", "yes", "0.3")
    page.fit(2)
    card = RiskCard.from_json(page.client.ask("GET", "/api/file/card")[1].decode())
    check = divide(Source.open(str(table), "rows.csv"), Choices.of(CHOICES)).check
    raw = {name: one.by_name() for name, one in check.features.items()}
    known = subgroups(Outcomes(card.risk(raw), check.is_event, check.weights), raw["kind"])
    page.go("groups")
    page.find("#groups")
    shown = page.client.read("/api/groups")["groups"]
    circles = page.run("return page.querySelectorAll('#calibration circle').length")
    assert circles == sum(one["rows"] > 0 for one in shown)
    page.choose("#by-column", "kind")
    page.find("#parts-table")
    rows = page.run(
        "return [...page.querySelectorAll('#parts-table tbody tr')].map(row => [...row.cells].map(one => one.textContent))"
    )
    assert [row[:3] for row in rows] == [
        [one.name, str(one.rows), str(one.events)] for one in known
    ]
    for row, one in zip(rows, known, strict=True):
        assert row[3] == f"{100 * one.mean_risk:.1f}\u00a0%"
        assert row[4].startswith(f"{100 * one.base_rate.value:.1f}\u00a0% (")
        assert row[5] == f"{one.auc.value:.3f}"


def test_a_signature_of_another_card_is_said_to_be_one(page, table):
    page.open(table)
    page.choose_outcome("ill", "yes")
    page.fit(1)
    page.go("sign")
    page.find("#sign-name").send_keys("Ada")
    page.find("#sign-reason").send_keys("for the ward")
    page.click("#sign")
    page.wait_for("#signed", "Signed off by Ada")
    assert page.text("#signed-other") == ""
    page.go("card")
    page.click(".feature .more")
    page.go("sign")
    assert "not of the card that is shown" in page.wait_for("#signed-other", "not of")
    page.click("[data-key='undo']")
    page.wait("!page.getElementById('signed-other')")


def test_another_table_ends_a_session_with_a_card_only_when_that_is_confirmed(page, table):
    page.open(table)
    page.choose_outcome("ill", "yes")
    page.fit(1)
    page.run("window.asked = []; window.confirm = words => { asked.push(words); return false; }")
    page.run(DROP, "#top h1", "x,y\n1,0\n2,1\n")
    page.wait("window.asked.length === 1")
    assert "card and its log" in page.run("return window.asked[0]")
    assert page.client.read("/api/state")["table"]["name"] == "rows.csv"
    page.run("window.confirm = () => true")
    page.run(DROP, "#top h1", "x,y\n1,0\n2,1\n")
    page.wait_for("#table-name", "dropped.csv")
