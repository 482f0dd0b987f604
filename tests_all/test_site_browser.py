"""The site opens from a folder without a network, in a real browser, and its search works there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(find_module, tmp_path_factory):
    """The folder of a site that was just built."""
    find_module("mkdocs")
    find_module("material")
    find_module("mkdocstrings")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


def test_no_page_fetches_anything_from_elsewhere(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 25
    outside = re.compile(
        r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"?(?:https?:)?//[^>]*>"
    )
    assert {page.name: outside.findall(page.read_text("utf-8")) for page in pages} == {
        page.name: [] for page in pages
    }
    styles = "".join(path.read_text("utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"(?:@import|url\()[\"' ]*(?:https?:)?//", styles) == []


def test_sources_of_tools_are_not_on_the_site(site):
    assert list(site.rglob("*.py")) == []


def test_the_search_finds_pages_in_a_folder(site, find_program):
    address = (site / "index.html").as_uri() + "?q=recalibrate"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000"]
    offline = "--host-resolver-rules=MAP * ~NOTFOUND"
    answer = subprocess.run(
        [find_program("chromium"), *options, offline, "--dump-dom", address],
        check=True,
        capture_output=True,
        text=True,
    )
    found = re.findall(r'<li class="md-search-result__item">.*?</li>', answer.stdout, re.DOTALL)
    assert len(found) >= 3
    assert any("The command line" in item for item in found)
