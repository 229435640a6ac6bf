"""A derived statement and its tapes, made once and kept together: they only mean something with their own symbols."""

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from sympy import Expr

from dalembert.derive.algebra import Symbols
from dalembert.derive.mechanics import Derived, Energy, Sparse, derive, energy, unconstrained
from dalembert.derive.natures import following
from dalembert.derive.relations import Relations, addends
from dalembert.derive.tape import Tape
from dalembert.model import OneSided, Statement, name_of

Array = np.ndarray


class Prepared:
    """The SymPy algebra of a statement, M, Q, A, b, C in it, and the tapes; each made when it is first asked for."""

    def __init__(self, form: Statement) -> None:
        self.form = form
        self.algebra = Symbols(form)
        self.coordinates = tuple(map(name_of, form.coordinates))
        self.constraints = tuple(c.name for c in form.constraints)

    @cached_property
    def derived(self) -> Derived[Expr]:
        """M, Q, A, b, C in the symbols of the algebra."""
        return derive(self.form, self.algebra)

    @cached_property
    def relations(self) -> Relations:
        """What the constraints say of positions and velocities; nothing else is derived for it."""
        return Relations(self.form, self.algebra, self._inputs)

    @cached_property
    def _unconstrained(self) -> tuple[Sparse[Expr], list[Expr]]:
        return unconstrained(self.form, self.algebra)

    @cached_property
    def mass(self) -> tuple[Sparse[Expr], Tape]:
        """The places of M that are not zero, and M alone: forces need not exist where it is asked for."""
        M, _ = self._unconstrained
        return M, Tape(self._inputs, M.values())

    @cached_property
    def load(self) -> Tape:
        """Q alone."""
        return Tape(self._inputs, self._unconstrained[1])

    @cached_property
    def ties(self) -> Array:
        """For each coordinate the number of its group (n,): those that constraints or M tie to each other."""
        group = np.arange(len(self.coordinates))
        for together in (*self.relations.speeds.variables_by_row(), *self.mass[0]):
            group[np.isin(group, group[list(together)])] = group[next(iter(together))]
        return group

    @cached_property
    def free(self) -> Tape:
        """M and Q."""
        return Tape(self._inputs, [*self.derived.M.values(), *self.derived.Q])

    @cached_property
    def rows(self) -> Tape:
        """A, b and the constraints' level and rate."""
        d = self.derived
        return Tape(self._inputs, [*d.A.values(), *d.b, *d.level, *d.rate])

    @cached_property
    def work(self) -> Tape | None:
        """C and the parts of the friction terms, by the multipliers too; None where every constraint is ideal."""
        d = self.derived
        if not d.friction and all(c == 0 for c in d.C):
            return None
        parts = [*d.C, *(e for f in d.friction for e in (f.size, f.speed, *f.along.values()))]
        return Tape([*self._inputs, *self.algebra.lam], parts)

    @cached_property
    def follows(self) -> bool:
        """Whether the nature of some constraint depends on multipliers."""
        d, lam = self.derived, set(self.algebra.lam)
        parts = [*d.C, *(e for f in d.friction for e in (f.size, f.speed, *f.along.values()))]
        return any(e.free_symbols & lam for e in parts)

    @cached_property
    def one_sided(self) -> tuple[int, ...]:
        """The rows that may only push."""
        return tuple(r for r, c in enumerate(self.form.constraints) if isinstance(c, OneSided))

    @cached_property
    def energy(self) -> Tape:
        """The energy and the power of what changes it besides the constraints."""
        found = self._energy
        return Tape(self._inputs, [found.total, found.power])

    @cached_property
    def energy_terms(self) -> Tape:
        """The terms the energy is the sum of."""
        return Tape(self._inputs, addends(self._energy.total))

    @cached_property
    def _energy(self) -> Energy[Expr]:
        return energy(self.form, self.algebra, self.derived.M, self.derived.Q)

    @cached_property
    def following(self) -> tuple[list[tuple[int, int]], Tape] | None:
        """D in the C = D λ̂ of `Following` natures: its places (coordinate, row), and D by λ too; None without any."""
        D = following(self.form, self.algebra, self.derived.A)
        places = [(i, row) for row, column in D.items() for i in column]
        if not places:
            return None
        return places, Tape([*self._inputs, *self.algebra.lam], [D[row][i] for i, row in places])

    @property
    def _inputs(self) -> list[Expr]:
        a = self.algebra
        return [*a.q, *a.v, a.t, *a.parameters.values()]


def prepared(system: Statement) -> Prepared:
    """What is kept of a statement; statements that differ in values, start or name share it."""
    return _prepared(form(system))


@lru_cache(maxsize=64)
def form(system: Statement) -> Statement:
    """The statement without its values: what derivation and compilation depend on."""
    return system.form()


@lru_cache(maxsize=64)
def _prepared(form: Statement) -> Prepared:
    return Prepared(form)


def caches() -> tuple[Any, ...]:
    """The caches of derived statements; each has `cache_clear`, for those who measure."""
    return form, _prepared
