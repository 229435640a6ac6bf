"""What goes into a run and comes out of it: limits, progress, stretches and the record."""

from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import Mode
from dalembert.engine import WORKS, Choice, EngineName
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
    `room`: how many numbers of polynomials are kept; nothing of the motion depends on it. `wanted`: the time up to
    which a motion that is gone over again is wanted.
    """

    steps: float
    seconds: float
    drift: float
    singular: Literal["stop", "pass"]
    step: float = float("inf")
    began: float = 0.0
    room: int = ROOM
    wanted: float = float("inf")


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
    """Where a motion was moved from, and how: the time, the state (2n,), settings, and how large it had been before.

    `until`: to what time it was to be moved, though it may have ended before; None where that is not known.
    """

    time: float
    state: tuple[float, ...]
    settings: Settings
    sizes: tuple[float, ...] = ()
    until: float | None = None


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

    def until(self, end: float) -> "Record":
        """The polynomials and heights of it up to a time, which is as far as a motion that is gone over again goes."""
        heights = tuple((begin, height) for begin, height in self.heights if begin <= end)
        if self.dense is None:
            return replace(self, time=end, heights=heights)
        legs = []
        for times, terms, unit in self.dense:
            if times[0] < end:
                steps = int(np.searchsorted(times, end))
                whole = steps >= len(times)
                legs.append((times, terms, unit) if whole else (np.append(times[:steps], end), terms[:steps], unit))
        return replace(self, time=end, heights=heights, dense=tuple(legs))


def unmoved(t: float, state: Array, rows: tuple[int, ...], status: Status) -> Record:
    """What is left of a run that ended before it was known how it would begin, on rows that are always in force.

    No sample: nothing was compiled that says what the forces are there.
    """
    none, begun = np.zeros(len(WORKS)), (Episode(t, Choice(rows)),)
    return Record(
        times=np.empty(0), states=np.empty((0, len(state))), works=np.empty((0, len(none))), begin_time=t, begin=state,
        time=t, end=state, end_works=none, status=status, events=(), projections=(), episodes=begun, steps=0, drift=0.0,
        sizes=np.abs(state),
    )  # fmt: skip
