"""The studio as a widget of a real notebook server, in a real browser."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from studio_page import WIDGET, Page
from studio_rows import write_table

CODE = "from riskcard.studio.widget import StudioWidget\nStudioWidget('rows.csv', language='fr')"


@pytest.fixture
def notebook(tmp_path, find_module):
    """The address of a notebook with the widget, in a folder with a table."""
    for name in ("anywidget", "ipykernel", "starlette", "voila"):
        find_module(name)
    write_table(tmp_path / "rows.csv")
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": CODE,
        "id": "one",
    }
    content = {
        "cells": [cell],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (tmp_path / "notebook.ipynb").write_text(json.dumps(content), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://localhost:{port}/"
    command = [sys.executable, "-m", "voila", "notebook.ipynb", "--no-browser", f"--port={port}"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env={**os.environ, "HOME": str(tmp_path)}, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{address}voila/static/nonexistent", timeout=5)
            except urllib.error.HTTPError:
                break
            except OSError:
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait(30)


def test_a_card_is_found_and_changed_in_a_notebook(browser, notebook):
    browser.get(notebook)
    page = Page(browser, None, WIDGET)
    page.wait_for("#table-name", "rows.csv")
    page.wait_for("[data-key='go-card']", "2 Carte")
    page.choose_outcome("ill", "yes", "0.3")
    page.fit(2)
    assert "Démontré" in page.text("#proof")
    page.click(".feature .more")
    assert "au-dessus de la meilleure carte" in page.wait_for("#price-words", "%")
    page.click("[data-key='undo']")
    assert "Démontré" in page.wait_for("#proof", "Démontré")
    # the styles of page and notebook do not reach each other
    inner = page.run("return getComputedStyle(page.querySelector('#fit')).backgroundColor")
    assert inner == "rgb(11, 92, 173)"
    outside = "return [...document.styleSheets].some(one => one.ownerNode?.textContent.includes('--on-accent'))"
    assert not browser.execute_script(outside)
    browser.get("about:blank")
