"""A mass that rests on something, is thrown off it, flies, and lands."""

from collections.abc import Callable

import numpy as np

from .gbs import Real, TruthError, real
from .hybrid import Mode, Next

ZERO, SETTLED = Real(0), Real("1e-9")
SEEN = Real("1e-3")  # bounces slower than this need not be told one by one


def on_hill(height: Callable, g) -> Callable[[str], Mode]:
    """A unit mass above y = h(x), landing without a bounce; `height(x)` gives h, h', h''; the state (x, y, x', y')."""

    def push(s):
        dd = height(s[0])[2]
        return dd * s[2] ** 2 + g  # the sign of the reaction

    def on(_, s):
        _, d, dd = height(s[0])
        ax = -d * push(s) / (1 + d * d)
        return [s[2], d * s[2], ax, d * ax + dd * s[2] ** 2]

    def land(i, t, s):
        h, d, _ = height(s[0])
        along = (s[2] + d * s[3]) / (1 + d * d)
        state = real([s[0], h, along, d * along])
        return Next(slides if push(state) > 0 else flies, state, "impact")

    slides = Mode(
        "slides",
        on,
        lambda _, s: [push(s)],
        lambda i, t, s: Next(flies, real([s[0], *(height(s[0])[:1]), *s[2:]]), "release"),
    )
    flies = Mode("flies", lambda _, s: [s[2], s[3], Real(0), -g], lambda _, s: [s[1] - height(s[0])[0]], land)
    return lambda name: {"slides": slides, "flies": flies}[name]


def on_floor(floor: Callable, fall: Callable, e=ZERO, settle=SETTLED) -> Callable[[Real, Real, Real], Mode]:
    """A mass above a floor that moves, y'' = fall(t, y, y') in flight; `floor(t)` gives height, velocity, acceleration.

    It bounces with e, and stays where that leaves less than `settle` of relative velocity and the floor holds it up.
    """

    def push(t, s):
        return floor(t)[2] - fall(t, s[0], s[1])

    def land(i, t, s):
        h, v, _ = floor(t)
        back = -e * (s[1] - v)
        if back > settle:
            return Next(flies, real([h, v + back]), "impact" if back > SEEN else "")
        state = real([h, v])
        if abs(push(t, state)) < Real("1e-12"):
            raise TruthError("it lands where the floor just lets go")
        return Next(rests if push(t, state) > 0 else flies, state, "impact" if e == 0 else "")

    def leave(i, t, s):
        h, v, _ = floor(t)
        return Next(flies, real([h, v]), "release")

    rests = Mode("rests", lambda t, s: [floor(t)[1], floor(t)[2]], lambda t, s: [push(t, s)], leave)
    flies = Mode("flies", lambda t, s: [s[1], fall(t, s[0], s[1])], lambda t, s: [s[0] - floor(t)[0]], land)

    def begin(t, y, v) -> Mode:
        h, w, _ = floor(Real(t))
        return flies if y > h or v > w or not push(Real(t), real([y, v])) > 0 else rests

    return begin


def shaken(amplitude, frequency, phase=0.0) -> Callable:
    """A floor at a sin(ωt + φ), from level at t = 0 where the phase is zero."""
    a, w, p = Real(repr(amplitude)), Real(repr(frequency)), Real(repr(phase))

    def floor(t):
        s, c = np.sin(w * t + p), np.cos(w * t + p)
        return a * s, a * w * c, -a * w * w * s

    return floor
