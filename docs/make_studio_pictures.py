"""Make the pictures of the studio: `python -m docs.make_studio_pictures`; needs Chromium and selenium.

The steps are those of the walk-throughs in docs/studio.md, done on the page as a reader would do them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from docs.pages import DOCS, blocks_of

IMAGES = DOCS / "images"
COLOURS = 96
LAPTOP, PHONE = (1180, False), (390, True)


class Page:
    """The page of a studio."""

    def __init__(self, browser: Any, address: str) -> None:
        self.browser = browser
        browser.get(address)

    def run(self, script: str, *values: Any) -> Any:
        return self.browser.execute_script(script, *values)

    def wait(self, script: str, *values: Any) -> None:
        for _ in range(2400):
            is_busy = self.run("return document.body.getAttribute('aria-busy') === 'true'")
            if not is_busy and self.run(f"return Boolean({script})", *values):
                return
            time.sleep(0.05)
        raise TimeoutError(script)

    def click(self, selector: str) -> None:
        self.wait(
            "document.querySelector(arguments[0])?.disabled === false || "
            "document.querySelector(arguments[0])?.tagName === 'SUMMARY'",
            selector,
        )
        self.run("document.querySelector(arguments[0]).click()", selector)
        self.wait("true")

    def choose(self, selector: str, value: str) -> None:
        self.wait("document.querySelector(arguments[0])", selector)
        self.run(
            "const one = document.querySelector(arguments[0]); one.value = arguments[1];"
            "one.dispatchEvent(new Event('change'))",
            selector,
            value,
        )
        self.wait("true")

    def see(self, selector: str, words: str) -> None:
        self.wait(
            "document.querySelector(arguments[0])?.innerText.includes(arguments[1])",
            selector,
            words,
        )

    def photograph(
        self, name: str, size: tuple[int, bool], tall: int, scheme: str = "light"
    ) -> None:
        """Write a picture of the top of the screen."""
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        width, is_phone = size
        window = {"width": width, "height": tall, "deviceScaleFactor": 1, "mobile": is_phone}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", window)
        self.run("scrollTo(0, 0)")
        time.sleep(0.5)
        with tempfile.TemporaryDirectory() as folder:
            raw = str(Path(folder) / "raw.png")
            self.browser.save_screenshot(raw)
            Image.open(raw).convert("RGB").quantize(COLOURS).save(IMAGES / name, optimize=True)
        sys.stdout.write(f"{name}\n")


@contextmanager
def opened(*arguments: str) -> Iterator[Page]:
    """The page of a new studio."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    command = [sys.executable, "-m", "riskcard", "studio", "--no-browser", *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    try:
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found is not None
        time.sleep(2)
        yield Page(browser, found[0])
    finally:
        browser.quit()
        process.terminate()
        process.wait()


def choose_outcome(page: Page, target: str, event: str) -> None:
    """Choose the outcome, and hold rows out."""
    page.choose("#target", target)
    page.click(f"[data-event='{event}']")
    page.choose("#hold-out", "0.3")
    page.see("#parts", "sealed")


def clinician() -> None:
    """The steps of the clinician, on the example."""
    with opened() as page:
        page.click("#example")
        choose_outcome(page, "diagnosis", "malignant")
        page.photograph("studio_data.png", LAPTOP, 1250)
        page.click("[data-key='go-card']")
        page.choose("#max_terms", "3")
        page.click("#fit")
        page.see("#proof", "Proven")
        page.choose("[data-key='cut-number-0-worst texture']", "25")
        page.see("#proof", "by hand")
        page.photograph("studio_card.png", LAPTOP, 1120)
        page.photograph("studio_phone.png", PHONE, 900, "dark")
        page.click("[data-key='go-pool']")
        page.click("#find-pool")
        page.see("#pool-summary", "loss of at most")
        page.click("#compare")
        page.see("#apart", "different")
        page.photograph("studio_pool.png", LAPTOP, 1150)
        page.click("[data-key='go-sign']")
        page.click("#open-test")
        for key, text in {
            "name": "A. Example",
            "role": "head of the ward",
            "reason": "cut as in the guideline",
        }.items():
            field = page.browser.find_element("css selector", f"#sign-{key}")
            field.send_keys(text)
        page.click("#sign")
        page.see("#signed", "Signed off")
        page.photograph("studio_sign.png", LAPTOP, 1150)


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
            choose_outcome(page, "default", "yes")
            page.click("[data-codes='income']")
            page.click("[data-key='go-card']")
            page.choose("#max_terms", "4")
            page.choose("#seconds", "20")
            page.click("#fit")
            page.see("#gap", "gap is")
            page.wait("!document.getElementById('stop')")
            page.choose("#add-name", "age")
            page.click("[data-key='never']")
            page.run("document.querySelector(\"[data-key='pins-late'] summary\")?.click()")
            page.run("document.querySelector(\"[data-key='pin-rises-late']\")?.click()")
            page.wait("true")
            page.click("#do-rest")
            time.sleep(1)
            page.wait("!document.getElementById('stop')")
            page.photograph("studio_credit_card.png", LAPTOP, 1250)
            page.click("[data-key='go-groups']")
            page.wait("document.getElementById('groups')")
            page.run("document.querySelector(\"[data-key='approvals']\").open = true")
            page.photograph("studio_credit_groups.png", LAPTOP, 1250)


if __name__ == "__main__":
    clinician()
    credit_officer()
