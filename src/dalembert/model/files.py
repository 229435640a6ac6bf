"""Model files: TOML with expressions in a grammar of our own, read and written without loss.

Reading never evaluates anything as Python; every fault of a file comes in one `ModelError`.
"""

import tomllib
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sympy import Expr, Integer, Symbol
from sympy.physics.mechanics import dynamicsymbols

from dalembert.model.checks import time, velocity
from dalembert.model.constraints import Constraint, Differential, Holonomic, Nonholonomic
from dalembert.model.errors import ModelError
from dalembert.model.grammar import RESERVED, ExpressionError, Scope, is_name, parse
from dalembert.model.natures import Coulomb, Ideal, Nature, Prescribed, Quadratic, Viscous
from dalembert.model.unconstrained import Particle

if TYPE_CHECKING:
    from dalembert.model.statement import Statement

S = TypeVar("S", bound="Statement")
T = TypeVar("T")

LARGEST = 262_144  # bytes of one model file
KEYS = (
    "name", "coordinates", "lagrangian", "forces", "mass", "impressed", "particles", "potential",
    "symbols", "parameters", "assumptions", "constraints", "start", "run",
)  # fmt: skip
KINDS = ("holonomic", "nonholonomic", "differential")
NATURES = ("ideal", "prescribed", "viscous", "quadratic", "coulomb")
ASSUMPTIONS = ("positive", "negative", "nonnegative", "nonpositive", "nonzero", "real", "integer")


def load(path: str | PathLike[str], kind: type[S]) -> S:
    """The statement in a model file."""
    file = Path(path)
    data = file.read_bytes()
    if len(data) > LARGEST:
        raise ModelError(str(path), [f"the file has {len(data)} bytes; the limit is {LARGEST}"])
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ModelError(str(path), [f"the file is not UTF-8 text: {error.reason} at byte {error.start}"]) from None
    return loads(text, kind, str(path))


def loads(text: str, kind: type[S], where: str = "model") -> S:
    """The statement in the text of a model file; `where` is what errors call it."""
    if len(text) > LARGEST:
        raise ModelError(where, [f"the text has {len(text)} characters; the limit is {LARGEST}"])
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ModelError(where, [f"not valid TOML: {error}"]) from None
    except RecursionError:
        raise ModelError(where, ["not valid TOML: values are nested too deeply"]) from None
    reader = Reader(text, table)
    try:
        arguments = reader.arguments()
    except _Halt:
        arguments = None
    if reader.faults or arguments is None:
        raise ModelError(where, dict.fromkeys(reader.faults))
    make, given = arguments
    try:
        return getattr(kind, _MAKERS[make])(**given)
    except ModelError as error:
        raise ModelError(where, error.faults) from None


_MAKERS = {"lagrangian": "from_lagrangian", "mass": "from_forces", "particles": "from_particles"}


class _Halt(Exception):
    """Nothing more can be read: what is needed for it is itself at fault."""


class Reader:
    """Reads the parts of a model file, keeping every fault it meets."""

    def __init__(self, text: str, table: Mapping[str, Any]) -> None:
        self.text = text
        self.table = table
        self.faults: list[str] = []
        self.scope = Scope({}, {})

    def arguments(self) -> tuple[str, dict[str, Any]]:
        """Which way the system is stated, and the arguments of the call that makes it."""
        self._known_keys(self.table, KEYS, "the file")
        ways = [way for way in _MAKERS if way in self.table]
        if len(ways) != 1:
            self.faults.append(
                "a file has one of: lagrangian (with forces); mass and impressed; particles (with potential); "
                + (f"this one has {' and '.join(ways)}" if ways else "this one has none")
            )
            raise _Halt
        self._names(ways[0])
        common = {
            "name": self._get(self.table, "name", str, "", "name"),
            "parameters": self._parameters(),
            "initial": self._start(),
            "until": self._until(),
        }
        own = {"lagrangian": self._lagrangian, "mass": self._mass, "particles": self._particles}[ways[0]]()
        common["constraints"] = self._constraints()
        self._strays(ways[0])
        return ways[0], {**own, **common}

    # names

    def _names(self, way: str) -> None:
        """Coordinates, parameters and constraint names, from which every expression is read."""
        if way == "particles":
            listed = [
                x
                for p in self._list(self.table, "particles")
                if isinstance(p, Mapping)
                for x in ([p["position"]] if isinstance(p.get("position"), str) else self._list(p, "position"))
            ]
        else:
            listed = self._list(self.table, "coordinates")
        coordinates = {name: dynamicsymbols(name) for name in listed if self._is_name(name, "the coordinate")}
        given = self._get(self.table, "parameters", Mapping, {}, "parameters")
        unvalued = self._list(self.table, "symbols")
        parameters = {
            name: Symbol(name, **self._assumed(name))
            for name in [*given, *unvalued]
            if self._is_name(name, "the parameter")
        }
        if clash := sorted(coordinates.keys() & parameters.keys()):
            self.faults.append(f"{', '.join(clash)} is both a coordinate and a parameter")
        for name in sorted(set(unvalued) & given.keys() if all(isinstance(u, str) for u in unvalued) else ()):
            self.faults.append(f"the parameter {name} has a value and is listed in symbols too")
        names = [c.get("name") for c in self._list(self.table, "constraints") if isinstance(c, Mapping)]
        if not coordinates:
            self.faults.append("there are no coordinates")
        if self.faults:
            raise _Halt
        self._coordinates = listed
        labels = [n if isinstance(n, str) and n else f"constraint {i}" for i, n in enumerate(names, 1)]
        self.scope = Scope(coordinates, parameters, frozenset(labels))

    def _assumed(self, name: str) -> dict[str, bool]:
        table = self._get(self.table, "assumptions", Mapping, {}, "assumptions")
        found = {a: True for a in ASSUMPTIONS if name in self._list(table, a, "assumptions")}
        return found or ({} if name in self._list(table, "none", "assumptions") else {"real": True})

    def _strays(self, way: str) -> None:
        """Keys that belong to another way of stating a system, and assumptions about nothing."""
        own = {"lagrangian": ("forces",), "mass": ("impressed",), "particles": ("potential",)}
        for other, keys in own.items():
            self.faults += [
                f"{key} goes with {other}, not with {way}" for key in keys if other != way and key in self.table
            ]
        if way == "particles" and "coordinates" in self.table:
            self.faults.append("coordinates are given by the positions of the particles, not apart")
        table = self._get(self.table, "assumptions", Mapping, {}, "assumptions")
        self._known_keys(table, (*ASSUMPTIONS, "none"), "assumptions")
        for key in table:
            for name in self._list(table, key, "assumptions"):
                if name not in self.scope.parameters:
                    self.faults.append(f"assumptions.{key} names {name!r}, which is not a parameter")

    # parts

    def _lagrangian(self) -> dict[str, Any]:
        forces = self._get(self.table, "forces", Mapping, {}, "forces")
        return {
            "L": self._expr(self.table["lagrangian"], "lagrangian"),
            "coordinates": list(self.scope.coordinates.values()),
            "forces": self._by_coordinate(forces, "forces"),
        }

    def _mass(self) -> dict[str, Any]:
        rows = self._list(self.table, "mass")
        impressed = self._list(self.table, "impressed")
        if "impressed" not in self.table:
            self.faults.append("mass needs impressed, the forces Q, one for each coordinate")
        if not all(isinstance(row, list) for row in rows):
            self.faults.append("mass is a list of rows, each a list of expressions")
            rows = []
        return {
            "M": [[self._expr(e, f"mass[{i}][{j}]") for j, e in enumerate(row, 1)] for i, row in enumerate(rows, 1)],
            "Q": [self._expr(e, f"impressed[{i}]") for i, e in enumerate(impressed, 1)],
            "coordinates": list(self.scope.coordinates.values()),
        }

    def _particles(self) -> dict[str, Any]:
        points = []
        for number, table in enumerate(self._list(self.table, "particles"), 1):
            where = f"particles[{number}]"
            if not isinstance(table, Mapping):
                self.faults.append(f"{where} is {table!r}, a table is meant")
                continue
            self._known_keys(table, ("mass", "position", "force"), where)
            for key in ("mass", "position"):
                if key not in table:
                    self.faults.append(f"{where} has no {key}")
            position = table.get("position", [])
            position = [position] if isinstance(position, str) else position
            force = table.get("force")
            force = force if force is None or isinstance(force, list) else [force]
            mass = self._expr(table.get("mass", 1), f"{where}.mass")
            parts = None if force is None else [self._expr(f, f"{where}.force[{i}]") for i, f in enumerate(force, 1)]
            if not self.faults:
                places = [self.scope.coordinates[x] for x in position]
                points.append(self._built(lambda m=mass, q=places, f=parts: Particle(m, q, f), where))
        return {"particles": points, "potential": self._expr(self.table.get("potential", 0), "potential")}

    def _parameters(self) -> dict[Symbol, float]:
        out = {}
        for name, value in self._get(self.table, "parameters", Mapping, {}, "parameters").items():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                self.faults.append(f"parameters.{name} is {value!r}, a number is meant")
            elif value != value or abs(value) > 1e308:
                self.faults.append(f"parameters.{name} is {value!r}, a finite number is meant")
            elif name in self.scope.parameters:
                out[self.scope.parameters[name]] = float(value)
        return out

    def _start(self) -> dict[Expr, Expr]:
        keys: dict[str, Expr] = dict(self.scope.coordinates)
        keys |= {f"{q}'": velocity(x) for q, x in self.scope.coordinates.items()}
        scope = Scope({}, self.scope.parameters, time=False)
        out = {}
        for key, value in self._get(self.table, "start", Mapping, {}, "start").items():
            if key not in keys:
                self.faults.append(f"start.{key} is neither a coordinate nor a velocity{_near(key, keys)}")
            else:
                out[keys[key]] = self._expr(value, f"start.{key}", scope)
        return out

    def _until(self) -> float | None:
        run = self._get(self.table, "run", Mapping, {}, "run")
        self._known_keys(run, ("until",), "run")
        until = run.get("until")
        if until is None or (isinstance(until, (int, float)) and not isinstance(until, bool) and abs(until) < 1e308):
            return until
        self.faults.append(f"run.until is {until!r}, a finite number is meant")
        return None

    def _constraints(self) -> list[Constraint]:
        out = []
        for number, table in enumerate(self._list(self.table, "constraints"), 1):
            where = f"constraints[{number}]"
            if not isinstance(table, Mapping):
                self.faults.append(f"{where} is {table!r}, a table is meant")
                continue
            if isinstance(table.get("name"), str):
                where = f"{where} {table['name']!r}"
            self._known_keys(table, ("name", "nature", *KINDS), where)
            kinds = [k for k in KINDS if k in table]
            if len(kinds) != 1:
                self.faults.append(f"{where} has {' and '.join(kinds) or 'no kind'}; give one of {', '.join(KINDS)}")
                continue
            name = self._get(table, "name", str, "", f"{where}.name")
            nature = self._nature(table.get("nature"), f"{where}.nature")
            made = self._constraint(kinds[0], table[kinds[0]], name, nature, f"{where}.{kinds[0]}")
            if made is not None:
                out.append(made)
        return out

    def _constraint(self, kind: str, value: Any, name: str, nature: Nature, where: str) -> Constraint | None:
        if kind == "differential":
            if not isinstance(value, Mapping):
                self.faults.append(
                    f"{where} is {value!r}; give a table of coefficients, e.g. {{ y = 1, theta = '-R' }}"
                )
                return None
            keys = {**self.scope.coordinates, "t": time()}
            self.faults += [f"{where}.{k} is no coordinate and not t{_near(k, keys)}" for k in value if k not in keys]
            form = {keys[k]: self._expr(v, f"{where}.{k}") for k, v in value.items() if k in keys}
            return self._built(lambda: Differential(form, name, nature), where)
        scope = Scope(self.scope.coordinates, self.scope.parameters, velocities=kind == "nonholonomic")
        before = len(self.faults)
        expr = self._expr(value, where, scope)
        if len(self.faults) > before:
            return None
        make = Holonomic if kind == "holonomic" else Nonholonomic
        return self._built(lambda: make(expr, name, nature), where)

    def _nature(self, value: Any, where: str) -> Nature:
        if value is None or value == "ideal":
            return Ideal()
        if not isinstance(value, Mapping):
            self.faults.append(f"{where} is {value!r}; it is a table with one of {', '.join(NATURES)}")
            return Ideal()
        self._known_keys(value, (*NATURES, "static"), where)
        kinds = [k for k in NATURES if k in value]
        if len(kinds) != 1 or ("static" in value and kinds != ["coulomb"]):
            self.faults.append(f"{where} has {' and '.join(value) or 'nothing'}; give one of {', '.join(NATURES)}")
            return Ideal()
        kind, given = kinds[0], value[kinds[0]]
        if kind == "ideal":
            return Ideal()
        scope = Scope(self.scope.coordinates, self.scope.parameters, self.scope.constraints, reactions=True)
        if kind == "prescribed":
            if isinstance(given, list):
                listed = [self._expr(e, f"{where}.prescribed[{i}]", scope) for i, e in enumerate(given, 1)]
                return self._built(lambda: Prescribed(listed), where) or Ideal()
            if not isinstance(given, Mapping):
                self.faults.append(f"{where}.prescribed is {given!r}; give a table by coordinate or a list")
                return Ideal()
            mapped = self._by_coordinate(given, f"{where}.prescribed", scope)
            return self._built(lambda: Prescribed(mapped), where) or Ideal()
        coefficient = self._expr(given, f"{where}.{kind}", scope)
        static = self._expr(value["static"], f"{where}.static", scope) if "static" in value else None
        make: Callable[[], Nature] = {
            "viscous": lambda: Viscous(coefficient),
            "quadratic": lambda: Quadratic(coefficient),
            "coulomb": lambda: Coulomb(coefficient, static),
        }[kind]
        return self._built(make, where) or Ideal()

    # elements

    def _by_coordinate(self, table: Mapping[str, Any], where: str, scope: Scope | None = None) -> dict[Expr, Expr]:
        known = self.scope.coordinates
        self.faults += [f"{where}.{k} is not a coordinate{_near(k, known)}" for k in table if k not in known]
        return {known[k]: self._expr(v, f"{where}.{k}", scope) for k, v in table.items() if k in known}

    def _expr(self, value: Any, where: str, scope: Scope | None = None) -> Expr:
        """A number or an expression of the grammar; zero stands in for one that is at fault."""
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            self.faults.append(f"{where} is {value!r}, an expression (text) or a number is meant")
            return Integer(0)
        text = value if isinstance(value, str) else repr(value)
        try:
            return parse(text, scope or self.scope)
        except ExpressionError as error:
            self.faults.append(self._located(error, text, where))
            return Integer(0)

    def _located(self, error: ExpressionError, text: str, where: str) -> str:
        """The fault with its line and column in the file, where the expression stands there as it was read."""
        start = self.text.find(text) if text.strip() else -1
        message = "\n".join(error.faults)
        if start < 0:
            return f"{where}, line {error.line}, column {error.column}: {message}"
        before = self.text[:start]
        line = before.count("\n") + error.line
        column = error.column + (len(before) - before.rfind("\n") - 1 if error.line == 1 else 0)
        return f"{where}, line {line}, column {column} of the file: {message}"

    def _built(self, make: Callable[[], T], where: str) -> T | None:
        try:
            return make()
        except ModelError as error:
            self.faults += [f"{where}: {fault}" for fault in error.faults]
            return None

    def _get(self, table: Mapping[str, Any], key: str, kind: type[T], default: Any, where: str) -> T:
        value = table.get(key, default)
        if not isinstance(value, kind):
            self.faults.append(f"{where} is {value!r}, {'a text' if kind is str else 'a table'} is meant")
            return default
        return value

    def _list(self, table: Mapping[str, Any], key: str, parent: str = "") -> list[Any]:
        value = table.get(key, [])
        if not isinstance(value, list):
            self.faults.append(f"{parent + '.' if parent else ''}{key} is {value!r}, a list is meant")
            return []
        return value

    def _is_name(self, name: Any, what: str) -> bool:
        if not isinstance(name, str) or not is_name(name):
            self.faults.append(f"{what} {name!r} is not a name (letters, digits and _, not beginning with a digit)")
            return False
        if name in RESERVED:
            self.faults.append(f"{what} {name!r} is a reserved word")
            return False
        return True

    def _known_keys(self, table: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
        self.faults += [f"unknown key {key!r} in {where}{_near(key, keys)}" for key in table if key not in keys]


def _near(name: str, among: Any) -> str:
    close = get_close_matches(name, list(among), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
