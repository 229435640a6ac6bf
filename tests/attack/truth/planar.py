"""Dry friction in a plane: a puck on a surface that moves, until it moves with it.

The direction of sliding u/|u| turns ever faster as |u| falls to zero. In the time τ with dt = |u| dτ it does not: u
falls exponentially to rest, and t and the place have limits (u_τ = |u| a − μg u, a being what accelerates u otherwise).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..case import Truth
from . import gbs, hybrid
from .gbs import Real, TruthError, real
from .growth import growth

NEAR = Real("1e-3")  # the sliding velocity from which on τ is used
GONE = Real("1e-18")


class Puck(NamedTuple):
    """r'' = F(t, r, v) − μg u/|u| with u = v − S(t, r), the velocity of the surface; `drag`, d(u)/dt without friction.

    Once it rests on the surface, r' = S(t, r), as long as friction can hold it; `held(t, r)` is how much that asks for.
    """

    friction: Real  # μg
    load: Callable  # F(t, r, v)
    surface: Callable  # S(t, r)
    drift: Callable  # a(t, r, v) = F − dS/dt along the motion
    held: Callable  # |d²r/dt² on the surface − F|

    def slide(self, t, y):
        """The rate of (r, v) while it slides."""
        r, v = y[:2], y[2:]
        u = v - real(self.surface(t, r))
        return [*v, *(real(self.load(t, r, v)) - self.friction * u / np.sqrt(u @ u))]

    def settle(self, _, y):
        """The rate of (t, r, u) in τ."""
        t, r, u = y[0], y[1:3], y[3:]
        size = np.sqrt(u @ u)
        v = u + real(self.surface(t, r))
        return [size, *(size * v), *(size * real(self.drift(t, r, v)) - self.friction * u)]

    def run(self, start, times, order=8, tolerance=gbs.TOLERANCE, longest=0.05):
        """States (k, 4) at the times, NaN during the last moment of sliding, and the time of sticking or None."""
        times, start = real(times), real(start)

        def speed(t, y):
            u = y[2:] - real(self.surface(t, y[:2]))
            return [np.sqrt(u @ u) - NEAR]

        mode = hybrid.Mode("slides", self.slide, speed, lambda i, t, y: hybrid.Next(None, y, "near"))
        first = hybrid.follow(mode, start, times, longest=longest, order=order, tolerance=tolerance)
        if first.end is None:
            return first.states, None
        # the state at the end of the sliding, to full precision: once more up to there
        near = Real(first.end)
        y = gbs.run(self.slide, start, [times[0], near], longest=longest, order=order, tolerance=tolerance)[-1]
        u = y[2:] - real(self.surface(near, y[:2]))
        if not self.held(near, y[:2]) < Real("0.98") * self.friction:
            raise TruthError("friction may not hold it")
        state = real([near, *y[:2], *u])
        stepper = gbs.Stepper(0.5, order, tolerance, absolute=real([0, 0, 0, GONE, GONE]))
        tau = Real(0)
        while np.sqrt(state[3:] @ state[3:]) > GONE:
            tau, state = stepper.advance(self.settle, tau, state, Real(1e6))
        stop, place = state[0], state[1:3]
        if stop >= times[-1]:
            return first.states, float(stop)
        later = [t for t in times if t > stop]
        moved = gbs.run(lambda t, r: real(self.surface(t, r)), place, [stop, *later], longest=longest, order=order)
        for t, r in zip(later, moved[1:], strict=True):
            if not self.held(t, r) < Real("0.99") * self.friction:
                raise TruthError("friction does not hold it for ever")
        out = first.states.copy()
        out[-len(later) :] = [[*r, *self.surface(t, r)] for t, r in zip(later, moved[1:], strict=True)]
        return out, float(stop)

    def truth(self, start, times, lift) -> Truth:
        """The truth, with the event of sticking."""
        one, stop = self.run(start, times)
        other, again = self.run(start, times, order=7, tolerance=gbs.TOLERANCE / 5, longest=0.025)
        known = np.isfinite(one[:, 0]) & np.isfinite(other[:, 0])
        error = gbs.difference(one[known], other[known])
        if (stop is None) != (again is None):
            error = np.inf
        elif stop is not None:
            error = max(error, abs(stop - again))
        grown = growth(lambda s: self.run(s, times, tolerance=Real("1e-15"))[0], start, one)
        states = np.array([real(lift(t, y)) for t, y in zip(real(times), one, strict=True)])
        events = ((stop, "stick"),) if stop is not None and stop < times[-1] else ()
        return Truth(states, error, grown, events=events)
