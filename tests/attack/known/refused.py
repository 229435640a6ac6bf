"""Known faults: refused or broken without reason, by pivots, by singular or light masses, by powers at zero."""

from functools import partial

import numpy as np
from sympy import Max, Piecewise, Rational, Symbol, cos, exp, sign, sin, sqrt
from sympy.physics.mechanics import dynamicsymbols

from ..case import Question, spread, stated
from ..classes import light, redundant
from ..draw import Draw
from ..statement import Statement, coulomb, holonomic, nonholonomic
from ..truth.curve import along_tangent
from ..truth.gbs import Real, real
from ..truth.made import closed, moved, switched
from ..truth.rubbing import Blocks
from ..truth.zones import zones

x, y, z, r, theta, u = dynamicsymbols("x y z r theta u")
X, Y, Z, R, W, U = (q.diff() for q in (x, y, z, r, theta, u))
t = dynamicsymbols._t
PLANE, SPACE = (X**2 + Y**2) / 2, (X**2 + Y**2 + Z**2) / 2


def twist():
    """ẏ = z ẋ from z = 1e4 down through zero: the row is as regular at the end as at the beginning."""
    start = real([0, 0, 10_000, Real(1) / 1000, -4000])
    times = spread(5.0)

    def rate(_, s):
        h, v, dh = s[2:]
        return [v, h * v, dh, -h * dh * v / (1 + h * h), Real(0)]

    def lift(_, s):
        return [s[0], s[1], s[2], s[3], s[2] * s[3], s[4]]

    return stated(
        "y' = z x' from z = 1e4",
        Statement((x, y, z), SPACE, rows=(nonholonomic(Y - z * X, "twist"),)),
        lift(0, start),
        times,
        lambda: moved(rate, start, times, lift, longest=0.05),
        tolerance=1e-8,
    )


def hyperbola():
    """xy = 1 from x = 3e4 towards the bend."""
    rate, lift = along_tangent(lambda p, q: (q, p), lambda *_: (Real(0), Real(0)))
    start = real([30_000, 1 / Real(30_000), 10_000])  # the tangent is (−x, y): towards the bend
    times = spread(5.0)
    return stated(
        "x y = 1 from x = 3e4",
        Statement((x, y), PLANE, rows=(holonomic(x * y - 1, "curve"),)),
        lift(0, start),
        times,
        lambda: moved(rate, start, times, lift, longest=0.05),
        tolerance=1e-8,
    )


def polar():
    """A straight line in polar coordinates from r = 1e7, past the origin at a distance of 1."""
    v = Real(5_000_000)

    def form(s):
        p = Real(10_000_000) - v * s
        d = np.sqrt(p * p + 1)
        return [d, np.arctan2(Real(1), p), -v * p / d, v / d**2]

    times = np.array([0.0, 0.7, 1.3, 1.9, 1.99])
    return stated(
        "polar coordinates from 1e7",
        Statement((r, theta), (R**2 + r**2 * W**2) / 2),
        form(Real(0)),
        times,
        lambda: closed(form, times),
        tolerance=1e-8,
        scales=np.array([1e7, 1.0, 5e6, 5.0]),
    )


def fading_row():
    """The row x/(1 + t⁴) holds x at zero for ever."""
    times = spread(50.0)
    return stated(
        "a row that fades",
        Statement((x, y), PLANE - 9.81 * y, rows=(holonomic(x / (1 + t**4), "wall"),)),
        [0, 0, 0, 1],
        times,
        lambda: closed(lambda v: [0, v - Real("9.81") * v * v / 2, 0, 1 - Real("9.81") * v], times),
    )


def fading_mass():
    """A mass exp(−3t) under a unit force until 12."""
    times = spread(12.0)
    scales = np.array([[float(np.exp(3 * s))] * 2 for s in times])
    return stated(
        "a mass that fades",
        Statement((x,), mass=[[exp(-3 * t)]], forces=(1,)),
        [0, 0],
        times,
        lambda: closed(lambda v: [np.expm1(3 * v) / 9 - v / 3, np.expm1(3 * v) / 3], times),
        scales=scales,
    )


def growing_circle():
    """1/√(x² + y²) = 1/(1 + t) until 1000, where √(x² + y²) = 1 + t goes on."""
    times = spread(1000.0)

    def form(v):
        d = 1 + v
        p, w = v / d, 1 / d**2
        return [d * np.cos(p), d * np.sin(p), np.cos(p) - d * w * np.sin(p), np.sin(p) + d * w * np.cos(p)]

    return stated(
        "a circle by its inverse radius",
        Statement((x, y), PLANE, rows=(holonomic(1 / sqrt(x**2 + y**2) - 1 / (1 + t), "circle"),)),
        form(Real(0)),
        times,
        lambda: closed(form, times, growth=1000.0),
    )


def turns():
    """Rows cos(t) x and sin(t) x take turns to hold x."""
    times = spread(20.0)
    return stated(
        "rows that take turns",
        Statement((x, y), PLANE - 9.81 * y, rows=(holonomic(cos(t) * x), holonomic(sin(t) * x))),
        [0, 0, 0, 1],
        times,
        lambda: closed(lambda v: [0, v - Real("9.81") * v * v / 2, 0, 1 - Real("9.81") * v], times),
    )


def rank_one(k):
    """L = (x' + k y')²/2 − x²/2 with y = x/2, k a parameter."""
    symbol = Symbol("k", real=True)
    w = 1 / (1 + Real(repr(k)) / 2)
    times = spread(8.0)

    def form(v):
        p, d = np.cos(w * v), -w * np.sin(w * v)
        return [p, p / 2, d, d / 2]

    return stated(
        f"rank one, k = {k:g}",
        Statement(
            (x, y),
            (X + symbol * Y) ** 2 / 2 - x**2 / 2,
            rows=(holonomic(y - x / 2, "tie"),),
            parameters={symbol: k},
        ),
        [1, 0.5, 0, 0],
        times,
        lambda: closed(form, times, growth=100.0),
    )


def milligram(m, load):
    """A light mass halfway between two of 1 kg, pulled by a force of its own."""
    both = np.sqrt(1 / (1 + Real(repr(m)) / 2))
    F = Real(repr(load))
    times = spread(8.0)

    def form(v):
        s, ds = F + (1 - F) * np.cos(both * v), -(1 - F) * both * np.sin(both * v)
        d, dd = np.cos(v), -np.sin(v)
        return [(s + d) / 2, (s - d) / 2, s / 2, (ds + dd) / 2, (ds - dd) / 2, ds / 2]

    return stated(
        f"a mass {m:g} beside 1",
        Statement(
            (x, y, u),
            (X**2 + Y**2 + m * U**2) / 2 - (x**2 + y**2) / 2,
            forces={u: load} if load else {},
            rows=(holonomic(u - (x + y) / 2, "middle"),),
        ),
        [1, 0, 0.5, 0, 0, 0],
        times,
        lambda: closed(form, times, growth=100.0),
    )


def product(m, size):
    """A massless z = xy beside large masses, or a small or large row."""
    one, two = np.sqrt(Real(3) / 2), np.sqrt(Real(1) / 2)
    times = spread(6.0)

    def form(v):
        s, ds = np.cos(one * v), -one * np.sin(one * v)
        d, dd = np.cos(two * v) / 2, -two * np.sin(two * v) / 2
        p, q, dp, dq = (s + d) / 2, (s - d) / 2, (ds + dd) / 2, (ds - dd) / 2
        return [p, q, p * q, dp, dq, dp * q + p * dq]

    return stated(
        f"massless z = xy, mass {m:g}, row {size:g}",
        Statement(
            (x, y, z),
            m * (PLANE - (x**2 + y**2) / 2 - z / 2),
            rows=(holonomic(size * (z - x * y), "product"),),
        ),
        form(Real(0)),
        times,
        lambda: closed(form, times, growth=100.0),
    )


def indefinite():
    """L = x'y' − xy: two oscillators, or a refusal in words."""
    times = spread(5.0)
    return stated(
        "an indefinite mass matrix",
        Statement((x, y), X * Y - x * y),
        [1, 0.5, 0, 0],
        times,
        lambda: closed(lambda v: [np.cos(v), np.cos(v) / 2, -np.sin(v), -np.sin(v) / 2], times, growth=100.0),
        refusals=frozenset({"ModelError", "MassError", "singular"}),
    )


def zero_parameter(which):
    """A ring of radius zero, or a bead without mass, is refused in words."""
    radius, mass = Symbol("R", positive=True), Symbol("m", positive=True)

    def ask(program):
        system = program.System.from_lagrangian(
            mass * (X**2 + Y**2) / 2 - 9.81 * mass * y,
            [x, y],
            constraints=[program.Holonomic(x**2 + y**2 - radius**2, nature=program.Coulomb(0.2))],
            parameters={radius: 1.0, mass: 1.0},
        )
        symbol = radius if which == "R" else mass
        begin = {x: 0.0} if which == "R" else {x: 1.0}
        return system.simulate(begin, until=1.0, parameters={symbol: 0.0})

    def wrong(motion):
        return f"moved: {motion.status}"

    true = frozenset({"ModelError", "MassError", "singular", "paradox", "broken"})
    return Question(f"{which} = 0", ask, wrong, true)


def rubbed(label, force, load, speed=0.0, mu="0.1", until=2.0, place=0.0, **more):
    """A block with dry friction under a force on a line."""
    M = Real(mu)
    blocks = Blocks(real([1]), real([0]), real(["9.81"]), load, lambda s: M + 0 * s, real([M]))
    start = real([repr(place), repr(speed)])
    times = spread(until)
    return stated(
        label,
        Statement(
            (x, y),
            PLANE - 9.81 * y,
            forces={x: force},
            rows=(holonomic(y, "floor", coulomb(float(mu))),),
        ),
        [place, 0, speed, 0],
        times,
        lambda: switched(
            blocks.begin(0, start[:1], start[1:]), start, times, lambda _, s: [s[0], 0, s[1], 0], absolute=1e-3,
            told=False, longest=0.05,
        ),
        tolerance=1e-8,
        **more,
    )  # fmt: skip


def stop(label, written, power):
    """A mass that runs into a stop with a force as a power of the depth, beyond 0.5."""
    start = real([0, 2])
    P = Real(power[0]) / Real(power[1])
    times = spread(3.0)

    def rate(_, s, signs):
        return [s[1], -50 * max(s[0] - Real("0.5"), Real(0)) ** P if signs[0] > 0 else Real(0)]

    return stated(
        label,
        Statement((x,), mass=[[1]], forces=(-50 * written,)),
        [0, 2],
        times,
        lambda: switched(zones(rate, [lambda _, s: s[0] - Real("0.5")], start), start, times, told=False, longest=0.05),
        tolerance=1e-8,
    )


def power_parameter():
    """V = x^p with a parameter p = 2: an oscillator, also where x is negative."""
    p, w = Symbol("p", positive=True), np.sqrt(Real(2))
    times = spread(5.0)
    return stated(
        "a power that is a parameter",
        Statement((x,), X**2 / 2 - x**p, parameters={p: 2.0}),
        [1, 0],
        times,
        lambda: closed(lambda v: [np.cos(w * v), -w * np.sin(w * v)], times),
    )


def fifth_power():
    """x'' = −x (x²)^(3/5) from x = 0: a point with an acceleration and no series."""
    times = spread(3.0)
    start = real([0, 1])

    def rate(_, s, signs):
        return [s[1], -signs[0] * abs(s[0]) ** Real("2.2")]

    return stated(
        "(x²)^(3/5) at zero",
        Statement((x,), mass=[[1]], forces=(-x * (x**2) ** Rational(3, 5),)),
        [0, 1],
        times,
        lambda: switched(zones(rate, [lambda _, s: s[0]], start), start, times, told=False, longest=0.05),
        tolerance=1e-8,
    )


def late_power():
    """x'' = t¹⁵ at 1e-9 from t = 0."""
    times = spread(1.5)
    return stated(
        "t^15 at 1e-9",
        Statement((x,), mass=[[1]], forces=(t**15,)),
        [0, 0],
        times,
        lambda: closed(lambda v: [v**17 / 272, v**16 / 16], times),
        options={"tolerance": 1e-9},
    )


def parallel(e):
    """Rows that are nearly parallel: λ as large as 1/ε, and no more digits lost than the rows lose."""
    return redundant.hardly_crossing(Draw("found", 0), e, 0.5, 1.0, 1.0, False, (1.0, 0.3), 4.0)


TURNS = (  # Euler parameters (brought to length one), angular velocities, how long
    ((1.0, 0.0, 0.0, 0.0), (0.3, 2.0, 0.1), 5.0),
    ((0.5, -0.3, 0.7, 0.2), (1.0, -2.0, 0.5), 5.0),
    ((0.1, 0.9, -0.2, 0.4), (-2.5, 0.4, 1.5), 4.0),
    ((-0.6, 0.1, 0.1, 0.8), (0.7, 1.1, -2.2), 3.0),
)
DEPTH = x - Rational(1, 2)
TABLE = {
    "twist-from-1e4": twist,
    "hyperbola-from-3e4": hyperbola,
    "polar-from-1e7": polar,
    "row-fades": fading_row,
    "mass-fades": fading_mass,
    "circle-by-inverse": growing_circle,
    "rows-take-turns": turns,
    "platform-full-turns": partial(
        redundant.plate, [(0.0, 0.0), (2.0, 0.0), (0.5, 1.5)], 0.6, 1.1, 1.0, [0.4, 0.7, 0.9], (1.0, 4.0), 4.0
    ),
    **{f"quaternion-{k + 1}": partial(light.body, [1.0, 2.0, 3.0], 0.0, *start) for k, start in enumerate(TURNS)},
    "quaternion-heavy": partial(light.body, [1.0, 2.0, 3.0], 1.5, *TURNS[0]),
    **{f"rank-one-{k:.3g}": partial(rank_one, k) for k in (0.1, 0.3, 0.7, 1.2, 1 / 3, 2.4)},
    "ray-of-light": partial(light.bent_ray, 0.5, 0.1, 0.6, 0.2, 2.0),
    "milligram": partial(milligram, 1e-6, 0.7),
    "nanogram": partial(milligram, 1e-12, 0.7),
    "nanogram-without-load": partial(milligram, 1e-12, 0.0),
    "massless-beside-1e8": partial(product, 1e8, 1.0),
    "massless-row-1e-4": partial(product, 1.0, 1e-4),
    "massless-row-1e8": partial(product, 1.0, 1e8),
    **{f"rows-apart-{e:g}": partial(parallel, e) for e in (1e-3, 1e-4, 1e-6)},
    "indefinite-mass": indefinite,
    "radius-zero": partial(zero_parameter, "R"),
    "mass-zero": partial(zero_parameter, "m"),
    "friction-t-cubed": partial(rubbed, "t³ beside friction", t**3, lambda v, p, w: v**3 + 0 * p),
    "friction-x-cubed": partial(rubbed, "−x³ beside friction", -(x**3), lambda v, p, w: -(p**3), 2.0),
    "friction-fifth-power": partial(
        rubbed,
        "|x|^(6/5) beside friction",
        -sign(x) * (x**2) ** Rational(3, 5),
        lambda v, p, w: -np.sign(p) * abs(p) ** (Real(6) / 5),
        2.0,
    ),
    "friction-v-cubed": partial(rubbed, "−v³ beside friction", -(X**3), lambda v, p, w: -(w**3), 2.0),
    "stop-cubed": partial(stop, "max(0, d)³", Max(0, DEPTH) ** 3, (3, 1)),
    "stop-piecewise-cubed": partial(stop, "piecewise d³", Piecewise((DEPTH**3, DEPTH > 0), (0, True)), (3, 1)),
    "stop-hertz": partial(stop, "Hertz d^1.5", Max(0, DEPTH) ** Rational(3, 2), (3, 2)),
    "stop-root": partial(stop, "√max", sqrt(Max(0, DEPTH)), (1, 2)),
    "power-parameter": power_parameter,
    "fifth-power-at-zero": fifth_power,
    "t-15-at-1e-9": late_power,
}
