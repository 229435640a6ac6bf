"""Writing a statement as a model file, which reads back as an equal statement."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w
from sympy import Expr, Float, Integer, Symbol

from dalembert.model.checks import name_of
from dalembert.model.constraints import Constraint, Differential, Holonomic
from dalembert.model.errors import ModelError, refuse
from dalembert.model.files import ASSUMPTIONS, loads
from dalembert.model.natures import Coulomb, Ideal, Prescribed, Quadratic, Viscous
from dalembert.model.unconstrained import Lagrangian, MassAndForce
from dalembert.model.writing import write

if TYPE_CHECKING:
    from dalembert.model.statement import Statement


def save(system: "Statement", path: str | PathLike[str]) -> None:
    """Write the statement to a file; nothing is written unless it reads back as an equal statement."""
    Path(path).write_text(dumps(system), encoding="utf-8")


def dumps(system: "Statement") -> str:
    """The text of the model file; raises `ModelError` for what a file cannot hold."""
    writer = _Writer(system)
    table = writer.table()
    refuse(ModelError, f"System {system.name!r} cannot be written to a file", writer.faults)
    text = tomli_w.dumps(table, multiline_strings=False)
    if loads(text, type(system)) != system:
        raise ModelError("save", ["the text does not read back as an equal system; nothing was written"])
    return text


class _Writer:
    def __init__(self, system: "Statement") -> None:
        self.system = system
        self.faults: list[str] = []

    def table(self) -> dict[str, Any]:
        system = self.system
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
            out["start"] = {name_of(key): self._text(value) for key, value in system.initial}
        if system.until is not None:
            out["run"] = {"until": system.until}
        return out

    def _unconstrained(self) -> dict[str, Any]:
        body, names = self.system.unconstrained, [name_of(q) for q in self.system.coordinates]
        match body:
            case Lagrangian(function=L, forces=forces):
                out: dict[str, Any] = {"coordinates": names, "lagrangian": self._text(L)}
                if active := {q: self._text(f) for q, f in zip(names, forces, strict=True) if f != 0}:
                    out["forces"] = active
                return out
            case MassAndForce(mass=M, forces=forces):
                rows = [[self._text(e) for e in row] for row in M.tolist()]
                return {"coordinates": names, "mass": rows, "impressed": [self._text(f) for f in forces]}
        points = []
        for p in body.points:
            point: dict[str, Any] = {"mass": self._text(p.mass), "position": [name_of(x) for x in p.position]}
            if any(f != 0 for f in p.force):
                point["force"] = [self._text(f) for f in p.force]
            points.append(point)
        return {"potential": self._text(body.potential), "particles": points}

    def _assumptions(self, symbols: tuple[Symbol, ...]) -> dict[str, list[str]]:
        out: dict[str, list[str]] = {}
        for s in symbols:
            stated = {k: v for k, v in s._assumptions_orig.items() if k != "commutative"}
            if any(k not in ASSUMPTIONS or v is not True for k, v in stated.items()) or type(s) is not Symbol:
                self.faults.append(f"the parameter {s} is a {type(s).__name__} with assumptions {stated}")
            elif stated != {"real": True}:
                for key in stated or ("none",):
                    out.setdefault(key, []).append(s.name)
        return out

    def _constraint(self, c: Constraint) -> dict[str, Any]:
        out: dict[str, Any] = {"name": c.name}
        if isinstance(c, Differential):
            out["differential"] = {name_of(q): self._text(a) for q, a in c.coefficients}
        else:
            out["holonomic" if isinstance(c, Holonomic) else "nonholonomic"] = self._text(c.expr)
        match c.nature:
            case Ideal():
                pass
            case Prescribed(components=components):
                if components and components[0][0] is None:
                    given: Any = [self._text(e) for _, e in components]
                else:
                    given = {name_of(q): self._text(e) for q, e in components if q is not None}
                out["nature"] = {"prescribed": given}
            case Viscous(coefficient=k):
                out["nature"] = {"viscous": self._text(k)}
            case Quadratic(coefficient=k):
                out["nature"] = {"quadratic": self._text(k)}
            case Coulomb(coefficient=k, static=static):
                out["nature"] = {"coulomb": self._text(k)} | ({} if static is None else {"static": self._text(static)})
        return out

    def _text(self, expr: Expr) -> str | int | float:
        """A plain number as TOML writes it, else text of the grammar."""
        if isinstance(expr, Integer) and abs(expr) < 2**53:
            return int(expr)
        if isinstance(expr, Float) and expr._prec == 53:
            return float(expr)
        try:
            return write(expr)
        except ModelError as error:
            self.faults += error.faults
            return "0"
