"""The problems of the motion benchmark, each stated once as plain functions that any algebra can call.

`lagrangian(q, v, p, f)`, `holonomic(q, p)` and `pfaffian(q, v, p, f)` take coordinates, velocities, parameters and a
module with `sin` and `cos`: SymPy, CasADi, JAX and NumPy all read the same lines. Units are SI.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import cos, pi, sin
from types import SimpleNamespace
from typing import Any

import numpy as np

G = 9.81


@dataclass(frozen=True, eq=False)
class Problem:
    """A system with parameters, a start of shape (2n,) (coordinates, then velocities), and a duration.

    `positions` turns coordinates into the lengths (and headings) in which an error is measured. `kind` and `size` tell
    peers with objects of their own what to build; `about` says why start and duration are what they are.
    """

    name: str
    kind: str
    coordinates: tuple[str, ...]
    lagrangian: Callable[[Sequence, Sequence, Any, Any], Any]
    parameters: dict[str, float]
    start: np.ndarray
    until: float
    about: str
    holonomic: Callable[[Sequence, Any], list] = lambda _q, _p: []
    pfaffian: Callable[[Sequence, Sequence, Any, Any], list] = lambda _q, _v, _p, _f: []
    positions: Callable[[np.ndarray], np.ndarray] = lambda q: q
    size: int = 0
    redundant: bool = False
    names: SimpleNamespace = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "names", SimpleNamespace(**self.parameters))

    @property
    def n(self) -> int:
        """The number of coordinates."""
        return len(self.coordinates)

    def drift(self, q: np.ndarray, v: np.ndarray | None) -> float:
        """The largest residual of a constraint as stated, over samples q, v of shape (samples, n), in long double."""
        q = np.atleast_2d(q).astype(np.longdouble).T
        residuals = list(self.holonomic(q, self.names))
        if v is not None:
            residuals += self.pfaffian(q, np.atleast_2d(v).astype(np.longdouble).T, self.names, np)
        return float(max((np.abs(r).max() for r in residuals), default=0.0))


def chain(n: int, until: float = 10.0) -> Problem:
    """n masses on rigid rods hanging from the origin, in Cartesian coordinates; z is up."""

    def places(q):
        return [q[3 * k : 3 * k + 3] for k in range(n)]

    def lagrangian(q, v, p, _f):
        return sum(p.m * w**2 / 2 for w in v) - p.m * p.g * sum(place[2] for place in places(q))

    def holonomic(q, p):
        before = [(0, 0, 0), *places(q)[:-1]]
        rods = zip(places(q), before, strict=True)
        return [sum((a - b) ** 2 for a, b in zip(here, there, strict=True)) - p.l**2 for here, there in rods]

    sideways = [0.3 if k % 2 == 0 else -0.3 for k in range(n)]
    rods = np.array([(cos(b) * cos(0.5), sin(b), -cos(b) * sin(0.5)) for b in sideways])
    return Problem(
        name=f"chain of {n} masses, {until:g} s",
        kind="chain",
        coordinates=tuple(f"{axis}{k}" for k in range(1, n + 1) for axis in "xyz"),
        lagrangian=lagrangian,
        holonomic=holonomic,
        parameters={"m": 1.0, "l": 1.0, "g": G},
        start=np.concatenate([np.cumsum(rods, axis=0).ravel(), np.zeros(3 * n)]),
        until=until,
        about="Let go at rest, 0.5 rad below the horizontal, each rod turned 0.3 rad sideways in turn, so that the "
        "motion is spatial. A long chain is chaotic: from 10 masses on it runs 1 s, in which rounding is not amplified "
        "beyond what a comparison of errors bears.",
        size=n,
    )


def double_pendulum(until: float = 10.0) -> Problem:
    """Two masses on rods in a plane, angles from the vertical; no constraints."""

    def lagrangian(q, v, p, f):
        (a, b), (u, w) = q, v
        kinetic = p.m * p.l**2 * (2 * u**2 + w**2 + 2 * u * w * f.cos(a - b)) / 2
        return kinetic + p.m * p.g * p.l * (2 * f.cos(a) + f.cos(b))

    return Problem(
        name=f"double pendulum, {until:g} s",
        kind="pendulum",
        coordinates=("a", "b"),
        lagrangian=lagrangian,
        parameters={"m": 1.0, "l": 1.0, "g": G},
        start=np.array([1.0, 1.5, 0.0, 0.0]),
        until=until,
        about="Let go at rest at 1.0 and 1.5 rad: large swings, without turning over.",
        positions=lambda q: np.array(
            [np.sin(q[0]), -np.cos(q[0]), np.sin(q[0]) + np.sin(q[1]), -np.cos(q[0]) - np.cos(q[1])]
        ),
    )


def knife_edge(until: float = 10.0) -> Problem:
    """A body on a blade under its centre of mass, on an incline falling along x."""

    def lagrangian(q, v, p, _f):
        return p.m * (v[0] ** 2 + v[1] ** 2) / 2 + p.J * v[2] ** 2 / 2 + p.m * p.s * q[0]

    return Problem(
        name=f"knife edge on an incline, {until:g} s",
        kind="knife edge",
        coordinates=("x", "y", "theta"),
        lagrangian=lagrangian,
        pfaffian=lambda q, v, _p, f: [v[0] * f.sin(q[2]) - v[1] * f.cos(q[2])],
        parameters={"m": 1.0, "J": 0.5, "s": G * sin(pi / 6)},
        start=np.array([0.0, 0.0, 0.0, 0.5, 0.0, 1.0]),
        until=until,
        about="Pushed off along the blade at 0.5 m/s, turning at 1 rad/s; there is a closed form.",
    )


def four_bar(times: int = 1, until: float = 10.0) -> Problem:
    """A planar loop: two masses, three rods of lengths a, b, c, pivots at the origin and at (d, 0); y is up."""

    def holonomic(q, p):
        x, y, u, w = q
        loop = [x**2 + y**2 - p.a**2, (u - x) ** 2 + (w - y) ** 2 - p.b**2, (u - p.d) ** 2 + w**2 - p.c**2]
        return loop * times

    a, b, c, d, crank, speed = 1.0, 3.0, 2.5, 2.5, 1.0, 2.0
    x, y = a * cos(crank), a * sin(crank)
    span = np.hypot(d - x, -y)
    along = (span**2 + b**2 - c**2) / (2 * span)
    away = np.sqrt(b**2 - along**2)
    ex, ey = (d - x) / span, -y / span
    u, w = x + along * ex - away * ey, y + along * ey + away * ex
    velocity = np.array([-y, x]) * speed
    rows = np.array([[u - x, w - y], [u - d, w]])
    other = np.linalg.solve(rows, [(u - x) * velocity[0] + (w - y) * velocity[1], 0.0])
    return Problem(
        name=f"four-bar loop{', every rod stated twice' if times == 2 else ''}, {until:g} s",
        kind="four-bar",
        coordinates=("x1", "y1", "x2", "y2"),
        lagrangian=lambda q, v, p, _f: sum(p.m * s**2 / 2 for s in v) - p.m * p.g * (q[1] + q[3]),
        holonomic=holonomic,
        parameters={"m": 1.0, "g": G, "a": a, "b": b, "c": c, "d": d},
        start=np.array([x, y, u, w, *velocity, *other]),
        until=until,
        about="A crank and rocker (1 + 3 < 2.5 + 2.5) set turning at 2 rad/s; every rod stated twice leaves the "
        "motion as it is and the usual matrix singular.",
        redundant=times > 1,
    )


def problems(small: bool = False) -> list[Problem]:
    """All problems; `small` has the short ones only, for continuous integration."""
    if small:
        return [chain(3, 1.0), double_pendulum(1.0), knife_edge(1.0), four_bar(1, 1.0), four_bar(2, 1.0)]
    chains = [chain(3), *(chain(n, 1.0) for n in (10, 30, 100, 300))]
    return [*chains, double_pendulum(), knife_edge(), four_bar(1), four_bar(2)]
