"""The walk-throughs show what their code really prints, and draw the pictures that they show."""

from pathlib import Path

import pytest
from docs.pages import DOCS, links_of, run_page


@pytest.mark.slow
@pytest.mark.parametrize("name", ["clinician", "credit_officer"])
def test_a_walk_through_shows_what_its_code_prints(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    page = DOCS / f"{name}.md"
    outcomes = list(run_page(page))
    assert len(outcomes) >= 6
    for one in outcomes:
        assert one.real == one.shown, one.what
    pictures = {Path(link).name for link in links_of(page) if link.endswith(".png")}
    # of a calculator there is a photograph, of the page that was written
    written = {name if Path(name).exists() else name.replace(".png", ".html") for name in pictures}
    assert all(Path(name).exists() for name in written)
    assert len(pictures) >= 4
