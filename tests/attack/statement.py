"""A system as it is stated, in plain data: it can be printed, put into other units, and given to the program."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NamedTuple

from sympy import Expr


@dataclass(frozen=True)
class Nature:
    """The nature of a constraint force: a name of the program's and what it is called with.

    An argument that is a function is called with the program first (for `multiplier` and its kin).
    """

    name: str = "Ideal"
    arguments: tuple = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """The nature in words."""
        given = [a.__name__ if callable(a) and not isinstance(a, Expr) else str(a) for a in self.arguments]
        return f"{self.name}({', '.join([*given, *(f'{k}={v}' for k, v in self.options.items())])})"

    def make(self, program: ModuleType) -> Any:
        """The nature in the program's own type."""
        given = [a(program) if callable(a) and not isinstance(a, Expr) else a for a in self.arguments]
        return getattr(program, self.name)(*given, **self.options)


def coulomb(mu, **options) -> Nature:
    """Dry friction."""
    return Nature("Coulomb", (mu,), options)


def viscous(c) -> Nature:
    """Drag in proportion to velocity."""
    return Nature("Viscous", (c,))


def quadratic(c) -> Nature:
    """Drag as the square of the speed."""
    return Nature("Quadratic", (c,))


def prescribed(c) -> Nature:
    """A force given outright: a mapping by coordinate, or a function of the program that gives one."""
    return Nature("Prescribed", (c,))


@dataclass(frozen=True)
class Row:
    """A constraint: its kind (a name of the program's), its expression, its nature and, of a contact, what is more."""

    kind: str
    expr: Any
    name: str = ""
    nature: Nature = Nature()
    options: Mapping[str, Any] = field(default_factory=dict)

    def make(self, program: ModuleType) -> Any:
        """The constraint in the program's own type."""
        return getattr(program, self.kind)(self.expr, name=self.name, nature=self.nature.make(program), **self.options)


IDEAL = Nature()


def holonomic(expr, name="", nature=IDEAL) -> Row:
    """φ(q, t) = 0."""
    return Row("Holonomic", expr, name, nature)


def nonholonomic(expr, name="", nature=IDEAL) -> Row:
    """ψ(q, q̇, t) = 0."""
    return Row("Nonholonomic", expr, name, nature)


def onesided(expr, restitution=0, name="", nature=IDEAL, **options) -> Row:
    """φ(q, t) ≥ 0."""
    return Row("OneSided", expr, name, nature, {"restitution": restitution, **options})


class Point(NamedTuple):
    """A mass point: its mass, its coordinates and the force on it, a component for each."""

    mass: Any
    position: tuple[Expr, ...]
    force: tuple[Any, ...]


@dataclass(frozen=True)
class Statement:
    """Coordinates, and what moves: a Lagrangian with forces, a mass matrix with impressed forces, or points; and rows.

    `forces` are by coordinate beside a Lagrangian, one for each coordinate beside a mass matrix. `potential` is that of
    the points.
    """

    coordinates: tuple[Expr, ...]
    lagrangian: Expr | None = None
    mass: Any = None
    forces: Any = field(default_factory=dict)
    rows: tuple[Row, ...] = ()
    parameters: Mapping[Expr, float] = field(default_factory=dict)
    points: tuple[Point, ...] = ()
    potential: Any = 0

    def system(self, program: ModuleType) -> Any:
        """The system in the program's own type."""
        given = {"constraints": [row.make(program) for row in self.rows], "parameters": dict(self.parameters)}
        if self.points:
            points = [program.Particle(p.mass, p.position, p.force) for p in self.points]
            return program.System.from_particles(points, potential=self.potential, **given)
        if self.lagrangian is None:
            return program.System.from_forces(self.mass, list(self.forces), list(self.coordinates), **given)
        return program.System.from_lagrangian(
            self.lagrangian, list(self.coordinates), forces=dict(self.forces), **given
        )

    def text(self) -> str:
        """What is stated, in a few lines."""
        lines = [f"coordinates {list(self.coordinates)}"]
        if self.points:
            lines += [f"{p.mass} at {p.position} under {p.force}" for p in self.points] + [f"V = {self.potential}"]
        else:
            lines += [f"L = {self.lagrangian}"] if self.lagrangian is not None else [f"M = {self.mass}"]
        lines += [f"forces {self.forces}"] if self.forces else []
        lines += [f"{r.kind} {r.expr} {dict(r.options)} {r.nature.text()}" for r in self.rows]
        lines += [f"parameters {dict(self.parameters)}"] if self.parameters else []
        return "\n".join(lines).replace("(t)", "")
