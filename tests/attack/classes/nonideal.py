"""Constraint forces that do work and hold nothing: drag, drag through rest, forces that follow the reaction."""

import numpy as np
from sympy import Rational, cos, exp, sin, sqrt
from sympy.physics.mechanics import dynamicsymbols

from ..case import Case, spread, stated
from ..draw import Draw, pick
from ..statement import Statement, holonomic, nonholonomic, prescribed, quadratic, viscous
from ..truth.gbs import Real, real
from ..truth.hybrid import Mode, Next
from ..truth.made import closed, moved, switched

x, y, z, theta = dynamicsymbols("x y z theta")
X, Y, Z, W = (q.diff() for q in (x, y, z, theta))


def ring(radius):
    """The point of a circle at an angle from below, with its velocity."""
    R = Real(repr(radius))

    def lift(_, s):
        a, w = s[:2]
        return [R * np.sin(a), -R * np.cos(a), R * w * np.cos(a), R * w * np.sin(a)]

    return R, lift


def turning(acceleration, start, *more) -> Mode:
    """s'' = acceleration(t, s, s', sign of s'): a new mode each time s' changes its sign, and each further guard."""

    def mode(sign, others) -> Mode:
        def rate(t, s):
            return [s[1], acceleration(t, s[0], s[1], sign, others)]

        def guards(t, s):
            return [sign * s[1], *(o * g(t, s) for o, g in zip(others, more, strict=True))]

        def after(i, t, s):
            if i == 0:
                return Next(mode(-sign, others), real([s[0], 0]))
            flipped = tuple(-o if k == i - 1 else o for k, o in enumerate(others))
            return Next(mode(sign, flipped), s)

        return Mode((sign, others), rate, guards, after)

    s = real(start)
    others = tuple(1 if g(Real(0), s) >= 0 else -1 for g in more)
    sign = np.sign(s[1]) or np.sign(acceleration(Real(0), s[0], s[1], 1, others)) or 1
    return mode(int(sign), others)


def viscous_ring(draw: Draw) -> Case:
    """A pendulum whose rod drags: θ'' = −(g/R) sin θ − (c/m) θ'."""
    radius, g, c, m = draw.decimal(0.5, 2), 9.81, draw.decimal(0.05, 1.5), draw.decimal(0.5, 3)
    R, lift = ring(radius)
    K = Real(repr(c)) / Real(repr(m))
    begin = real([repr(draw.decimal(-2.5, 2.5)), repr(draw.choice(0.0, draw.decimal(-6, 6)))])
    times = spread(draw.decimal(3, 10))

    def rate(_, s):
        return [s[1], -Real("9.81") / R * np.sin(s[0]) - K * s[1]]

    def drag(_, s):
        return [-Real(repr(c)) * v for v in lift(0, s)[2:]]

    return stated(
        f"viscous drag {c:g} on a ring",
        Statement(
            (x, y),
            m * (X**2 + Y**2) / 2 - m * g * y,
            rows=(holonomic(x**2 + y**2 - radius**2, "ring", viscous(draw.state("c", c))),),
            parameters=draw.parameters,
        ),
        lift(0, begin),
        times,
        lambda: moved(rate, begin, times, lift, columns={"nonideal_force": drag}),
    )


def quadratic_ring(draw: Draw) -> Case:
    """The same with drag as the square of the speed: |v| passes through zero at every turning point."""
    radius, g, c, m = draw.decimal(0.5, 2), 9.81, draw.decimal(0.05, 1), draw.decimal(0.5, 3)
    R, lift = ring(radius)
    K = Real(repr(c)) / Real(repr(m)) * R
    begin = real([repr(draw.decimal(0.2, 2.8) * draw.sign()), repr(draw.choice(0.0, 0.0, draw.decimal(-6, 6)))])
    times = spread(draw.decimal(3, 10))

    def acceleration(_, a, w, sign, __):
        return -Real("9.81") / R * np.sin(a) - sign * K * w * w

    statement = Statement(
        (x, y),
        m * (X**2 + Y**2) / 2 - m * g * y,
        rows=(holonomic(x**2 + y**2 - radius**2, "ring", quadratic(draw.state("c", c))),),
        parameters=draw.parameters,
    )
    return stated(
        f"quadratic drag {c:g} on a ring, from {'rest' if begin[1] == 0 else 'motion'}",
        statement,
        lift(0, begin),
        times,
        lambda: switched(turning(acceleration, begin), begin, times, lift),
    )


def straight(draw: Draw) -> Case:
    """A block on a table that swings on a spring along a line at an angle: |v| of two components through rest."""
    k, c, angle = draw.decimal(1, 10), draw.decimal(0.1, 1), draw.decimal(0, 3)
    K, C, A = (Real(repr(e)) for e in (k, c, angle))
    co, si = np.cos(A), np.sin(A)
    begin = real([repr(draw.decimal(0.5, 2)), repr(draw.choice(0.0, draw.decimal(-2, 2)))])
    times = spread(draw.decimal(3, 10))

    def lift(_, s):
        return [co * s[0], si * s[0], 0, co * s[1], si * s[1], 0]

    def acceleration(_, p, w, sign, __):
        return -K * p - sign * C * w * w

    return stated(
        "quadratic drag along a line in a plane",
        Statement(
            (x, y, z),
            (X**2 + Y**2 + Z**2) / 2 - k * (x**2 + y**2) / 2 - 10 * z,
            rows=(holonomic(z, "table", quadratic(c)),),
        ),
        lift(0, begin),
        times,
        lambda: switched(turning(acceleration, begin), begin, times, lift),
        tolerance=1e-8,  # the line is kept by rounding alone
    )


def after_reaction(draw: Draw) -> Case:
    """A ring whose drag follows the force it exerts: C = −μ |Qᶜ_i| q̇ or −μ |λ| q̇; |N| has corners, the speed none."""
    radius, g, mu = draw.decimal(0.5, 2), 9.81, draw.decimal(0.02, 0.2)
    R, lift = ring(radius)
    G, M = Real("9.81"), Real(repr(mu))
    by = draw.choice("magnitude", "multiplier")
    factor = Real(1) if by == "magnitude" else 1 / (2 * R)

    def force(program):
        size = program.ideal_magnitude() if by == "magnitude" else abs(program.multiplier("ring"))
        return {x: -mu * size * X, y: -mu * size * Y}

    def pull(_, s):
        return R * s[1] ** 2 + G * np.cos(s[0])

    def acceleration(v, a, w, _, others):
        return -G / R * np.sin(a) - M * factor * others[0] * pull(v, (a, w)) * w

    begin = real([repr(draw.decimal(0.3, 2.8) * draw.sign()), repr(draw.decimal(-4, 4))])
    times = spread(draw.decimal(3, 8))
    return stated(
        f"drag that follows the reaction, by its {by}",
        Statement(
            (x, y),
            (X**2 + Y**2) / 2 - g * y,
            rows=(holonomic(x**2 + y**2 - radius**2, "ring", prescribed(force)),),
        ),
        lift(0, begin),
        times,
        lambda: switched(turning(acceleration, begin, pull), begin, times, lift),
    )


def root_of_square(draw: Draw) -> Case:
    """θ'' = −k sin θ − c √(θ'²) θ', in a force of the statement."""
    k, c = draw.decimal(1, 10), draw.decimal(0.1, 1)
    K, C = Real(repr(k)), Real(repr(c))
    begin = real([repr(draw.decimal(0.2, 2.5)), repr(draw.choice(0.0, draw.decimal(-3, 3)))])
    times = spread(draw.decimal(3, 10))
    written = draw.choice(sqrt(W**2) * W, (W**2) ** Rational(1, 2) * W, sqrt(4 * W**2) / 2 * W)
    return stated(
        "a root of a square through rest",
        Statement((theta,), W**2 / 2 + k * cos(theta), forces={theta: -c * written}),
        begin,
        times,
        lambda: switched(turning(lambda v, a, w, s, _: -K * np.sin(a) - s * C * w * w, begin), begin, times),
    )


def stopped_by_root(draw: Draw) -> Case:
    """Drag as the root of the speed, until before or after it has stopped."""
    k, v0, part = draw.decimal(0.5, 2), draw.decimal(0.5, 4), draw.decimal(0.5, 2)
    return stopped(k, v0, part, draw.choice(X * (X**2) ** Rational(-1, 4), X / sqrt(sqrt(X**2))))


def stopped(k, v0, part, written) -> Case:
    """v' = −k v |v|^(−1/2): it comes to rest in a finite time, and stays; watched for a part of that time."""
    K, V = Real(repr(k)), Real(repr(v0))
    end = 2 * np.sqrt(V) / K
    times = spread(round(float(end) * part, 3))

    def form(v):
        r = max(np.sqrt(V) - K * v / 2, Real(0))
        return [2 / (3 * K) * (V ** Real(1.5) - r**3), r * r]

    return stated(
        "drag as the root of the speed, to rest" if times[-1] > end else "drag as the root of the speed",
        Statement((x,), mass=[[1]], forces=(-k * written,)),
        [0, v0],
        times,
        lambda: closed(form, times),
        tolerance=1e-8,
    )


def by_place(draw: Draw) -> Case:
    """A block on a table whose drag depends on where it is, linear or quadratic in the speed."""
    power, c = draw.choice(1, 2), draw.decimal(0.2, 1)
    C = Real(repr(c))
    rough = c * (1 + sin(2 * x) / 2) * exp(-((y / 3) ** 2))
    nature = viscous(rough) if power == 1 else quadratic(rough)

    def rate(_, s):
        px, py, u, w = s
        size = C * (1 + np.sin(2 * px) / 2) * np.exp(-((py / 3) ** 2))
        size *= 1 if power == 1 else np.sqrt(u * u + w * w)
        return [u, w, -size * u, -size * w]

    def lift(_, s):
        return [s[0], s[1], 0, s[2], s[3], 0]

    begin = real(["0", "0", repr(draw.decimal(1, 4)), repr(draw.decimal(-2, 2))])
    times = spread(draw.decimal(2, 6))
    return stated(
        f"drag by place, power {power}",
        Statement((x, y, z), (X**2 + Y**2 + Z**2) / 2 - 9.81 * z, rows=(holonomic(z, "table", nature),)),
        lift(0, begin),
        times,
        lambda: moved(rate, begin, times, lift),
    )


def udwadia(draw: Draw) -> Case:
    """ẏ = z² ẋ with C = −a|u| u (Udwadia and Kalaba 2001, section 5): Qᶜ_ni is C itself, for u obeys the row."""
    a0 = draw.decimal(0.05, 0.6)
    fx, fy, fz = (draw.decimal(-1, 1) for _ in range(3))
    A, FX, FY, FZ = (Real(repr(e)) for e in (a0, fx, fy, fz))

    def rate(_, s):
        _, _, h, u, dh = s
        w = h * h
        drag = A * np.sqrt(u * u * (1 + w * w) + dh * dh)
        return [u, w * u, dh, (FX + w * FY - 2 * w * h * dh * u) / (1 + w * w) - drag * u, FZ - drag * dh]

    def lift(_, s):
        p, q, h, u, dh = s
        return [p, q, h, u, h * h * u, dh]

    def drag(_, s):
        v = real(lift(0, s)[3:])
        return -A * np.sqrt(v @ v) * v

    begin = real(["0", "0", *(repr(draw.decimal(0.3, 1.2)) for _ in range(3))])
    times = spread(draw.decimal(2, 6))
    nature = quadratic(draw.state("a", a0))
    return stated(
        "the nonholonomic particle with drag",
        Statement(
            (x, y, z),
            mass=[[1, 0, 0], [0, 1, 0], [0, 0, 1]],
            forces=(fx, fy, fz),
            rows=(nonholonomic(Y - z**2 * X, "slope", nature),),
            parameters=draw.parameters,
        ),
        lift(0, begin),
        times,
        lambda: moved(rate, begin, times, lift, columns={"nonideal_force": drag}),
    )


KINDS = (
    viscous_ring,
    quadratic_ring,
    straight,
    after_reaction,
    root_of_square,
    stopped_by_root,
    by_place,
    udwadia,
)


def make(seed: int) -> Case:
    """The case of a seed."""
    return pick("nonideal", KINDS, seed)
