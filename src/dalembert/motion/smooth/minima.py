"""Where a quantity that must stay positive vanishes: its minima are looked for on the polynomials of the steps."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.motion.smooth.leg import Course

POINTS, ROUNDS = 17, 14
HINT = 0.3  # a vertex through three neighbours below this part of the middle one may hide a zero
DEEP = 2.0**-6  # and so may a middle one that is so far below both others: its own distance is beside their vertex


class Minimum(NamedTuple):
    """Where a quantity is least: when, in which step, which column, and its value over its scale."""

    time: float
    place: int
    column: int
    value: float


def vanishing(
    course: Course,
    times: Array,
    values: Array,
    scales: Array,
    before: Array | None,
    zero: float,
    after: float,
    evaluate: Callable[[Array, Array], Array],
    legs: Array | None = None,
    falls: int | None = None,
    accepts: Callable[[Minimum], bool] = lambda _: True,
) -> Minimum | None:
    """The first place after a time where one of some quantities (k, c), over their scales (k, c), is zero.

    `before` (c,) are the values at the beginning of the course, `evaluate(times, places)` gives the quantities (k, c)
    anywhere in it. `legs` (k,), of guards: where legs begin, and what fell before has been dealt with; and what stays
    positive is not looked at closer and closer. `falls`: the one of these that is known to be zero where all ends.
    `accepts`: whether one that is found is meant.
    """
    if not values.size:
        return None
    relative = np.nan_to_num(values / np.where(scales > 0, scales, 1.0), nan=0.0, posinf=np.inf, neginf=0.0)
    first = np.full(values.shape[1], np.inf) if before is None else before / np.where(scales[0] > 0, scales[0], 1.0)
    left = np.vstack([first, relative[:-1]])
    right = np.vstack([relative[1:], np.full(relative.shape[1], np.inf)])
    if legs is not None:
        left[legs] = np.inf
        right[:-1][legs[1:]] = np.inf
    gone = relative <= zero
    gaps = np.diff(times, prepend=course.begin, append=np.inf)[:, None]
    vertex, between = parabola(left, relative, right, gaps[:-1], gaps[1:])
    with np.errstate(invalid="ignore", over="ignore"):
        low = (relative <= left) & (relative <= right) & np.isfinite(right) & np.isfinite(left)
        near = (vertex < HINT * relative) | (relative < DEEP * (left - 2 * relative + right))
        suspect = gone | (low & (relative < 1.0) & near)
    suspect[0] |= first < HINT * relative[0]  # a zero right after the beginning, or right before the end
    suspect[0] |= between[0] & (first <= relative[0]) & (vertex[0] < HINT * first)
    if len(relative) > 1:
        suspect[-1] |= relative[-1] < HINT * relative[-2]
        suspect[-2] |= between[-2] & (relative[-1] <= relative[-2]) & (vertex[-2] < HINT * relative[-1])
    if legs is None:
        suspect |= _where_legs_meet(course, left, relative, vertex, between)
    if falls is not None:
        suspect[-1, falls] = gone[-1, falls]
    if not suspect.any():
        return None
    for k in np.flatnonzero(suspect.any(axis=1)):
        for c in np.flatnonzero(suspect[k]):
            begin = float(times[k - 1]) if k else course.begin
            end = float(times[k + 1]) if k + 1 < len(times) else float(times[k])
            found = least(course, begin, end, int(c), float(scales[k, c]) or 1.0, zero, evaluate, legs is not None)
            if found.value <= zero and found.time > max(after, course.left(found.place)) and accepts(found):
                return found
    return None


def _where_legs_meet(course: Course, left: Array, relative: Array, vertex: Array, between: Array) -> Array:
    """Where (k, c) a zero may hide right before or after the end of a leg: velocities may jump there.

    So that three points of which it is the middle one tell nothing.
    """
    out = np.zeros(relative.shape, dtype=bool)
    begins = course.first[1:-1] * (len(relative) // course.steps)  # the first points of the legs but one
    last = begins - 1
    out[begins] = left[begins] < HINT * relative[begins]
    out[begins] |= between[begins] & (left[begins] <= relative[begins]) & (vertex[begins] < HINT * left[begins])
    out[last] |= relative[last] < HINT * left[last]
    out[last - 1] |= between[last - 1] & (relative[last] <= left[last]) & (vertex[last - 1] < HINT * relative[last])
    return out


def parabola(left: Array, middle: Array, right: Array, before: Array, after: Array) -> tuple[Array, Array]:
    """The least value of the parabola through three values, so far apart in time, and whether it is between the outer.

    NaN where the parabola has none. Steps of very different length follow each other near a singular place.
    """
    with np.errstate(all="ignore"):
        falls, rises = (middle - left) / before, (right - middle) / after
        bend = (rises - falls) / (before + after)
        slope = (falls * after + rises * before) / (before + after)
        vertex = np.where(bend > 0, middle - slope**2 / (4 * bend), np.nan)
        shift = -slope / (2 * bend)
        return vertex, (bend > 0) & (-before <= shift) & (shift <= after)


class Range(NamedTuple):
    """The least and the greatest finite value of each column."""

    low: Array
    high: Array


def range_of(values: Array) -> Range:
    """The range of each column of values (k, m); the least of one with a NaN is NaN."""
    high = values.max(axis=0, initial=-np.inf)
    if not np.isfinite(high).all():
        high = np.where(np.isfinite(values), values, 0.0).max(axis=0, initial=0.0)
    return Range(values.min(axis=0, initial=np.inf), high)


def uneven(values: Range, before: Array | None, zero: float, own: bool) -> Array:
    """The columns that may hide a zero: in all others values are of one size, and no vertex lies far below them.

    A vertex below HINT times the middle one of three needs a neighbour of more than 1 + 4 (1 − HINT) times that.
    `zero` is measured by a column's `own` values, or by one. What is infinite does not count.
    """
    low, high = values
    if before is not None:
        low, high = np.minimum(low, before), np.maximum(high, np.where(np.isfinite(before), before, 0.0))
    return np.flatnonzero(~((low > (zero * high if own else zero)) & (HINT * high < low)))


def least(
    course: Course,
    begin: float,
    end: float,
    column: int,
    scale: float,
    zero: float,
    evaluate: Callable[[Array, Array], Array],
    quick: bool = False,
) -> Minimum:
    """The least value of a column between two times, by looking closer and closer."""
    best = Minimum(end, course.place(end), column, np.inf)
    last = np.inf
    for _ in range(ROUNDS):
        times = np.linspace(begin, end, POINTS)
        places = course.places(times)
        values = np.nan_to_num(evaluate(times, places)[:, column] / scale, nan=0.0, posinf=np.inf, neginf=0.0)
        k = int(values.argmin())
        if values[k] < best.value:
            best = Minimum(float(times[k]), int(places[k]), column, float(values[k]))
        if best.value <= zero * 1e-3 or end - begin <= 1e-15 * abs(end):
            break
        if quick and best.value > zero and values[k] > 0.5 * last:  # on the way to zero it falls to an eighth at least
            break
        last = float(values[k])
        begin, end = float(times[max(k - 1, 0)]), float(times[min(k + 1, POINTS - 1)])
    return best
