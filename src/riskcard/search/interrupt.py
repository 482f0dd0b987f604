"""Ctrl-C as a flag, so that work ends in order instead of breaking off anywhere.

Python would raise KeyboardInterrupt wherever it happens to be, and that may be within the code that
calls a kernel: the exception then comes out as another one, or is lost.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

#: The event of the outermost `catch_interrupt` that is at work in the main thread.
_at_work: list[threading.Event] = []


@contextmanager
def catch_interrupt() -> Iterator[threading.Event]:
    """While it lasts, the first Ctrl-C sets the event; a second one interrupts as usual.

    Whoever catches Ctrl-C within another `catch_interrupt` gets the same event. Python delivers
    Ctrl-C to the main thread alone; elsewhere, or where somebody else handles it, the event is never
    set.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and _at_work:
        yield _at_work[0]
        return
    pressed, previous = threading.Event(), signal.getsignal(signal.SIGINT)
    if not is_main or previous is not signal.default_int_handler:
        yield pressed
        return

    def note(number: int, frame: FrameType | None) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    _at_work.append(pressed)
    signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    except SystemError as error:  # what a second Ctrl-C may become within the call of a kernel
        if pressed.is_set():
            raise KeyboardInterrupt from error
        raise
    finally:
        _at_work.remove(pressed)
        signal.signal(signal.SIGINT, previous)
