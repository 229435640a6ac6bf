"""Leaving a state at which a root is zero, or a force jumps: its series does not exist there, but the motion does."""

from typing import Any

import numpy as np
from numpy.polynomial.legendre import leggauss

from dalembert.derive import Array
from dalembert.engine import Steps
from dalembert.motion.tolerances import EPS

MOMENT = 2.0**-36  # of what is left of the run
ROUNDINGS = 2.0**14  # of the time: no moment is shorter
NOTHING = 2.0**-8  # of what it is after that moment: what stands under a root and is zero by then
NODES, WEIGHTS = (part / 2 for part in leggauss(16))
CALM = 0.25  # of the acceleration: what a force that vanishes at the root may have become in that moment


def leave_roots(engine: Any, setup: Any, t: float, state: Array, until: float) -> tuple[Steps | None, list[int]]:
    """A moment of second order away from a state where roots are zero, and the roots that stay zero in it.

    No moment where no root is zero, or all that are stay so.
    """
    n, tau = len(state) // 2, min(max(MOMENT * (until - t), ROUNDINGS * EPS * abs(t)), until - t)
    begun = engine.watch(setup, np.array([t]), state[None, :]).acceleration[0]
    faster = state[n:] + tau * np.where(np.isfinite(begun), begun, 0.0)
    ahead = np.concatenate([state[:n] + tau * state[n:], faster])
    watch = engine.watch(setup, np.array([t, t + tau]), np.vstack([state, ahead]))
    on, (now, soon) = engine.roots(setup), watch.radicands
    zero = [int(r) for r in np.flatnonzero(~(now > 0) | (now < NOTHING * soon)) if on[r]]
    a = watch.acceleration[0]
    below = [r for r in zero if now[r] < 0]  # by rounding, if the motion leads out of it
    bare = bool(zero) and not np.isfinite(a).all()
    if bare and below:  # on the other side of the zero by rounding: as it is where the motion leads
        a = watch.acceleration[1]
        bare = not np.isfinite(a).all()
    if bare:  # a power below zero, of what is zero
        off = sorted({*zero, *np.flatnonzero(np.asarray(on) == 0).tolist()})
        a = engine.watch(setup.resting(off), np.array([t]), state[None, :]).acceleration[0]
    if not zero or not np.isfinite(a).all():
        return None, []
    still = not bare and not a.any() and not state[n:].any()
    if still and not any(soon[r] > 0 for r in zero):  # how it begins to move is less than rounding of the forces
        return None, [] if below else zero
    a = _mean(engine, setup, t, state, tau, a)
    moment = _moved(engine, setup, t, state, tau, a)
    later = engine.watch(setup, moment.times[1:], moment.end[None, :])
    rest = [r for r in zero if not later.radicands[0, r] > 0]
    if bare and not rest and not (np.abs(later.acceleration[0] - a) <= CALM * np.abs(a).max()).all():
        return None, []  # its force has a bound, but no limit, or none at all
    if set(rest) & set(below):
        return None, []
    return (moment if len(rest) < len(zero) else None), rest


def beyond_jump(engine: Any, setup: Any, t: float, state: Array, tau: float) -> Steps | None:
    """A moment of second order away from where a force has jumped, by what it is beyond; None where it is nothing."""
    n = len(state) // 2
    ahead = np.concatenate([state[:n] + tau * state[n:], state[n:]])
    a = engine.watch(setup, np.array([t + tau]), ahead[None, :]).acceleration[0]
    if not np.isfinite(a).all():
        return None
    return _moved(engine, setup, t, state, tau, _mean(engine, setup, t, state, tau, a))


def _moved(engine: Any, setup: Any, t: float, state: Array, tau: float, a: Array) -> Steps:
    """One step with a constant acceleration (n,)."""
    n = len(state) // 2
    terms = np.zeros((1, 2 * n, engine.order(setup) + 1))
    terms[0, :n, 0], terms[0, :n, 1], terms[0, :n, 2] = state[:n], state[n:], a / 2
    terms[0, n:, 0], terms[0, n:, 1] = state[n:], a
    return Steps(np.array([t, t + tau]), terms)


def _mean(engine: Any, setup: Any, t: float, state: Array, tau: float, a: Array) -> Array:
    """The mean acceleration (n,) of the moment, where it has one: near a root it changes as a power of the time.

    By Gauss' rule in the fourth root of the time, in which such powers are nearly polynomials.
    """
    n, u = len(state) // 2, NODES + 0.5
    delays = tau * u[:, None] ** 4
    states = np.hstack([state[:n] + delays * state[n:] + delays**2 / 2 * a, state[n:] + delays * a])
    found = engine.watch(setup, t + delays[:, 0], states).acceleration
    mean: Array = (4 * u**3 * WEIGHTS) @ found
    return mean if np.isfinite(mean).all() else a
