"""A case in other units: lengths, times, masses, coordinates and rows by factors; the same motion in the other units.

With q = a q̃ and t = τ t̃, a Lagrangian becomes κ L, a force κ a F, a mass matrix κ a M a/τ², a row r f, a multiplier
κ λ/r. What follows a multiplier (friction against a stated sliding velocity) keeps its meaning where that velocity is
scaled by r τ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType, ModuleType
from typing import Any

import numpy as np
from sympy import Dummy, Expr, Function, sympify
from sympy.physics.mechanics import dynamicsymbols

from .case import Case, Truth
from .statement import Nature, Point, Row, Statement

t = dynamicsymbols._t
REACTIONS = ("IdealForce", "IdealMagnitude", "Multiplier")  # the program's names for what a nature may follow


class Units:
    """Factors of coordinates (by coordinate), of time, of energy, and of rows (by place).

    A factor is a number, or a symbol whose number is in `values`: then the new statement has it as a parameter.
    """

    def __init__(
        self,
        lengths: Mapping[Expr, Any],
        time: Any,
        energy: Any,
        rows: Sequence[Any],
        values: Mapping[Expr, float] = MappingProxyType({}),
    ) -> None:
        self.lengths, self.time, self.energy, self.rows = dict(lengths), time, energy, list(rows)
        self.values = dict(values)

    def number(self, factor: Any) -> float:
        """A factor as a number."""
        return float(sympify(factor).xreplace(self.values))

    def sizes(self, coordinates: Sequence[Expr]) -> np.ndarray:
        """How much of the old units a coordinate or velocity of 1 is in the new ones: (2n,)."""
        place = np.array([self.number(self.lengths[q]) for q in coordinates])
        return np.r_[place, place / self.number(self.time)]

    def expression(self, value) -> Expr:
        """An expression of the old coordinates, velocities and time, in the new ones."""
        value = sympify(value)
        old, new = {}, {}
        for q, a in self.lengths.items():
            d, p = Dummy(), Dummy()
            old[q.diff(t)], new[d] = d, sympify(a) / self.time * q.diff(t)
            old[q], new[p] = p, a * q
        now = Dummy()
        old[t], new[now] = now, self.time * t
        for group in (
            {k: v for k, v in old.items() if k.is_Derivative},
            {k: v for k, v in old.items() if k.is_Function},
            {t: now},
        ):
            value = value.xreplace(group)
        return value.xreplace(new)

    def multiplier(self, row: Row, r: Any) -> Expr:
        """The factor of a multiplier, from the old units to the new: κ/r of a relation of coordinates or differentials.

        Of a relation of velocities, whose A has another factor 1/τ, it is κ τ/r.
        """
        return sympify(self.energy) / r * (self.time if row.kind == "Nonholonomic" else 1)

    def nature(self, row: Row, r: Any, old: Statement) -> Nature:
        """A nature in the new units; those that mean a length of all velocities need one factor for all of them."""
        nature = row.nature
        if nature.name == "Ideal":
            return nature
        if nature.name == "Prescribed":
            return Nature("Prescribed", (partial(self.prescribed, nature.arguments[0], old),))
        if nature.name in ("Viscous", "Quadratic"):
            a = self.one()
            factor = self.energy * a**2 / self.time * (a / self.time if nature.name == "Quadratic" else 1)
            return Nature(nature.name, (factor * self.expression(nature.arguments[0]),))
        assert nature.name == "Coulomb"
        options = dict(nature.options)
        if options.get("sliding") is not None:
            given = options["sliding"] if isinstance(options["sliding"], (list, tuple)) else [options["sliding"]]
            # C = −μ N Jᵀ s/|s|: among points N is a force, else a multiplier
            force = self.energy / self.one() if old.points else self.multiplier(row, r)
            options["sliding"] = [self.energy * self.time / force * self.expression(s) for s in given]
        if options.get("static") is not None:
            options["static"] = self.expression(options["static"])
        return Nature("Coulomb", (self.expression(nature.arguments[0]),), options)

    def one(self) -> Any:
        """The one factor of all coordinates."""
        (a,) = set(self.lengths.values())
        return a

    def prescribed(self, given: Any, old: Statement, program: ModuleType) -> dict[Expr, Expr]:
        """Forces given outright, and what they say of the ideal constraint force, which is known to the program."""
        made = given(program) if callable(given) else given
        made = dict(made) if isinstance(made, Mapping) else dict(zip(old.coordinates, made, strict=True))
        row_of = {row.name: (row, r) for row, r in zip(old.rows, self.rows, strict=True)}

        def factor(reaction: Expr) -> Any:
            """From the old units to the new."""
            kind = type(reaction).__name__
            if kind == "IdealForce":
                return self.energy * self.lengths[reaction.args[0]]
            return (
                self.energy * self.one()
                if kind == "IdealMagnitude"
                else self.multiplier(*row_of[str(reaction.args[0])])
            )

        out = {}
        for q, value in made.items():
            value = sympify(value)
            known = {e: Dummy(real=True) for e in value.atoms(Function) if type(e).__name__ in REACTIONS}
            said = self.expression(value.xreplace(known))
            out[q] = self.energy * self.lengths[q] * said.xreplace({d: e / factor(e) for e, d in known.items()})
        return out

    def row(self, row: Row, r: Any, old: Statement) -> Row:
        """A constraint in the new units, with a factor."""
        if row.kind == "Differential":
            slopes = {q: self.time if q == t else self.lengths[q] for q in row.expr}
            expr: Any = {q: r * slopes[q] * self.expression(e) for q, e in row.expr.items()}
        else:
            expr = r * self.expression(row.expr)
        return Row(row.kind, expr, row.name, self.nature(row, r, old), row.options)

    def statement(self, old: Statement) -> Statement:
        """The statement in the new units."""
        rows = tuple(self.row(row, r, old) for row, r in zip(old.rows, self.rows, strict=True))
        same = {"rows": rows, "parameters": {**old.parameters, **self.values}}
        lengths = [self.lengths[q] for q in old.coordinates]
        if old.points:
            a, energy = self.one(), self.energy
            points = tuple(
                Point(energy * a**2 / self.time**2 * m, place, tuple(energy * a * self.expression(f) for f in force))
                for m, place, force in old.points
            )
            return replace(old, points=points, potential=energy * self.expression(old.potential), **same)
        if old.lagrangian is not None:
            forces = {q: self.energy * self.lengths[q] * self.expression(f) for q, f in dict(old.forces).items()}
            return replace(old, lagrangian=self.energy * self.expression(old.lagrangian), forces=forces, **same)
        mass = [
            [self.energy * a * b / self.time**2 * self.expression(m) for m, b in zip(line, lengths, strict=True)]
            for line, a in zip(old.mass, lengths, strict=True)
        ]
        forces = tuple(self.energy * a * self.expression(f) for f, a in zip(old.forces, lengths, strict=True))
        return replace(old, mass=mass, forces=forces, **same)

    def start(self, coordinates: Sequence[Expr], old: Mapping[Expr, float]) -> dict[Expr, float]:
        """The values of coordinates and velocities in the new units."""
        keys = (*coordinates, *(q.diff(t) for q in coordinates))
        size = dict(zip(keys, map(float, self.sizes(coordinates)), strict=True))
        return {key: value / size[key] for key, value in old.items()}

    def options(self, old: Mapping[str, Any]) -> dict[str, Any]:
        """What is asked of a run, in the new units."""
        longest = {"max_step": old["max_step"] / self.number(self.time)} if "max_step" in old else {}
        return {**old, **longest}

    def case(self, old: Case, label: str) -> Case:
        """The case in the new units: its scales too, so that it is judged as the old one is."""
        size, time = self.sizes(old.statement.coordinates), self.number(self.time)
        start, options = self.start(old.statement.coordinates, old.start), self.options(old.options)
        times = np.asarray(old.times, float) / time
        truth: list[Truth] = []  # made once, for the scales and for the judge

        def made() -> Truth:
            if not truth:
                first = old.truth()
                truth.append(
                    Truth(
                        first.states / size,
                        first.error,
                        first.growth,
                        tuple((when / time, kind) for when, kind in first.events),
                        None if first.end is None else first.end / time,
                    )
                )
            return truth[0]

        return Scaled(
            f"{label}: {old.label}",
            self.statement(old.statement),
            start,
            times,
            made,
            options,
            old.ends,
            old.refusals,
            None,
            old.tolerance,
            old.slack,
            old.early,
            base=old,
            size=size,
        )


class Scaled(Case):
    """A case in other units, judged by the scales of the old one."""

    def __init__(self, *values, base: Case, size: np.ndarray) -> None:
        super().__init__(*values)
        object.__setattr__(self, "base", base)
        object.__setattr__(self, "size", size)

    def scale(self, truth: Truth) -> np.ndarray:
        """The old scales in the new units."""
        return self.base.scale(replace(truth, states=truth.states * self.size)) / self.size
