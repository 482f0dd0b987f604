"""The log of a session: entries that are only added, each with the hash of the one before.

Whoever changes, removes or inserts an entry breaks the chain from there on. The chain guards against
mistakes and against quiet changes to a log whose last hash is known elsewhere, such as in a signed-off
paper; whoever rewrites the whole log can compute all hashes again.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

#: What the first entry follows.
START = "0" * 64

Entry = dict[str, Any]


def add_entry(log: Sequence[Entry], what: str, facts: Mapping[str, Any]) -> tuple[Entry, ...]:
    """The log with one more entry.

    Parameters
    ----------
    log
        The entries so far.
    what, facts
        What happened, in a word, and its particulars as plain values.
    """
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    entry = {"what": what, "time": now, **facts, "previous": log[-1]["hash"] if log else START}
    return (*log, {**entry, "hash": hash_of(entry)})


def hash_of(entry: Mapping[str, Any]) -> str:
    """SHA-256 of an entry without its own hash, as JSON with sorted keys."""
    content = {name: value for name, value in entry.items() if name != "hash"}
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def first_break(log: Sequence[Any]) -> int | None:
    """The place of the first entry that does not belong where it is; None where the chain holds.

    Examples
    --------
    >>> log = add_entry(add_entry((), "opened", {}), "signed", {"name": "A"})
    >>> first_break(log), first_break(log[1:]), first_break([log[0], {**log[1], "name": "B"}])
    (None, 0, 1)
    """
    previous = START
    for place, entry in enumerate(log):
        is_right = isinstance(entry, dict) and entry.get("previous") == previous
        if not is_right or entry.get("hash") != hash_of(entry):
            return place
        previous = entry["hash"]
    return None
