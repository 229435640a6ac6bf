"""Places where the rank of the constraints drops or M is singular: stopped at, passed smoothly, missed narrowly.

With singular="stop" a motion that reaches such a place ends there and says so; with "pass" it goes on along the smooth
branch. One that passes by at a small distance must be right all the way.
"""

import numpy as np
from sympy import Symbol, cos, exp, lambdify, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

from ..case import Case, Truth, spread
from ..draw import Draw, pick
from ..statement import Statement, holonomic, nonholonomic
from ..truth.curve import along_tangent, by_parameter, onto
from ..truth.gbs import Real, real
from ..truth.hybrid import Mode, Next
from ..truth.made import closed, moved, switched

a, b, x, y, u, v = dynamicsymbols("a b x y u v")
A, B, X, Y, U, V = (q.diff() for q in (a, b, x, y, u, v))
t = dynamicsymbols._t
SINGULAR = frozenset({"singular"})


def course(how: str, label, statement, times, rate, begin, lift, zero=None, longest=0.1) -> Case:
    """A motion that ends where `zero(state)` changes its sign, or passes there along the smooth branch.

    Without `zero` there is no such place and the motion goes all the way.
    """
    begin = real(begin)
    ends = zero is not None and how == "stop"
    sense = 1 if zero is None or zero(begin) > 0 else -1

    def truth():
        if not ends:
            return moved(rate, begin, times, lift, longest=longest)
        mode = Mode("whole", rate, lambda _, s: [sense * zero(s)], lambda i, _, s: Next(None, s))
        return switched(mode, begin, times, lift, longest=longest)

    keys = [*statement.coordinates, *(q.diff() for q in statement.coordinates)]
    first = [float(value) for value in lift(Real(0), begin)]
    return Case(
        f"{label}, {'missed' if zero is None else how}",
        statement,
        dict(zip(keys, first, strict=True)),
        times,
        truth,
        {"singular": how},
        ends=SINGULAR,
        slack=1e-4,
        tolerance=1e-8,
    )


def how_of(draw: Draw) -> str:
    """What is asked for at singular places."""
    return draw.choice("stop", "pass")


def crank(r2, inertia, torque, load=0.0):
    """A crank of length 1 and a rod of length r2 to a slider on the axis: the rate of (angle, spin), and the geometry.

    `inertia(s, p, d, dd)` gives the reduced mass and half its derivative by the crank's angle s; p is the angle of the
    rod, d and dd its derivatives by s.
    """
    k = 1 / Real(r2)

    def rod(s):
        if k == 1:
            return s, Real(1), Real(0)
        height = k * np.sin(s)
        root = np.sqrt((1 - height) * (1 + height))
        d = k * np.cos(s) / root
        return np.arcsin(height), d, (height * d * d - height) / root

    def rate(_, state):
        s, w = state
        p, d, dd = rod(s)
        mass, half = inertia(s, p, d, dd)
        return [w, (torque - load * np.cos(s) - half * w * w) / mass]

    return rate, rod


def slider_crank(draw: Draw) -> Case:
    """Crank and rod of equal length fold where the slider reaches the axle; of nearly equal length they almost do."""
    gap = draw.choice(0.0, draw.power(1e-5, 1e-2))
    r2 = 1 + Real(repr(gap))
    j1, j2, m = (draw.decimal(0.5, 2) for _ in range(3))
    torque = draw.choice(0.0, draw.decimal(-0.3, 0.5))
    long = 1 + draw.state("e", gap)

    def reach(s, p, d, dd):
        return -np.sin(s) - r2 * np.sin(p) * d, -np.cos(s) - r2 * (np.cos(p) * d * d + np.sin(p) * dd)

    def inertia(s, p, d, dd):
        dx, ddx = reach(s, p, d, dd)
        return j1 + j2 * d * d + m * dx * dx, j2 * d * dd + m * dx * ddx

    rate, rod = crank(r2, inertia, torque)

    def lift(_, state):
        s, w = state
        p, d, dd = rod(s)
        return [s, p, np.cos(s) + r2 * np.cos(p), w, d * w, reach(s, p, d, dd)[0] * w]

    statement = Statement(
        (a, b, x),
        (j1 * A**2 + j2 * B**2 + m * X**2) / 2,
        forces={a: torque} if torque else {},
        rows=(holonomic(sin(a) - long * sin(b), "height"), holonomic(cos(a) + long * cos(b) - x, "reach")),
        parameters=draw.parameters,
    )
    begin = [Real(repr(draw.decimal(0.3, 1.2))), Real(repr(draw.decimal(0.5, 2)))]
    times = spread(draw.decimal(1.5, 3))
    zero = None if gap else lambda s: np.cos(s[0])
    return course(how_of(draw), f"slider-crank, lengths differ by {gap:g}", statement, times, rate, begin, lift, zero)


def folded_arm(draw: Draw) -> Case:
    """Two links in Cartesian coordinates, equal or not quite."""
    gap = draw.choice(0.0, draw.power(1e-5, 1e-2))
    m1, m2, g = draw.decimal(0.5, 2), draw.decimal(0.5, 2), draw.choice(0.0, draw.decimal(0.1, 0.5))
    begin = draw.decimal(0.3, 1.2), draw.decimal(0.8, 2)
    return two_links(how_of(draw), gap, m1, m2, g, begin, draw.decimal(1.0, 3))


def two_links(how, gap, m1, m2, g, begin, until) -> Case:
    """The tip is on a line through the pivot: equal links fold where it meets the pivot."""
    r2 = 1 + Real(repr(gap))

    def tip(s, p, d, dd):
        return -np.sin(s) - r2 * np.sin(p) * d, -np.cos(s) - r2 * (np.cos(p) * d * d + np.sin(p) * dd)

    def inertia(s, p, d, dd):
        dx, ddx = tip(s, p, d, dd)
        return m1 + m2 * dx * dx, m2 * dx * ddx

    rate, rod = crank(r2, inertia, 0.0, load=m1 * g)

    def lift(_, state):
        s, w = state
        p, d, dd = rod(s)
        place = [np.cos(s), np.sin(s), np.cos(s) + r2 * np.cos(p)]
        return [*place, -np.sin(s) * w, np.cos(s) * w, tip(s, p, d, dd)[0] * w]

    statement = Statement(
        (x, y, u),
        (m1 * (X**2 + Y**2) + m2 * U**2) / 2 - m1 * g * y,
        rows=(holonomic(x**2 + y**2 - 1, "upper"), holonomic((u - x) ** 2 + y**2 - (1 + gap) ** 2, "fore")),
    )
    begin = [Real(repr(v)) for v in begin]
    times = spread(until)
    zero = None if gap else lambda s: np.cos(s[0])
    return course(how, f"folded arm, lengths differ by {gap:g}", statement, times, rate, begin, lift, zero)


def parallelogram(draw: Draw) -> Case:
    """Two equal cranks and a coupler as long as the ground, or a little longer, come to lie in one line.

    The two angles, each times the root of its inertia, are the coordinates of a unit mass on a plane curve.
    """
    gap = draw.choice(0.0, draw.power(1e-4, 3e-2))
    d, r, j1, j2 = draw.decimal(1.5, 3), draw.decimal(0.5, 1), draw.decimal(0.5, 2), draw.decimal(0.5, 2)
    load, spin = draw.choice(0.0, draw.decimal(0.1, 0.4)), draw.decimal(0.6, 2) * draw.sign()
    row = (d + r * cos(b) - r * cos(a)) ** 2 + (r * sin(b) - r * sin(a)) ** 2 - (d + gap) ** 2
    statement = Statement(
        (a, b), (j1 * A**2 + j2 * B**2) / 2 - load * r * sin(a), rows=(holonomic(row, "coupler"),)
    )  # fmt: skip
    times, angle = spread(draw.decimal(2, 5)), draw.decimal(0.5, 2.5)
    if not gap:

        def rate(_, s):
            return [s[1], -load * r * np.cos(s[0]) / Real(j1 + j2)]

        def lift(_, s):
            return [s[0], s[0], s[1], s[1]]

        begin = [Real(repr(angle)), Real(repr(spin))]
        return course(how_of(draw), "parallelogram", statement, times, rate, begin, lift, lambda s: np.sin(s[0]))
    D, R, G = Real(repr(d)), Real(repr(r)), Real(repr(gap))
    k1, k2 = np.sqrt(Real(repr(j1))), np.sqrt(Real(repr(j2)))

    def f(p, q):
        p, q = p / k1, q / k2
        return (D + R * np.cos(q) - R * np.cos(p)) ** 2 + (R * np.sin(q) - R * np.sin(p)) ** 2 - (D + G) ** 2

    def gradient(p, q):
        p, q = p / k1, q / k2
        c, s = D + R * np.cos(q) - R * np.cos(p), R * np.sin(q) - R * np.sin(p)
        return 2 * R * (c * np.sin(p) - s * np.cos(p)) / k1, 2 * R * (s * np.cos(q) - c * np.sin(q)) / k2

    rate, tangent = along_tangent(gradient, lambda _, p, w: (-load * R * np.cos(p[0] / k1) / k1, Real(0)))

    def raised(v_, s):
        p, q, dp, dq = tangent(v_, s)
        return [p / k1, q / k2, dp / k1, dq / k2]

    begin = [*onto(f, gradient, angle * k1, angle * k2), Real(repr(spin)) * np.sqrt(k1**2 + k2**2)]
    return course(how_of(draw), f"coupler longer by {gap:g}", statement, times, rate, begin, raised)


def rhombus(draw: Draw) -> Case:
    """Four equal bars, pinned at one corner, moved alike on both sides."""
    m, far, k = draw.decimal(0.5, 2), draw.decimal(0.5, 2), draw.choice(0.0, draw.decimal(0.2, 1))
    begin = draw.decimal(0.4, 1.2), draw.decimal(0.8, 2)
    return four_bars(how_of(draw), m, far, k, begin, draw.decimal(1, 2.5))


def four_bars(how, m, far, k, begin, until) -> Case:
    """They fold where the far corner meets the pin."""
    p, q, r = dynamicsymbols("p1:3"), dynamicsymbols("q1:3"), dynamicsymbols("r1:3")

    def square(w):
        return sum(e.diff() ** 2 for e in w)

    def apart(one, other):
        return sum((e - h) ** 2 for e, h in zip(one, other, strict=True)) - 1

    statement = Statement(
        (*p, *q, *r),
        (m * square(p) + far * square(q) + m * square(r)) / 2 - k * q[0] ** 2 / 2,
        rows=tuple(holonomic(e) for e in (apart(p, (0, 0)), apart(q, p), apart(r, q), apart(r, (0, 0)))),
    )

    def rate(_, s):
        angle, w = s
        sn, cs = np.sin(angle), np.cos(angle)
        mass, half = 2 * m + 4 * far * sn * sn, 4 * far * sn * cs
        return [w, (4 * k * cs * sn - half * w * w) / mass]

    def lift(_, s):
        angle, w = s
        sn, cs = np.sin(angle), np.cos(angle)
        return [cs, sn, 2 * cs, 0, cs, -sn, -sn * w, cs * w, -2 * sn * w, 0, -sn * w, -cs * w]

    begin = [Real(repr(v)) for v in begin]
    times = spread(until)
    return course(how, "rhombus", statement, times, rate, begin, lift, lambda s: np.cos(s[0]))


def lemniscate_at(s):
    """The point of the lemniscate at a parameter."""
    return cos(s) / (1 + sin(s) ** 2), sin(s) * cos(s) / (1 + sin(s) ** 2)


CURVES = {  # f, a parametrisation, and what vanishes at the parameters of the node
    "lemniscate": ((x**2 + y**2) ** 2 - x**2 + y**2, lemniscate_at, cos),
    "figure of eight": (x**4 - x**2 + y**2, lambda s: (cos(s), sin(s) * cos(s)), cos),
    "nodal cubic": (y**2 - x**2 * (x + 1), lambda s: (s**2 - 1, s * (s**2 - 1)), lambda s: s**2 - 1),
    "two lines": ((y - x) * (y + 2 * x), lambda s: (s, s), lambda s: s),
    "two circles": (
        ((x - 1) ** 2 + y**2 - 1) * ((x + 1) ** 2 + y**2 - 4),
        lambda s: (1 + cos(s), sin(s)),
        lambda s: (2 + cos(s)) ** 2 + sin(s) ** 2 - 4,
    ),
}


def node(draw: Draw) -> Case:
    """A particle on a curve that crosses itself: it stops there, or goes straight on."""
    name = draw.choice(*CURVES)
    f, along, at = CURVES[name]
    s = Symbol("s", real=True)
    where = along(s)
    shape = [lambdify(s, e, "numpy") for e in (*where, *(w.diff(s) for w in where), *(w.diff(s, 2) for w in where))]
    zero = lambdify(s, at(s), "numpy")
    gx, gy, k = draw.choice((0.0, 0.0, 0.0), (0.0, -0.3, 0.0), (0.1, 0.0, 0.2))

    def curve(value):
        p = [Real(1) * e(value) for e in shape]
        return p[:2], p[2:4], p[4:]

    rate, lift = by_parameter(curve, lambda _, r, w: (gx - k * r[0], gy - k * r[1]))
    begin = {"nodal cubic": (1.3, -1.0), "two lines": (-1.0, 1.0)}.get(name, (0.2, 1.0))
    start = [Real(repr(begin[0])), begin[1] * Real(repr(draw.decimal(0.5, 1.5)))]
    statement = Statement(
        (x, y), (X**2 + Y**2) / 2 - k * (x**2 + y**2) / 2 + gx * x + gy * y, rows=(holonomic(f, "curve"),)
    )
    times = spread(draw.decimal(2.0, 4.5))
    return course(
        how_of(draw), name, statement, times, rate, start, lift, lambda state: Real(zero(state[0])), longest=0.05
    )


def near_node(draw: Draw) -> Case:
    """The same curves with f = ε: they turn away from the crossing, sharply."""
    name, off = draw.choice(*CURVES), draw.power(1e-5, 1e-2) * draw.sign()
    f = CURVES[name][0]
    p, q = symbols("p q", real=True)
    plane = f.subs({x: p, y: q}) - off
    value, slopes = lambdify((p, q), plane, "numpy"), [lambdify((p, q), plane.diff(w), "numpy") for w in (p, q)]
    gx, gy = draw.choice((0.0, 0.0), (0.0, -0.2))

    def gradient(one, other):
        return Real(1) * slopes[0](one, other), Real(1) * slopes[1](one, other)

    rate, lift = along_tangent(gradient, lambda *_: (Real(repr(gx)), Real(repr(gy))))
    begin = {"nodal cubic": (0.8, 1.1), "two lines": (-1.0, -1.0), "two circles": (1.9, 0.5)}.get(name, (0.95, 0.2))
    start = [*onto(value, gradient, *begin), draw.sign() * Real(repr(draw.decimal(0.5, 1.5)))]
    statement = Statement((x, y), (X**2 + Y**2) / 2 + gx * x + gy * y, rows=(holonomic(f - off, "curve"),))
    return course(
        how_of(draw),
        f"{name} missed by {off:g}",
        statement,
        spread(draw.decimal(2.0, 4.5)),
        rate,
        start,
        lift,
        longest=0.05,
    )


def axes(draw: Draw) -> Case:
    """xy = 0 along one axis to the origin, with a force along it; xy = ε turns around the corner."""
    speed, far, push = draw.decimal(0.3, 1), draw.decimal(0.5, 2), draw.choice(0.0, draw.decimal(-0.1, 0.3))
    statement = Statement((x, y), (X**2 + Y**2) / 2 + push * x, rows=(holonomic(x * y, "axes"),))
    P = Real(repr(push))
    times = spread(draw.decimal(3, 9))

    def lift(_, s):
        return [s[0], Real(0), s[1], Real(0)]

    return course(
        how_of(draw),
        "x y = 0",
        statement,
        times,
        lambda _, s: [s[1], P],
        [-Real(repr(far)), Real(repr(speed))],
        lift,
        lambda s: s[0],
    )


def cusp(draw: Draw) -> Case:
    """x² = y³, reached from one side: no smooth branch goes on, whatever is asked."""
    speed = -draw.decimal(0.5, 1.5)
    _, lift = by_parameter(lambda s: ((s**3, s**2), (3 * s**2, 2 * s), (6 * s, Real(2))), lambda *_: (Real(0), Real(0)))
    statement = Statement((x, y), (X**2 + Y**2) / 2, rows=(holonomic(x**2 - y**3, "cusp"),))
    # by arc length the cusp is reached at a time; by the parameter the speed grows there as 1/s
    far = Real(repr(draw.decimal(0.6, 1.2)))
    w = Real(repr(speed)) / np.sqrt(9 * far**4 + 4 * far**2)
    end = float(((4 + 9 * far**2) ** Real(1.5) - 8) / 27 / -Real(repr(speed)))
    times = spread(end * draw.decimal(1.2, 2))

    def form(time):
        if float(time) >= end:
            return [np.nan] * 4
        arc = Real(end) - time
        s = np.sqrt(((8 + 27 * arc * -Real(repr(speed))) ** (Real(2) / 3) - 4) / 9)
        d = Real(repr(speed)) / np.sqrt(9 * s**4 + 4 * s**2)
        return [s**3, s**2, 3 * s * s * d, 2 * s * d]

    first = [float(e) for e in lift(0, real([far, w]))]
    return Case(
        "a cusp",
        statement,
        dict(zip((x, y, X, Y), first, strict=True)),
        times,
        lambda: closed(form, times, end=end),
        {"singular": draw.choice("stop", "pass")},
        ends=SINGULAR | {"broken", "off the constraints"},
        slack=1e-4,
        tolerance=1e-8,
    )


def pole(draw: Draw) -> Case:
    """A great circle in longitude and latitude: through the pole, where M is singular, or close past it."""
    off = draw.choice(0.0, draw.power(1e-4, 1e-1))
    speed, begin = draw.decimal(0.5, 2), draw.decimal(0.2, 1)
    w, tilt, p = Real(repr(speed)), Real(repr(off)), Real(repr(begin))
    times = spread(draw.decimal(1.5, 2.5) / speed)
    statement = Statement((a, b), (A**2 + cos(a) ** 2 * B**2) / 2)
    end = float((Real(np.pi) / 2 - p) / w)
    how = draw.choice("stop", "pass")

    def form(time):
        s = p + w * time
        if not off:
            return [s, 0, w, 0] if how == "pass" or float(time) < end else [np.nan] * 4
        height, c = np.cos(tilt) * np.sin(s), np.cos(s)
        side = np.sin(tilt) * np.sin(s)
        flat = c * c + side * side
        rate = np.cos(tilt) * np.cos(s) * w / np.sqrt(flat)
        longitude = np.arctan2(side, c) + 2 * np.arctan2(Real(0), Real(-1)) * (s > np.pi)  # it only grows
        return [np.arctan2(height, np.sqrt(flat)), longitude, rate, np.sin(tilt) * w / flat]

    first = [float(e) for e in form(Real(0))]

    def truth() -> Truth:
        whole = closed(form, times, growth=1 / off if off else 1.0)
        return whole if off or how == "pass" or end >= times[-1] else Truth(whole.states, 1e-15, end=end)

    return Case(
        f"the pole {f'missed by {off:g}' if off else how}",
        statement,
        dict(zip((a, b, A, B), first, strict=True)),
        times,
        truth,
        {"singular": how},
        ends=SINGULAR,
        slack=1e-4,
        tolerance=1e-8,
    )


def apex(draw: Draw) -> Case:
    """Appell's cone thrown upwards: at the top all velocities vanish, and with them the row."""
    c, g, v0 = draw.decimal(0.3, 2), draw.decimal(1, 10), draw.decimal(0.5, 3)
    C, G, V0 = (Real(repr(e)) for e in (c, g, v0))
    k = G / (1 + C * C)

    def rate(_, s):
        return [s[1], -k]

    def lift(_, s):
        return [C * s[0], Real(0), s[0], C * s[1], Real(0), s[1]]

    statement = Statement(
        (x, y, u), (X**2 + Y**2 + U**2) / 2 - g * u, rows=(nonholonomic(X**2 + Y**2 - c**2 * U**2, "cone"),)
    )
    times = spread(float(V0 / k) * draw.decimal(0.7, 1.6))
    return course(
        how_of(draw), "Appell's cone at its apex", statement, times, rate, [Real(0), V0], lift, lambda s: s[1]
    )


def mass_in_time(draw: Draw) -> Case:
    """A mass that vanishes at a time, or decays without ever vanishing."""
    force, c = draw.decimal(0.5, 2), draw.decimal(1, 3)
    F, C = Real(repr(force)), Real(repr(c))
    if draw.coin():  # (c − t) x'' = F
        times = spread(c * 1.5)

        def form(time):
            rest = C - time
            if rest <= 0:
                return [np.nan] * 2
            return [F * (rest * np.log(rest / C) + time), -F * np.log(rest / C)]

        return Case(
            "a mass that falls to zero",
            Statement((x,), mass=[[c - t]], forces=(force,)),
            {x: 0.0, X: 0.0},
            times,
            lambda: closed(form, times, end=c),
            ends=frozenset({"singular", "broken"}),
            slack=1e-4,
        )
    k = draw.decimal(0.5, 3)
    K = Real(repr(k))
    times = spread(draw.decimal(4, 10))
    grown = np.array([[float(np.exp(K * Real(s)))] * 2 for s in times])
    return Case(
        f"a mass exp(-{k:g} t)",
        Statement((x,), mass=[[exp(-k * t)]], forces=(force,)),
        {x: 0.0, X: 0.0},
        times,
        lambda: closed(lambda s: [F * (np.expm1(K * s) / K**2 - s / K), F * np.expm1(K * s) / K], times),
        scales=grown,
    )


KINDS = (
    slider_crank,
    folded_arm,
    parallelogram,
    rhombus,
    node,
    near_node,
    axes,
    cusp,
    pole,
    apex,
    mass_in_time,
)


def make(seed: int) -> Case:
    """The case of a seed."""
    return pick("singular", KINDS, seed)
