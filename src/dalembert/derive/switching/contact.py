"""Contacts and frictions in numbers: what decides, at one state, which of them hold, stick, slip or let go."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from sympy import Expr, S, Symbol

from dalembert.derive.evaluate import Array, located
from dalembert.derive.natures import coulomb, pressing, reactions, work_doing
from dalembert.derive.prepared import Prepared, prepared
from dalembert.derive.switching.modes import Switches
from dalembert.derive.switching.surfaces import jump, moves, moves_by_itself
from dalembert.derive.tape import Tape
from dalembert.derive.variants import bare, with_constraints
from dalembert.model import Coulomb, Held, HeldAt, Ideal, Particles, Reaction, StateError, refuse
from dalembert.model.checks import coordinates_in, velocities_in


@dataclass(frozen=True, eq=False)
class Contact:
    """A system at one state with all its constraints, in force or not, and all its given sliding velocities.

    Shapes: M (n, n), Q, v (n,); A (m, n), b, level, rate (m,) of the constraints; J (g, n), bias, speed (g,) of the
    sliding velocities s, ṡ = J q̈ − bias, those of each friction at its `places`.
    """

    M: Array
    Q: Array
    v: Array
    A: Array
    b: Array
    level: Array
    rate: Array
    J: Array
    bias: Array
    speed: Array


class Probe:
    """The tapes of a system that switches, for one set of cases of its choices."""

    def __init__(self, switches: Switches, cases: tuple[int, ...]) -> None:
        self.switches = switches
        self.base = switches.gated.resolved(cases)
        self.functions = switches.gated.functions(cases)
        self.places: list[list[int]] = []
        held: list[Held] = []
        for k in range(len(switches.rubs)):
            given = self._sliding(k)
            self.places.append([len(held) + i for i in range(len(given))])
            held += [Held(s, f"sliding {k} {i}", "friction") for i, s in enumerate(given)]
        self.slides: dict[int, int] = {}
        for g, gate in enumerate(switches.gated.gates):
            f = self.functions[g]
            of_places = bool(coordinates_in(f)) and not f.atoms(Reaction)
            force = jump(self.base, gate.symbol)[0] if of_places else {}
            if force and g in switches.gated.live(cases):
                self.slides[g] = len(held)
                kind = Held if velocities_in(self.functions[g]) else HeldAt
                held.append(kind(self.functions[g], f"surface {g}", "force"))
        plain = bare(self.base)
        self._kept: Prepared = prepared(with_constraints(plain, (*plain.constraints, *held)))
        self.symbols = self._kept.form.symbols
        self.moving = [moves_by_itself(c.expr) for c in self.base.constraints]
        self.points = isinstance(self.base.unconstrained, Particles)
        self.pressing = {j: pressing(self.base, j) for rub in switches.rubs for j in rub.members}
        self.varies = {j: moves(coulomb(self.base, j).coefficient) for j in self.pressing}
        self.particle = {j: rub.particle for rub in switches.rubs for j in rub.members}

    @cached_property
    def pattern(self) -> Array:
        """Which coordinates a row contains at all, (m + g, n): constraints, then sliding velocities and surfaces."""
        form = self._kept.form
        out = np.zeros((len(form.constraints), len(form.coordinates)), dtype=bool)
        for place in self._kept.derived.A:
            out[place] = True
        return out

    def within(self, row: int, places: tuple[int, ...]) -> bool:
        """Whether a constraint contains no other coordinates than those at some places."""
        return not np.delete(self.pattern[row], list(places)).any()

    def _sliding(self, k: int) -> tuple[Expr, ...]:
        rub = self.switches.rubs[k]
        return (coulomb(self.base, rub.members[0]).sliding or ()) if rub.sliding else ()

    def inputs(self, state: Array, t: float, values: dict[Symbol, float]) -> list[float]:
        """The numbers a tape wants, `values` those of parameters and gates."""
        n = len(self.base.coordinates)
        return [*map(float, state[: 2 * n]), t, *(values.get(s, 0.0) for s in self.symbols)]

    def at(self, inputs: list[float]) -> Contact:
        """Everything but natures at a state."""
        kept, form = self._kept, self._kept.form
        n, m, every = len(form.coordinates), len(self.base.constraints), len(form.constraints)
        d = kept.derived
        free = located(kept.free, inputs, form)
        M = np.zeros((n, n))
        for place, value in zip(d.M, free, strict=False):
            M[place] = value
        out = located(kept.rows, inputs, form)
        A = np.zeros((every, n))
        for place, value in zip(d.A, out, strict=False):
            A[place] = value
        b, level, rate = np.array(out[len(d.A) :]).reshape(3, every)
        Q = np.array(free[len(d.M) :])
        v = np.array(inputs[n : 2 * n])
        return Contact((M + M.T) / 2, Q, v, A[:m], b[:m], level[:m], rate[:m], A[m:], b[m:], rate[m:])

    def work(self, inputs: list[float], lam: Array, active: tuple[int, ...]) -> Array:
        """C of the natures that are smooth, of the constraints in force, by their multipliers (m,)."""
        C = np.zeros(len(self.base.coordinates))
        for j, tape in self._natures.items():
            if j in active:
                C += np.array(located(tape, [*inputs, *lam], self._kept.form))
        return C

    def push(self, g: int, inputs: list[float], lam: Array) -> Array:
        """The generalized force (n,) that the sign of a switching function multiplies."""
        return np.array(located(self._pushes[g], [*inputs, *lam], self._kept.form))

    @cached_property
    def _pushes(self) -> dict[int, Tape]:
        out = {}
        for g in self.slides:
            force, _ = jump(self.base, self.switches.gated.gates[g].symbol)
            out[g] = self._tape(self._converted([force.get(i, S.Zero) for i in range(len(self.base.coordinates))]))
        return out

    def coefficients(self, inputs: list[float], lam: Array) -> tuple[dict[int, float], dict[int, float]]:
        """μ and the static coefficient of each frictional constraint."""
        if not self.pressing:
            return {}, {}
        out = located(self._coefficients, [*inputs, *lam], self._kept.form)
        half = len(out) // 2
        mu, static = (
            dict(zip(self.pressing, out[:half], strict=True)),
            dict(zip(self.pressing, out[half:], strict=True)),
        )
        refuse(StateError, "the state", self._coefficient_faults(mu, static))
        return mu, static

    def _coefficient_faults(self, mu: dict[int, float], static: dict[int, float]) -> Iterator[str]:
        for j in mu:
            name = self.base.constraints[j].name
            if mu[j] < 0:
                yield f"the friction coefficient of constraint {name!r} is {mu[j]:.6g} here, which is negative"
            elif static[j] < mu[j]:
                yield f"the static coefficient of constraint {name!r} is {static[j]:.6g} here, below mu = {mu[j]:.6g}"

    def function(self, g: int, inputs: list[float], lam: Array) -> float | None:
        """A switching function, or None where it has no value."""
        try:
            return self._gates[g]([*inputs, *lam])[0]
        except StateError:
            return None

    @cached_property
    def _natures(self) -> dict[int, Tape]:
        """C of each constraint whose nature is smooth and not ideal."""
        out = {}
        for j, c in enumerate(self.base.constraints):
            if isinstance(c.nature, (Ideal, Coulomb)):
                continue
            rows = list(bare(self.base).constraints)
            rows[j] = c
            alone = with_constraints(self.base, rows)
            C, _ = work_doing(alone, self._kept.algebra, self._kept.derived.M, self._kept.derived.A)
            out[j] = self._tape(C)
        return out

    @cached_property
    def _coefficients(self) -> Tape:
        natures = [coulomb(self.base, j) for j in self.pressing]
        kinetic = [n.coefficient for n in natures]
        static = [n.coefficient if n.static is None else n.static for n in natures]
        return self._tape(self._converted([*kinetic, *static]))

    @cached_property
    def _gates(self) -> list[Tape]:
        return [self._tape([f]) for f in self._converted(list(self.functions))]

    def _converted(self, expressions: list[Expr]) -> list[Expr]:
        kept = self._kept
        known = reactions(self.base, kept.algebra, kept.derived.A, expressions)
        return [kept.algebra.convert(e, known) for e in expressions]

    def _tape(self, outputs: list[Any]) -> Tape:
        a = self._kept.algebra
        lam = a.lam[: len(self.base.constraints)]
        return Tape([*a.q, *a.v, a.t, *a.parameters.values(), *lam], outputs)


@lru_cache(maxsize=256)
def probe(switches: Switches, cases: tuple[int, ...]) -> Probe:
    """The tapes of a system that switches, kept for the next run."""
    return Probe(switches, cases)
