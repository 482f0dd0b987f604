"""The page of a studio in a browser, used as a person would: by tests, benchmarks and the pictures of the docs."""

from __future__ import annotations

import time
from typing import Any

#: Where elements are: the page itself, or the shadow of a widget in a notebook.
PAGE = "document"
WIDGET = "document.querySelector('.riskcard-studio')?.shadowRoot"


def open_browser(
    *arguments: str, binary: str = "/usr/bin/chromium", driver: str = "/usr/bin/chromedriver"
) -> Any:
    """Chromium without a window, with its logs."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", *arguments):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))


class Page:
    """The page of one studio.

    Parameters
    ----------
    browser
        Of selenium.
    address
        Of the studio; None where the page is shown already.
    place
        ``PAGE`` or ``WIDGET``.
    """

    def __init__(self, browser: Any, address: str | None, place: str = PAGE) -> None:
        self.browser, self._place = browser, place
        if address is not None:
            browser.get("about:blank")
            browser.get(address)

    def run(self, script: str, *values: Any) -> Any:
        """Run a script that calls the place of all elements ``page``, and the first value ``given``."""
        before = f"const page = {self._place}, given = arguments[0], value = arguments[1];"
        return self.browser.execute_script(before + script, *values)

    def is_busy(self) -> bool:
        """Whether the page waits for the studio."""
        script = "return page?.querySelector('.studio')?.getAttribute('aria-busy') === 'true'"
        return bool(self.run(script))

    def wait(self, condition: str, *values: Any, seconds: float = 600) -> None:
        """Wait until an expression is true and the page is not busy: long, where all is yet to be compiled."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.run(f"return Boolean({condition})", *values) and not self.is_busy():
                return
            time.sleep(0.03)
        raise AssertionError(f"It never became true: {condition} {values}")

    def find(self, selector: str) -> Any:
        """An element, once it is there."""
        self.wait("page?.querySelector(given)", selector)
        return self.run("return page.querySelector(given)", selector)

    def click(self, selector: str) -> None:
        """Click, and wait for what comes of it."""
        self.find(selector)
        script = "const one = page.querySelector(given), was = one.disabled; one.focus(); one.click(); return was"
        assert not self.run(script, selector), f"{selector} is disabled"
        self.wait("true")

    def choose(self, selector: str, value: str) -> None:
        """Give a field a value."""
        self.find(selector)
        script = "const one = page.querySelector(given); one.value = value; one.dispatchEvent(new Event('change'))"
        self.run(script, selector, value)
        self.wait("true")

    def text(self, selector: str) -> str:
        """What an element shows; nothing where there is none."""
        return str(self.run("return page?.querySelector(given)?.innerText ?? ''", selector))

    def texts(self, selector: str) -> list[str]:
        """What all such elements show."""
        script = "return [...page.querySelectorAll(given)].map(one => one.innerText)"
        return list(self.run(script, selector))

    def wait_for(self, selector: str, words: str) -> str:
        """What an element shows, once it has some words."""
        self.wait("page?.querySelector(given)?.innerText.includes(value)", selector, words)
        return self.text(selector)

    def go(self, screen: str) -> None:
        """Show another screen."""
        self.click(f"[data-key='go-{screen}']")

    def open(self, path: Any) -> None:
        """Open a file."""
        self.find("#file").send_keys(str(path))
        self.wait_for("#table-name", path.name)

    def choose_outcome(self, target: str, event: str, share: str | None = None) -> None:
        """Choose the outcome, and keep a share of the rows from the fit."""
        self.choose("#target", target)
        self.click(f"[data-event='{event}']")
        if share is not None:
            self.choose("#hold-out", share)
            self.wait("page.getElementById('hold-out')?.value === given", share)

    def fit(self, terms: int) -> None:
        """Find the best card of a size, and wait for its proof."""
        self.go("card")
        self.choose("#max_terms", str(terms))
        self.click("#fit")
        self.wait("page.getElementById('proof') && !page.getElementById('stop')")

    def resize(self, width: int, height: int, is_phone: bool, scheme: str = "light") -> None:
        """Show the page as a laptop or a phone would."""
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        window = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", window)

    def restore_size(self) -> None:
        """Show it as before."""
        self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
