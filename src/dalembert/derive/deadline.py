"""A time limit for symbolic work, whose length cannot be predicted from the size of what it is given."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer, get_ident


class Overtime(BaseException):
    """The time is up. Not an `Exception`, so that no handler inside SymPy takes it for its own."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise `Overtime` inside the block once `seconds` have passed, in whatever thread it runs.

    The interpreter is asked to raise it in this thread, as Ctrl-C does in the main one. SymPy is Python all through,
    so it comes at the next call; nothing is slowed down meanwhile.
    """
    thread, lock, inside = get_ident(), Lock(), True

    def interrupt() -> None:
        with lock:
            if inside:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Overtime))

    timer = Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            inside = False
        timer.cancel()
