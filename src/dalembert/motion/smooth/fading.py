"""Rows that fade while others go on holding what they held; a mass that only a row lends vanishes with that row."""

from typing import Any

import numpy as np

from dalembert.derive import Array
from dalembert.motion.smooth.monitors import Problem
from dalembert.motion.smooth.view import View
from dalembert.motion.tolerances import tolerance

ROWS = ("row", "dependent", "pole")
FADED = 1e-3  # of its largest entries in a course: what is left of a row that fades
FRESHER = 4.0  # times as much as of another row is left of a row that may take its place
BEFORE = np.linspace(0.0, 1.0, 9)  # of the way to where something vanishes: there rows are looked at


def row_of(view: View, problem: Problem) -> int | None:
    """The row that vanishes, becomes dependent or lends the inertia that does; None where none is seen to fade."""
    assert problem.minimum is not None
    if problem.kind in ROWS:
        return problem.minimum.column
    course = view.course
    setup = course.legs[int(course.leg_of[problem.place])].setup
    if not setup.choice.augment:
        return None
    times = course.begin + (problem.time - course.begin) * BEFORE
    places = np.minimum(course.places(times), problem.place)
    A = np.abs(view.engine.mass_and_rows(setup, times, course.states(times, places))[1])
    with np.errstate(invalid="ignore"):
        parts = np.where(A.max(axis=0) > 0, A[-1] / A.max(axis=0), 0.0).max(axis=1)
    force = view.engine.in_force([setup])[0] > 0
    parts = np.where(force & A.any(axis=(0, 2)), parts, np.inf)
    row = int(parts.argmin())
    return row if parts[row] <= FADED else None


class Fading:
    """How large the entries of all rows have been, where they were looked at: what has become small has faded."""

    def __init__(self) -> None:
        self._largest: Array | float = 0.0

    def look(self, engine: Any, setup: Any, t: float, state: Array) -> Array:
        """What is left of each row (m,) at a state, by the entry of which most is; one of a row that was never seen."""
        A = np.abs(engine.mass_and_rows(setup, np.array([t]), state[None, :])[1][0])
        self._largest = np.fmax(self._largest, np.where(np.isfinite(A), A, 0.0))
        with np.errstate(invalid="ignore", divide="ignore"):
            left = np.where(self._largest > 0, A / self._largest, 0.0).max(axis=1)
        return np.where((self._largest > 0).any(axis=1), left, 1.0)

    def row(self, engine: Any, setup: Any, t: float, state: Array) -> int | None:
        """The row, of those that a motion stands on, that has faded most; None where none has, or no spare row less."""
        left = self.look(engine, setup, t, state)
        chosen = list(setup.choice.rows)
        row: int = chosen[int(left[chosen].argmin())]
        spare = np.delete(left, chosen)
        if left[row] ** 2 > tolerance("WEAK") or not len(spare) or not spare.max() > FRESHER * left[row]:
            return None
        return row
