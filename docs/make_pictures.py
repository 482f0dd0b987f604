"""Make the pictures of the walk-throughs again: `python -m docs.make_pictures`.

The pages write their pictures themselves; this runs them and keeps what they write. What people see of the
pages that riskcard writes is photographed by Chromium, which must be installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from docs.pages import DOCS, links_of, run_page

WALK_THROUGHS = ("clinician", "credit_officer")
#: Pages to photograph, with the values that are entered, and the size of the window.
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


def photograph(picture: str) -> None:
    """Write a picture of a page in the present folder."""
    page, values, width, height = SCREENS[picture]
    address = f"{Path(page).resolve().as_uri()}#{values}"
    options = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={width},{height}"]
    subprocess.run(
        ["chromium", *options, f"--screenshot={picture}", address], check=True, capture_output=True
    )


if __name__ == "__main__":
    chosen = [name for name in WALK_THROUGHS if not sys.argv[1:] or name in sys.argv[1:]]
    for walk in chosen:
        sys.stdout.write(f"{walk}: {', '.join(make_pictures(walk, DOCS / 'images'))}\n")
