"""Settings of the tests that run other people's programs, and how such a program is found."""

import importlib
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# cards and rows for tests are those of the fast tests
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

settings.register_profile("riskcard", deadline=None, derandomize=True, database=None)
settings.load_profile("riskcard")


def pytest_collection_modifyitems(items):
    """Let other people's packages warn: only ours must not."""
    for item in items:
        item.add_marker(pytest.mark.filterwarnings("default"))


@pytest.fixture(scope="session")
def find_program():
    """The path of a program by its name; without it the test is skipped, or fails where it must run."""

    def find(name: str) -> str:
        path = shutil.which(name)
        found = [path] if path else sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
        return str(found[-1]) if found else _do_without(f"the program {name!r}")

    return find


@pytest.fixture(scope="session")
def find_module():
    """A package by its name; without it the test is skipped, or fails where it must run."""

    def find(name: str):
        try:
            return importlib.import_module(name)
        except ImportError:
            return _do_without(f"the Python package {name!r}")

    return find


@pytest.fixture(scope="module")
def browser(find_program, find_module):
    """Chromium without a window."""
    chrome, driver = find_program("chromium"), find_program("chromedriver")
    webdriver = find_module("selenium.webdriver")
    service = find_module("selenium.webdriver.chrome.service")
    options = webdriver.ChromeOptions()
    options.binary_location = chrome
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=service.Service(driver))
    yield opened
    opened.quit()


@pytest.fixture
def asked_for(browser):
    """A function that gives the addresses which were asked for in a test, in which nothing may go wrong."""
    for kind in ("browser", "performance"):
        browser.get_log(kind)

    def read() -> list[str]:
        assert browser.get_log("browser") == []
        messages = [
            json.loads(entry["message"])["message"] for entry in browser.get_log("performance")
        ]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    return read


def _do_without(what: str):
    reason = f"{what} is not installed; 'make test-all' installs it, as root on Debian"
    if os.environ.get("RISKCARD_REQUIRE_TOOLS"):
        pytest.fail(reason)
    pytest.skip(reason)
