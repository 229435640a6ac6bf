"""A time limit for symbolic work, whose length cannot be predicted from the size of what it is given."""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread, get_ident

AGAIN = 0.02  # seconds after which the interruption is tried again


class Overtime(BaseException):
    """The time is up. Not an `Exception`, so that no handler inside SymPy takes it for its own."""


@contextmanager
def deadline(seconds: float, working: tuple[str, ...] = ("sympy", "mpmath")) -> Iterator[None]:
    """Raise `Overtime` inside the block once `seconds` have passed, in whatever thread it runs.

    The interpreter is asked to raise it in this thread, as Ctrl-C does in the main one; nothing is slowed down
    meanwhile. It is asked only while code of the packages in `working` runs: in a callback of the garbage collector the
    exception would be swallowed, and reported as a fault there.
    """
    thread, lock, left = get_ident(), Lock(), Event()

    def interrupt() -> None:
        """One attempt, unless the block has been left."""
        with lock:
            frame = sys._current_frames().get(thread)
            if left.is_set() or frame is None:
                return
            if str(frame.f_globals.get("__name__", "")).partition(".")[0] in working:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Overtime))

    def watch() -> None:
        wait = seconds
        while not left.wait(wait):
            interrupt()
            wait = AGAIN

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        with lock:
            left.set()
