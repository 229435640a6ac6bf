"""MOVE: consistent starts, the run itself, and what comes back."""

from dalembert.motion.files import load, save
from dalembert.motion.record import Progress
from dalembert.motion.simulate import simulate
from dalembert.motion.start import Start, start
from dalembert.motion.status import Ending, Event, Interrupted, Projection, RunError, Status
from dalembert.motion.trajectory import Trajectory

__all__ = [
    "Ending", "Event", "Interrupted", "Progress", "Projection", "RunError", "Start", "Status", "Trajectory",
    "load", "save", "simulate", "start",
]  # fmt: skip
