"""From a move of a handle or a click on a stepper to the new price on the page, in a real browser.

    python -m benchmarks.studio_edits [--rows 10000] [--moves 200]

The table has 30 normal columns and an event that depends on five of them; the card has five terms. Times
are taken in the page, from the event to the new figures in it: the way to the server, the scale fitted
again, the figures on training and check rows, the way back and the drawing. Needs Chromium and selenium.
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

#: Moves a handle as a person drags it, and says how long each price took.
DRAG = """
const [moves, done] = arguments;
(async () => {
  window.editTimes = [];
  for (let i = 0; i < moves; i++) {
    const handles = document.querySelectorAll(".handle"), handle = handles[i % handles.length];
    handle.value = Number(handle.value) + (i % 2 ? 2 : -2) * Number(handle.step);
    const before = window.editTimes.length;
    handle.dispatchEvent(new Event("input"));
    while (window.editTimes.length === before) await new Promise(next => setTimeout(next, 1));
    delete document.body.dataset.dragging;
  }
  done(window.editTimes);
})();
"""
#: Clicks on steppers, each of which is a step that can be undone and draws the whole screen.
CLICK = """
const [moves, done] = arguments;
(async () => {
  window.editTimes = [];
  for (let i = 0; i < moves; i++) {
    const steppers = document.querySelectorAll(i % 2 ? ".less" : ".more");
    const before = window.editTimes.length;
    steppers[Math.floor(i / 2) % steppers.length].click();
    while (window.editTimes.length === before) await new Promise(next => setTimeout(next, 1));
  }
  done(window.editTimes);
})();
"""


def write_rows(path: Path, rows: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, 30)).round(3)
    y = rng.random(rows) < 1 / (1 + np.exp(1.5 - X[:, :5] @ [1.0, 0.8, -0.6, 0.5, 0.4]))
    names = ",".join([*(f"x{i}" for i in range(30)), "y"])
    np.savetxt(path, np.column_stack([X, y]), "%.4g", ",", header=names, comments="")


class Studio:
    """The command, and requests to it."""

    def __init__(self, data: str) -> None:
        command = [sys.executable, "-m", "riskcard", "studio", data, "--no-browser"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        self.address = self.process.stderr.readline().split()[-1]
        found = re.search(r":(\d+)/#(\S+)", self.address)
        assert found is not None
        self.port, self.token = int(found[1]), found[2]

    def ask(self, method: str, path: str, content: Any = None) -> Any:
        for _ in range(200):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
                headers = {"X-Riskcard-Token": self.token}
                connection.request(method, path, json.dumps(content), headers)
                answer = connection.getresponse()
                found = json.loads(answer.read())
                assert answer.status == 200, found
                return found
            except ConnectionRefusedError:
                time.sleep(0.1)
        raise ConnectionError("The studio does not answer.")

    def act(self, name: str, **more: Any) -> Any:
        version = self.ask("GET", "/api/state")["version"]
        return self.ask("POST", "/api/act", {"act": name, "version": version, **more})

    def fit(self) -> Any:
        changes = {"target": "y", "event": "1", "hold_out": 0.3, "seconds": 5}
        self.act("choose", changes=changes)
        self.act("fit")
        while (state := self.ask("GET", "/api/state"))["work"]["state"] == "running":
            time.sleep(0.5)
        assert state["work"]["state"] == "done", state["work"]
        return state


def browse() -> Any:
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    browser.set_script_timeout(600)
    return browser


def report(what: str, times: list[float]) -> None:
    middle, high = np.percentile(times, [50, 95])
    print(f"{what}: median {middle:.0f} ms, 95th percentile {high:.0f} ms, of {len(times)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--moves", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        write_rows(path, options.rows)
        begin = time.perf_counter()
        studio = Studio(str(path))
        browser = browse()
        try:
            studio.ask("GET", "/api/state")
            opened = time.perf_counter() - begin
            state = studio.fit()
            terms = state["card"]["terms"]
            print(f"{options.rows:,} rows, 30 columns, {terms} terms: opened in {opened:.1f} s")
            browser.get(studio.address)
            while not browser.find_elements("css selector", ".handle"):
                time.sleep(0.1)
            report("a cut is moved", browser.execute_async_script(DRAG, options.moves))
            report("points are stepped", browser.execute_async_script(CLICK, options.moves))
        finally:
            browser.quit()
            studio.process.terminate()
            studio.process.wait()


if __name__ == "__main__":
    main()
