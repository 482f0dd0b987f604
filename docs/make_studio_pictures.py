"""Make the pictures of the studio: `python -m docs.make_studio_pictures`; needs Chromium and selenium.

The steps are those of the walk-throughs in docs/studio.md, done on the page as a reader would do them.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

from docs.pages import DOCS, blocks_of

# the tests know how to use the page
sys.path.insert(0, str(DOCS.parent / "tests"))

from studio_page import Page, open_browser
from studio_process import studio

IMAGES = DOCS / "images"
COLOURS = 96
LAPTOP, PHONE = (1180, False), (390, True)


def photograph(
    page: Page, name: str, size: tuple[int, bool], tall: int, scheme: str = "light"
) -> None:
    """Write a picture of the top of the screen."""
    width, is_phone = size
    page.resize(width, tall, is_phone, scheme)
    page.run("scrollTo(0, 0)")
    time.sleep(0.5)
    with tempfile.TemporaryDirectory() as folder:
        raw = str(Path(folder) / "raw.png")
        page.browser.save_screenshot(raw)
        Image.open(raw).convert("RGB").quantize(COLOURS).save(IMAGES / name, optimize=True)
    sys.stdout.write(f"{name}\n")


@contextmanager
def opened(*arguments: str) -> Iterator[Page]:
    """The page of a new studio."""
    browser = open_browser("--hide-scrollbars")
    try:
        with studio(*arguments) as client:
            yield Page(browser, client.address)
    finally:
        browser.quit()


def clinician() -> None:
    """The steps of the clinician, on the example."""
    with opened() as page:
        page.click("#example")
        page.choose_outcome("diagnosis", "malignant", "0.3")
        photograph(page, "studio_data.png", LAPTOP, 1250)
        page.click("[data-key='go-card']")
        page.choose("#max_terms", "3")
        page.click("#fit")
        page.wait_for("#proof", "Proven")
        page.choose("[data-key='cut-number-0-worst texture']", "25")
        page.wait_for("#proof", "by hand")
        photograph(page, "studio_card.png", LAPTOP, 1120)
        photograph(page, "studio_phone.png", PHONE, 900, "dark")
        page.click("[data-key='go-pool']")
        page.click("#find-pool")
        page.wait_for("#pool-summary", "loss of at most")
        page.click("#compare")
        page.wait_for("#apart", "different")
        photograph(page, "studio_pool.png", LAPTOP, 1150)
        page.click("[data-key='go-sign']")
        page.click("#open-test")
        for key, text in {
            "name": "A. Example",
            "role": "head of the ward",
            "reason": "cut as in the guideline",
        }.items():
            field = page.find(f"#sign-{key}")
            field.send_keys(text)
        page.click("#sign")
        page.wait_for("#signed", "Signed off")
        photograph(page, "studio_sign.png", LAPTOP, 1150)


def credit_officer() -> None:
    """The steps of the credit officer, on the applications of their walk-through."""
    code = next(
        one for one in blocks_of(DOCS / "credit_officer.md") if "make_applications" in one.text
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "loans.csv"
        namespace: dict[str, Any] = {}
        made = code.text.partition("loans = make_applications")[0]
        exec(made, namespace)
        namespace["make_applications"](1000, seed=1).to_csv(path, index=False)
        with opened(str(path)) as page:
            page.choose_outcome("default", "yes", "0.3")
            page.click("[data-codes='income']")
            page.click("[data-key='go-card']")
            page.choose("#max_terms", "4")
            page.choose("#seconds", "20")
            page.click("#fit")
            page.wait_for("#gap", "gap is")
            page.wait("!page.getElementById('stop')")
            page.choose("#add-name", "age")
            page.click("[data-key='never']")
            page.run("page.querySelector(\"[data-key='pins-late'] summary\")?.click()")
            page.run("page.querySelector(\"[data-key='pin-rises-late']\")?.click()")
            page.wait("true")
            page.click("#do-rest")
            time.sleep(1)
            page.wait("!page.getElementById('stop')")
            photograph(page, "studio_credit_card.png", LAPTOP, 1250)
            page.click("[data-key='go-groups']")
            page.wait("page.getElementById('groups')")
            page.choose("#by-column", "age")
            page.wait("page.getElementById('parts-table')")
            page.run("page.querySelector(\"[data-key='approvals']\").open = true")
            photograph(page, "studio_credit_groups.png", LAPTOP, 1850)


if __name__ == "__main__":
    clinician()
    credit_officer()
