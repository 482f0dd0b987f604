"""Make the pictures of the docs and of the README: `python -m docs.make_pictures [NAME ...]`.

A name is that of a page whose code makes its pictures ("index", "calculator", "clinician", "credit_officer",
"validation"), "plots" for the pages that show single plots, "examples", or nothing for all of them. Screenshots of the
pages that riskcard writes are taken with Chromium, which must be installed.
"""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from PIL import Image, ImageDraw

from docs.pages import DOCS, blocks_of, links_of, run_page, temporary_folder
from riskcard import RiskCard, RiskScoreClassifierCV, plot_parsimony

IMAGES = DOCS / "images"
#: Pages whose code makes the pictures that they show.
PAGES = ("calculator", "clinician", "credit_officer", "validation")
#: What the code of the page about pictures draws, in this order; the first is not shown.
PLOTS = ("", "points", "risk", "roc", "calibration", "decision", "pool", "progress")
DOTS = 110
#: The picture of the README: a card, its report and its calculator, with their widths in pixels.
PANELS = {"card.png": 640, "report.png": 560, "phone.png": 340}
MARGIN, HEIGHT, COLOURS = 24, 720, 128


@dataclass(frozen=True, slots=True)
class Screen:
    """A page to photograph, the values to enter, and the size of the window; a zoom of 2 is a phone."""

    page: str
    values: str
    width: int
    height: int
    zoom: int = 1


SCREENS = {
    "calculator.png": Screen("calculator.html", "age=71&pain=tight&pressure=155&smoker=True", 1120, 1100),
    "calculator_phone.png": Screen(
        "calculator.html", "age=71&pain=tight&pressure=155&smoker=True", 402, 760, 2
    ),
    "clinician_calculator.png": Screen(
        "clinician_calculator.html", "radius=14.87&texture=16.67&concave+points=0.08923", 1100, 1000
    ),
    "credit_officer_calculator.png": Screen(
        "credit_officer_calculator.html",
        "income=26&used=48&late=2&months=104&purpose=holiday",
        1100,
        1180,
    ),
    "credit_officer_credit.png": Screen("credit_officer_credit.html", "", 1060, 1330),
    "credit_officer_monitor.png": Screen("credit_officer_monitor.html", "", 1060, 620),
    "report.png": Screen("report.html", "", 1060, 1100),
    "validation.png": Screen("validation.html", "", 1060, 1600),
    "phone.png": Screen(
        "calculator.html",
        "mean+concave+points=0.06&worst+texture=24.3&worst+area=880",
        402,
        752,
        2,
    ),
}  # fmt: skip


def make_page_pictures(name: str) -> list[str]:
    """Run a page and copy the pictures that it shows; returns their names."""
    wanted = [Path(link).name for link in links_of(DOCS / f"{name}.md") if "images/" in link]
    with temporary_folder():
        _run(name)
        for picture in wanted:
            if picture in SCREENS:
                photograph(picture)
            keep(picture, IMAGES / picture)
    return wanted


def make_first_pictures() -> list[str]:
    """Run the first page: its report, and the picture of the README, from one and the same card."""
    with temporary_folder():
        _run("index")
        RiskCard.load("card.json").save_picture("card.png")
        photograph("report.png")
        photograph("phone.png")
        keep("report.png", IMAGES / "report.png")
        make_overview(IMAGES / "overview.png")
    return ["report.png", "overview.png"]


def make_plots() -> list[str]:
    """Run the page about pictures and keep what it draws; draw the choice of a size as well."""
    mpl.use("Agg")
    from matplotlib import pyplot

    pyplot.close("all")  # what the pages before have left open
    names: dict[str, Any] = {}
    with temporary_folder():
        for block in blocks_of(DOCS / "pictures.md"):
            exec(block.text, names)
    for number, name in zip(pyplot.get_fignums(), PLOTS, strict=True):
        if name:
            pyplot.figure(number).savefig(IMAGES / f"{name}.png", dpi=DOTS)
    sizes = RiskScoreClassifierCV(max_terms=8).fit(names["X"], names["y"])
    plot_parsimony(sizes).figure.savefig(IMAGES / "parsimony.png", dpi=DOTS)
    pyplot.close("all")
    return [f"{name}.png" for name in (*PLOTS[1:], "parsimony")]


def make_example_pictures() -> list[str]:
    """Run the examples and copy the pictures that their page shows; returns their names."""
    wanted = [Path(link).name for link in links_of(DOCS / "examples.md") if "/examples/" in link]
    with temporary_folder():
        for script in sorted((DOCS.parent / "examples").glob("*.py")):
            runpy.run_path(str(script))
        for picture in wanted:
            keep(picture, IMAGES / "examples" / picture)
    return wanted


def keep(picture: str, path: Path) -> None:
    """Copy a picture of the current folder; pixels in few colours, so that the file is small."""
    if path.suffix == ".png":
        Image.open(picture).convert("RGB").quantize(COLOURS).save(path, optimize=True)
    else:
        path.write_bytes(Path(picture).read_bytes())


def photograph(picture: str) -> None:
    """Write a screenshot of a page in the current folder."""
    screen = SCREENS[picture]
    address = f"{Path(screen.page).resolve().as_uri()}#{screen.values}"
    options = [
        "--headless",
        "--no-sandbox",
        "--hide-scrollbars",
        f"--window-size={screen.width},{screen.height}",
        f"--force-device-scale-factor={screen.zoom}",
    ]
    subprocess.run(
        ["chromium", *options, f"--screenshot={picture}", address], check=True, capture_output=True
    )


def make_overview(path: Path) -> None:
    """Put the panels in the current folder side by side, each in a frame."""
    width = sum(PANELS.values()) + MARGIN * (len(PANELS) + 1)
    sheet = Image.new("RGB", (width, HEIGHT), "#eceff1")
    draw = ImageDraw.Draw(sheet)
    left = MARGIN
    for name, wanted in PANELS.items():
        panel = Image.open(name).convert("RGB")
        panel = panel.resize((wanted, round(panel.height * wanted / panel.width)), Image.LANCZOS)
        panel = panel.crop((0, 0, wanted, min(panel.height, HEIGHT - 2 * MARGIN)))
        top = (HEIGHT - panel.height) // 2
        frame = (left - 2, top - 2, left + wanted + 1, top + panel.height + 1)
        sheet.paste(panel, (left, top))
        draw.rectangle(frame, outline="#90a4ae", width=2)
        left += wanted + MARGIN
    sheet.quantize(COLOURS).save(path, optimize=True)


def _run(name: str) -> None:
    """Run a page in the current folder, and say where it shows something else."""
    for one in run_page(DOCS / f"{name}.md"):
        if one.shown != one.real:
            sys.stderr.write(f"{name}.md is out of date: {one.what}\n")


MAKERS: dict[str, Callable[[], list[str]]] = {
    "index": make_first_pictures,
    **{name: lambda name=name: make_page_pictures(name) for name in PAGES},
    "plots": make_plots,
    "examples": make_example_pictures,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or MAKERS:
        sys.stdout.write(f"{name}: {', '.join(MAKERS[name]())}\n")
