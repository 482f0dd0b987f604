"""On what a run was made: processor, cores, system and versions; nothing that names a computer."""

import os
import platform
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from riskcard.paper.experiments.methods import Method
from riskcard.version import __version__


def describe_machine() -> str:
    """The kind of processor, the number of cores and the system."""
    cores = os.cpu_count() or 1
    return f"{_processor()}, {cores} {'core' if cores == 1 else 'cores'}, {platform.system()}"


def describe_software(method: Method) -> str:
    """The versions that matter to a method."""
    parts = [f"riskcard {__version__}", f"Python {platform.python_version()}"]
    if method.package is not None:
        try:
            parts.append(f"{method.package} {version(method.package)}")
        except PackageNotFoundError:
            parts.append(method.package)
    return ", ".join(parts)


def today() -> str:
    """The date, in UTC."""
    return datetime.now(timezone.utc).date().isoformat()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return " ".join(value.split())
    return platform.processor() or platform.machine()
