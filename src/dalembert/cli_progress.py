"""A line on the terminal that says how far a run is, once it has taken a second; nothing where there is no terminal."""

from shutil import get_terminal_size
from threading import Event, Thread
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

if TYPE_CHECKING:
    from dalembert.motion import Progress

PATIENCE = 1.0  # seconds before anything is shown
EVERY = 0.2  # seconds between drawings
BAR = 16  # columns


class Bar:
    """Call it with a `Progress`; it is drawn while the `with` block runs, and leaves nothing behind."""

    def __init__(self, stream: TextIO, until: float | None) -> None:
        self._stream, self._until = stream, until
        self._now: Progress | None = None
        self._began = perf_counter()
        self._done = Event()
        self._drawn = 0
        self._thread = Thread(target=self._draw_until_done, daemon=True)

    def __enter__(self) -> Self:
        if self._stream.isatty():
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        if self._thread.is_alive():
            self._thread.join()
        self._write("")

    def __call__(self, now: "Progress") -> None:
        """How far the run is."""
        if self._now is None:
            self._began = perf_counter()  # what it took to compile says nothing about what is left
        self._now = now

    def _draw_until_done(self) -> None:
        pause = PATIENCE
        while not self._done.wait(pause):
            text = line(self._now, perf_counter() - self._began, self._until)
            self._write(text[: get_terminal_size().columns - 1])  # a line that wraps cannot be written over
            pause = EVERY

    def _write(self, text: str) -> None:
        """Over what was written before."""
        if not text and not self._drawn:
            return
        self._stream.write("\r" + text.ljust(self._drawn) + ("" if text else "\r"))
        self._stream.flush()
        self._drawn = len(text)


def line(now: "Progress | None", seconds: float, until: float | None) -> str:
    """How far a run is, in less than 80 columns."""
    if now is None:
        return f"deriving and compiling, {seconds:.0f} s"
    filled, seconds = int(now.fraction * BAR), max(seconds, 1e-3)
    where = f"t = {now.time:.4g}" + ("" if until is None else f" of {until:.4g}")
    left = f", about {seconds / now.fraction - seconds:.0f} s left" if now.fraction > 0.01 else ""
    return (
        f"[{'#' * filled}{'.' * (BAR - filled)}] {now.fraction:4.0%} {where}, {now.steps / seconds:.3g} steps/s{left}"
    )
