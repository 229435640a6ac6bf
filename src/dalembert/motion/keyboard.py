"""Ctrl-C while a run goes on: taken note of, and acted on where the run is whole.

An exception that is raised wherever the machine happens to be can be lost on its way, in a callback of compiled code or
in what the garbage collector calls.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Keyboard:
    """Whether Ctrl-C was pressed."""

    pressed = False


@contextmanager
def keyboard() -> Iterator[Keyboard]:
    """Take note of Ctrl-C in the main thread; pressed again, it is raised at once. Other handlers are left alone."""
    noted = Keyboard()
    mine = threading.current_thread() is threading.main_thread()
    if not mine or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield noted
        return

    def note(number: int, frame: FrameType | None) -> None:
        if noted.pressed:
            signal.default_int_handler(number, frame)
        noted.pressed = True

    signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
