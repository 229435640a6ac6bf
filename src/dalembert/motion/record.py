"""What goes into a run and comes out of it: limits, progress, stretches and the record."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.derive.switching.modes import Mode
from dalembert.engine import WORKS, Choice, Watch
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


class Episode(NamedTuple):
    """From when on which rows are chosen, and in which mode, where the system has modes."""

    time: float
    choice: Choice
    mode: Mode | None = None


@dataclass(frozen=True, eq=False)
class Record:
    """What a run leaves: samples times (k,) and states (k, 2n), works (k, 4), where it ended, and how."""

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


def all_works(counted: Array, names: tuple[str, ...]) -> Array:
    """All works (k, 4), zero where they are identically zero."""
    out = np.zeros((len(counted), len(WORKS)))
    for column, name in enumerate(names):
        out[:, WORKS.index(name)] = counted[:, column]
    return out


class Stretch(NamedTuple):
    """A piece with the two states before it: times (k,), states (k, d), which are samples, and what was watched.

    A minimum of a pivot may lie where two pieces meet; that is what the earlier states are for.
    """

    times: Array
    states: Array
    wanted: Array
    watch: Watch
    drift: Array
