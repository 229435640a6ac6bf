"""Writing a statement as a model file, which reads back as an equal statement."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w
from sympy import Expr, Float, Integer, S, Symbol

from dalembert.model.checks import name_of
from dalembert.model.clock import function_of_time
from dalembert.model.constraints import Constraint, Differential, Holonomic, Nonholonomic, OneSided
from dalembert.model.errors import ModelError, refuse
from dalembert.model.files import loads
from dalembert.model.grammar import RESERVED, is_name
from dalembert.model.natures import Coulomb, Ideal, Nature, Prescribed, Quadratic, Viscous
from dalembert.model.reading import ASSUMPTIONS
from dalembert.model.unconstrained import Lagrangian, MassAndForce
from dalembert.model.writing import write

if TYPE_CHECKING:
    from dalembert.model.statement import Statement


def save(system: "Statement", path: str | PathLike[str]) -> None:
    """Write the statement to a file; nothing is written unless it reads back as an equal statement."""
    Path(path).write_bytes(dumps(system).encode())


def dumps(system: "Statement") -> str:
    """The text of the model file; raises `ModelError` with everything that a file cannot hold."""
    subject = f"System {system.name!r} cannot be written to a file" if system.name else "this system cannot be written"
    writer = _Writer(system)
    table = writer.table()
    refuse(ModelError, subject, writer.faults)
    text = tomli_w.dumps(table, multiline_strings=False)
    try:
        same = loads(text, type(system)) == system
    except ModelError as error:
        raise ModelError(subject, error.faults) from None
    refuse(ModelError, subject, [] if same else ["its text does not read back as an equal system"])
    return text


class _Writer:
    """The table of a model file, from the parts of a statement; what it cannot hold is kept in `faults`."""

    def __init__(self, system: "Statement") -> None:
        self.system = system
        self.faults: list[str] = []

    def table(self) -> dict[str, Any]:
        system = self.system
        self._check_names()
        out: dict[str, Any] = {"name": system.name} if system.name else {}
        out |= self._unconstrained()
        valued = dict(system.values)
        if unvalued := [s.name for s in system.symbols if s not in valued]:
            out["symbols"] = unvalued
        if valued:
            out["parameters"] = {s.name: value for s, value in system.values}
        if assumed := self._assumptions(system.symbols):
            out["assumptions"] = assumed
        if system.constraints:
            out["constraints"] = [self._constraint(c) for c in system.constraints]
        if system.initial:
            out["start"] = {name_of(key): self._text(value, f"start.{name_of(key)}") for key, value in system.initial}
        run = {"until": system.until, "tolerance": system.tolerance, "engine": system.engine}
        if asked := {key: value for key, value in run.items() if value is not None}:
            out["run"] = asked
        return out

    def _check_names(self) -> None:
        if not isinstance(self.system.name, str) or not self.system.name.isprintable():
            self.faults.append(f"the name of the system, {self.system.name!r}, is not a text that can be printed")
        named: list[tuple[str, Expr]] = [("coordinate", q) for q in self.system.coordinates]
        named += [("parameter", s) for s in self.system.symbols]
        for what, symbol in named:
            name = name_of(symbol)
            if not is_name(name) or name in RESERVED:
                self.faults.append(f"the {what} {name!r}: in a file that cannot be a name")
            elif what == "coordinate" and symbol != function_of_time(name):
                self.faults.append(f"the coordinate {name} has assumptions; make it by dynamicsymbols({name!r})")

    def _unconstrained(self) -> dict[str, Any]:
        body, names = self.system.unconstrained, [name_of(q) for q in self.system.coordinates]
        match body:
            case Lagrangian(function=L, forces=forces):
                out: dict[str, Any] = {"coordinates": names, "lagrangian": self._text(L, "lagrangian")}
                acting = [(q, f) for q, f in zip(names, forces, strict=True) if f != 0]
                if acting:
                    out["forces"] = {q: self._text(f, f"forces.{q}") for q, f in acting}
                return out
            case MassAndForce(mass=M, forces=forces):
                rows = [self._texts(row, f"mass[{i}]") for i, row in enumerate(M.tolist(), 1)]
                return {"coordinates": names, "mass": rows, "impressed": self._texts(forces, "impressed")}
        points = []
        for number, p in enumerate(body.points, 1):
            where = f"particles[{number}]"
            point: dict[str, Any] = {
                "mass": self._text(p.mass, f"{where}.mass"),
                "position": [name_of(x) for x in p.position],
            }
            if any(f != 0 for f in p.force):
                point["force"] = self._texts(p.force, f"{where}.force")
            points.append(point)
        return {"potential": self._text(body.potential, "potential"), "particles": points}

    def _assumptions(self, symbols: tuple[Symbol, ...]) -> dict[str, list[str]]:
        out: dict[str, list[str]] = {}
        for s in symbols:
            stated = {k: v for k, v in s._assumptions_orig.items() if k != "commutative"}
            if type(s) is not Symbol:
                self.faults.append(f"the parameter {s} is a {type(s).__name__}, a Symbol is meant")
            elif strange := {k: v for k, v in stated.items() if k not in ASSUMPTIONS or v is not True}:
                listed = ", ".join(f"{k}={v}" for k, v in strange.items())
                known = ", ".join(f"{k}=True" for k in ASSUMPTIONS)
                self.faults.append(f"the parameter {s} is assumed {listed}; a file can hold {known}")
            elif stated != {"real": True}:
                for key in stated or ("none",):
                    out.setdefault(key, []).append(s.name)
        return out

    def _constraint(self, c: Constraint) -> dict[str, Any]:
        out: dict[str, Any] = {"name": c.name}
        what = f"the constraint {c.name!r}"
        match c:
            case Holonomic(expr=expr):
                out["holonomic"] = self._text(expr, what)
            case Nonholonomic(expr=expr):
                out["nonholonomic"] = self._text(expr, what)
            case Differential(coefficients=coefficients):
                out["differential"] = {name_of(q): self._text(a, what) for q, a in coefficients}
            case OneSided(expr=expr, restitution=e, impact_friction=rough):
                out["one_sided"] = self._text(expr, what)
                if e is not S.Zero:
                    out["restitution"] = self._text(e, f"the restitution of {what}")
                if rough:
                    out["impact_friction"] = True
        if not isinstance(c.nature, Ideal):
            out["nature"] = self._nature(c.nature, f"the nature of {what}")
        return out

    def _nature(self, nature: Nature, what: str) -> dict[str, Any]:
        match nature:
            case Prescribed(components=components):
                if components and components[0][0] is None:
                    return {"prescribed": self._texts([e for _, e in components], what)}
                return {"prescribed": {name_of(q): self._text(e, what) for q, e in components if q is not None}}
            case Viscous(coefficient=k):
                return {"viscous": self._text(k, what)}
            case Quadratic(coefficient=k):
                return {"quadratic": self._text(k, what)}
            case Coulomb():
                return self._coulomb(nature, what)
        return {"ideal": True}

    def _coulomb(self, nature: Coulomb, what: str) -> dict[str, Any]:
        out: dict[str, Any] = {"coulomb": self._text(nature.coefficient, what)}
        if nature.static is not None:
            out["static"] = self._text(nature.static, what)
        if nature.normal != "ideal":
            out["normal"] = nature.normal
        if nature.sliding is not None:
            components = self._texts(nature.sliding, f"sliding of {what}")
            out["sliding"] = components if len(components) > 1 else components[0]
        if nature.of:
            out["of"] = list(nature.of) if len(nature.of) > 1 else nature.of[0]
        return out

    def _texts(self, exprs: "tuple[Expr, ...] | list[Expr]", where: str) -> list[str | int | float]:
        return [self._text(e, f"{where}[{i}]") for i, e in enumerate(exprs, 1)]

    def _text(self, expr: Expr, where: str) -> str | int | float:
        """A plain number as TOML writes it, else text of the grammar."""
        if isinstance(expr, Integer) and abs(expr) < 2**53:
            return int(expr)
        if isinstance(expr, Float) and expr._prec == 53:
            return float(expr)
        try:
            return write(expr)
        except ModelError as error:
            told = "cannot be a name in the text"  # said of each name once, and not wherever it stands
            self.faults += [f"{where} contains {fault}" for fault in error.faults if not fault.endswith(told)]
            return "0"
