"""Systems of known motion that the tests of this room share."""

import numpy as np
from sympy import Rational, cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

x, y, z, theta, phi = dynamicsymbols("x y z theta phi")
t = dynamicsymbols._t
m, g, l, k = symbols("m g l k", positive=True)  # noqa: E741
corners = x1, y1, x2, y2 = dynamicsymbols("x1 y1 x2 y2")


def pendulum():
    """A rod pendulum in Cartesian coordinates."""
    return da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2 - m * g * y,
        [x, y],
        constraints=[da.Holonomic(x**2 + y**2 - l**2, "rod")],
        parameters={m: 1.0, g: 9.81, l: 1.0},
        name="pendulum",
    )


def angle_pendulum():
    return da.System.from_lagrangian(
        m * l**2 * theta.diff() ** 2 / 2 + m * g * l * cos(theta), [theta], parameters={m: 1.0, g: 9.81, l: 1.0}
    )


def four_bar(times=1):
    """Two corners on three rods, each rod stated so many times."""
    coupler, rocker = (x2 - x1) ** 2 + (y2 - y1) ** 2 - Rational(9, 4), (x2 - 2) ** 2 + y2**2 - Rational(36, 25)
    rods = [x1**2 + y1**2 - 1, coupler, rocker]
    rows = [da.Holonomic(rod, f"rod {i} {k}") for k in range(times) for i, rod in enumerate(rods)]
    kinetic = sum(v.diff() ** 2 for v in corners) * m / 2
    return da.System.from_lagrangian(
        kinetic - m * g * (y1 + y2), list(corners), constraints=rows, parameters={m: 1.0, g: 9.81}
    )


def parallelogram():
    """Equal cranks on a ground of the coupler's length: all rods in line twice a turn, where the rank drops."""
    rods = {
        "left": x1**2 + y1**2 - 1,
        "coupler": (x2 - x1) ** 2 + (y2 - y1) ** 2 - 4,
        "right": (x2 - 2) ** 2 + y2**2 - 1,
    }
    system = da.System.from_lagrangian(
        sum(v.diff() ** 2 for v in corners) / 2,
        list(corners),
        constraints=[da.Holonomic(rod, name) for name, rod in rods.items()],
    )
    places = dict(zip(corners, (0.0, 1.0, 2.0, 1.0), strict=True))
    return system, places | dict(zip([v.diff() for v in corners], (1.0, 0.0, 1.0, 0.0), strict=True))


def falling_with_drag():
    """A particle that falls along a wall whose force opposes the motion by the square of the speed."""
    return da.System.from_particles(
        [da.Particle(m, (x, y, z))],
        potential=m * g * z,
        constraints=[da.Holonomic(y, "wall", nature=da.Quadratic(k))],
        parameters={m: 1.0, g: 9.81, k: 0.2},
    )


def driven_bead():
    """A bead on a straight wire that turns at a given rate: r'' = w² r, and the wire does work."""
    w = 0.7
    return da.System.from_lagrangian(
        m * (x.diff() ** 2 + y.diff() ** 2) / 2,
        [x, y],
        constraints=[da.Holonomic(x * sin(w * t) - y * cos(w * t), "wire")],
        parameters={m: 2.0},
    ), w


def free_body():
    """A free rigid body by Euler parameters, with the 4 × 4 mass matrix that is singular alone."""
    e = dynamicsymbols("e0 e1 e2 e3")
    I = symbols("I1 I2 I3", positive=True)  # noqa: E741
    omega = turning(e, [q.diff() for q in e])
    system = da.System.from_lagrangian(
        sum(i * w**2 for i, w in zip(I, omega, strict=True)) / 2,
        list(e),
        constraints=[da.Holonomic(sum(q**2 for q in e) - 1, "unit")],
        parameters=dict(zip(I, (1.0, 2.0, 3.0), strict=True)),
    )
    return system, e


def turning(e, d):
    """The angular velocity in the body, by Euler parameters and their rates."""
    return (
        2 * (-e[1] * d[0] + e[0] * d[1] + e[3] * d[2] - e[2] * d[3]),
        2 * (-e[2] * d[0] - e[3] * d[1] + e[0] * d[2] + e[1] * d[3]),
        2 * (-e[3] * d[0] + e[2] * d[1] - e[1] * d[2] + e[0] * d[3]),
    )


def rotation(e):
    """The matrices (k, 3, 3) that take body to space, by Euler parameters (4, k)."""
    a, b, c, d = e
    return np.moveaxis(
        np.array(
            [
                [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
                [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
                [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
            ]
        ),
        2,
        0,
    )
