"""The problem that a fit posed, kept where its proof is noted: the file of the proof is about the same one."""

from __future__ import annotations

from riskcard.search.proof.notes import current_notes


def is_kept() -> bool:
    """Does anybody want to write the proof of what is posed now?"""
    return current_notes() is not None


def keep_posed(posed: object) -> None:
    """Keep a problem, with what it is to be known by."""
    notes = current_notes()
    if notes is not None:
        notes.posed = posed


def kept_posed() -> object:
    """What was kept last; None if nothing was."""
    notes = current_notes()
    return None if notes is None else notes.posed
