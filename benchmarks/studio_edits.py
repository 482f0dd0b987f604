"""From a move of a handle or a click on a stepper to the new price on the page, in a real browser.

    python -m benchmarks.studio_edits [--rows 10000] [--moves 200]

The table has 30 normal columns and an event that depends on five of them; the card has five terms. Times
are taken in the page, from the event to the new figures in it: the way to the server, the scale fitted
again, the figures on training and check rows, the way back and the drawing. Needs Chromium and selenium.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

# the tests know how to use the page
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from studio_page import Page, open_browser
from studio_process import Client, studio

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


def fit(client: Client) -> Any:
    """A card of five terms with what is proven in five seconds."""
    client.act("choose", changes={"target": "y", "event": "1", "hold_out": 0.3, "seconds": 5})
    client.act("fit")
    return client.wait_for("done")


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
        with studio(str(path)) as client:
            opened = time.perf_counter() - begin
            terms = fit(client)["card"]["terms"]
            print(f"{options.rows:,} rows, 30 columns, {terms} terms: opened in {opened:.1f} s")
            browser = open_browser("--window-size=1280,900")
            try:
                browser.set_script_timeout(600)
                Page(browser, client.address).find(".handle")
                report("a cut is moved", browser.execute_async_script(DRAG, options.moves))
                report("points are stepped", browser.execute_async_script(CLICK, options.moves))
            finally:
                browser.quit()


if __name__ == "__main__":
    main()
