"""The statement of a mechanical system: coordinates, the unconstrained system, constraints and values.

A frozen value, complete and checked when built: hashable, comparable and picklable. The verbs (equations, instant,
verify, …) are in `dalembert.system`, which adds what the other rooms can do with a statement.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from os import PathLike
from types import MappingProxyType
from typing import Any, Self

from sympy import Expr, Symbol

from dalembert.model.checks import expression, parameters_in, velocity
from dalembert.model.constraints import Constraint
from dalembert.model.errors import ModelError, refuse
from dalembert.model.inputs import (
    as_number,
    by_coordinate,
    constraint_sequence,
    coordinate_faults,
    end_time,
    initial_values,
    mass_matrix,
    named,
    parameter_values,
    run_faults,
    sequence,
)
from dalembert.model.rules import all_expressions, statement_faults
from dalembert.model.unconstrained import (
    Lagrangian,
    MassAndForce,
    Particle,
    Particles,
    Unconstrained,
    potential_faults,
)

Values = Mapping[Any, Any]


@dataclass(frozen=True)
class Statement:
    """What the mechanician states; `values` and `initial` are sorted pairs so that equal statements are equal.

    `until`, `tolerance` and `engine` are what a run takes where it is asked for nothing else.
    """

    coordinates: tuple[Expr, ...]
    unconstrained: Unconstrained
    constraints: tuple[Constraint, ...] = ()
    values: tuple[tuple[Symbol, float], ...] = ()
    name: str = ""
    initial: tuple[tuple[Expr, Expr], ...] = ()
    until: float | None = None
    tolerance: float | None = None
    engine: str | None = None

    def __post_init__(self) -> None:
        faults = list(coordinate_faults(self.coordinates))
        refuse(ModelError, self._subject, faults)
        constraints, faults = named(self.constraints)
        refuse(ModelError, self._subject, faults)
        object.__setattr__(self, "constraints", constraints)
        refuse(ModelError, self._subject, statement_faults(self))

    @property
    def _subject(self) -> str:
        return f"System {self.name!r}" if self.name else "System"

    @cached_property
    def velocities(self) -> tuple[Expr, ...]:
        """The velocities, in the order of the coordinates."""
        return tuple(velocity(q) for q in self.coordinates)

    @property
    def parameters(self) -> Mapping[Symbol, float]:
        """The parameters that have a value."""
        return MappingProxyType(dict(self.values))

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every parameter of the statement, with or without a value, by name."""
        used = parameters_in(expr for _, expr in all_expressions(self))
        return tuple(sorted(used | dict(self.values).keys(), key=lambda s: s.name))

    @classmethod
    def from_lagrangian(
        cls,
        L: Expr,
        coordinates: Sequence[Expr],
        *,
        forces: Values | Sequence[Expr] = MappingProxyType({}),
        constraints: Iterable[Constraint] = (),
        parameters: Values = MappingProxyType({}),
        name: str = "",
        initial: Values = MappingProxyType({}),
        until: float | None = None,
    ) -> Self:
        """A system from its Lagrangian L(q, q̇, t) and active forces by coordinate."""
        subject = _subject(name)
        coordinates = sequence(coordinates, "the coordinates", subject)
        function, faults = expression(L, "the Lagrangian")
        active, found = by_coordinate(forces, coordinates, "force")
        given = _common(coordinates, constraints, parameters, name, initial, until, [*faults, *found])
        assert function is not None  # no faults: there is an expression
        return cls(coordinates, Lagrangian(function, active), *given)

    @classmethod
    def from_forces(
        cls,
        M: object,
        Q: Sequence[Expr],
        coordinates: Sequence[Expr],
        *,
        constraints: Iterable[Constraint] = (),
        parameters: Values = MappingProxyType({}),
        name: str = "",
        initial: Values = MappingProxyType({}),
        until: float | None = None,
    ) -> Self:
        """A system from its mass matrix M (n × n, symmetric) and impressed forces Q (n): M q̈ = Q."""
        subject = _subject(name)
        coordinates = sequence(coordinates, "the coordinates", subject)
        mass, faults = mass_matrix(M, len(coordinates))
        impressed, found = by_coordinate(Q, coordinates, "impressed force")
        given = _common(coordinates, constraints, parameters, name, initial, until, [*faults, *found])
        return cls(coordinates, MassAndForce(mass, impressed), *given)

    @classmethod
    def from_particles(
        cls,
        particles: Iterable[Particle],
        *,
        potential: Expr | float = 0,
        constraints: Iterable[Constraint] = (),
        parameters: Values = MappingProxyType({}),
        name: str = "",
        initial: Values = MappingProxyType({}),
        until: float | None = None,
    ) -> Self:
        """A system of mass points in Cartesian coordinates, with the forces on them and a potential V(q, t)."""
        subject = _subject(name)
        points = sequence(particles, "the particles", subject)
        faults = [f"{p!r} is not a Particle" for p in points if not isinstance(p, Particle)]
        if not points:
            faults.append("there are no particles")
        refuse(ModelError, subject, faults)
        common, faults = expression(potential, "the potential")
        if common is not None:
            faults += potential_faults(common)
        coordinates = tuple(x for p in points for x in p.position)
        given = _common(coordinates, constraints, parameters, name, initial, until, faults)
        return cls(coordinates, Particles(points, common), *given)

    def with_parameters(self, parameters: Values) -> Self:
        """The same statement with some parameter values set anew; parameters may be given by name."""
        if not isinstance(parameters, Mapping):
            raise ModelError(self._subject, [f"the parameters are {parameters!r}; give a mapping"])
        by_name = {s.name: s for s in self.symbols}
        given = {by_name.get(s, s) if isinstance(s, str) else s: value for s, value in parameters.items()}
        values, faults = parameter_values({**self.parameters, **given})
        faults += [f"{s} is not a parameter of this system" for s, _ in values if s not in self.symbols]
        refuse(ModelError, self._subject, faults)
        return replace(self, values=values)

    def with_run(self, *, until: Any = None, tolerance: Any = None, engine: Any = None) -> Self:
        """The same statement, moved otherwise where nothing else is asked of a run; None leaves what there is."""
        given = {"until": until, "tolerance": tolerance, "engine": engine}
        refuse(ModelError, self._subject, run_faults(**given))
        numbers = {key: value if key == "engine" else as_number(value) for key, value in given.items()}
        return self._changed(**{key: numbers[key] for key, value in given.items() if value is not None})

    def form(self) -> Self:
        """The statement without name, values, start and end: what derivation and compilation depend on.

        It is not checked again: it says less than a statement that was.
        """
        valueless = tuple((s, 0.0) for s in self.symbols)
        return self._changed(values=valueless, initial=(), until=None, tolerance=None, engine=None, name="")

    def without(self, names: Collection[str]) -> Self:
        """The statement without the constraints of these names; natures that refer to them are left as they are."""
        return self._changed(constraints=tuple(c for c in self.constraints if c.name not in names))

    def _changed(self, **changes: Any) -> Self:
        """The same with other fields, not checked again."""
        bare = object.__new__(type(self))
        for name, value in {**{f.name: getattr(self, f.name) for f in fields(self)}, **changes}.items():
            object.__setattr__(bare, name, value)
        return bare

    def __reduce__(self) -> Any:
        """Pickle as the text of a model file, which reads back equal; as it is where a file could not hold it."""
        from dalembert.model.files import loads
        from dalembert.model.saving import dumps

        try:
            return loads, (dumps(self), type(self))
        except ModelError:
            return _restored, (type(self), tuple((f.name, getattr(self, f.name)) for f in fields(self)))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """The system in a model file (TOML); every fault of the file comes in one `ModelError`."""
        from dalembert.model.files import load

        return load(path, cls)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the system to a model file that `load` reads back as an equal system."""
        from dalembert.model.saving import save

        save(self, path)


def _subject(name: str) -> str:
    return f"System {name!r}" if name else "System"


def _restored(kind: type[Statement], values: tuple[tuple[str, Any], ...]) -> Statement:
    return kind(**dict(values))


def _common(
    coordinates: tuple[Expr, ...],
    constraints: Any,
    parameters: Any,
    name: Any,
    initial: Any,
    until: Any,
    faults: Iterable[str],
) -> tuple[Any, ...]:
    """Constraints, values, name, start and end as every statement holds them; all faults, those before too, at once."""
    rows, row_faults = constraint_sequence(constraints)
    values, value_faults = parameter_values(parameters)
    start, start_faults = initial_values(initial, coordinates)
    end, end_faults = end_time(until)
    name_faults = [] if isinstance(name, str) else [f"the name is {name!r}, a text is meant"]
    found = [*faults, *row_faults, *named(rows)[1], *value_faults, *start_faults, *end_faults, *name_faults]
    refuse(ModelError, _subject(name), [*coordinate_faults(coordinates), *found])
    return rows, values, name, start, end
