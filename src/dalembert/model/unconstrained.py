"""The system without its constraints, in one of three ways: a Lagrangian, mass and forces, or mass points.

Each is a frozen value with `expressions()`: everything it says, each with the words an error would use for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Add, Expr, ImmutableDenseMatrix, Rational

from dalembert.model.checks import coordinates_in, expression, has_plain_sign, is_coordinate, velocities_in, velocity
from dalembert.model.clock import time
from dalembert.model.constants import shown
from dalembert.model.errors import ModelError, refuse


@dataclass(frozen=True)
class Lagrangian:
    """L(q, q̇, t) with active forces F_i(q, q̇, t), one for each coordinate: [L]_i = F_i."""

    function: Expr
    forces: tuple[Expr, ...]

    def expressions(self) -> Iterator[tuple[str, Expr]]:
        """L and the forces."""
        yield "the Lagrangian", self.function
        for place, force in enumerate(self.forces):
            yield f"the force on coordinate {place + 1}", force


@dataclass(frozen=True)
class MassAndForce:
    """Mass matrix M(q, t) and impressed forces Q(q, q̇, t): M q̈ = Q."""

    mass: ImmutableDenseMatrix
    forces: tuple[Expr, ...]

    def expressions(self) -> Iterator[tuple[str, Expr]]:
        """The entries of M and Q."""
        for i in range(self.mass.rows):
            for j in range(self.mass.cols):
                yield f"M[{i + 1}, {j + 1}]", self.mass[i, j]
        for i, force in enumerate(self.forces):
            yield f"Q[{i + 1}]", force


@dataclass(frozen=True, init=False)
class Particle:
    """A mass point: its mass, its Cartesian coordinates (one, two or three) and the force on it."""

    mass: Expr
    position: tuple[Expr, ...]
    force: tuple[Expr, ...]

    def __init__(self, mass: object, position: object, force: object = None) -> None:
        m, faults = expression(mass, "the mass")
        if m is not None:
            if coordinates_in(m) or time() in m.free_symbols:
                faults.append(f"the mass {shown(m)} is not constant: it may contain parameters only")
            elif has_plain_sign(m) and m.is_positive is False:
                faults.append(f"the mass {m} is not positive")
        place = tuple(position) if isinstance(position, (tuple, list)) else (position,)
        faults += [f"the coordinate {x!r} is not a dynamicsymbol x(t)" for x in place if not is_coordinate(x)]
        if not 1 <= len(place) <= 3:
            faults.append(f"the position has {len(place)} coordinates; a point has 1, 2 or 3")
        given = tuple(force) if isinstance(force, (tuple, list)) else (0,) * len(place) if force is None else (force,)
        if len(given) != len(place):
            faults.append(f"the force has {len(given)} components, the position {len(place)}")
        parts = [expression(f, f"force component {i + 1}") for i, f in enumerate(given)]
        refuse(ModelError, "Particle", [*faults, *(fault for _, found in parts for fault in found)])
        object.__setattr__(self, "mass", m)
        object.__setattr__(self, "position", place)
        object.__setattr__(self, "force", tuple(f for f, _ in parts))


@dataclass(frozen=True)
class Particles:
    """Mass points in Cartesian coordinates with the forces on them and a common potential V(q, t)."""

    points: tuple[Particle, ...]
    potential: Expr

    @property
    def coordinates(self) -> tuple[Expr, ...]:
        """All coordinates, point after point."""
        return tuple(x for p in self.points for x in p.position)

    @property
    def lagrangian(self) -> Lagrangian:
        """The same as a Lagrangian: T − V = Σ ½ m ṙ² − V, with the forces on the points."""
        kinetic = Add(*(p.mass * velocity(x) ** 2 * Rational(1, 2) for p in self.points for x in p.position))
        return Lagrangian(kinetic - self.potential, tuple(f for p in self.points for f in p.force))

    def expressions(self) -> Iterator[tuple[str, Expr]]:
        """Masses, forces and the potential."""
        yield "the potential", self.potential
        for number, point in enumerate(self.points, 1):
            yield f"the mass of particle {number}", point.mass
            for place, force in enumerate(point.force, 1):
                yield f"force component {place} on particle {number}", force


Unconstrained = Lagrangian | MassAndForce | Particles


def potential_faults(potential: Expr) -> Iterator[str]:
    """What cannot stand in a potential."""
    if moving := velocities_in(potential):
        listed = ", ".join(sorted(str(v) for v in moving))
        yield f"the potential contains a velocity ({listed}); forces that depend on velocity go into the particles"
