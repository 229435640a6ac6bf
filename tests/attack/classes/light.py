"""Light, massless and redundant coordinates: M badly scaled or singular, made regular by the constraints."""

from itertools import pairwise

import numpy as np
from sympy import sqrt
from sympy.physics.mechanics import dynamicsymbols

from ..case import Case, spread, stated
from ..draw import Draw, pick
from ..statement import Statement, holonomic, nonholonomic
from ..truth.gbs import Real, real
from ..truth.made import closed, moved

x, y, z, u = dynamicsymbols("x y z u")
X, Y, Z, U = (q.diff() for q in (x, y, z, u))


def swing(k, mass, p, v):
    """p cos ωt + (v/ω) sin ωt and its velocity, ω² = k/mass."""
    w = np.sqrt(Real(k) / Real(mass))
    return lambda t: (p * np.cos(w * t) + v / w * np.sin(w * t), v * np.cos(w * t) - p * w * np.sin(w * t))


def between(draw: Draw) -> Case:
    """A light or massless point halfway between two others: u = (x + y)/2, pulled by a force of its own."""
    m = draw.choice(0.0, *(10.0**-k for k in (2, 3, 4, 6, 8, 10, 12)))
    k, force = draw.decimal(0.5, 4), draw.decimal(-1, 1)
    size = 10.0 ** draw.choice(0, 0, -4, 4)
    K, F, M = Real(repr(k)), Real(repr(force)), Real(repr(m))
    begin = [Real(repr(draw.decimal(-1, 1))) for _ in range(4)]
    lies = F / K  # of the sum x + y, whose spring is k too and whose load is F
    both = swing(K, 1 + M / 2, begin[0] + begin[1] - lies, begin[2] + begin[3])
    apart = swing(K, 1, begin[0] - begin[1], begin[2] - begin[3])

    def form(t):
        (s, ds), (d, dd) = both(t), apart(t)
        s = s + lies
        return [(s + d) / 2, (s - d) / 2, s / 2, (ds + dd) / 2, (ds - dd) / 2, ds / 2]

    times = spread(draw.decimal(3, 10))
    kinetic = (X**2 + Y**2 + m * U**2) / 2
    return stated(
        f"a mass {m:g} between two of 1, row times {size:g}",
        Statement(
            (x, y, u),
            kinetic - k * (x**2 + y**2) / 2,
            forces={u: force},
            rows=(holonomic(size * (u - (x + y) / 2), "middle"),),
        ),
        form(Real(0)),
        times,
        lambda: closed(form, times, growth=float(times[-1]) * 10),
    )


def massless_product(draw: Draw) -> Case:
    """z = xy without mass, loaded by c: a potential cxy between two masses, as large as 1e10."""
    m, size = 10.0 ** draw.choice(0, 0, 4, 8, 10), 10.0 ** draw.choice(0, -4, 4)
    k, c = draw.decimal(1, 3), draw.decimal(0.1, 0.9)
    K, C = Real(repr(k)), Real(repr(c))
    begin = [Real(repr(draw.decimal(-1, 1))) for _ in range(4)]
    both = swing(K + C, 1, begin[0] + begin[1], begin[2] + begin[3])
    apart = swing(K - C, 1, begin[0] - begin[1], begin[2] - begin[3])

    def form(t):
        (s, ds), (d, dd) = both(t), apart(t)
        p, q, dp, dq = (s + d) / 2, (s - d) / 2, (ds + dd) / 2, (ds - dd) / 2
        return [p, q, p * q, dp, dq, dp * q + p * dq]

    times = spread(draw.decimal(3, 10))
    return stated(
        f"massless z = xy beside masses {m:g}, row times {size:g}",
        Statement(
            (x, y, z),
            m * ((X**2 + Y**2) / 2 - k * (x**2 + y**2) / 2 - c * z),
            rows=(holonomic(size * (z - x * y), "product"),),
        ),
        form(Real(0)),
        times,
        lambda: closed(form, times, growth=float(times[-1]) * 10),
    )


def one_square(draw: Draw) -> Case:
    """L = (x' + k y')²/2 − x²/2 with y = x/2: M has rank one, and with the row the mass is (1 + k/2)²."""
    k = draw.choice(draw.decimal(0.1, 3), draw.decimal(-1.5, -0.2), 1 / 3, 0.1, 0.7)
    w = 1 / (1 + Real(repr(k)) / 2)
    p, v = Real(repr(draw.decimal(0.3, 1))), Real(repr(draw.decimal(-1, 1)))

    def form(t):
        q, dq = p * np.cos(w * t) + v / w * np.sin(w * t), v * np.cos(w * t) - p * w * np.sin(w * t)
        return [q, q / 2, dq, dq / 2]

    times = spread(draw.decimal(3, 10))
    return stated(
        f"rank one: (x' + {k:.3g} y')^2",
        Statement(
            (x, y),
            (X + draw.state("k", k) * Y) ** 2 / 2 - x**2 / 2,
            rows=(holonomic(y - x / 2, "tie"),),
            parameters=draw.parameters,
        ),
        form(Real(0)),
        times,
        lambda: closed(form, times, growth=float(times[-1]) * 10),
    )


def quaternion(draw: Draw) -> Case:
    """A rigid body by four Euler parameters, free or heavy."""
    inertia = [draw.decimal(0.5, 3) for _ in range(3)]
    inertia[2] = min(inertia[2], round(inertia[0] + inertia[1], 2))
    c = draw.choice(0.0, draw.decimal(0.2, 3))
    first, spin = draw.rng.normal(size=4), [draw.decimal(-3, 3) for _ in range(3)]
    return body(inertia, c, first, spin, draw.decimal(2, 6))


def body(inertia, c, first, spins, until) -> Case:
    """M is singular along q; Euler's equations, with a weight c at the tip of the third axis."""
    q = dynamicsymbols("q0:4")
    d = [e.diff() for e in q]
    spin = [
        2 * (-q[1] * d[0] + q[0] * d[1] + q[3] * d[2] - q[2] * d[3]),
        2 * (-q[2] * d[0] - q[3] * d[1] + q[0] * d[2] + q[1] * d[3]),
        2 * (-q[3] * d[0] + q[2] * d[1] - q[1] * d[2] + q[0] * d[3]),
    ]
    height = 1 - 2 * (q[1] ** 2 + q[2] ** 2)
    lagrangian = sum(i * w**2 for i, w in zip(inertia, spin, strict=True)) / 2 - c * height
    I = real([repr(e) for e in inertia])  # noqa: E741
    C = Real(repr(c))

    def turned(e, w):
        return (
            real(
                [
                    -e[1] * w[0] - e[2] * w[1] - e[3] * w[2],
                    e[0] * w[0] + e[2] * w[2] - e[3] * w[1],
                    e[0] * w[1] - e[1] * w[2] + e[3] * w[0],
                    e[0] * w[2] + e[1] * w[1] - e[2] * w[0],
                ]
            )
            / 2
        )

    def rate(_, s):
        e, w = s[:4], s[4:]
        # the weight −c along the vertical, seen from the body, acts at the tip of the third axis
        down = [-C * 2 * (e[1] * e[3] - e[0] * e[2]), -C * 2 * (e[2] * e[3] + e[0] * e[1])]
        torque = [-down[1], down[0], 0]
        spun = [
            (torque[0] + (I[1] - I[2]) * w[1] * w[2]) / I[0],
            (torque[1] + (I[2] - I[0]) * w[2] * w[0]) / I[1],
            (torque[2] + (I[0] - I[1]) * w[0] * w[1]) / I[2],
        ]
        return [*turned(e, w), *spun]

    def lift(_, s):
        return [*s[:4], *turned(s[:4], s[4:])]

    first = real(first)
    first /= np.sqrt(first @ first)
    begin = real([*first, *map(repr, spins)])
    times = spread(until)
    return stated(
        "a body by Euler parameters" + (", heavy" if c else ", free"),
        Statement(tuple(q), lagrangian, rows=(holonomic(sum(e**2 for e in q) - 1, "norm"),)),
        lift(0, begin),
        times,
        lambda: moved(rate, begin, times, lift),
    )


def wide_masses(draw: Draw) -> Case:
    """Masses from 1 to 1e-12 with springs in proportion, coupled in a row: condition of M 1e12, motion of one scale."""
    n = draw.whole(2, 4)
    q = dynamicsymbols(f"q1:{n + 1}")
    sizes = [10.0 ** -(draw.whole(0, 12)) for _ in range(n)]
    sizes[0], sizes[-1] = 1.0, 10.0 ** -draw.whole(6, 12)
    k = [draw.decimal(0.5, 4) for _ in range(n)]
    links = [draw.decimal(0.1, 0.6) * min(a, b) for a, b in pairwise(sizes)]
    lagrangian = sum(s * (e.diff() ** 2 - c * e**2) for s, c, e in zip(sizes, k, q, strict=True)) / 2
    lagrangian -= sum(c * (a - b) ** 2 for c, a, b in zip(links, q, q[1:], strict=False)) / 2

    def rate(_, s):
        place, speed = s[:n], s[n:]
        force = [-Real(repr(sizes[i])) * Real(repr(k[i])) * place[i] for i in range(n)]
        for i, c in enumerate(links):
            pull = Real(repr(c)) * (place[i + 1] - place[i])
            force[i], force[i + 1] = force[i] + pull, force[i + 1] - pull
        return [*speed, *(f / Real(repr(m)) for f, m in zip(force, sizes, strict=True))]

    begin = real([repr(draw.decimal(-1, 1)) for _ in range(2 * n)])
    times = spread(draw.decimal(3, 8))
    return stated(
        f"masses {', '.join(f'{s:g}' for s in sizes)}",
        Statement(tuple(q), lagrangian),
        begin,
        times,
        lambda: moved(rate, begin, times),
    )


def skewed(draw: Draw) -> Case:
    """Two oscillators in coordinates x and w = x + δ y: M has the condition 1/δ², its entries lose as much."""
    delta = draw.power(1e-3, 1)
    k1, k2 = draw.decimal(0.5, 4), draw.decimal(0.5, 4)
    D = Real(repr(delta))
    begin = [Real(repr(draw.decimal(-1, 1))) for _ in range(4)]
    one, two = swing(repr(k1), 1, begin[0], begin[2]), swing(repr(k2), 1, begin[1], begin[3])
    d = draw.state("d", delta)
    other, rate = (u - x) / d, (U - X) / d

    def form(t):
        (p, dp), (q, dq) = one(t), two(t)
        return [p, p + D * q, dp, dp + D * dq]

    times = spread(draw.decimal(3, 10))
    return stated(
        f"skewed by {delta:g}",
        Statement((x, u), (X**2 + rate**2 - k1 * x**2 - k2 * other**2) / 2, parameters=draw.parameters),
        form(Real(0)),
        times,
        lambda: closed(form, times, growth=float(times[-1]) * 10),
        tolerance=max(1e-9, 1e-13 / delta**2),
    )


def ray(draw: Draw) -> Case:
    """Fermat's ray, through a medium drawn at random."""
    a, b = draw.decimal(0.1, 0.8), draw.decimal(-0.3, 0.3)
    return bent_ray(a, b, draw.decimal(0, 1.2), draw.decimal(-0.5, 0.5), draw.decimal(1, 2.5))


def bent_ray(a, b, angle, height, until) -> Case:
    """L = n |v| with |v| = 1: M is singular along v; n r'' = ∇n − (∇n·v) v."""
    index = 1 + a * y**2 + b * x
    A, B = Real(repr(a)), Real(repr(b))

    def rate(_, s):
        p, q, dp, dq = s
        n = 1 + A * q * q + B * p
        gx, gy = B, 2 * A * q
        along = gx * dp + gy * dq
        return [dp, dq, (gx - along * dp) / n, (gy - along * dq) / n]

    angle = Real(repr(angle))
    begin = real(["0", repr(height), np.cos(angle), np.sin(angle)])
    times = spread(until)
    return stated(
        "a ray of light",
        Statement((x, y), index * sqrt(X**2 + Y**2), rows=(nonholonomic(X**2 + Y**2 - 1, "speed"),)),
        begin,
        times,
        lambda: moved(rate, begin, times),
    )


def indefinite(draw: Draw) -> Case:
    """L = x'y' − k xy: M is regular and has both signs; two oscillators, or a refusal that says so."""
    k = draw.decimal(0.5, 4)
    begin = [Real(repr(draw.decimal(-1, 1))) for _ in range(4)]
    one, two = swing(repr(k), 1, begin[0], begin[2]), swing(repr(k), 1, begin[1], begin[3])

    def form(t):
        (p, dp), (q, dq) = one(t), two(t)
        return [p, q, dp, dq]

    times = spread(draw.decimal(3, 10))
    return stated(
        "an indefinite mass matrix",
        Statement((x, y), X * Y - k * x * y),
        form(Real(0)),
        times,
        lambda: closed(form, times, growth=float(times[-1]) * 10),
        refusals=frozenset({"ModelError", "MassError", "singular"}),
    )


def without_mass(draw: Draw) -> Case:
    """A coordinate without mass that no constraint moves: its acceleration is not determined, so it is refused."""
    k = draw.decimal(0.5, 3)
    statement = draw.choice(
        Statement((x, y), X**2 / 2 - k * (x - y) ** 2 / 2),
        Statement((x, y), (X + k * Y) ** 2 / 2 - x**2 / 2),
        Statement((x, y, z), (X**2 + Y**2) / 2 - k * z, rows=(holonomic(x - y**2, "curve"),)),
    )
    n = len(statement.coordinates)
    times = spread(2.0)
    return stated(
        "a coordinate without mass and without a row",
        statement,
        [0.0] * (2 * n),
        times,
        lambda: closed(lambda t: [np.nan] * (2 * n), times, end=0.0),
        ends=frozenset({"ModelError", "MassError", "singular"}),
    )


KINDS = (
    between,
    massless_product,
    one_square,
    quaternion,
    wide_masses,
    skewed,
    ray,
    indefinite,
    without_mass,
)


def make(seed: int) -> Case:
    """The case of a seed."""
    return pick("light", KINDS, seed)
