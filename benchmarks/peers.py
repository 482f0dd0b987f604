"""Other people's packages, each in an environment of its own: made once, by name, and reported.

A peer whose requirements cannot be met here is not skipped silently: its reason stands on the page.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from riskcard.output_files import write_whole

__all__ = ["FORMER_COMMIT", "PEERS", "Environment", "Peer", "install"]

#: Seconds that one installation may take.
PATIENCE = 1800.0
#: The file that says how an installation ended.
NOTE = "riskcard-benchmark.json"
REPOSITORY = Path(__file__).resolve().parents[1]
SHOW_VERSION = "import sys; print('.'.join(map(str, sys.version_info[:2])))"


@dataclass(frozen=True, slots=True)
class Peer:
    """What pip is asked for, and the Pythons that it works with.

    Attributes
    ----------
    requirements
        As pip takes them.
    newest
        The newest Python whose wheels the pinned versions have; None for any.
    module
        What is imported to see that the installation works.
    """

    name: str
    requirements: tuple[str, ...]
    module: str
    newest: tuple[int, int] | None = None


#: The last commit whose default was the lowest loss, and ``sturdy`` the settings for new rows.
FORMER_COMMIT = "933bba457eee5522dd4c8de4e0310916587f434e"
#: imodels 3.0.4 does not declare six and numba, which it imports. FasterRisk 0.1.10 pins pandas 1.5.2
#: and scikit-learn 1.2.0, of which there are no wheels for a Python after 3.11.
PEERS = {
    peer.name: peer
    for peer in (
        Peer("riskcard", (str(REPOSITORY),), "riskcard"),
        Peer(
            "riskcard-former",
            (f"git+{REPOSITORY.as_uri()}@{FORMER_COMMIT}", "pandas"),
            "riskcard",
        ),
        Peer("imodels", ("imodels==3.0.4", "six", "numba"), "imodels"),
        Peer("fasterrisk", ("fasterrisk==0.1.10",), "fasterrisk.fasterrisk", (3, 11)),
        Peer("optbinning", ("optbinning",), "optbinning"),
    )
}


@dataclass(frozen=True, slots=True)
class Environment:
    """An installation that was tried.

    Attributes
    ----------
    python
        The interpreter; empty when the installation failed.
    reason
        Why it failed; empty when it did not.
    seconds
        From nothing to a package that can be imported.
    versions
        Of all packages, by name.
    """

    peer: str
    python: str
    reason: str
    seconds: float
    versions: dict[str, str]


def install(peer: Peer, folder: Path) -> Environment:
    """The environment of a peer, made if it is not there; a failure is kept and told, not raised.

    Parameters
    ----------
    folder
        Where all environments are; remove one to have it made again.
    """
    home = folder / peer.name
    note = home / NOTE
    if note.exists():
        found = Environment(**json.loads(note.read_text(encoding="utf-8")))
        if found.python and Path(found.python).exists():
            return found
    environment = _make(peer, home)
    home.mkdir(parents=True, exist_ok=True)
    write_whole(note, json.dumps(asdict(environment), indent=1) + "\n")
    return environment


def _make(peer: Peer, home: Path) -> Environment:
    base = base_python(peer.newest)
    if base is None:
        newest = ".".join(map(str, peer.newest or ()))
        reason = f"it needs Python {newest} or older, and none was found"
        return Environment(peer.name, "", reason, 0.0, {})
    if home.exists():
        shutil.rmtree(home)
    python = str(home / "bin" / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    begin = time.perf_counter()
    for command in (
        [base, "-m", "venv", str(home)],
        [*pip, "install", "--quiet", *peer.requirements],
        [python, "-c", f"import {peer.module}"],
    ):
        reason = _failure(command)
        if reason:
            return Environment(peer.name, "", reason, time.perf_counter() - begin, {})
    seconds = time.perf_counter() - begin
    return Environment(peer.name, python, "", seconds, _versions(pip))


def base_python(newest: tuple[int, int] | None) -> str | None:
    """An interpreter that is not too new: this one, or the newest that is found on the path."""
    if newest is None or sys.version_info[:2] <= newest:
        return sys.executable
    for minor in range(newest[1], 9, -1):
        wanted = f"{newest[0]}.{minor}"
        found = shutil.which(f"python{wanted}")
        if found is None:
            continue
        answer = subprocess.run([found, "-c", SHOW_VERSION], capture_output=True, text=True)
        if answer.stdout.strip() == wanted:
            return found
    return None


def _failure(command: list[str]) -> str:
    """The last words of a command that failed; empty when all went well."""
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"{command[-1]!r} took longer than {PATIENCE:g} s"
    if answer.returncode == 0:
        return ""
    lines = [line.strip() for line in answer.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
    return errors[0][:300] if errors else f"exit code {answer.returncode}"


def _versions(pip: list[str]) -> dict[str, str]:
    answer = subprocess.run([*pip, "list", "--format", "json"], capture_output=True, text=True)
    listed = json.loads(answer.stdout) if answer.stdout else []
    return {entry["name"].lower(): entry["version"] for entry in listed}
