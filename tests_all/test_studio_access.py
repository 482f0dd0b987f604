"""Who cannot see the studio, or has no mouse: an audit of every screen by axe-core, and a walk by the keyboard."""

import time
from importlib.resources import files

import pytest

from studio_page import Page
from studio_process import studio
from studio_rows import write_table

#: The rules of WCAG 2.2 on level AA, and those of good practice that a screen reader's user feels.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AUDIT = """
const [tags, done] = arguments;
axe.run(document, { runOnly: { type: "tag", values: tags } }).then(
  found => done(found.violations.map(one => `${one.id}: ${one.help}: ${one.nodes.map(node => node.html).join(" | ")}`)),
  error => done([String(error)]));
"""
SCREENS = ("data", "card", "pool", "groups", "sign")
#: Where the focus is, as a person would say it.
FOCUS = """
const one = document.activeElement;
return one.dataset.key ?? one.id;
"""


@pytest.fixture(scope="module")
def axe(find_module):
    find_module("axe_core_python")
    return files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """With a code, so that every part of the screens is there."""
    path = write_table(tmp_path_factory.mktemp("studio") / "rows.csv", 300)
    lines = path.read_text(encoding="utf-8").splitlines()
    ages = [f"{-9 if i % 12 == 0 else line.partition(',')[0]}" for i, line in enumerate(lines)]
    rows = [f"{age},{line.partition(',')[2]}" for age, line in zip(ages, lines, strict=True)]
    path.write_text("\n".join(["age" + rows[0].removeprefix("-9"), *rows[1:]]), encoding="utf-8")
    return path


@pytest.fixture
def page(browser, find_module):
    find_module("starlette")
    with studio() as client:
        yield Page(browser, client.address)
        browser.get("about:blank")


def prepare(page: Page, table) -> None:
    """Everything that a screen can show, is shown: with all that opens open."""
    page.open(table)
    page.choose_outcome("ill", "yes", "0.3")
    page.click("[data-codes='age']")
    page.fit(2)
    page.click("#sizes")
    page.wait("page.querySelector('[data-key=\"sizes-shown\"]')")
    page.click(".feature .more")
    page.go("pool")
    page.click("#find-pool")
    page.wait("page.getElementById('pool-summary')")
    page.go("sign")
    page.click("#open-test")
    page.wait("page.getElementById('test')")
    page.choose("#sign-name", "Ada")


def found_by(axe: str, page: Page) -> list[str]:
    page.run("for (const one of page.querySelectorAll('details')) one.open = true")
    page.browser.execute_script(axe)
    return page.browser.execute_async_script(AUDIT, RULES)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_screen(page, table, axe, scheme):
    page.browser.set_script_timeout(600)
    page.find("#example")  # its words are there
    assert found_by(axe, page) == [], "before a table is open"
    prepare(page, table)
    for width, height, is_phone in ((1280, 900, False), (360, 740, True)):
        page.resize(width, height, is_phone, scheme)
        for screen in SCREENS:
            page.go(screen)
            if screen == "pool":
                page.click("#compare")
                page.wait("page.getElementById('apart')")
            if screen == "groups":
                page.wait("page.getElementById('groups')")
            time.sleep(0.3)  # colours fade in
            assert found_by(axe, page) == [], (screen, width)
    page.restore_size()


class Keyboard:
    """Presses keys, and knows where the focus is."""

    def __init__(self, page: Page, keys) -> None:
        self._page, self.keys = page, keys

    def press(self, *keys: str) -> None:
        from selenium.webdriver import ActionChains

        ActionChains(self._page.browser).send_keys(*keys).perform()
        self._page.wait("true")

    def tab_to(self, place: str) -> None:
        """Tab forward until an element has the focus."""
        for _ in range(150):
            if self._page.browser.execute_script(FOCUS) == place:
                return
            self.press(self.keys.TAB)
        raise AssertionError(f"No way by the keyboard to {place}")

    def undo(self) -> None:
        from selenium.webdriver import ActionChains

        chain = ActionChains(self._page.browser).key_down(self.keys.CONTROL).send_keys("z")
        chain.key_up(self.keys.CONTROL).perform()
        self._page.wait("true")

    def use(self, place: str) -> None:
        self.tab_to(place)
        self.press(self.keys.ENTER)


def test_a_card_is_found_changed_and_signed_off_by_the_keyboard_alone(page, find_module):
    keyboard = Keyboard(page, find_module("selenium.webdriver.common.keys").Keys)
    keys = keyboard.keys
    page.find("#example")
    keyboard.press(keys.TAB)
    assert page.browser.execute_script(FOCUS) == "skip"  # the first stop leads past the buttons
    keyboard.press(keys.ENTER)
    assert page.browser.execute_script(FOCUS) == "screen"
    keyboard.use("example")
    page.wait_for("#table-name", "breast")
    keyboard.tab_to("target")
    keyboard.press("diagnosis", keys.TAB)  # not at the first letter, but when the list is left
    page.wait("page.querySelector('[data-event]')")
    keyboard.use("event-malignant")
    page.wait("page.getElementById('hold-out')")
    keyboard.tab_to("hold-out")
    keyboard.press("30", keys.TAB)
    page.wait_for("#parts", "sealed")
    page.run("page.querySelector(\"[data-key='go-data']\").focus()")
    keyboard.use("go-card")
    keyboard.tab_to("max_terms")
    keyboard.press(keys.BACKSPACE, "2", keys.TAB)
    keyboard.use("fit")
    page.wait_for("#proof", "Proven")

    # a cut by an arrow, points by a stepper; the focus stays where it was
    handle = page.run("return page.querySelector('.handle').dataset.key")
    keyboard.tab_to(handle)
    keyboard.press(keys.ARROW_RIGHT)
    page.wait_for("#proof", "by hand")
    assert page.browser.execute_script(FOCUS) == handle
    more = page.run("return page.querySelector('.more').dataset.key")
    keyboard.use(more)
    page.wait("page.querySelector('.points').value === '1'")
    assert page.browser.execute_script(FOCUS) == more
    keyboard.undo()
    page.wait("page.querySelector('.points').value === '0'")

    page.run("page.querySelector(\"[data-key='go-data']\").focus()")
    keyboard.use("go-sign")
    keyboard.use("open-test")
    page.wait("page.getElementById('test')")
    keyboard.tab_to("sign-name")
    keyboard.press("Ada", keys.TAB, "head", keys.TAB, "as the ward needs it")
    keyboard.use("sign")
    assert "Ada (head)" in page.wait_for("#signed", "Signed off")


def test_what_happens_is_told_to_a_screen_reader(page):
    """Elements that are read out when they change, and an alert for what was refused."""
    page.click("#example")
    page.choose_outcome("diagnosis", "malignant")
    page.fit(2)
    live = page.run("return page.getElementById('figures').getAttribute('aria-live')")
    assert live == "polite"
    page.choose(".cut-number", "1e12")
    assert "far from its values" in page.wait_for("[role='alert']", "far")
    page.go("sign")
    page.click("#file-card")
    page.wait_for("[role='status']", "saved")
    assert page.run("return document.querySelectorAll('main').length") == 1
    tables = page.run(
        "return [...page.querySelectorAll('table')].filter(one => !one.caption?.textContent).length"
    )
    assert tables == 0
