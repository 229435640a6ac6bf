"""Systems with embeddings of known outcome, which tests of several rooms share."""

from functools import cache
from typing import Any, NamedTuple

from sympy import Expr, Rational, cos, sin, sqrt, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da
from dalembert import gallery

t = dynamicsymbols._t
x, y, z, theta, phi, psi = dynamicsymbols("x y z theta phi psi")
x1, y1, x2, y2, a1, a2 = dynamicsymbols("x1 y1 x2 y2 a1 a2")
m, g, l, m1, m2, l1, l2, w, A, R, c, J, mu = symbols("m g l m1 m2 l1 l2 w A R c J mu", positive=True)  # noqa: E741


class Case(NamedTuple):
    """A system, its embedding, and the Lagrangian that comes out (None where it is not stated here)."""

    system: da.System
    embedding: dict[Any, Expr]
    lagrangian: Expr | None
    until: float = 10.0


def point(potential, constraints, initial, **more):
    """A mass point in space."""
    return da.System.from_particles(
        [da.Particle(m, [x, y, z])], potential=potential, constraints=constraints, initial=initial, **more
    )


def square(*q):
    return sum(e.diff(t) ** 2 for e in q)


def disk():
    system = da.System.load(gallery.path("rolling-disk"))
    own = {s.name: s for s in system.symbols}
    M, g, l, alpha = (own[name] for name in ("M", "g", "l", "alpha"))  # noqa: E741
    L = Rational(3, 4) * M * y.diff() ** 2 + M * g * (y - l) * sin(alpha)  # Thornton and Marion (7.78)
    return Case(system, {theta: y / own["R"]}, L, 3.0)


def hemisphere():
    system = da.System.load(gallery.path("hemisphere"))
    r = system.coordinates[0]
    a, g, m = (next(s for s in system.symbols if s.name == name) for name in "agm")
    return Case(system, {r: a}, m * a**2 * theta.diff() ** 2 / 2 - m * g * a * cos(theta), 0.7)


SPHERE = {m: 1.3, g: 9.81, l: 0.9}


def spherical(chart):
    rod = da.Holonomic(x**2 + y**2 + z**2 - l**2, name="rod")
    start = {x: l * sin(1), z: -l * cos(1), y.diff(): Rational(7, 10)}
    system = point(m * g * z, [rod], start, parameters=SPHERE)
    if chart == "angles":
        L = m * l**2 * (theta.diff() ** 2 + sin(theta) ** 2 * phi.diff() ** 2) / 2 + m * g * l * cos(theta)
        places = {x: l * sin(theta) * cos(phi), y: l * sin(theta) * sin(phi), z: -l * cos(theta)}
        return Case(system, places, L)
    height = sqrt(l**2 - x**2 - y**2)
    return Case(system, {z: -height}, m * square(x, y, height) / 2 + m * g * height)


def double_pendulum():
    x2_, y2_ = l1 * sin(a1) + l2 * sin(a2), -l1 * cos(a1) - l2 * cos(a2)
    system = da.System.from_particles(
        [da.Particle(m1, [x1, y1]), da.Particle(m2, [x2, y2])],
        potential=g * (m1 * y1 + m2 * y2),
        constraints=[
            da.Holonomic(x1**2 + y1**2 - l1**2, name="upper"),
            da.Holonomic((x2 - x1) ** 2 + (y2 - y1) ** 2 - l2**2, name="lower"),
        ],
        parameters={m1: 1.0, m2: 0.5, g: 9.81, l1: 1.0, l2: 0.7},
        initial={x1: l1 * sin(0.3), y1: -l1 * cos(0.3), x2: l1 * sin(0.3) + l2 * sin(0.2),
                 y2: -l1 * cos(0.3) - l2 * cos(0.2)},
    )  # fmt: skip
    L = (
        (m1 + m2) * l1**2 * a1.diff() ** 2 / 2
        + m2 * l2**2 * a2.diff() ** 2 / 2
        + m2 * l1 * l2 * cos(a1 - a2) * a1.diff() * a2.diff()
        + (m1 + m2) * g * l1 * cos(a1)
        + m2 * g * l2 * cos(a2)
    )
    return Case(system, {x1: l1 * sin(a1), y1: -l1 * cos(a1), x2: x2_, y2: y2_}, L)


def turning_hoop():
    """A bead on a hoop that turns about its vertical diameter."""
    hoop = [
        da.Holonomic(x**2 + y**2 + z**2 - R**2, name="hoop"),
        da.Holonomic(x * sin(w * t) - y * cos(w * t), name="turn"),
    ]
    start = {x: R * sin(0.5), z: -R * cos(0.5), y.diff(): R * sin(0.5) * w}
    system = point(m * g * z, hoop, start, parameters={m: 1.0, g: 9.81, R: 1.0, w: 2.0})
    L = m * R**2 * (theta.diff() ** 2 + w**2 * sin(theta) ** 2) / 2 + m * g * R * cos(theta)
    return Case(system, {x: R * sin(theta) * cos(w * t), y: R * sin(theta) * sin(w * t), z: -R * cos(theta)}, L)


def moving_support():
    system = da.System.from_particles(
        [da.Particle(m, [x, y])],
        potential=m * g * y,
        constraints=[da.Holonomic((x - A * sin(w * t)) ** 2 + y**2 - l**2, name="rod")],
        parameters={m: 1.0, g: 9.81, l: 1.0, w: 2.0, A: 0.1},
        initial={y: -l, x.diff(): A * w},
    )
    L = m * square(A * sin(w * t) + l * sin(theta), l * cos(theta)) / 2 + m * g * l * cos(theta)
    return Case(system, {x: A * sin(w * t) + l * sin(theta), y: -l * cos(theta)}, L)


def skate():
    """A blade on an incline: the plane is eliminated, the blade stays."""
    system = da.System.from_lagrangian(
        m * square(x, y, z) / 2 + J * psi.diff() ** 2 / 2 - m * g * z,
        [x, y, z, psi],
        constraints=[
            da.Holonomic(z - c * y, name="plane"),
            da.Nonholonomic(x.diff() * sin(psi) - y.diff() * cos(psi), name="blade"),
        ],
        parameters={m: 1.0, g: 9.81, J: 0.3, c: 0.4},
        initial={psi: 0.2, x.diff(): cos(0.2), y.diff(): sin(0.2), z.diff(): c * sin(0.2), psi.diff(): 0.7},
    )
    L = m * (square(x) + (1 + c**2) * square(y)) / 2 + J * square(psi) / 2 - m * g * c * y
    return Case(system, {z: c * y}, L)


def swing():
    """A pendulum in a medium, by mass and forces."""
    system = da.System.from_forces(
        [[m, 0], [0, m]],
        [-c * x.diff(), -m * g - c * y.diff()],
        [x, y],
        constraints=[da.Holonomic(x**2 + y**2 - l**2, name="rod")],
        parameters={m: 1.0, g: 9.81, l: 1.0, c: 0.1},
        initial={x: l},
    )
    return Case(system, {x: l * cos(theta), y: l * sin(theta)}, None)


def rough_ring():
    """Udwadia 2000, section 5, in Cartesian coordinates."""
    system = da.System.load(gallery.path("rough-ring"))
    own = next(s for s in system.symbols if s.name == "R")
    return Case(system, {x: own * cos(theta), y: own * sin(theta)}, None, 5.0)


MADE = {
    "rolling disk": disk,
    "hemisphere": hemisphere,
    "spherical pendulum, angles": lambda: spherical("angles"),
    "spherical pendulum, seen from above": lambda: spherical("plane"),
    "double pendulum": double_pendulum,
    "turning hoop": turning_hoop,
    "moving support": moving_support,
    "skate": skate,
    "swing by forces": swing,
    "rough ring": rough_ring,
}


@cache
def case(name):
    return MADE[name]()


@cache
def reduction(name):
    return case(name).system.reduce(case(name).embedding)
