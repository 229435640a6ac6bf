"""What goes into a run and comes out of it: limits, progress, stretches and the record."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from dalembert.derive import Array
from dalembert.engine import Choice, Watch
from dalembert.motion.status import Event, Projection, Status

DRIFT = 256.0
"""How many times the tolerance a motion may be off the constraints before it is put back."""


class Progress(NamedTuple):
    """How far a run is: the fraction of its time, the time, and the steps taken."""

    fraction: float
    time: float
    steps: int


@dataclass(frozen=True)
class Limits:
    """When to stop: steps, seconds, how far off the constraints to go, and whether to pass where the rank drops."""

    steps: float
    seconds: float
    drift: float
    singular: Literal["stop", "pass"]
    step: float = float("inf")


@dataclass(frozen=True, eq=False)
class Record:
    """What a run leaves: samples times (k,) and states (k, d), where it ended, and how."""

    times: Array
    states: Array
    begin_time: float
    begin: Array
    time: float
    end: Array
    status: Status
    events: tuple[Event, ...]
    projections: tuple[Projection, ...]
    choices: tuple[tuple[float, Choice], ...]
    steps: int
    drift: float


class Stretch(NamedTuple):
    """A piece with the two states before it: times (k,), states (k, d), which are samples, and what was watched.

    A minimum of a pivot may lie where two pieces meet; that is what the earlier states are for.
    """

    times: Array
    states: Array
    wanted: Array
    watch: Watch
    drift: Array
