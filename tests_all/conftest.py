"""Settings of the tests that run other people's programs, and how such a program is found."""

import getpass
import importlib
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
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


#: PostgreSQL does not run as root; its package makes this user.
USER = "postgres"


def server_user() -> str:
    if os.getuid() != 0:
        return getpass.getuser()
    try:
        return pwd.getpwnam(USER).pw_name
    except KeyError:
        return "nobody"


@pytest.fixture(scope="module")
def connection(find_program, find_module):
    """A connection to a server of its own, in a folder that is removed with it."""
    psycopg, pg_ctl, initdb = (
        find_module("psycopg"),
        find_program("pg_ctl"),
        find_program("initdb"),
    )
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # a socket must not have a long path
    user = server_user()
    as_user = {"user": user, "cwd": folder} if os.getuid() == 0 else {"cwd": folder}
    shutil.chown(folder, user)
    log = folder / "log"
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    quiet = {"check": True, "stdout": subprocess.DEVNULL, **as_user}
    try:
        place = ["-D", str(folder / "data")]
        subprocess.run([initdb, *place, "-U", "tester", "-A", "trust", "-E", "UTF8", "-N"], **quiet)
        subprocess.run([pg_ctl, *place, "-w", "-l", str(log), "-o", options, "start"], **quiet)
        try:
            with psycopg.connect(host=str(folder), user="tester", dbname="postgres") as found:
                found.autocommit = True
                yield found
        finally:
            subprocess.run([pg_ctl, *place, "-m", "immediate", "-w", "stop"], **quiet)
    finally:
        shutil.rmtree(folder)
