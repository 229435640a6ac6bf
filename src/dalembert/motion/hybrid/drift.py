"""The drift that a coarse tolerance allows is taken off before a switch: rows that held are not to decide what follows.

What is decided at a switch is decided to rounding (TIE), and a run is put back on its rows only where it is off by what
its tolerance allows. Off by more than a tie, a contact that held would seem to part or to close, what stuck to slip.
"""

from typing import NamedTuple

import numpy as np

from dalembert.derive import Array
from dalembert.engine import Steps
from dalembert.engine.outputs import OFFSET, SLOPE
from dalembert.engine.taylor import Setup, Taylor
from dalembert.motion.smooth.projection import distance, settled
from dalembert.motion.status import Projection
from dalembert.motion.tolerances import EPS, tolerance

PART = 0.25  # of a tie: a state that is no further off its rows decides what it should
LEAP = 2.0**-10  # of a velocity: the way back onto the rows changes it by less
FAR = 2.0**6  # times what counts as zero: the slack of a guard that may stay below zero
FIRST, FARTHER, LAST = 2.0**-30, 16.0, 0.5  # of a step: so far before its end the state is put back, and so on


class PutBack(NamedTuple):
    """Steps up to a time a little before a guard falls, the state put back on the rows there, and from how far."""

    steps: Steps
    state: Array
    projection: Projection


def is_coarse(drift: float) -> bool:
    """Whether a motion that may be so far off its rows may be off by more than decides a switch."""
    return drift > PART * tolerance("TIE")


def put_back(engine: Taylor, setup: Setup, steps: Steps, scales: Array) -> PutBack | None:
    """A state on the rows in force a little before a guard falls at the end of steps; None where it is so anyway.

    Put back, the guard has not fallen yet: it falls a moment later, at the time at which it does on the rows.
    """
    guard, last, end = steps.fired, steps.count - 1, float(steps.times[-1])
    scales = np.maximum(scales, np.append(np.abs(steps.end), abs(end)))
    before = distance(engine, setup, end, steps.end, scales)
    if guard is None or not before > PART * tolerance("TIE"):
        return None
    begin = float(steps.times[last])
    way = max(FIRST * (end - begin), 64 * EPS * abs(end))
    while way <= LAST * (end - begin):
        time = end - way
        place = settled(engine, setup, time, steps.within(last, time))
        after = distance(engine, setup, time, place, scales)
        if not after <= before / 2 or _leaps(place - steps.within(last, time), scales):
            return None
        if _clear(setup, time, place, guard, scales):
            return PutBack(steps.until(steps.count, time), place, Projection(time, before, after))
        way *= FARTHER
    return None


def _leaps(change: Array, scales: Array) -> bool:
    """Whether the way back changes velocities by more than drift does, as onto another branch of the rows."""
    n = len(change) // 2
    return bool((np.abs(change[n:]) > LEAP * scales[n : 2 * n]).any())


def _clear(setup: Setup, t: float, state: Array, guard: int, scales: Array) -> bool:
    """Whether a guard is positive beyond doubt at a state, or well above what it may fall to."""
    times, states = np.array([t]), state[None, :]
    value = setup.code.guards(states, times, setup.numbers)[0, guard]
    size = setup.code.guard_sizes(states, times, setup.numbers, scales)[0, guard]
    slope, slack = (float(setup.numbers[setup.code.places(what)[guard]]) for what in (SLOPE, OFFSET))
    return bool(value > tolerance("TIE") * size or (slack > FAR * tolerance("TIE") and slope * value > -slack / 2))
