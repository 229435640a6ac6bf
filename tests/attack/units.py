"""A case in other units: lengths, times, masses, coordinates and rows by factors; the same motion in the other units.

With q = a q̃ and t = τ t̃, a Lagrangian becomes κ L, a force κ a F, a mass matrix κ a M a/τ², a row r f. What follows a
multiplier (friction against a stated sliding velocity) keeps its meaning where that velocity is scaled by r τ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from sympy import Dummy, Expr, sympify
from sympy.physics.mechanics import dynamicsymbols

from .case import Case, Truth
from .statement import Nature, Row, Statement

t = dynamicsymbols._t


class Units:
    """Factors of coordinates (by coordinate), of time, of energy, and of rows (by place)."""

    def __init__(self, lengths: Mapping[Expr, float], time: float, energy: float, rows: Sequence[float]) -> None:
        self.lengths, self.time, self.energy, self.rows = dict(lengths), time, energy, list(rows)

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

    def nature(self, nature: Nature, row: float) -> Nature:
        """A nature in the new units; those that mean a length of all velocities need one factor for all of them."""
        if nature.name == "Ideal":
            return nature
        one = set(self.lengths.values())
        if nature.name in ("Viscous", "Quadratic"):
            assert len(one) == 1
            a = one.pop()
            factor = self.energy * a**2 / self.time * (a / self.time if nature.name == "Quadratic" else 1)
            return Nature(nature.name, (factor * self.expression(nature.arguments[0]),))
        assert nature.name == "Coulomb"
        options = dict(nature.options)
        if "sliding" in options:
            given = options["sliding"] if isinstance(options["sliding"], list) else [options["sliding"]]
            options["sliding"] = [row * self.time * self.expression(s) for s in given]
        if "static" in options:
            options["static"] = self.expression(options["static"])
        return Nature("Coulomb", (self.expression(nature.arguments[0]),), options)

    def statement(self, old: Statement) -> Statement:
        """The statement in the new units."""
        rows = []
        for row, r in zip(old.rows, self.rows, strict=True):
            assert row.kind != "Differential"
            rows.append(Row(row.kind, r * self.expression(row.expr), row.name, self.nature(row.nature, r), row.options))
        lengths = [self.lengths[q] for q in old.coordinates]
        if old.lagrangian is not None:
            forces = {q: self.energy * self.lengths[q] * self.expression(f) for q, f in dict(old.forces).items()}
            return replace(
                old, lagrangian=self.energy * self.expression(old.lagrangian), forces=forces, rows=tuple(rows)
            )
        mass = [
            [self.energy * a * b / self.time**2 * self.expression(m) for m, b in zip(line, lengths, strict=True)]
            for line, a in zip(old.mass, lengths, strict=True)
        ]
        forces = tuple(self.energy * a * self.expression(f) for f, a in zip(old.forces, lengths, strict=True))
        return replace(old, mass=mass, forces=forces, rows=tuple(rows))

    def case(self, old: Case, label: str) -> Case:
        """The case in the new units: its scales too, so that it is judged as the old one is."""
        n = len(old.statement.coordinates)
        place = np.array([self.lengths[q] for q in old.statement.coordinates])
        size = np.r_[place, place / self.time]
        keys = [*old.statement.coordinates, *(q.diff() for q in old.statement.coordinates)]
        start = {key: old.start[key] / size[keys.index(key)] for key in old.start}
        times = np.asarray(old.times, float) / self.time
        options = dict(old.options)
        if "max_step" in options:
            options["max_step"] /= self.time
        truth: list[Truth] = []  # made once, for the scales and for the judge

        def made() -> Truth:
            if not truth:
                first = old.truth()
                truth.append(
                    Truth(
                        first.states / size,
                        first.error,
                        first.growth,
                        tuple((when / self.time, kind) for when, kind in first.events),
                        None if first.end is None else first.end / self.time,
                    )
                )
            return truth[0]

        assert len(size) == 2 * n
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
