"""The file that a session is saved to after every change: never another session's, never a part of one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from riskcard.errors import RiskcardError
from riskcard.output_files import write_whole


class SessionFile:
    """A file, and what it held when it was last read or written here.

    What another studio wrote in the meantime is not written over. Where another session begins, such as with
    another table, the one before is set apart under a name with the beginning of its log's first hash.

    Parameters
    ----------
    path
        Where it is; it need not exist yet.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._known = self._now()

    def write(self, text: str) -> str | None:
        """Save a session; why that was not possible, or None."""
        try:
            if self._now() != self._known:
                return (
                    f"{str(self._path)!r} was changed by another program, such as a second studio, so this "
                    "session is no "
                    "longer saved there. Save it with “Session, to go on later”, and end one of the two."
                )
            self._set_apart(text)
            write_whole(self._path, text)
        except (OSError, RiskcardError) as error:
            return str(error)
        self._known = text.encode("utf-8")
        return None

    def _now(self) -> bytes | None:
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return None

    def _set_apart(self, text: str) -> None:
        """Give the session in the file a name of its own, if it is not the one that is saved now."""
        old, new = _first_hash(self._known), _first_hash(text)
        if old is not None and old != new:
            name = f"{self._path.stem}-{old[:8]}{self._path.suffix}"
            os.replace(self._path, self._path.with_name(name))


def _first_hash(text: str | bytes | None) -> str | None:
    """The hash that the log of a session begins with, which no other session has; None where there is none."""
    try:
        content: Any = json.loads(text or "null")
        found = content["log"][0]["hash"]
    except (ValueError, TypeError, KeyError, IndexError):
        return None
    return found if isinstance(found, str) and found.isalnum() else None
