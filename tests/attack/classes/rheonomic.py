"""Constraints that move by themselves, and rows whose size changes by orders along the run without meaning anything."""

import numpy as np
from sympy import cos, exp, sin, sqrt
from sympy.physics.mechanics import dynamicsymbols

from ..case import Case, spread, stated
from ..draw import Draw, pick
from ..statement import Statement, holonomic
from ..truth.gbs import Real, real
from ..truth.made import closed, moved

x, y, z = dynamicsymbols("x y z")
X, Y, Z = (q.diff() for q in (x, y, z))
t = dynamicsymbols._t
PLANE = (X**2 + Y**2) / 2


def size_in_time(draw: Draw):
    """A factor that never vanishes and means nothing, however small or large it becomes; and words for it."""
    k = draw.decimal(0.5, 3)
    return draw.choice(
        (1, "1"),
        (exp(-k * t), f"exp(-{k:g}t)"),
        (exp(k * t), f"exp({k:g}t)"),
        (1 / (1 + t**4), "1/(1 + t^4)"),
        (2 + sin(5 * t), "2 + sin 5t"),
        ((1 + t) ** 6, "(1 + t)^6"),
    )


def shaken_pendulum(draw: Draw) -> Case:
    """A pendulum whose pivot moves: θ'' = −((g + Y'') sin θ + X'' cos θ)/l."""
    p, q, w, length, g = (
        draw.decimal(0.1, 0.5),
        draw.decimal(0.1, 0.5),
        draw.decimal(0.5, 6),
        draw.decimal(0.5, 2),
        9.81,
    )
    P, Q, w_, L = (Real(repr(e)) for e in (p, q, w, length))
    factor, words = size_in_time(draw)
    row = factor * ((x - p * sin(w * t)) ** 2 + (y - q * cos(w * t)) ** 2 - length**2)

    def rate(v, s):
        ax, ay = -P * w_**2 * np.sin(w_ * v), -Q * w_**2 * np.cos(w_ * v)
        return [s[1], -((Real("9.81") + ay) * np.sin(s[0]) + ax * np.cos(s[0])) / L]

    def lift(v, s):
        a, r = s
        return [
            P * np.sin(w_ * v) + L * np.sin(a),
            Q * np.cos(w_ * v) - L * np.cos(a),
            P * w_ * np.cos(w_ * v) + L * r * np.cos(a),
            -Q * w_ * np.sin(w_ * v) + L * r * np.sin(a),
        ]

    begin = real([repr(draw.decimal(-1, 1)), repr(draw.decimal(-1, 1))])
    times = spread(draw.decimal(3, 8))
    statement = Statement((x, y), PLANE - g * y, rows=(holonomic(row, "rod"),))
    return stated(
        f"a pendulum on a shaken pivot, row times {words}",
        statement,
        lift(Real(0), begin),
        times,
        lambda: moved(rate, begin, times, lift),
    )


def turning_rod(draw: Draw) -> Case:
    """A bead on a rod that turns at a steady rate: r'' = ω² r, a hyperbolic cosine, with gravity or without."""
    w, g = draw.decimal(0.3, 2), draw.choice(0.0, 9.81)
    W, G = Real(repr(w)), Real(repr(g))
    factor, words = size_in_time(draw)
    r0, v0 = (Real(repr(draw.decimal(0.2, 1))), Real(repr(draw.decimal(-0.3, 0.5))))

    def form(v):  # r'' = ω² r − g sin ωt; a part of it is g sin ωt / 2ω²
        part, dpart = G * np.sin(W * v) / (2 * W * W), G * np.cos(W * v) / (2 * W)
        d0 = v0 - G / (2 * W)
        r = r0 * np.cosh(W * v) + d0 / W * np.sinh(W * v) + part
        dr = r0 * W * np.sinh(W * v) + d0 * np.cosh(W * v) + dpart
        c, s = np.cos(W * v), np.sin(W * v)
        return [r * c, r * s, dr * c - r * W * s, dr * s + r * W * c]

    times = spread(draw.decimal(2, 8) / max(w, 0.6))
    row = factor * (y * cos(w * t) - x * sin(w * t))
    return stated(
        f"a bead on a turning rod, row times {words}",
        Statement((x, y), PLANE - g * y, rows=(holonomic(row, "rod"),)),
        form(Real(0)),
        times,
        lambda: closed(form, times, growth=float(np.exp(w * times[-1]))),
    )


def growing_circle(draw: Draw) -> Case:
    """A circle whose radius is 1 + kt, in one of three ways: the angular momentum stays, θ' = h/R²."""
    k, until = draw.choice((1.0, 50.0), (1.0, 300.0), (0.2, 20.0), (-0.05, 12.0))
    K, h = Real(repr(k)), Real(repr(draw.decimal(0.3, 2)))
    way = draw.choice("square", "root", "inverse")
    r = 1 + k * t
    row = {
        "square": x**2 + y**2 - r**2,
        "root": sqrt(x**2 + y**2) - r,
        "inverse": 1 / sqrt(x**2 + y**2) - 1 / r,
    }[way]

    def form(v):
        R = 1 + K * v
        a, w = h * v / R, h / (R * R)
        return [R * np.cos(a), R * np.sin(a), K * np.cos(a) - R * w * np.sin(a), K * np.sin(a) + R * w * np.cos(a)]

    times = spread(until)
    return stated(
        f"a circle of radius 1 + {k:g}t by {way}, until {until:g}",
        Statement((x, y), PLANE, rows=(holonomic(row, "circle"),)),
        form(Real(0)),
        times,
        lambda: closed(form, times, growth=float(until)),
    )


def turns(draw: Draw) -> Case:
    """Rows cos(ωt) x = 0 and sin(ωt) x = 0: each vanishes at times, never both; x stays at zero, y falls."""
    w, g, phase = draw.decimal(0.5, 4), draw.decimal(1, 10), draw.decimal(0, 3)
    G = Real(repr(g))
    rows = [holonomic(cos(w * t + phase) * x), holonomic(sin(w * t + phase) * x)]
    if draw.coin():
        rows.append(holonomic(cos(w * t + 1 + phase) * x))
    v0 = draw.decimal(-2, 2)
    times = spread(draw.decimal(3, 10))
    return stated(
        f"{len(rows)} rows that take turns",
        Statement((x, y), PLANE - g * y, rows=tuple(rows)),
        [0, 0, 0, v0],
        times,
        lambda: closed(lambda v: [0, v0 * v - G * v * v / 2, 0, v0 - G * v], times),
    )


def moving_parabola(draw: Draw) -> Case:
    """A particle on y = c x² + p sin ωt: (1 + 4c²x²) x'' = −2cx (2c x'² + g − p ω² sin ωt)."""
    c, p, w, g = draw.decimal(0.2, 1), draw.decimal(0.1, 0.6), draw.decimal(0.5, 5), draw.decimal(1, 10)
    C, P, w_, G = (Real(repr(e)) for e in (c, p, w, g))
    factor, words = size_in_time(draw)
    row = factor * (y - draw.state("c", c) * x**2 - draw.state("p", p) * sin(w * t))

    def rate(v, s):
        q, u = s
        ay = -P * w_**2 * np.sin(w_ * v)
        return [u, -2 * C * q * (2 * C * u * u + G + ay) / (1 + 4 * C * C * q * q)]

    def lift(v, s):
        q, u = s
        return [q, C * q * q + P * np.sin(w_ * v), u, 2 * C * q * u + P * w_ * np.cos(w_ * v)]

    begin = real([repr(draw.decimal(-1.5, 1.5)), repr(draw.decimal(-1, 1))])
    times = spread(draw.decimal(3, 8))
    return stated(
        f"a particle on a parabola that moves, row times {words}",
        Statement((x, y), PLANE - draw.state("g", g) * y, rows=(holonomic(row, "curve"),), parameters=draw.parameters),
        lift(Real(0), begin),
        times,
        lambda: moved(rate, begin, times, lift),
    )


def driven(draw: Draw) -> Case:
    """All that moves is prescribed: x = sin(t)ᵏ by a row; the force it takes is told."""
    k, w, spring = draw.choice(1, 3, 8, 20), draw.decimal(0.5, 2), draw.decimal(0.5, 4)
    W, K = Real(repr(w)), Real(repr(spring))
    row = x - sin(w * t) ** k

    def form(v):
        s, c = np.sin(W * v), np.cos(W * v)
        return [s**k, k * W * s ** (k - 1) * c]

    def force(v):
        s, c = np.sin(W * v), np.cos(W * v)
        bent = k * (k - 1) * s ** (k - 2) * c * c if k > 1 else 0
        return [W * W * (bent - k * s**k) + K * s**k]

    times = spread(draw.decimal(3, 10), t0=0.1)
    columns = {"ideal_force": np.array([real(force(v)) for v in real(times)])}
    return stated(
        f"x = sin^{k} prescribed",
        Statement((x,), X**2 / 2 - spring * x**2 / 2, rows=(holonomic(row, "drive"),)),
        form(Real(repr(float(times[0])))),
        times,
        lambda: closed(form, times, columns=columns),
    )


def lift_platform(draw: Draw) -> Case:
    """A particle on a plane that tilts and rises, under gravity and a spring: in its horizontal coordinates."""
    k, h, w, g = draw.decimal(0.5, 3), draw.decimal(0.1, 0.5), draw.decimal(0.5, 4), 9.81
    tilt = draw.decimal(0.1, 0.4)
    T, H, w_, K = (Real(repr(e)) for e in (tilt, h, w, k))
    # z = τ sin(ωt) x + h cos(ωt); y is free of it
    row = z - tilt * sin(w * t) * x - h * cos(w * t)

    def rate(v, s):
        p, q, dp, dq = s
        b, db, ddb = T * np.sin(w_ * v), T * w_ * np.cos(w_ * v), -T * w_**2 * np.sin(w_ * v)
        ah = -H * w_**2 * np.cos(w_ * v)
        # x'' = −k x − λ b, z'' = −g + λ, z = b x + h: λ from z'' = b x'' + 2 b' x' + b'' x + h''
        moving = 2 * db * dp + ddb * p + ah
        lam = (Real("9.81") - K * b * p + moving) / (1 + b * b)
        return [dp, dq, -K * p - lam * b, -K * q]

    def lift(v, s):
        p, q, dp, dq = s
        b, db = T * np.sin(w_ * v), T * w_ * np.cos(w_ * v)
        return [p, q, b * p + H * np.cos(w_ * v), dp, dq, b * dp + db * p - H * w_ * np.sin(w_ * v)]

    begin = real([repr(draw.decimal(-1, 1)) for _ in range(4)])
    times = spread(draw.decimal(3, 8))
    return stated(
        "a plane that tilts",
        Statement((x, y, z), (X**2 + Y**2 + Z**2) / 2 - k * (x**2 + y**2) / 2 - g * z, rows=(holonomic(row, "plane"),)),
        lift(Real(0), begin),
        times,
        lambda: moved(rate, begin, times, lift),
    )


KINDS = (shaken_pendulum, turning_rod, growing_circle, turns, moving_parabola, driven, lift_platform)


def make(seed: int) -> Case:
    """The case of a seed."""
    return pick("rheonomic", KINDS, seed)
