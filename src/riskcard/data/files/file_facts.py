"""A file that was read, as a page names it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file that was read: what for, its name, its bytes and their SHA-256."""

    role: str
    name: str
    bytes: int
    sha256: str


def file_facts(role: str, path: str, content: bytes) -> FileFacts:
    """Sum up the content of a file."""
    return FileFacts(role, Path(path).name, len(content), hashlib.sha256(content).hexdigest())
