"""Make the pictures of the walk-throughs, examples and README: `python -m docs.make_pictures [NAME ...]`.

The walk-throughs and examples draw their own pictures; this runs them and keeps the results. Screenshots of the pages that
riskcard writes are taken with Chromium, which must be installed. The picture of the README is put together from
pictures that exist already.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw

from docs.pages import DOCS, links_of, run_page

WALK_THROUGHS = ("clinician", "credit_officer")
#: The picture of the README, and the pictures that it shows side by side, with their widths in pixels.
OVERVIEW = "overview.png"
PANELS = {"card.png": 560, "report.png": 620, "calculator_phone.png": 330}
MARGIN, HEIGHT, COLOURS = 24, 720, 128
#: Pages to photograph: the file, the values that are entered, and the size of the window.
SCREENS = {
    "clinician_calculator.png": (
        "clinician_calculator.html",
        "radius=14.87&texture=16.67&concave+points=0.08923",
        1100,
        1000,
    ),
    "credit_officer_calculator.png": (
        "credit_officer_calculator.html",
        "income=26&used=48&late=2&months=104&purpose=holiday",
        1100,
        1180,
    ),
}


def make_pictures(name: str, images: Path) -> list[str]:
    """Run a walk-through and copy the pictures that it shows; returns their names."""
    page = DOCS / f"{name}.md"
    wanted = [Path(link).name for link in links_of(page) if link.startswith("images/")]
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for one in run_page(page):
                if one.shown != one.real:
                    sys.stderr.write(f"{page.name} is out of date: {one.what}\n")
            for picture in wanted:
                if picture in SCREENS:
                    photograph(picture)
                (images / picture).write_bytes(Path(picture).read_bytes())
        finally:
            os.chdir(before)
    return wanted


def make_example_pictures(images: Path) -> list[str]:
    """Run the examples and copy the pictures that their page shows; returns their names."""
    wanted = [Path(link).name for link in links_of(DOCS / "examples.md") if "/examples/" in link]
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for script in sorted((DOCS.parent / "examples").glob("*.py")):
                runpy.run_path(str(script))
        finally:
            os.chdir(before)
        for picture in wanted:
            (images / picture).write_bytes((Path(folder) / picture).read_bytes())
    return wanted


def photograph(picture: str) -> None:
    """Write a screenshot of a page in the current folder."""
    page, values, width, height = SCREENS[picture]
    address = f"{Path(page).resolve().as_uri()}#{values}"
    options = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={width},{height}"]
    subprocess.run(
        ["chromium", *options, f"--screenshot={picture}", address], check=True, capture_output=True
    )


def make_overview(images: Path) -> None:
    """Put a card, the top of a report and the calculator on a phone side by side, each in a frame."""
    width = sum(PANELS.values()) + MARGIN * (len(PANELS) + 1)
    sheet = Image.new("RGB", (width, HEIGHT), "#eceff1")
    draw = ImageDraw.Draw(sheet)
    left = MARGIN
    for name, wanted in PANELS.items():
        panel = Image.open(images / name).convert("RGB")
        panel = panel.resize((wanted, round(panel.height * wanted / panel.width)), Image.LANCZOS)
        panel = panel.crop((0, 0, wanted, min(panel.height, HEIGHT - 2 * MARGIN)))
        top = (HEIGHT - panel.height) // 2
        frame = (left - 2, top - 2, left + wanted + 1, top + panel.height + 1)
        sheet.paste(panel, (left, top))
        draw.rectangle(frame, outline="#90a4ae", width=2)
        left += wanted + MARGIN
    sheet.quantize(COLOURS).save(images / OVERVIEW, optimize=True)


if __name__ == "__main__":
    for name in sys.argv[1:] or [*WALK_THROUGHS, "examples", "overview"]:
        images = DOCS / "images"
        if name == "overview":
            make_overview(images)
            made = [OVERVIEW]
        elif name == "examples":
            made = make_example_pictures(images / "examples")
        else:
            made = make_pictures(name, images)
        sys.stdout.write(f"{name}: {', '.join(made)}\n")
