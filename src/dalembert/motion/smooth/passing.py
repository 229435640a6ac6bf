"""Singular places: the last sound state before one, and the smooth branch beyond it.

Where the rank drops at an isolated time the motion itself is smooth, only its equation is not. The polynomial of a step
that began well before it goes on; that it is the motion is seen beyond, where its equation holds again.
"""

from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.engine import Watch
from dalembert.motion.smooth.monitors import Problem, View
from dalembert.motion.tolerances import tolerance

WHAT = {"dependent": "pivots", "massless": "inertia", "row": "squares", "mass": "masses"}
HALVES = 30  # of an interval in which a pivot becomes too small
FAR = (1.0, 0.5, 0.35, 0.25, 0.15, 0.08)  # how far beyond, of the way from the beginning of the step
LEFT_OUT = (0, 3, 5, 7, 9, 12)  # terms of the highest orders
LEAST, LONGEST = 0.02, 2.4  # of a step: so long before the place it must begin, and so far it may lead


class Over(NamedTuple):
    """A step that leads over a singular place, by place, the time it leads to, and the order it is taken to.

    Rounding of the highest terms grows beyond the step faster than what leaving them out does.
    """

    place: int
    end: float
    order: int


def last_sound(view: View, problem: Problem, sound: float, start: Watch) -> tuple[float, int]:
    """The last time before a singular place at which its pivot is still above what is sound, and its step.

    A row or a mass is measured by what it was at the start of the run, where it was something.
    """
    assert problem.minimum is not None
    course = view.course
    last = min(problem.time, course.end)
    times = last - (last - course.begin) * 2.0 ** -np.arange(0.0, 40.0, 0.5)
    places = course.places(times)
    values = view.evaluate(lambda w: _column(w, problem))(times, places)[:, 0]
    largest = 1.0
    if problem.kind in ("row", "mass"):
        own = float(_column(start, problem)[0, 0])
        largest = own if 0 < own < np.inf else float(np.nanmax(np.abs(values)))
    good = np.flatnonzero(values > sound * largest)
    k = int(good[-1]) if len(good) else 0
    low, high = float(times[k]), float(times[min(k + 1, len(times) - 1)])
    for _ in range(HALVES if len(good) else 0):
        middle = np.array([(low + high) / 2])
        value = view.evaluate(lambda w: _column(w, problem))(middle, course.places(middle))[0, 0]
        low, high = (float(middle[0]), high) if value > sound * largest else (low, float(middle[0]))
    return low, course.place(low)


def passed(view: View, problem: Problem, until: float) -> Over | None:
    """The step, and how far, that leads over a singular place on the smooth branch; None where none does."""
    assert problem.minimum is not None
    course, time = view.course, problem.time
    best: tuple[float, Over] | None = None
    for place in range(min(problem.place, course.steps - 1), -1, -1):
        begin, span = float(course.begins[place]), float(course.spans[place])
        way = time - begin
        if way < LEAST * span:
            continue
        if way > LONGEST * span:
            if best is not None or span < 1e-3 * way:
                break
            continue
        for far in FAR:
            end = min(time + far * way, until)
            if end - begin > LONGEST * span or end <= time:
                continue
            for left_out in LEFT_OUT:
                order = course.coefficients.shape[2] - 1 - left_out
                defect = _defect_beyond(view, Over(place, end, order), time)
                if best is None or defect < best[0]:
                    best = (defect, Over(place, end, order))
    return best[1] if best is not None and best[0] <= tolerance("PASSED") else None


def _defect_beyond(view: View, over: Over, time: float) -> float:
    """How well the polynomial of a step obeys the equation of motion in the last part beyond a singular place."""
    course, (place, end, order) = view.course, over
    times = time + (end - time) * np.array([0.6, 0.8, 1.0])
    places = np.full(len(times), place)
    unit, powers = course.units[place], np.arange(order + 1)
    delay = ((times - course.begins[place]) / unit)[:, None]
    terms = course.coefficients[place, :, : order + 1]
    states = delay**powers @ terms.T
    watch = view.engine.watch(course.legs[0].setup, times, states, course.numbers(places))
    n = watch.acceleration.shape[1]
    slopes = (delay ** powers[:-1] * powers[1:]) @ terms[n:, 1:].T / unit
    speeds = np.where(view.sizes[n : 2 * n] > 0, view.sizes[n : 2 * n], 1.0)
    found = np.abs(slopes - watch.acceleration) * (end - course.begins[place]) / speeds
    return float(found.max()) if np.isfinite(found).all() else np.inf


def _column(watch: Watch, problem: Problem) -> Array:
    assert problem.minimum is not None
    c = problem.minimum.column
    out: Array = getattr(watch, WHAT[problem.kind])[:, c : c + 1]
    return out
