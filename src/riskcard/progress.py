"""Progress of long work: one live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, TextIO, TypeVar

from riskcard.status import Progress, relative_gap

#: Seconds until the first plain line of a proof, and the growth factor of the time between lines.
_FIRST_LINE, _LINE_GROWTH = 1.0, 1.5
#: Plain lines of a proof are never further apart than this many seconds.
_LONGEST_SILENCE = 60.0

Line = TypeVar("Line", bound="LiveLine")


class LiveLine:
    """A line that is kept up to date on a terminal; used as a context manager around the work.

    Parameters
    ----------
    stream
        Where to write; the standard error stream by default. Only a terminal shows a live line.
    is_quiet
        Show nothing at all.
    """

    def __init__(self, stream: TextIO | None = None, is_quiet: bool = False) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._is_quiet = is_quiet
        self._live: Any = None
        self._text: Callable[[], str] = str

    def __enter__(self: Line) -> Line:
        is_terminal = getattr(self._stream, "isatty", lambda: False)
        if is_terminal() and not self._is_quiet:
            from rich.console import Console
            from rich.live import Live

            console = Console(file=self._stream)
            self._live = Live(
                console=console, refresh_per_second=8, transient=True, get_renderable=self._line
            )
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    @property
    def is_live(self) -> bool:
        """Whether a terminal shows the line."""
        return self._live is not None

    def show(self, text: str | Callable[[], str]) -> None:
        """Replace the live line; a function is called again at every refresh."""
        self._text = text if callable(text) else lambda: text

    def _line(self) -> Any:
        from rich.text import Text

        return Text(self._text(), no_wrap=True, overflow="ellipsis")

    def keep(self, text: str) -> None:
        """Write a line that stays, above the live one."""
        if self._is_quiet:
            return
        if self._live is not None:
            from rich.text import Text

            self._live.console.print(Text(text))
            return
        self._stream.write(text + "\n")
        self._stream.flush()


class ProgressDisplay(LiveLine):
    """Shows each ``Progress`` of a proof; away from a terminal, lines become rarer with time.

    Examples
    --------
    >>> with ProgressDisplay() as display:
    ...     display(Progress(seconds=0.1, loss=61.2, bound=40.0, nodes=1000))
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        super().__init__(stream)
        self._next_line = _FIRST_LINE
        self._last: Progress | None = None
        self._last_written: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        """Show one moment of the proof."""
        self._last = progress
        self.show(describe(progress))
        if not self.is_live and progress.seconds >= self._next_line:
            self._write(progress)
            wait = min(progress.seconds * (_LINE_GROWTH - 1), _LONGEST_SILENCE)
            self._next_line = progress.seconds + wait

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        # the last line stays
        if self._last is not None and self._last is not self._last_written:
            self._write(self._last)

    def _write(self, progress: Progress) -> None:
        self._last_written = progress
        self.keep(describe(progress))


class WorkBar(LiveLine):
    """Counts finished steps, from any thread; silent away from a terminal.

    Parameters
    ----------
    title
        What is done, in a few words.
    total
        Number of steps.
    stream, is_quiet
        As for ``LiveLine``.

    Examples
    --------
    >>> with WorkBar("resamples", total=2, is_quiet=True) as bar:
    ...     bar.step()
    ...     bar.done
    1
    """

    def __init__(
        self, title: str, total: int, stream: TextIO | None = None, is_quiet: bool = False
    ) -> None:
        super().__init__(stream, is_quiet)
        self.title = title
        self.total = total
        self.done = 0
        self._lock = Lock()
        self._begin = time.monotonic()

    def __enter__(self) -> WorkBar:
        super().__enter__()
        self.show(self._bar)
        return self

    def step(self, steps: int = 1) -> None:
        """Count finished steps."""
        with self._lock:
            self.done += steps

    def _bar(self) -> str:
        """The title, a bar of twenty characters, the count, and the time left."""
        filled = 20 * self.done // max(self.total, 1)
        bar = "=" * filled + "-" * (20 - filled)
        text = f"{self.title} [{bar}] {self.done}/{self.total}"
        if 0 < self.done < self.total:
            seconds = (time.monotonic() - self._begin) * (self.total - self.done) / self.done
            text += f", about {seconds:.0f} s left"
        return text


def describe(progress: Progress) -> str:
    """One moment of a proof in one line.

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
