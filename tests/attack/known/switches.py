"""Known faults: guards that stay at zero, belts, rests that hide others, rows against contacts, jumps."""

from functools import partial

import numpy as np
from sympy import Abs, Heaviside, Piecewise, Rational, sign, sin, sqrt
from sympy.physics.mechanics import dynamicsymbols

from ..case import spread, stated
from ..classes.impacts import fallen, thrown_box
from ..classes.onesided import on_feet
from ..classes.switching import alike
from ..statement import Statement, coulomb, holonomic, onesided
from ..truth.bounce import ball
from ..truth.gbs import Real, real
from ..truth.made import closed, switched
from ..truth.rubbing import Blocks
from ..truth.zones import zones

x, y, theta = dynamicsymbols("x y theta")
X, Y = x.diff(), y.diff()
t = dynamicsymbols._t
PLANE = (X**2 + Y**2) / 2


def straight_up():
    """F = (−|x'|x', −10 − |y'|y' − 20y) from y' = 5: y(2) = −0.4467, not 2e65."""
    start = real([0, 5])
    times = spread(2.0)

    def rate(_, s, signs):
        return [s[1], -10 - signs[0] * s[1] ** 2 - 20 * s[0]]

    return stated(
        "thrown straight up",
        Statement((x, y), mass=[[1, 0], [0, 1]], forces=(-Abs(X) * X, -10 - Abs(Y) * Y - 20 * y)),
        [0, 0, 0, 5],
        times,
        lambda: switched(
            zones(rate, [lambda _, s: s[1]], start), start, times, lambda _, s: [0, s[0], 0, s[1]], told=False
        ),
    )


def driven():
    """F = (3 sin t − |x'|x', −|y'|y') from rest: x(5) = 2.790, not 1.744."""
    start = real([0, 0])
    times = spread(5.0)

    def rate(v, s, signs):
        return [s[1], 3 * np.sin(v) - signs[0] * s[1] ** 2]

    return stated(
        "driven beside an axis at rest",
        Statement((x, y), mass=[[1, 0], [0, 1]], forces=(3 * sin(t) - Abs(X) * X, -Abs(Y) * Y)),
        [0, 0, 0, 0],
        times,
        lambda: switched(
            zones(rate, [lambda _, s: s[1]], start), start, times, lambda _, s: [s[0], 0, s[1], 0], told=False
        ),
    )


def belt(top, bottom, steepness, speed=0.0):
    """A block on a belt whose friction falls with the sliding, the speed a fraction (Leine): it must not creep."""
    v, V = Rational(top, bottom), Real(top) / Real(bottom)
    slip = X - v
    blocks = Blocks(
        real([1]), real([V]), real([1]), lambda _, p, w: -p, lambda s: 1 / (1 + steepness * s), real([1])
    )  # fmt: skip
    start = real([0, repr(speed)])
    times = spread(12.0)
    return stated(
        f"a belt at {v}, steepness {steepness}, from {speed:g}",
        Statement(
            (x, y),
            PLANE - x**2 / 2 - y,
            rows=(holonomic(y, "belt", coulomb(1 / (1 + steepness * Abs(slip)), sliding=slip)),),
        ),
        [0, 0, speed, 0],
        times,
        lambda: switched(
            blocks.begin(0, start[:1], start[1:]), start, times, lambda _, s: [s[0], 0, s[1], 0], absolute=1e-3
        ),
    )


def beside_rest():
    """An elastic ball that lands half a microsecond before another comes to rest bounces on."""
    g = Real("9.81")
    _, _, rest = ball(1, 0, g, Real(1) / 2)
    high = float((rest - Real("5e-7")) ** 2 * g / 2)
    one, _, _ = ball(Real(high), 0, g, 1)
    two, _, _ = ball(1, 0, g, Real(1) / 2)
    q = dynamicsymbols("y1:3")
    times = spread(4.0)
    return stated(
        "an elastic ball beside one that comes to rest",
        Statement(
            tuple(q),
            sum(p.diff() ** 2 / 2 - 9.81 * p for p in q),
            rows=(onesided(q[0], 1, "elastic"), onesided(q[1], Rational(1, 2), "dull")),
        ),
        [high, 1, 0, 0],
        times,
        lambda: closed(lambda s: [one(s)[0], two(s)[0], one(s)[1], two(s)[1]], times, growth=100.0),
        tolerance=1e-9,
    )


def against_floor():
    """y = 1/2 − t is prescribed and y ≥ 0 stated: from t = 1/2 on the rows contradict each other."""
    times = spread(0.75)

    def form(v):
        return [Real(1) / 2 - v, -1] if v < 0.5 else [np.nan] * 2

    return stated(
        "a prescribed descent into a floor",
        Statement((y,), Y**2 / 2, rows=(holonomic(y - Rational(1, 2) + t, "descent"), onesided(y, 0, "floor"))),
        [0.5, -1],
        times,
        lambda: closed(form, times, end=0.5),
        ends=frozenset({"off the constraints", "paradox"}),
    )


JUMPS = frozenset({"ModelError", "paradox", "broken"})


def step():
    """L = x'²/2 − (3/4) H(x) from x = −1 at 2: afterwards 1.581."""
    after = np.sqrt(Real("2.5"))
    times = spread(2.0)

    def form(v):
        return [2 * v - 1, 2] if v < 0.5 else [after * (v - Real("0.5")), after]

    return stated(
        "a step of the potential",
        Statement((x,), X**2 / 2 - 3 * Heaviside(x) / 4),
        [-1, 2],
        times,
        lambda: closed(form, times),
        refusals=JUMPS,
    )


def mass_step():
    """A mass that doubles where x passes zero: the energy stays, as in the limit of ever steeper smooth masses."""
    after = 2 / np.sqrt(Real(2))
    times = spread(2.0)

    def form(v):
        return [2 * v - 1, 2] if v < 0.5 else [after * (v - Real("0.5")), after]

    return stated(
        "a mass that jumps",
        Statement((x,), (1 + Heaviside(x)) * X**2 / 2),
        [-1, 2],
        times,
        lambda: closed(form, times),
        refusals=JUMPS,
    )


def speed_in_lagrangian():
    """L = x'²/2 + |x'| − x²/2: the momentum x' + sign x' has a gap at rest, which p' = −x must cross.

    From x = 2 at rest and p = −1 it swings to −2 in a time π, rests there for one second, and swings back.
    """
    times = spread(7.0)
    pi = 4 * np.arctan(Real(1))

    def form(v):
        if v < pi:
            return [2 * np.cos(v), -2 * np.sin(v)]
        return [-2, 0] if v < pi + 1 else [-2 * np.cos(v - pi - 1), 2 * np.sin(v - pi - 1)]

    begin = Real("0.5")
    return stated(
        "|x'| in a Lagrangian",
        Statement((x,), X**2 / 2 + Abs(X) - x**2 / 2),
        form(begin),
        times,
        lambda: closed(lambda v: form(v + begin), times),
        refusals=JUMPS,
    )


def jumping_gap():
    """A contact y ≥ H(x): where x passes zero the floor is suddenly higher, and the body inside it: refused."""
    times = spread(1.0)

    def form(v):
        return [v - Real("0.5"), Real("0.5"), 1, 0] if v < 0.5 else [np.nan] * 4

    return stated(
        "a floor that jumps",
        Statement((x, y), PLANE, rows=(onesided(y - Heaviside(x), 0, "floor"),)),
        [-0.5, 0.5, 1, 0],
        times,
        lambda: closed(form, times, end=0.5),
        ends=JUMPS | {"off the constraints"},
    )


def root_of_speed():
    """−sign(v) √|v| from v = 1: x(4) = 2/3, at rest since t = 2."""
    times = spread(4.0)

    def form(v):
        r = max(1 - v / 2, Real(0))
        return [Real(2) / 3 * (1 - r**3), r * r]

    return stated(
        "the root of the speed",
        Statement((x,), mass=[[1]], forces=(-sign(X) * sqrt(Abs(X)),)),
        [0, 1],
        times,
        lambda: closed(form, times),
        tolerance=1e-8,
    )


def pulse(written):
    """A pulse 1e-8 wide at t = 1000 of unit impulse is not lost, however it is written."""
    begin, end = 1000.0, 1000.0 + 1e-8
    half = (end - begin) / 2
    force = (
        1e8
        * {
            "steps": Heaviside(t - begin) - Heaviside(t - end),
            "a product": Heaviside((t - begin) * (end - t)),
            "a square": Piecewise((1, (t - begin - half) ** 2 < half**2), (0, True)),
            "a modulus": (1 + sign(half - Abs(t - begin - half))) / 2,
        }[written]
    )
    size = Real(1e8) * (Real(end) - Real(begin))
    times = np.array([0.0, 500.0, 999.0, 1001.0, 1003.0])

    def form(v):
        return [0, 0] if v < 1000 else [size * (v - Real(begin)), size]

    return stated(
        f"a pulse 1e-8 wide by {written}",
        Statement((x,), mass=[[1]], forces=(force,)),
        [0, 0],
        times,
        lambda: closed(form, times),
        tolerance=1e-4,
    )


def coincident(one, other):
    """Two coincident floors: the larger restitution holds, whichever is stated first."""
    at, _, _ = ball(1, 0, "9.81", repr(max(one, other)))
    times = spread(3.0)
    return stated(
        f"coincident floors of {one:g} and {other:g}",
        Statement((y,), Y**2 / 2 - 9.81 * y, rows=(onesided(y, one, "first"), onesided(y, other, "second"))),
        [1, 0],
        times,
        lambda: closed(at, times, growth=100.0),
        tolerance=1e-10,
    )


FIVE = 0.5, [0.395, 0.434, 0.335, 0.392, 0.367], [1.54, 0.84, 1.28, 1.73, 0.88]  # e, gaps, masses
SEVEN = 0.5, [0.46, 0.381, 0.333, 0.225, 0.39, 0.081, 0.154], [1.45, 1.51, 1.92, 0.67, 1.82, 0.78, 1.23]
BOXES = (  # half sides, e, μ, mass, friction in impacts, start
    (0.61, 0.9, 0.4, 0.37, 0.6, True, [0.0, 1.477, 1.27, 0.18, 0.0, -1.09]),
    (0.46, 0.46, 0.2, 0.38, 1.02, True, [0.0, 1.121, 0.69, 1.99, 0.0, 0.62]),
)
TABLE = {
    "drag-per-axis-thrown": straight_up,
    "drag-per-axis-driven": driven,
    "pendula-in-unison": partial(alike, 1.2, 0.9, 0.0, "contact", 1, 5.0),
    "pendula-in-unison-soft": partial(alike, 1.2, 0.9, 0.3, "max", 1, 5.0),
    "beam-on-three-feet": partial(on_feet, [-1.5, 0.2, 1.5], 0.25, 8.0, 1.0, 0.7, theta, 1.5),
    "belt-fraction": partial(belt, 1, 5, 3),
    "belt-fraction-from-speed": partial(belt, 1, 5, 3, 0.7),
    "belt-third": partial(belt, 1, 3, 3),
    "belt-two-sevenths": partial(belt, 2, 7, 1),
    "belt-three-tenths": partial(belt, 3, 10, 2),
    "belt-from-below": partial(belt, 1, 2, 3, -0.5),
    "rest-beside-elastic": beside_rest,
    "column-of-5": partial(fallen, *FIVE),
    "column-of-7": partial(fallen, *SEVEN),
    "rough-box": partial(thrown_box, *BOXES[0]),
    "rough-box-again": partial(thrown_box, *BOXES[1]),
    "rough-box-actual": partial(thrown_box, *BOXES[0], "actual"),
    "rough-box-again-actual": partial(thrown_box, *BOXES[1], "actual"),
    "descent-into-floor": against_floor,
    "potential-step": step,
    "mass-step": mass_step,
    "speed-in-lagrangian": speed_in_lagrangian,
    "floor-that-jumps": jumping_gap,
    "root-of-speed": root_of_speed,
    "pulse-1e-8": partial(pulse, "steps"),
    "pulse-by-product": partial(pulse, "a product"),
    "pulse-by-square": partial(pulse, "a square"),
    "pulse-by-modulus": partial(pulse, "a modulus"),
    "coincident-low-first": partial(coincident, 0.2, 0.8),
    "coincident-high-first": partial(coincident, 0.8, 0.2),
}
