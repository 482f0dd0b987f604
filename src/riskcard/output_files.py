"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from riskcard.errors import FormatError


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old file or the new one, never a part.

    A text is written as UTF-8. A link is followed, so that it goes on pointing at the file.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    target = Path(os.path.realpath(path))
    require_writable(path)
    try:
        handle, temporary = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name}.", suffix=".part"
        )
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, _mode_of(target))
            os.replace(temporary, target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FormatError(
            f"{str(path)!r} cannot be written: {error.strerror or error}. "
            "Choose another place, or make room there."
        ) from None


def require_writable(path: str | Path) -> None:
    """Refuse a place that cannot be written to, before any work is done."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FormatError(f"{str(path)!r} is a folder. Give the name of a file.")
    if not target.parent.is_dir():
        raise FormatError(
            f"The folder {str(target.parent)!r} does not exist. Create it, or choose another place."
        )
    is_blocked = target.exists() and not os.access(target, os.W_OK)
    if is_blocked or not os.access(target.parent, os.W_OK | os.X_OK):
        raise FormatError(
            f"{str(path)!r} cannot be written: permission denied. Choose another place."
        )


def _mode_of(target: Path) -> int:
    """The permissions of the file that is replaced, or those of a new file."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
