"""Contacts that let go: hills, floors that shake, beams on several feet, many particles at once, stacks."""

import numpy as np
from sympy import cos, sin
from sympy.physics.mechanics import dynamicsymbols

from ..case import Case, Truth, spread, stated
from ..draw import Draw, pick
from ..statement import Statement, onesided
from ..truth.gbs import Real, real
from ..truth.hybrid import Mode, Next
from ..truth.leaps import on_floor, on_hill, shaken
from ..truth.made import closed, switched

x, y, theta = dynamicsymbols("x y theta")
X, Y, W = (q.diff() for q in (x, y, theta))
t = dynamicsymbols._t
G, g = 9.81, Real("9.81")


def hill(draw: Draw) -> Case:
    """A particle that slides over a hill or a wave, takes off where the ground falls away, and lands."""
    c, kind = draw.decimal(0.3, 1.2), draw.choice("wave", "parabola")
    C = Real(repr(c))
    if kind == "wave":
        written = c * cos(x)

        def height(s):
            return C * np.cos(s), -C * np.sin(s), -C * np.cos(s)
    else:
        written = -c * x**2 / 2

        def height(s):
            return -C * s * s / 2, -C * s, -C

    p, v = draw.decimal(-0.5, 0.5), draw.decimal(0.5, 4)
    P, V = Real(repr(p)), Real(repr(v))
    h, d, _ = height(P)
    begin = real([P, h, V, d * V])
    modes = on_hill(height, g)
    first = modes("slides") if height(P)[2] * V * V + g > 0 else modes("flies")
    times = spread(draw.decimal(1, 4))
    written_row = onesided(draw.choice(1, 1, 100, 0.01) * (y - written), 0, "hill")
    return stated(
        f"over a {kind}, c = {c:g}, at {v:g}",
        Statement((x, y), (X**2 + Y**2) / 2 - G * y, rows=(written_row,)),
        begin,
        times,
        lambda: switched(first, begin, times, longest=0.05),
        tolerance=1e-8,
    )


def hemisphere(draw: Draw) -> Case:
    """Down a sphere from near its top, in polar coordinates: r'' − rθ'² = −g cos θ + N, it leaves where N = 0."""
    a, angle = draw.decimal(0.5, 3), draw.power(1e-3, 0.5)
    R = Real(repr(a))

    def push(s):
        return g * np.cos(s[1]) - R * s[3] ** 2

    def on(_, s):
        return [Real(0), s[3], Real(0), g / R * np.sin(s[1])]

    def fly(_, s):
        r, p, dr, w = s
        return [dr, w, r * w * w - g * np.cos(p), (g * np.sin(p) - 2 * dr * w) / r]

    free = Mode("flies", fly, lambda _, s: [], lambda i, t_, s: Next(None, s))
    held = Mode("slides", on, lambda _, s: [push(s)], lambda i, t_, s: Next(free, real([R, s[1], 0, s[3]]), "release"))
    begin = real([R, repr(angle), 0, repr(draw.choice(0.0, draw.decimal(0, 1)))])
    m = draw.decimal(0.5, 3)
    r = dynamicsymbols("r")
    lagrangian = m * (r.diff() ** 2 + r**2 * W**2) / 2 - m * G * r * cos(theta)
    times = spread(draw.decimal(1, 3))
    return stated(
        f"off a sphere of radius {a:g} from {angle:g}",
        Statement(
            (r, theta), lagrangian, rows=(onesided(r - draw.state("a", a), 0, "ground"),), parameters=draw.parameters
        ),
        begin,
        times,
        lambda: switched(held, begin, times, longest=0.1),
        tolerance=1e-8,
    )


def floor_of(draw: Draw):
    """A floor that shakes strongly enough to throw, or just not: its amplitude and frequency."""
    w = draw.decimal(4, 15)
    return round(draw.decimal(0.7, 3) * G / w**2, 4), w


def shaking(a, w):
    """The floor a sin ωt for the truth and for the statement, and the state that rests on it at t = 0."""
    return shaken(a, w), a * sin(w * t), real([0, Real(repr(a)) * Real(repr(w))])


def thrown(draw: Draw) -> Case:
    """A particle on a floor that shakes, landing without a bounce."""
    a, w = floor_of(draw)
    floor, written, start = shaking(a, w)
    begin = on_floor(floor, lambda *_: -g)
    times = spread(draw.decimal(1, 4))
    return stated(
        f"a floor of {a * w * w / G:.2f} g",
        Statement((y,), Y**2 / 2 - G * y, rows=(onesided(y - written, 0, "floor"),)),
        start,
        times,
        lambda: switched(begin(0, *start), start, times, longest=0.05),
        tolerance=1e-8,
    )


def beam(draw: Draw) -> Case:
    """A level beam on two to five feet on a floor that shakes."""
    a, w = floor_of(draw)
    feet = sorted({draw.decimal(-2, 2) for _ in range(draw.whole(0, 3))} | {-1.5, 1.5})
    m, j = draw.decimal(0.5, 3), draw.decimal(0.5, 2)
    return on_feet(feet, a, w, m, j, sin(theta) if draw.coin() else theta, draw.decimal(0.5, 3))


def on_feet(feet, a, w, m, j, turn, until) -> Case:
    """All feet leave and land together, and the beam stays level."""
    floor, written, start = shaking(a, w)
    begin = on_floor(floor, lambda *_: -g)
    times = spread(until)
    rows = tuple(onesided(y + d * turn - written, 0, f"foot {i + 1}") for i, d in enumerate(feet))
    return stated(
        f"a beam on {len(feet)} feet, floor of {a * w * w / G:.2f} g",
        Statement((y, theta), m * Y**2 / 2 + j * W**2 / 2 - m * G * y, rows=rows),
        [0, 0, float(start[1]), 0],
        times,
        lambda: switched(begin(0, *start), start, times, lambda _, s: [s[0], 0, s[1], 0], longest=0.05),
        tolerance=1e-8,
    )


def plate(draw: Draw) -> Case:
    """One to twelve particles on a plate that shakes, pulled down by springs of their own or by weight alone."""
    n = draw.choice(1, 2, 3, 4, 6, 9, 12)
    a, w = floor_of(draw)
    floor, written, start = shaking(a, w)
    alike = draw.coin()
    k = [0.0 if alike else draw.decimal(0, 30) for _ in range(n)]
    q = dynamicsymbols(f"y1:{n + 1}")
    m = [draw.decimal(0.5, 2) for _ in range(n)]
    times = spread(draw.decimal(0.5, 1.5), 8)

    def pressed(c):
        spring = Real(repr(c))
        return on_floor(floor, lambda _, p, __: -g - spring * p)

    def truth() -> Truth:
        alone = [switched(pressed(c)(0, *start), start, times, longest=0.05) for c in (k[:1] if alike else k)]
        alone *= n if alike else 1
        states = np.array([[s.states[i, j] for j in (0, 1) for s in alone] for i in range(len(times))])
        return Truth(states, max(s.error for s in alone), max(s.growth for s in alone), alone[0].events)

    lagrangian = sum(b * (e.diff() ** 2 - c * e**2) / 2 - b * G * e for b, c, e in zip(m, k, q, strict=True))
    rows = tuple(onesided(e - written, 0, f"seat {i + 1}") for i, e in enumerate(q))
    return stated(
        f"{n} particles on a plate of {a * w * w / G:.2f} g{'' if alike else ', each with its spring'}",
        Statement(tuple(q), lagrangian, rows=rows),
        [*[0.0] * n, *[float(start[1])] * n],
        times,
        truth,
        tolerance=1e-8,
    )


def stack(draw: Draw) -> Case:
    """Blocks upon each other on a floor that shakes: thrown off together, they fly and land together."""
    n = draw.whole(2, 6)
    a, w = floor_of(draw)
    floor, written, start = shaking(a, w)
    q = dynamicsymbols(f"y1:{n + 1}")
    m = [draw.decimal(0.5, 2) for _ in range(n)]
    begin = on_floor(floor, lambda *_: -g)
    times = spread(draw.decimal(0.5, 2), 8)
    lagrangian = sum(b * e.diff() ** 2 / 2 - b * G * e for b, e in zip(m, q, strict=True))
    rows = [onesided(q[0] - written, 0, "floor")]
    rows += [onesided(q[i + 1] - q[i] - 1, 0, f"joint {i + 1}") for i in range(n - 1)]
    return stated(
        f"a stack of {n} on a floor of {a * w * w / G:.2f} g",
        Statement(tuple(q), lagrangian, rows=tuple(rows)),
        [*range(n), *[float(start[1])] * n],
        times,
        lambda: switched(
            begin(0, *start), start, times, lambda _, s: [*(s[0] + i for i in range(n)), *[s[1]] * n], longest=0.05,
            told=False,
        ),
        tolerance=1e-8,
    )  # fmt: skip


def pulled(draw: Draw) -> Case:
    """A weight on a table, relieved by F = mg (1 + s (t − t₁)ⁿ), n odd: it leaves at t₁ as (t − t₁)ⁿ⁺²."""
    n, begin, s = draw.choice(1, 3, 5), draw.choice(0.0, draw.decimal(0.2, 1)), draw.decimal(0.3, 2)
    m = draw.decimal(0.5, 3)
    T, S = Real(repr(begin)), Real(repr(s))

    def form(v):
        u = max(v - T, Real(0))
        return [0, g * S * u ** (n + 2) / ((n + 1) * (n + 2)), 0, g * S * u ** (n + 1) / (n + 1)]

    times = spread(begin + draw.decimal(0.5, 1.5))
    events = ((begin, "release"),) if begin and n < 5 else ()  # of t^5 rounding shows the time to 1e-3 only
    return stated(
        f"relieved as t^{n} from t = {begin:g}",
        Statement(
            (x, y),
            m * (X**2 + Y**2) / 2 - m * G * y,
            forces={y: m * G * (1 + draw.state("s", s) * (t - begin) ** n)},
            rows=(onesided(y, 0, "table"),),
            parameters=draw.parameters,
        ),
        [0.0] * 4,
        times,
        lambda: closed(form, times, events=events),
        slack=1e-4,
    )


def tilted(draw: Draw) -> Case:
    """A beam on two feet, drawn up at one end: one foot leaves, it turns about the other, then that leaves too."""
    m, j, d, p, r = (
        draw.decimal(0.5, 2),
        draw.decimal(0.2, 1),
        draw.decimal(0.5, 1.5),
        draw.decimal(0.5, 2),
        draw.decimal(2, 8),
    )
    M, J, D, P, R = (Real(repr(e)) for e in (m, j, d, p, r))

    def feet(v, _):
        """The forces of both feet, level and at rest: left and right."""
        whole, turn = M * g - R * v, -P * R * v / D
        return (whole - turn) / 2, (whole + turn) / 2

    def pivot(v, s):
        """Turning about the left foot, y = dθ: the acceleration of θ and the force of the foot."""
        spin = ((R * v - M * g) * D + R * v * P) / (M * D * D + J)
        return spin, M * D * spin - R * v + M * g

    def both(v, s):
        free = [R * v / M - g, P * R * v / J]
        return [s[2], s[3], *free]

    free = Mode("flies", both, lambda v, s: [], lambda i, v, s: Next(None, s))
    turns = Mode(
        "turns", lambda v, s: [s[2], s[3], D * pivot(v, s)[0], pivot(v, s)[0]], lambda v, s: [pivot(v, s)[1]],
        lambda i, v, s: Next(free, s, "release"),
    )  # fmt: skip
    stands = Mode(
        "stands", lambda v, s: [Real(0)] * 4, lambda v, s: list(feet(v, s)),
        lambda i, v, s: Next(turns if i == 1 else None, s, "release"),
    )  # fmt: skip
    begin = real([0, 0, 0, 0])
    times = spread(draw.decimal(1, 3))
    statement = Statement(
        (y, theta),
        m * Y**2 / 2 + j * W**2 / 2 - m * G * y,
        forces={y: r * t, theta: p * r * t},
        rows=(onesided(y - d * theta, 0, "left"), onesided(y + d * theta, 0, "right")),
    )
    return stated(
        "a beam drawn up at one end",
        statement,
        begin,
        times,
        lambda: switched(stands, begin, times, longest=0.05, absolute=1e-6),
        tolerance=1e-8,
    )


KINDS = (hill, hemisphere, thrown, beam, plate, stack, pulled, tilted)


def make(seed: int) -> Case:
    """The case of a seed."""
    return pick("onesided", KINDS, seed)
