"""Which row it is that fades where something vanishes: a mass that only a row lends vanishes with that row."""

import numpy as np

from dalembert.motion.smooth.monitors import Problem
from dalembert.motion.smooth.view import View

ROWS = ("row", "dependent", "pole")
FADED = 1e-3  # of its largest entries in a course: what is left of a row that fades
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
