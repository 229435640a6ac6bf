"""Leaving a state at which a root is zero: its series does not exist there, but the motion does."""

from typing import Any

import numpy as np

from dalembert.derive import Array
from dalembert.engine import Steps

MOMENT = 2.0**-36  # of what is left of the run
CALM = 0.25  # of the acceleration: what a force that vanishes at the root may have become in that moment


def leave_roots(engine: Any, setup: Any, t: float, state: Array, until: float) -> tuple[Steps | None, list[int]]:
    """A moment of second order away from a state where roots are zero, and the roots that stay zero in it.

    No moment where no root is zero, or all that are stay so.
    """
    watch = engine.watch(setup, np.array([t]), state[None, :])
    on = engine.roots(setup)
    zero = [int(r) for r in np.flatnonzero(~(watch.radicands[0] > 0)) if on[r]]
    a = watch.acceleration[0]
    below = [r for r in zero if watch.radicands[0, r] < 0]  # by rounding, if the motion leads out of it
    n, tau = len(state) // 2, MOMENT * (until - t)
    bare = bool(zero) and not np.isfinite(a).all()
    if bare and below:  # on the other side of the zero by rounding: as it is where the motion leads
        ahead = np.concatenate([state[:n] + tau * state[n:], state[n:]])
        a = engine.watch(setup, np.array([t + tau]), ahead[None, :]).acceleration[0]
        bare = not np.isfinite(a).all()
    if bare:  # a power below zero, of what is zero
        off = sorted({*zero, *np.flatnonzero(np.asarray(on) == 0).tolist()})
        a = engine.watch(setup.resting(off), np.array([t]), state[None, :]).acceleration[0]
    if not zero or not np.isfinite(a).all():
        return None, []
    terms = np.zeros((1, 2 * n, engine.order(setup) + 1))
    terms[0, :n, 0], terms[0, :n, 1], terms[0, :n, 2] = state[:n], state[n:], a / 2
    terms[0, n:, 0], terms[0, n:, 1] = state[n:], a
    moment = Steps(np.array([t, t + tau]), terms)
    later = engine.watch(setup, moment.times[1:], moment.end[None, :])
    rest = [r for r in zero if not later.radicands[0, r] > 0]
    if bare and not rest and not (np.abs(later.acceleration[0] - a) <= CALM * np.abs(a).max()).all():
        return None, []  # its force has a bound, but no limit, or none at all
    if set(rest) & set(below):
        return None, []
    return (moment if len(rest) < len(zero) else None), rest
