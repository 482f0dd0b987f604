"""The interpreter that has imodels, spoken to over files; used by the benchmarks beside it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any


class ImodelsProcess:
    """A running ``imodels_worker.py``: it answers requests until it is closed."""

    def __init__(self, python: str) -> None:
        script = Path(__file__).with_name("imodels_worker.py")
        self._process = subprocess.Popen(
            [python, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def answer(self, request: Path) -> dict[str, Any]:
        """What the worker answers to the request in this file."""
        self._process.stdin.write(f"{request}\n")
        self._process.stdin.flush()
        while self._process.stdout.readline().strip() != "done":
            if self._process.poll() is not None:
                raise SystemExit("The imodels interpreter stopped; see its message above.")
        return json.loads(Path(f"{request}.json").read_text())

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()
