"""Check what `make dist` built: nothing is missing from the wheel, nothing needless is in the sdist."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: The sdist has no pictures, published runs or benchmarks.
LARGEST_SDIST = 1_300_000  # bytes
TOP_OF_SDIST = {
    ".gitignore",  # hatchling always adds it
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    "PKG-INFO",
    "README.md",
    "pyproject.toml",
    "src",
}
#: Runs in the installed wheel: a card, its page (which is made from package data), the command.
TRIAL = """
import riskcard
from riskcard.cli.main import main
card = riskcard.RiskCard([riskcard.FeaturePoints("age", cuts=[60], points=[0, 2])], base=-1)
assert "<html" in card.to_calculator()
assert card.risk({"age": 71}).shape == (1,)
main(["--help"])
print(riskcard.__file__)
"""


def main() -> None:
    """Check the wheel and the sdist in ``dist/``; the first fault is an error."""
    (wheel,) = (ROOT / "dist").glob("*.whl")
    (sdist,) = (ROOT / "dist").glob("*.tar.gz")
    _check_wheel(wheel)
    _check_sdist(sdist)
    _try_wheel(wheel)
    sys.stdout.write(f"{wheel.name} and {sdist.name} are complete and work.\n")


def _check_wheel(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "src/riskcard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    tracked = {name.removeprefix("src/") for name in listed.stdout.splitlines()}
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    if tracked != packed:
        sys.exit(f"{wheel.name} and the tracked files differ in {sorted(tracked ^ packed)}.")


def _check_sdist(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        top = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    if top != TOP_OF_SDIST:
        sys.exit(f"{sdist.name} differs from what belongs there in {sorted(top ^ TOP_OF_SDIST)}.")
    if sdist.stat().st_size > LARGEST_SDIST:
        sys.exit(f"{sdist.name} has {sdist.stat().st_size:,} bytes, more than {LARGEST_SDIST:,}.")


def _try_wheel(wheel: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
        subprocess.run([*install, folder, str(wheel)], check=True)
        environment = {**os.environ, "PYTHONPATH": folder}
        command = [sys.executable, "-c", TRIAL]
        done = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, text=True, check=True
        )
        if not done.stdout.splitlines()[-1].startswith(folder):
            sys.exit(f"Not the wheel was tried, but {done.stdout.splitlines()[-1]}.")


if __name__ == "__main__":
    main()
