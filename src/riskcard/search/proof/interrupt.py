"""Ctrl-C as a flag, so that a proof ends in order instead of breaking off anywhere."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def catch_interrupt() -> Iterator[threading.Event]:
    """While it lasts, the first Ctrl-C sets the event; a second one interrupts as usual.

    Python delivers Ctrl-C to the main thread alone; elsewhere, or where somebody else handles it,
    the event is never set.
    """
    pressed = threading.Event()
    is_main = threading.current_thread() is threading.main_thread()
    previous = signal.getsignal(signal.SIGINT)
    if not is_main or previous is not signal.default_int_handler:
        yield pressed
        return

    def note(number: int, frame: FrameType | None) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, previous)
