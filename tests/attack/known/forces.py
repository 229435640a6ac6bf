"""Known faults: forces that steps pass over, and |v| under a root through rest."""

from functools import partial

import mpmath as mp
import numpy as np
from sympy import cos, sin, sqrt
from sympy.physics.mechanics import dynamicsymbols

from ..case import Question, spread, stated
from ..classes.nonideal import ring, turning
from ..classes.smooth import from_quadrature, particle
from ..statement import Statement, holonomic, prescribed
from ..truth.gbs import Real, real
from ..truth.made import moved, switched

x, y, theta = dynamicsymbols("x y theta")
X, Y, W = x.diff(), y.diff(), theta.diff()
t = dynamicsymbols._t
G = Real("9.81")


def sine(power, tolerance=None):
    """x'' = sin(t)ⁿ from t = 0.001 to 20."""
    times = spread(20.0, t0=1e-3)
    breaks = [k * np.pi / 2 for k in range(13)]
    options = {} if tolerance is None else {"tolerance": tolerance}
    truth = from_quadrature(lambda v: mp.sin(v) ** power, times, breaks)
    return stated(f"sin(t)^{power}", particle(sin(t) ** power), [0, 0], times, truth, options=options)


def bump():
    """x'' = 1/(1 + (t − 5)⁴⁰) until 10."""
    times = spread(10.0)
    breaks = [3, 3.8, 3.95, 4.05, 4.2, 5, 5.8, 5.95, 6.05, 6.2, 7]
    truth = from_quadrature(lambda v: 1 / (1 + (v - 5) ** 40), times, breaks)
    return stated("1/(1 + (t-5)^40)", particle(1 / (1 + (t - 5) ** 40)), [0, 0], times, truth)


def zone():
    """x'' = −x'/(1 + (x − 5)⁸⁰) from x' = 3 until 10: 13.564."""
    times = spread(10.0)

    def rate(_, s):
        return [s[1], -s[1] / (1 + (s[0] - 5) ** 80)]

    return stated(
        "drag in a strip",
        particle(-X / (1 + (x - 5) ** 80)),
        [0, 3],
        times,
        lambda: moved(rate, [0, 3], times, longest=0.1),
    )


def high_power():
    """x'' = −x¹⁹ from x = 0.001, x' = 1, at 1e-9 until 5: 0.2092."""
    times = spread(5.0)
    return stated(
        "-x^19",
        particle(-(x**19)),
        [1e-3, 1],
        times,
        lambda: moved(lambda _, s: [s[1], -(s[0] ** 19)], [Real("1e-3"), 1], times, longest=0.02),
        options={"tolerance": 1e-9},
    )


def wall():
    """A potential 10/(1 + ((x − 5)/0.02)⁸) is not passed through at 3, at a tolerance of 1e-6."""
    times = spread(10.0)

    def rate(_, s):
        u = (s[0] - 5) / Real("0.02")
        return [s[1], 10 * 8 * u**7 / Real("0.02") / (1 + u**8) ** 2]

    return stated(
        "a thin wall",
        Statement((x,), X**2 / 2 - 10 / (1 + ((x - 5) / 0.02) ** 8)),
        [0, 3],
        times,
        lambda: moved(rate, [0, 3], times, longest=0.02),
        options={"tolerance": 1e-6},
    )


def swing(angle):
    """Quadratic drag on a ring, let go at rest: two runs give the same bits, and the truth.

    From (0.6, −0.8) five runs once ended at five places; x(6) = 0.2375001.
    """
    _, lift = ring(1.0)
    begin = real([angle, 0])

    def slows(_, a, w, sign, __):
        return -G * np.sin(a) - sign * Real("0.3") * w * w

    def ask(program):
        system = program.System.from_lagrangian(
            (X**2 + Y**2) / 2 - 9.81 * y,
            [x, y],
            constraints=[program.Holonomic(x**2 + y**2 - 1, nature=program.Quadratic(0.3))],
        )
        first = dict(zip((x, y), map(float, lift(0, begin)[:2]), strict=True))
        return [system.simulate(first, until=6.0).y[0, -1] for _ in range(2)]

    def wrong(found):
        made = switched(turning(slows, begin), begin, [0.0, 6.0], lift)
        right = float(made.states[-1, 0])
        off = max(abs(v - right) for v in found)
        faults = [f"x(6) is off by {off:.1e}"] if off > 1e-9 else []
        faults += ["a second run gives another answer"] if len(set(found)) > 1 else []
        return "; ".join(faults)

    return Question(f"quadratic drag from rest at {float(angle):.4g}", ask, wrong)


def root():
    """θ'' = −9.81 sin θ − 0.3 √(θ'²) θ'."""
    begin = real(["0.6", 0])
    times = spread(6.0)
    return stated(
        "a root of a square",
        Statement((theta,), W**2 / 2 + 9.81 * cos(theta), forces={theta: -0.3 * sqrt(W**2) * W}),
        begin,
        times,
        lambda: switched(turning(lambda _, a, w, s, __: -G * np.sin(a) - s * Real("0.3") * w * w, begin), begin, times),
    )


def magnitude():
    """C = −0.1 |Qᶜ_i| q̇ on a ring, through rest and through N = 0."""
    _, lift = ring(1.0)
    begin = real(["2.2", 0])
    times = spread(6.0)

    def pull(_, s):
        return s[1] ** 2 + G * np.cos(s[0])

    def slows(v, a, w, _, others):
        return -G * np.sin(a) - Real("0.1") * others[0] * pull(v, (a, w)) * w

    def force(program):
        return {x: -program.ideal_magnitude() * X / 10, y: -program.ideal_magnitude() * Y / 10}

    return stated(
        "drag that follows the reaction",
        Statement((x, y), (X**2 + Y**2) / 2 - 9.81 * y, rows=(holonomic(x**2 + y**2 - 1, "ring", prescribed(force)),)),
        lift(0, begin),
        times,
        lambda: switched(turning(slows, begin, pull), begin, times, lift),
    )


TABLE = {
    "sine-30": partial(sine, 30),
    "sine-30-at-1e-6": partial(sine, 30, 1e-6),
    "sine-100": partial(sine, 100),
    "sine-10-at-1e-6": partial(sine, 10, 1e-6),
    "bump-in-time": bump,
    "drag-zone": zone,
    "power-19": high_power,
    "thin-wall": wall,
    "quadratic-ring": partial(swing, np.arctan2(Real("0.6"), Real("0.8"))),
    **{f"quadratic-ring-{k}": partial(swing, Real(k) / 5) for k in (1, 3, 6, 8, 10, 13)},
    "root-of-square": root,
    "drag-after-reaction": magnitude,
}
