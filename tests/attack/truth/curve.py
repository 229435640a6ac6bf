"""A particle on a plane curve, without multipliers: by a parameter of the curve, or along its tangent."""

from collections.abc import Callable

import numpy as np

from .gbs import Real, real


def by_parameter(curve: Callable, force: Callable):
    """The rate and the lift of a unit mass at r(s): s'' = (F·r' − r'·r'' s'²)/r'².

    `curve(s)` gives r, dr/ds and d²r/ds², each of two numbers; `force(t, r, v)` the force. The state is (s, s').
    """

    def rate(t, state):
        s, u = state
        r, d, dd = map(real, curve(s))
        f = real(force(t, r, d * u))
        return [u, (f @ d - d @ dd * u * u) / (d @ d)]

    def lift(_, state):
        s, u = state
        r, d, _ = map(real, curve(s))
        return [*r, *(d * u)]

    return rate, lift


def along_tangent(gradient: Callable, force: Callable):
    """The rate and the lift of a unit mass on f(x, y) = 0: r' = v T, v' = F·T, with T at right angles to ∇f.

    `gradient(x, y)` gives ∇f. The state is (x, y, v), v along (−∂f/∂y, ∂f/∂x).
    """

    def tangent(x, y):
        a, b = gradient(x, y)
        size = np.sqrt(a * a + b * b)
        return -b / size, a / size

    def rate(t, state):
        x, y, v = state
        tx, ty = tangent(x, y)
        fx, fy = force(t, (x, y), (v * tx, v * ty))
        return [v * tx, v * ty, fx * tx + fy * ty]

    def lift(_, state):
        x, y, v = state
        tx, ty = tangent(x, y)
        return [x, y, v * tx, v * ty]

    return rate, lift


def onto(f: Callable, gradient: Callable, x, y):
    """The point of f = 0 reached from (x, y) by Newton's method along the gradient, in long double."""
    x, y = Real(x), Real(y)
    for _ in range(60):
        a, b = gradient(x, y)
        d = f(x, y) / (a * a + b * b)
        x, y = x - a * d, y - b * d
    return x, y
