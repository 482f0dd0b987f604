"""A session in tests: waiting for the process that fits, and doing without it."""

from __future__ import annotations

import time
from typing import Any

from riskcard.studio.state.session import Session


def wait(session: Session) -> None:
    """Until the process that fits is done."""
    for _ in range(6000):
        if session.fits.work.state != "running":
            break
        time.sleep(0.05)
    assert session.fits.work.state == "done", session.fits.work


class NoFitter:
    """Takes jobs and does nothing."""

    is_ready = True

    def __init__(self, hear: Any) -> None:
        self.jobs: list[Any] = []

    def give(self, job: Any) -> None:
        self.jobs.append(job)

    def stop(self) -> None:
        self.jobs.append("stop")

    def cancel(self) -> None:
        self.jobs.append("cancel")

    def close(self) -> None:
        pass
