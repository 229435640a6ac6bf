"""What goes into a run and comes out of it: limits, progress, stretches and the record."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import Mode
from dalembert.engine import Choice, EngineName
from dalembert.motion.status import Event, Projection, Status

DRIFT = 256.0
"""How many times the tolerance a motion may be off the constraints before it is put back."""

ROOM = 1_000_000
"""Numbers of polynomials that a motion keeps for any time of the run."""


class Progress(NamedTuple):
    """How far a run is: the fraction of its time, the time, and the steps taken."""

    fraction: float
    time: float
    steps: int


@dataclass(frozen=True)
class Limits:
    """When to stop: steps, seconds, how far off the constraints to go, and whether to pass where the rank drops.

    `began`: since when the seconds count, by the clock of the process; derivation and compilation are among them.
    `room`: how many numbers of polynomials are kept; nothing of the motion depends on it.
    """

    steps: float
    seconds: float
    drift: float
    singular: Literal["stop", "pass"]
    step: float = float("inf")
    began: float = 0.0
    room: int = ROOM


class Episode(NamedTuple):
    """From when on which rows are chosen, and in which mode, where the system has modes."""

    time: float
    choice: Choice
    mode: Mode | None = None


@dataclass(frozen=True)
class Settings:
    """How a motion was computed, so that it can be gone over again."""

    engine: EngineName
    tolerance: float
    compile: str = "auto"
    drift: float | None = None
    singular: Literal["stop", "pass"] = "stop"
    step: float = float("inf")


class Origin(NamedTuple):
    """Where a motion was moved from, and how: the time, the state (2n,), settings, and how large it had been before."""

    time: float
    state: tuple[float, ...]
    settings: Settings
    sizes: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Record:
    """What a run leaves: samples times (k,) and states (k, 2n), works (k, 4), where it ended, and how.

    `defect` is the largest found, at `points` inside the steps. `dense` has the times, coefficients and units of
    the polynomials of all legs, None where they are too many to be kept. `sizes` (2n,): how large the state was.
    `heights`: how large coordinates and velocities (2n,) had ever been, by the times from which on they were.
    """

    times: Array
    states: Array
    works: Array
    begin_time: float
    begin: Array
    time: float
    end: Array
    end_works: Array
    status: Status
    events: tuple[Event, ...]
    projections: tuple[Projection, ...]
    episodes: tuple[Episode, ...]
    steps: int
    drift: float
    defect: float = 0.0
    points: int = 0
    dense: tuple[tuple[Array, Array, float], ...] | None = None
    sizes: Array = field(default_factory=lambda: np.zeros(0))
    heights: tuple[tuple[float, Array], ...] = ()
