"""MOVE: consistent starts, the run itself, and what comes back."""

from typing import TYPE_CHECKING, Any

from dalembert.motion.record import Progress
from dalembert.motion.simulate import simulate
from dalembert.motion.starts import Begun, Start, own_start, start, stated_start
from dalembert.motion.status import Ending, Event, Interrupted, Projection, RunError, Status
from dalembert.motion.trajectory import Trajectory

if TYPE_CHECKING:
    from dalembert.motion.files import load, save

__all__ = [
    "Begun", "Ending", "Event", "Interrupted", "Progress", "Projection", "RunError", "Start", "Status", "Trajectory",
    "load", "own_start", "save", "simulate", "start", "stated_start",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in ("load", "save"):  # imported when first used: a run needs no files
        from dalembert.motion import files

        return getattr(files, name)
    raise AttributeError(f"module 'dalembert.motion' has no attribute {name!r}")
