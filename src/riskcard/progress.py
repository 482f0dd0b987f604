"""Progress while a proof runs: one live line on a terminal, now and then a plain line elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, TextIO

from riskcard.status import Progress, relative_gap

#: Seconds after which the first plain line is written, and the factor from each to the next.
_FIRST_LINE, _LINE_GROWTH = 1.0, 1.5
#: Plain lines are never further apart than this many seconds.
_LONGEST_SILENCE = 60.0


class ProgressDisplay:
    """Shows each ``Progress`` that it is called with; used as a context manager around the work.

    Parameters
    ----------
    stream
        Where to write; by default the standard error stream. On a terminal one line is kept up to
        date, anywhere else lines come ever more rarely.

    Examples
    --------
    >>> with ProgressDisplay() as display:
    ...     display(Progress(seconds=0.1, loss=61.2, bound=40.0, nodes=1000))
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._live: Any = None
        self._next_line = _FIRST_LINE
        self._last: Progress | None = None
        self._last_written: Progress | None = None

    def __enter__(self) -> ProgressDisplay:
        is_terminal = getattr(self._stream, "isatty", lambda: False)
        if is_terminal():
            from rich.console import Console
            from rich.live import Live

            console = Console(file=self._stream)
            self._live = Live(console=console, refresh_per_second=8, transient=True)
            self._live.start()
        return self

    def __call__(self, progress: Progress) -> None:
        """Show one moment of the solution."""
        self._last = progress
        if self._live is not None:
            from rich.text import Text

            line = Text(describe(progress), no_wrap=True, overflow="ellipsis")
            self._live.update(line)
        elif progress.seconds >= self._next_line:
            self._write(progress)
            wait = min(progress.seconds * (_LINE_GROWTH - 1), _LONGEST_SILENCE)
            self._next_line = progress.seconds + wait

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
        # the last line stays, unless the work was over before anything was worth saying
        if self._last is not None and self._last is not self._last_written:
            self._write(self._last)

    def _write(self, progress: Progress) -> None:
        self._last_written = progress
        self._stream.write(describe(progress) + "\n")
        self._stream.flush()


def describe(progress: Progress) -> str:
    """One moment of the solution in one line.

    Examples
    --------
    >>> describe(Progress(seconds=12.3, loss=61.1759, bound=55.0, nodes=1234567))
    '12.3 s   best loss 61.1759   bound 55.0000   gap 10.10 %   1,234,567 nodes'
    """
    gap = relative_gap(progress.loss, progress.bound)
    return (
        f"{progress.seconds:.1f} s   best loss {progress.loss:.4f}   bound {progress.bound:.4f}   "
        f"gap {100 * gap:.2f} %   {progress.nodes:,} nodes"
    )
