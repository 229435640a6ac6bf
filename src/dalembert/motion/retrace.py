"""A motion retraced by another integrator: SciPy's DOP853 on the accelerations that the principles give."""

from typing import NamedTuple

import numpy as np
from scipy.integrate import DOP853

from dalembert.derive import Array
from dalembert.motion.blame import FAILURES
from dalembert.motion.look import Look, largest_part
from dalembert.motion.stretch import Stretch
from dalembert.motion.tolerances import EPS
from dalembert.motion.unsure import operations
from dalembert.principles import explicit

WINDOWS = 6  # spread over a motion
STEPS = 8  # of DOP853 in each, at most
RTOL = 1e-12
UNSEEN = 2.0**-400  # of what it ever becomes: so little of a coordinate or velocity is none
WHOLE = 1 / 64  # of a step of the run: a window shorter than this shows nothing


class Window(NamedTuple):
    """A short time in which a motion was retraced, and how far from it the other integrator came, relative."""

    begin: float
    end: float
    apart: float


def windows(look: Look, bound: float) -> list[Window]:
    """What another integrator makes of the motion from a few of its states on; none crosses a switch.

    Beyond a bound, what rounding of coordinates in its steps makes of it is none of it. Each stays within a step of
    the motion: it would not see by itself what is too short for its own steps.
    """
    ends: list[tuple[int, float, Array]] = []
    for place in look.spread(WINDOWS):
        t, y, scales = float(look.times[place]), look.states[place], look.scales[place, :-1]
        until = float(look.cuts[np.searchsorted(look.cuts, t, side="right")])
        until = look.step_end(t, until)
        over = any(begin < until and t < end for begin, end in look.passages)  # where the equation is all but lost
        if over or until - t <= WHOLE * look.spans[place]:
            continue
        if found := _retraced(look.stretch(t), t, y, until, (until - t) / STEPS, scales):
            ends.append((place, *found))
    if not ends:
        return []
    order = sorted(range(len(ends)), key=lambda k: ends[k][1])
    there = look.before(np.array([ends[k][1] for k in order]))
    return [_window(look, *ends[k], there[i], bound) for i, k in enumerate(order)]


def _window(look: Look, place: int, end: float, found: Array, there: Array, bound: float) -> Window:
    begin, n = float(look.times[place]), len(there) // 2
    wide = np.maximum(look.largest[place], np.maximum(np.abs(found), np.abs(there)))
    wide[n:] += (end - begin) * look.paces[place]
    wide[:n] += (end - begin) * wide[n:]
    wide = np.maximum(wide, UNSEEN * look.largest[-1])
    still = (
        np.maximum(look.largest[place], np.abs(there)) == 0
    )  # not moved at all: measured by what follows, as in a run
    wide = np.where(still, np.maximum(wide, look.largest[-1]), wide)
    apart = np.abs(found - there)
    if largest_part(apart, wide) > bound:
        speeds = STEPS * (end - begin) * (look.shaken[place] + operations(look, [place])[0])
        places = (end - begin) * speeds + STEPS * EPS / 2 * look.largest[place, :n]
        apart = np.maximum(apart - np.concatenate([places, speeds]), 0.0)
    return Window(begin, end, largest_part(apart, wide))


def _retraced(
    stretch: Stretch, t: float, state: Array, until: float, longest: float, scales: Array
) -> tuple[float, Array] | None:
    """Where DOP853 comes to in a few steps, none longer than `longest`; None where the principles have no answer."""

    def rate(time: float, y: Array) -> Array:
        try:
            return np.concatenate([y[len(y) // 2 :], explicit(stretch.instant(time, y)).acceleration])
        except FAILURES:
            return np.full_like(y, np.nan)  # so that the step is made smaller

    least = RTOL * np.where(scales > 0, scales, scales.max(initial=0.0) or 1.0)
    begun = rate(t, state)
    if not np.isfinite(begun).all():
        return None
    solver = DOP853(rate, t, state, until, rtol=RTOL, atol=least, max_step=longest)
    if not np.isfinite(solver.h_abs):  # it has looked where the principles have no answer
        solver.h_abs = longest
    end = None
    for _ in range(STEPS):
        solver.step()
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            break
        end = float(solver.t), solver.y.copy()
        if solver.status == "finished":
            break
    return end
