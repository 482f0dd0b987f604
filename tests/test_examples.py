"""The gallery: every script runs, is short, and is shown in the docs with its pictures."""

import re
import runpy

import pytest
from docs.pages import DOCS, links_of

EXAMPLES = sorted((DOCS.parent / "examples").glob("*.py"))
PAGE = DOCS / "examples.md"


def test_the_page_shows_every_example_once():
    shown = re.findall(r'^--8<-- "examples/(\w+\.py)"$', PAGE.read_text("utf-8"), re.MULTILINE)
    assert sorted(shown) == [path.name for path in EXAMPLES]
    assert len(EXAMPLES) >= 10


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < 40


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_writes_the_pictures_that_the_page_shows(path, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path))
    section = PAGE.read_text("utf-8").split(f"`{path.name}`")[1].split("\n## ")[0]
    wanted = re.findall(r"\]\(images/examples/([\w.]+)\)", section)
    assert {name for name in wanted if not (tmp_path / name).is_file()} == set()
    assert wanted or path.stem == "export"


def test_every_picture_of_the_gallery_is_shown():
    there = {path.name for path in (DOCS / "images" / "examples").iterdir()}
    shown = {link.split("/")[-1] for link in links_of(PAGE) if "/examples/" in link}
    assert there == shown
