"""The pages of the docs are all on the site, lead somewhere, and show what their code really prints."""

import re
from pathlib import Path

import pytest
from docs.pages import DOCS, blocks_of, links_of, references_of, rewrite, run_page

from riskcard.version import __version__
from test_docs import exists

ROOT = DOCS.parent
PAGES = sorted(DOCS.rglob("*.md"))
#: Pages whose blocks are run here from first to last; other tests run those of the others.
RUN_HERE = ("index", "certificate", "validation", "coming_from")
MOST_BYTES = 150_000


def nav_of(text: str) -> list[str]:
    """The pages that the navigation of a configuration names."""
    return re.findall(r"([\w/]+\.md)$", text.split("\nnav:\n")[1], flags=re.MULTILINE)


def anchors_of(page: Path) -> set[str]:
    """The anchors of the headings of a page, as the site and code hosts make them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    words = (re.sub(r"[^\w\s-]", "", heading.lower()).strip() for heading in headings)
    return {re.sub(r"\s+", "-", one) for one in words}


def test_every_page_is_in_the_navigation_once():
    nav = nav_of((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(nav) == sorted(page.relative_to(DOCS).as_posix() for page in PAGES)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.name)
def test_links_and_pictures_lead_somewhere(page):
    for link in links_of(page):
        if link.startswith(("https://", "http://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


def test_pictures_of_the_walk_throughs_are_small_files():
    pages = [DOCS / f"{name}.md" for name in ("index", "clinician", "credit_officer")]
    pictures = {link for page in pages for link in links_of(page) if link.endswith(".png")}
    assert len(pictures) >= 8
    assert {link for link in pictures if (DOCS / link).stat().st_size > MOST_BYTES} == set()


def test_what_the_pages_of_the_api_show_exists():
    names = [name for page in PAGES for name in references_of(page)]
    assert len(names) > 25
    assert [name for name in names if not exists(name)] == []


def test_every_public_name_is_on_a_page_of_the_api():
    import riskcard

    text = "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.md"))
    shown = {name.rsplit(".", 1)[-1] for name in re.findall(r"^::: ([\w.]+)$", text, re.MULTILINE)}
    errors = {name for name in riskcard.__all__ if hasattr(riskcard.errors, name)}
    assert set(riskcard.__all__) - shown - errors == {"__version__"}
    assert "riskcard.errors" in text


def test_nothing_on_the_site_is_fetched_from_elsewhere():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "font: false" in text
    assert "http" not in text
    for asset in (DOCS / "assets").iterdir():
        assert "http" not in asset.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN_HERE)
def test_pages_show_what_their_code_prints(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcomes = list(run_page(DOCS / f"{name}.md"))
    assert len(outcomes) >= 2
    for one in outcomes:
        assert one.real == one.shown, one.what


def test_a_page_that_shows_something_else_is_found_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nprint(2)\n```\n\n```text\n3\n```\n\n"
        '```toml title="a.toml"\nx = 1\n```\n\n```toml title="a.toml"\nx = 2\n```\n'
    )
    assert [(one.shown, one.real) for one in run_page(page)] == [
        ("3\n", "2\n"),
        ("x = 2\n", "x = 1\n"),
    ]
    page.write_text("```yaml\nx: 1\n```\n")
    with pytest.raises(ValueError, match="nothing checks"):
        list(run_page(page))
    page.write_text("```console\n$ riskcard show nowhere.json\n```\n")
    with pytest.raises(RuntimeError, match="exit code 2"):
        list(run_page(page))
    assert [block.language for block in blocks_of(page)] == ["console"]


def test_pages_are_rewritten_with_what_their_code_prints(tmp_path):
    page = tmp_path / "page.md"
    before = (
        "```python\nprint(2)\n```\n\n```text\n{0}\n```\n\n"
        "```console\n$ riskcard --version\n{1}$ riskcard \\\n    --version\n{1}```\n\n"
        '```toml title="a.toml"\nx = 1\n```\n\n```toml title="a.toml"\nx = {2}\n```\n'
    )
    page.write_text(before.format(3, "", 2))
    assert rewrite(page)
    assert page.read_text() == before.format(2, f"riskcard {__version__}\n", 1)
    assert not rewrite(page)
